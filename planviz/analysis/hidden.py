"""Columns that `*` leaves out and that can be named all the same (Spark: metadataOutput): of USING and NATURAL joins,
and `_metadata` of tables made of files."""

from __future__ import annotations

from typing import Literal

from planviz.analysis.names import Scope, bind
from planviz.expressions.core import AttributeReference
from planviz.expressions.unresolved import UnresolvedAttribute
from planviz.logical.combining import Join
from planviz.logical.file_metadata import hidden_metadata, is_metadata, names_metadata
from planviz.logical.operators import (
    Aggregate,
    Distinct,
    Filter,
    Generate,
    GlobalLimit,
    HiddenColumns,
    LocalLimit,
    Project,
    RepartitionByExpression,
    Sample,
    Sort,
    SubqueryAlias,
)
from planviz.logical.plan import LogicalPlan
from planviz.logical.relations import LogicalRelation
from planviz.logical.unresolved import PipeOperator
from planviz.trees.depth import lowest_first
from planviz.trees.memo import Memo
from planviz.versions.model import Behaviour

#: How hidden columns that are named come out of a join: alone, with all others behind what it gives or before that, or
#: not at all.
Come = Literal["alone", "behind", "before", "never"]
# A GROUP BY or a set operation ends what can be seen of the columns below, a name what joins hide.
_THROUGH = (
    *(Project, Filter, Sort, Generate, Join, Distinct, GlobalLimit, LocalLimit, RepartitionByExpression, Sample),
    PipeOperator,
)

_HIDDEN: dict[str, Memo[tuple[AttributeReference, ...]]] = {
    files: Memo(f"hidden_output_{files}") for files in ("none", "sizes", "blocks")
}


def hidden_output(plan: LogicalPlan, files: str = "none") -> tuple[AttributeReference, ...]:
    """What a plan does not give but can, in Spark's order; `files` says which `_metadata` tables of files have."""
    # Asked of every DataFrame that a program makes over another one: what was found beneath is there.
    remembered = _HIDDEN[files]
    found = remembered.get(plan)
    if found is None:
        for below in lowest_first(plan, remembered.__contains__):
            remembered.set(below, _hidden(below, files))
        found = remembered.set(plan, _hidden(plan, files))
    return found


def _hidden(plan: LogicalPlan, files: str) -> tuple[AttributeReference, ...]:
    if files != "none" and isinstance(plan, LogicalRelation):
        return hidden_metadata(plan, files)
    if files != "none" and isinstance(plan, SubqueryAlias):
        found = [a for a in hidden_output(plan.child, files) if is_metadata(a)]
        return tuple(a.with_qualifier(plan.name) for a in found)
    own = HiddenColumns.of(plan)
    if own or not isinstance(plan, _THROUGH):
        return own
    seen = plan.children[:1] if isinstance(plan, Join) and plan.kind in ("LeftSemi", "LeftAnti") else plan.children
    return tuple(a for c in seen for a in hidden_output(c, files))


def coming(known: Behaviour) -> Come:
    """How a version gives the hidden columns of joins."""
    if known.hidden_columns_come_alone:
        return "alone"
    if not known.joins_give_hidden_columns:
        return "never"
    return "behind" if known.hidden_columns_come_last else "before"


def unhidden(
    plan: LogicalPlan, come: Come, files: str = "none"
) -> tuple[LogicalPlan, tuple[AttributeReference, ...] | None]:
    """The operator over children that give the hidden columns that it names, and the columns that it shall still give.

    Unless they `come` alone, a join that gives one of its hidden columns gives all of them; `files` says which
    `_metadata` tables of files have. These columns are None where nothing changed, or where the operator says itself
    what it gives.
    """
    if come == "never":
        return plan, None
    names = [n for e in plan.expressions for n in e.collect(UnresolvedAttribute)]
    references = [a for e in plan.expressions for a in e.collect(AttributeReference)]
    if not any(names_metadata(n.parts) for n in names) and not any(map(is_metadata, references)):
        files = "none"
    visible = {a.expr_id for c in plan.children for a in c.output}
    hidden = [a for c in plan.children for a in hidden_output(c, files) if a.expr_id not in visible]
    if not hidden:
        return plan, None
    before, more = Scope(a for c in plan.children for a in c.output), Scope(hidden)
    listed = {a.expr_id for a in references}
    if not any(a.expr_id in listed for a in hidden) and not any(
        before.resolve(n.parts, n) is None and more.resolve(n.parts, n) is not None for n in names
    ):
        return plan, None
    whole = isinstance(plan, Project | Aggregate)
    shown = None if whole else plan.output
    bound = plan.map_expressions(lambda e: bind(bind(e, before, True), more, True))
    used = {a.expr_id for e in bound.expressions for a in e.collect(AttributeReference)}
    needed = {a.expr_id for a in hidden} & used
    return bound.with_new_children(tuple(giving(c, needed, come, files) for c in plan.children)), shown


def giving(plan: LogicalPlan, needed: set[int], come: Come, files: str = "none") -> LogicalPlan:
    """The plan giving the needed columns that it, joins or tables below hide, too."""
    every = hidden_output(plan, files)
    hidden = [a for a in every if a.expr_id in needed]
    if not hidden:
        return plan
    if isinstance(plan, LogicalRelation):
        return plan if hidden[0] in plan.attributes else plan.replace(attributes=(*plan.attributes, *hidden))
    if isinstance(plan, Project) and come != "alone":
        hidden, needed = list(every), needed | {a.expr_id for a in every}
    children = tuple(giving(c, needed, come, files) for c in plan.children)
    if not isinstance(plan, Project):
        return plan.with_new_children(children)
    given = {a.expr_id for a in plan.output}
    more = [a for a in hidden if a.expr_id not in given]
    items = (*more, *plan.projects) if come == "before" else (*plan.projects, *more)
    return HiddenColumns.project(items, children[0], hidden_output(plan))
