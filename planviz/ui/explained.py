"""What the rule's card says of why: the branch taken in the rule's pseudo-code, and rows where they are known."""

from __future__ import annotations

import re

from planviz.document.rules.branches import Explanation, explained
from planviz.errors import PlanvizError
from planviz.jsontypes import JsonObject
from planviz.logical.plan import LogicalPlan
from planviz.mechanics.rows import Filtered, filtered
from planviz.render.text import one_line
from planviz.ui.opened import Opened

_RELATION = re.compile(r"Relation (?:spark_catalog\.default\.)?([\w.`]+)\[")
#: Branches of one step that are told, and rows that are shown of them.
_BRANCHES, _ROWS = 6, 12


def explanations(opened: Opened) -> dict[str, list[dict[str, object]]]:
    """Why rules did what they did, by step (from 0, as text) of the document's trace.

    Each tells the `rule` that ran, the `node`, its `logic` as `[line, whether it was taken]`, what was `seen` as
    `[expression, what it gave]`, the `reason`, and `rows` where the operator is a filter over known rows.
    """
    executions = [s.execution for s in opened.document.statements if s.execution is not None and s.trace]
    if not executions:
        return {}
    found = {}
    for step in range(len(opened.document.trace.steps)):
        try:
            told = explained(executions[-1], step)
        except (PlanvizError, RecursionError):
            continue  # the steps are shown all the same
        if told:
            found[str(step)] = [_told(one) for one in told[:_BRANCHES]]
    return found


def _told(explanation: Explanation) -> dict[str, object]:
    branch = explanation.branch
    rows = filtered(branch.node) if isinstance(branch.node, LogicalPlan) else None
    return {
        "rule": branch.rule,
        "node": _line(branch.node),
        "logic": [[line.text, bool(line.branch) and line.branch == branch.took] for line in explanation.logic],
        "seen": [[_line(o.what), o.gave] for o in branch.seen],
        "reason": branch.reason,
    } | ({"rows": _table(rows)} if rows is not None and rows.rows else {})


def _line(what: object) -> str:
    """An operator or expression in a line; a relation by its name, without its columns."""
    text = str(getattr(what, "simple_string", what))
    relation = _RELATION.match(text)
    return one_line(f"Relation {relation[1]}" if relation else text, 300)


def _table(found: Filtered) -> JsonObject:
    """Rows as text, kept ones last; at most _ROWS, of which some are kept where any is."""
    dropped = [at for at, passes in enumerate(found.kept) if not passes]
    passing = [at for at, passes in enumerate(found.kept) if passes]
    few = dropped[: max(_ROWS - len(passing), _ROWS // 2)]
    shown, kept = few + passing[: _ROWS - len(few)], len(passing)
    count = "1 row" if len(found.rows) == 1 else f"{len(found.rows)} rows"
    more = len(found.rows) - len(shown)
    return {
        "words": f"{count}, the filter keeps {kept or 'none'}" + (f"; {more} more are not shown" if more > 0 else ""),
        "columns": list(found.columns),
        "rows": [[one_line(_value(v), 40) for v in found.rows[at]] for at in shown],
        "kept": [found.kept[at] for at in shown],
    }


def _value(value: object) -> str:
    return "null" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
