"""The step player as a Streamlit component: a trace, the rules' cards, what became of plans without a rule.

Stepping stays in the browser. The data travels as gzipped JSON, the same bytes for the same trace.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping

from planviz.render.theme import tokens
from planviz.ui import state
from planviz.ui.elements import component

KEY = "planviz.player"


def player_data(
    trace: Mapping[str, object],
    document: str,
    *,
    step: int | None = None,
    cards: Mapping[str, object] | None = None,
    without: Mapping[str, object] | None = None,
    own: bool = False,
    fixed: list[str] | None = None,
    exports: str | None = None,
    sql: Mapping[str, object] | None = None,
    silent: Mapping[str, object] | None = None,
    why: Mapping[str, object] | None = None,
    written: Mapping[str, str] | None = None,
) -> bytes:
    """What the component plays, gzipped, equal for equal arguments.

    `trace` is `planviz.render.steps.trace_data`. `document` names it: as long as it stays the same the browser keeps
    step and view. `step` counts from 1. `cards` are by rule (`planviz.ui.rules.card`). `own` tells that rules can be
    switched off, all but the `fixed` ones; `without` holds by rule `{"words", "trace"}` of plans made without it.
    `exports` is the address under which pictures of steps are drawn. `sql` is the query as written and as the optimized
    plan says it (`planviz.ui.rules.as_sql`), `silent` what is known of rules that changed nothing, by name, and
    `why` more about those that were asked about. `written` has `title` and `text` of what the plan was made from, in
    which the lines of the trace's cards count.
    """
    data = {
        "key": document,
        "trace": trace,
        "theme": tokens(),
        "dark": None,
        "step": step,
        "cards": cards or {},
        "own": own,
        "fixed": fixed or [],
        "without": without or {},
        "exports": exports,
        "sql": sql,
        "silent": silent or {},
        "why": why or {},
        "written": written,
    }
    return gzip.compress(json.dumps(data, separators=(",", ":"), allow_nan=False).encode(), 6, mtime=0)


def player(data: bytes, *, height: int | str = "stretch") -> None:
    """Draw the player; what it asks about a rule goes to `state.ask_about` before the page is drawn."""
    component("rules")(key=KEY, data=data, height=height, width="stretch", on_asked_change=lambda: state.ask_about(KEY))
