"""The one door: opens any input, says what it recognised, gives plans, traces and decisions (inventory G-002, G-009).

model.py       Document: what was opened
opening/       from a text to a Document: plan texts, rule logs, JSON, event logs, SQL, programs, replays
rules/         what rules did: traces, the branch that one took, why one did not fire, a log of Spark's beside ours
decisions/     what the planner decided and why, of our plans whole, of pasted ones as far as the text says
alternatives/  what would be otherwise: the nearest changes that flip a decision, what-ifs
cardinality/   rows and bytes: expected, measured, where joins change, the search for their order
comparison/    two plans beside each other: of two inputs, of Spark and planviz, of two versions, of two days
rows/          operators played on rows
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from planviz.document.model import Document, SqlStatement, document_json
from planviz.document.opening.text import PASTE_LIMIT, open_text

if TYPE_CHECKING:
    from collections.abc import Mapping

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
    sizes: Mapping[str, int] | None = None,
) -> Document:
    """Plan every statement of an SQL text; see `planviz.document.opening.sql.open_sql`."""
    from planviz.document.opening import sql

    return sql.open_sql(text, catalog, config, params=params, infer=infer, stage=stage, sizes=sizes)
