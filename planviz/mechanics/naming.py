"""What to call the rows of a plan: the table or alias that they are of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from planviz.expressions.subqueries import QueryPlan
from planviz.logical.operators import SubqueryAlias

if TYPE_CHECKING:
    from planviz.logical.plan import LogicalPlan


def relation_names(analyzed: LogicalPlan) -> dict[int, str]:
    """The name of the relation that each column of an analyzed plan comes from, by the column's id.

    An alias counts before the table's own name, an inner alias before one around it; columns that are computed have
    the name of the alias around them.
    """
    names: dict[int, str] = {}
    aliases = [p for p in analyzed.walk() if isinstance(p, SubqueryAlias)]
    for alias in reversed(aliases):
        for a in alias.output:
            if alias.name[0] != "spark_catalog":
                names.setdefault(a.expr_id, alias.name[-1])
    for alias in aliases:
        for a in alias.output:
            names.setdefault(a.expr_id, alias.name[-1])
    return names


def name_of(plan: QueryPlan, names: Mapping[int, str]) -> str:
    """The relation that all columns of a plan are of, by `names` or else their qualifiers; nothing for several."""
    found = {names.get(a.expr_id) or (a.qualifier[-1] if a.qualifier else "") for a in plan.output}
    return found.pop() if len(found) == 1 else ""
