"""What operators over guessed tables hand on and ask for: questions about plans that know nothing of guesses."""

from __future__ import annotations

import re

from planviz.expressions.core import Alias, AttributeReference, Expression
from planviz.expressions.unresolved import UnresolvedAlias, UnresolvedAttribute
from planviz.logical.operators import (
    Project,
)
from planviz.logical.plan import ANALYZED, LogicalPlan

#: A column of which the text does not tell the name.
UNTOLD = re.compile(r"<[^<>]+>")
#: Functions that take nothing but constants where they take texts: schemas, units, durations.
_PARSE_BY = "from_json from_csv from_xml schema_of_json schema_of_csv schema_of_xml"
_OF_TIME = "window session_window date_trunc trunc date_part extract interval"


def asks_for_user(plan: LogicalPlan) -> bool:
    """Whether an operator names a column `user`, which is a function of SQL where no table has it."""
    found = (a for e in plan.expressions for a in e.collect(UnresolvedAttribute))
    return any(a.parts[-1].lower() in ("user", "session_user") for a in found)


def untold(e: Expression) -> bool:
    """Whether an item of a list is a column of which the text does not tell the name, or named after one."""
    inner = e.child if isinstance(e, Alias | UnresolvedAlias) else e
    return isinstance(inner, UnresolvedAttribute) and UNTOLD.fullmatch(inner.parts[-1]) is not None


def name_of(e: Expression) -> str:
    """The name of an item of a list, empty where it has none."""
    return e.parts[-1] if isinstance(e, UnresolvedAttribute) else str(getattr(e, "name", ""))


def put_into(names: set[str], column: AttributeReference, e: Expression) -> Expression:
    """An expression with a column in place of those of these names."""
    made: Expression = e.transform_up(
        lambda x: column if isinstance(x, UnresolvedAttribute) and x.parts[-1] in names else x
    )
    return made


def new_in(plan: LogicalPlan) -> list[LogicalPlan]:
    """The operators of a plan without those of the DataFrames that it was made of."""
    found, todo = [], [plan]
    while todo:
        node = todo.pop()
        if node not in ANALYZED:
            found.append(node)
            todo += node.children
    return found


def starred(plan: Project) -> bool:
    """Whether a projection takes all columns of what it reads."""
    return any("Star" in type(p).__name__ and not getattr(p, "excepted", ()) for p in plan.projects)


def keeps_all(plan: Project) -> bool:
    """Whether a projection hands on what is beneath a join's or a rename's columns: more items than its child has."""
    passed = {p.expr_id for p in plan.projects if isinstance(p, AttributeReference)}
    return (
        bool(plan.child.output)
        and all(a.expr_id in passed for a in plan.child.output)
        and len(plan.projects) > len(plan.child.output)
    )


def lists_all(plan: Project) -> bool:
    """Whether a projection makes something of every column there is, as a list over `df.columns` does."""
    names = {p.name.lower() for p in plan.projects if isinstance(p, Alias)}
    known = {a.name.lower() for a in plan.child.output}
    return not plan.projects or (bool(names & known) and known <= {a.name.lower() for a in plan.output})


def deduplicated(plan: LogicalPlan) -> tuple[str, ...]:
    """The columns by which an operator leaves out rows that are alike."""
    names = getattr(plan, "names", None) or getattr(plan, "keys", None)
    if type(plan).__name__ == "UnresolvedDeduplicate" and isinstance(names, tuple):
        return tuple(n for n in names if isinstance(n, str))
    return ()
