"""Putting expressions in the place of attributes, and asking what a projection gives."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from planviz.analysis.cleanup import trim, trim_inner
from planviz.analysis.deduplication import deduplicated
from planviz.expressions.core import Alias, AttributeReference, Expression, NamedExpression
from planviz.expressions.subqueries import SubqueryExpression
from planviz.functions.registry import build
from planviz.logical.combining import Join
from planviz.logical.operators import Project
from planviz.logical.plan import LogicalPlan
from planviz.trees.depth import SHARED, refuse_heavy
from planviz.versions import Behaviour

Substitution = Mapping[int, Expression]


def name_of(e: Expression) -> str:
    """The name of a named expression. Raises TypeError for another one."""
    if not isinstance(e, NamedExpression):
        raise TypeError(f"{e} has no name")
    return e.name


def alias_map(items: Iterable[Expression]) -> Substitution:
    """The aliases of a select list by id, each with what it stands for."""
    return {e.expr_id: e.child for e in items if isinstance(e, Alias)}


def substitute(e: Expression, mapping: Substitution) -> Expression:
    """The expression with attributes replaced by what `mapping` gives for their ids."""
    if not mapping or not e.bits & AttributeReference.BIT:
        return e
    new = e.transform_up(
        lambda x: mapping.get(x.expr_id, x) if type(x) is AttributeReference else x, AttributeReference.BIT
    )
    # Columns that use the column below twice double with every level; what reads such a tree walks every path.
    if new.height > SHARED:
        refuse_heavy(new.weight, "Replacing columns by what they stand for")
    return new


def inlined(e: Expression, mapping: Substitution) -> Expression:
    """`substitute` without the aliases that come along (Spark: replaceAlias)."""
    new = substitute(e, mapping)
    return new if new is e else trim(new)


def inlined_named(e: Expression, aliases: dict[int, Alias]) -> Expression:
    """The same for an item of a select list, which keeps its name and id (Spark: replaceAliasButKeepName)."""
    if isinstance(e, AttributeReference):
        below = aliases.get(e.expr_id)
        if below is None:
            return e
        return below if below.name == e.name else below.replace(name=e.name)
    return trim_inner(substitute(e, {i: a.child for i, a in aliases.items()}))


def merged_projects(upper: Sequence[Expression], lower: Sequence[Expression]) -> tuple[Expression, ...]:
    """The select list that does what `upper` over `lower` does (Spark: buildCleanedProjectList)."""
    aliases = {e.expr_id: e for e in lower if isinstance(e, Alias)}
    return tuple(inlined_named(e, aliases) for e in upper)


def rewritten(plan: LogicalPlan, mapping: Substitution) -> LogicalPlan:
    """The whole tree reading other attributes, subqueries' outer attributes included."""
    if not mapping:
        return plan
    return plan.transform_up(lambda p: p.map_expressions(lambda e: substitute(e, mapping)))


def renewed(plan: LogicalPlan, behaviour: Behaviour | None = None) -> LogicalPlan:
    """The same plan under fresh ids, so that it can stand beside itself; as a version does it where it is given."""
    made = deduplicated(Join(plan, plan, "Inner"), behaviour)
    assert isinstance(made, Join)
    return made.right


def pruned_child(plan: LogicalPlan, needed: frozenset[int]) -> LogicalPlan:
    """The plan under a projection to what is needed; itself when all of it is."""
    if plan.output_set <= needed:
        return plan
    return Project(tuple([a for a in plan.output if a.expr_id in needed]), plan)


def map_list(items: tuple[Expression, ...], f: Callable[[Expression], Expression]) -> tuple[Expression, ...]:
    """A tuple with `f` applied to its items; itself when none changed."""
    new = tuple(f(e) for e in items)
    return items if all(a is b for a, b in zip(items, new, strict=True)) else new


def same_output(a: Sequence[Expression], b: Sequence[Expression]) -> bool:
    """Whether two lists hold the same attributes in the same order."""
    return len(a) == len(b) and all(
        [
            isinstance(x, AttributeReference) and isinstance(y, AttributeReference) and x.expr_id == y.expr_id
            for x, y in zip(a, b, strict=True)
        ]
    )


def has_subquery(e: Expression) -> bool:
    """Whether a subquery occurs in the expression."""
    return bool(e.bits & SubqueryExpression.BIT)


def correlated(e: Expression) -> bool:
    """Whether a correlated subquery occurs in the expression."""
    return has_subquery(e) and any(s.outer for s in e.collect(SubqueryExpression))


def function(name: str, *arguments: Expression) -> Expression:
    """A call of a built-in function by name. Raises KeyError for a name that is none."""
    made = build((name,), arguments, None)
    if made is None:
        raise KeyError(name)
    return made
