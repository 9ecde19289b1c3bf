"""The one door: opens any input, says what it recognised, gives plans, traces and decisions (inventory G-002, G-009).

model.py   Document: what was opened
text.py    plan texts, rule logs, JSON, event logs; hands SQL on
sql.py     SQL through our own Catalyst; loaded when there is some
traces.py  our trace in the form that parsed rule logs have
why.py     why a rule did not fire, and the plan without it

decided.py        the planner's decisions on every query, and their words
reconstructed.py  the decisions behind a pasted plan, as far as its text tells
flips.py          the nearest changes that flip a decision: join_flips.py and aggregate_flips.py find them, replanned.py
                  applies them and plans anew, hints.py and named.py put a hint where the SQL names a relation
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from planviz.document.model import Document, SqlStatement, document_json
from planviz.document.text import PASTE_LIMIT, open_text

if TYPE_CHECKING:
    from planviz.catalog.tables import Catalog
    from planviz.config import OptimizerConfig
    from planviz.frontend import Parameters

__all__ = ["PASTE_LIMIT", "Document", "SqlStatement", "document_json", "open_sql", "open_text"]


def open_sql(
    text: str,
    catalog: Catalog | None = None,
    config: OptimizerConfig | None = None,
    *,
    params: Parameters | None = None,
    infer: bool | None = None,
    stage: str = "physical",
) -> Document:
    """Plan every statement of an SQL text; see `planviz.document.sql.open_sql`."""
    from planviz.document import sql

    return sql.open_sql(text, catalog, config, params=params, infer=infer, stage=stage)
