"""NATURAL and USING joins, and hints."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from typing_extensions import override

from planviz.analysis.context import AnalyzerRule, folded, same_name
from planviz.analysis.hidden import hidden_output
from planviz.expressions.conditional import Coalesce
from planviz.expressions.core import AttributeReference, Expression, Literal, SortOrder, alias
from planviz.expressions.predicates import EqualTo, conjunction
from planviz.expressions.unresolved import UnresolvedAttribute
from planviz.frontend.errors import analysis_error
from planviz.frontend.naming import name_parts
from planviz.logical.combining import Join, WithCTE
from planviz.logical.operators import (
    HiddenColumns,
    Project,
    RebalancePartitions,
    Repartition,
    RepartitionByExpression,
    ResolvedHint,
    SubqueryAlias,
    View,
)
from planviz.logical.plan import LogicalPlan
from planviz.logical.relations import CTERelationRef
from planviz.logical.unresolved import UnresolvedHint, UnresolvedRelation
from planviz.trees.depth import deep
from planviz.types import is_string


class ResolveNaturalAndUsingJoin(AnalyzerRule):
    """Join on equal names and give the shared columns once.

    t1 JOIN t2 USING (a)  =>  Project [a, rest of t1, rest of t2] over Join Inner, (t1.a = t2.a)
    """

    matches = (Join,)

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return plan.resolve_operators_up(self._one, Join.BIT)

    @staticmethod
    def _one(plan: LogicalPlan) -> LogicalPlan:
        if (
            not isinstance(plan, Join)
            or not plan.unresolved_kind
            or not plan.children_resolved
            or not plan.duplicate_resolved
        ):
            return plan
        kind = plan.kind
        if plan.using is None:
            kind = plan.kind.removeprefix("NaturalJoin(").removesuffix(")")
            # A name that the left side has twice is shared as often as the right side has it.
            left_over = Counter(folded(a.name) for a in plan.right.output)
            shared = []
            for a in plan.left.output:
                if left_over[folded(a.name)] > 0:
                    left_over[folded(a.name)] -= 1
                    shared.append(a.name)
            names = tuple(shared)
        else:
            names = plan.using
        return plan.rebuilt(_common(plan, kind, names))


def _column(plan: LogicalPlan, name: str, side: str, place: LogicalPlan) -> AttributeReference:
    found = [a for a in plan.output if same_name(a.name, name)]
    if not found:
        known = ", ".join(f"`{a.name}`" for a in plan.output)
        raise analysis_error(
            "UNRESOLVED_USING_COLUMN_FOR_JOIN",
            f"USING column `{name}` cannot be resolved on the {side} side of the join. The {side}-side columns: "
            f"[{known}].",
            place,
        )
    # Of several the first, as in Spark.
    return found[0]


def _common(plan: Join, kind: str, names: tuple[str, ...]) -> Project:
    left = [_column(plan.left, n, "left", plan) for n in names]
    right = [_column(plan.right, n, "right", plan) for n in names]
    pairs: list[Expression] = [EqualTo(a, b) for a, b in zip(left, right, strict=True)]
    if plan.condition is not None:
        pairs.append(plan.condition)
    join = Join(
        plan.left, plan.right, kind, conjunction(pairs) if pairs else None, None, plan.left_hint, plan.right_hint
    )
    left_ids, right_ids = {a.expr_id for a in left}, {a.expr_id for a in right}
    rest_left = [a for a in plan.left.output if a.expr_id not in left_ids]
    rest_right = [a for a in plan.right.output if a.expr_id not in right_ids]
    hidden: list[AttributeReference] = []
    columns: list[Expression]
    if kind == "LeftOuter":
        columns = [*left, *rest_left, *(a.with_nullability(True) for a in rest_right)]
        hidden = [a.with_nullability(True) for a in right]
    elif kind in ("LeftSemi", "LeftAnti"):
        columns = [*left, *rest_left]
    elif kind == "RightOuter":
        columns = [*right, *(a.with_nullability(True) for a in rest_left), *rest_right]
        hidden = [a.with_nullability(True) for a in left]
    elif kind == "FullOuter":
        merged = [alias(Coalesce((a, b)), a.name) for a, b in zip(left, right, strict=True)]
        nullable = [a.with_nullability(True) for a in (*rest_left, *rest_right)]
        columns = [*merged, *nullable]
        hidden = [a.with_nullability(True) for a in (*left, *right)]
    else:
        columns = [*left, *rest_left, *rest_right]
        hidden = list(right)
    # Those that joins below hide can still be named, too.
    return HiddenColumns.project(tuple(columns), join, (*hidden, *hidden_output(join)))


STRATEGIES = {
    "BROADCAST": "broadcast", "BROADCASTJOIN": "broadcast", "MAPJOIN": "broadcast", "SHUFFLE_MERGE": "merge",
    "MERGE": "merge", "MERGEJOIN": "merge", "SHUFFLE_HASH": "shuffle_hash",
    "SHUFFLE_REPLICATE_NL": "shuffle_replicate_nl",
}  # fmt: skip
Name = tuple[str, ...]
_PARTITIONING = ("COALESCE", "REPARTITION", "REPARTITION_BY_RANGE", "REBALANCE")


class ResolveJoinStrategyHints(AnalyzerRule):
    """Put a join hint over the relation it names.

    UnresolvedHint BROADCAST, [t1]  =>  ResolvedHint (strategy=broadcast) over t1
    """

    matches = (UnresolvedHint,)
    package = "org.apache.spark.sql.catalyst.analysis.ResolveHints$"

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return plan.resolve_operators_up(self._one, UnresolvedHint.BIT)

    def _one(self, plan: LogicalPlan) -> LogicalPlan:
        if not isinstance(plan, UnresolvedHint) or plan.name.upper() not in STRATEGIES:
            return plan
        strategy = STRATEGIES[plan.name.upper()]
        if not plan.parameters:
            return ResolvedHint(strategy, plan.child)
        for p in plan.parameters:
            if not isinstance(p, UnresolvedAttribute) and not (isinstance(p, Literal) and isinstance(p.value, str)):
                raise analysis_error(
                    "_LEGACY_ERROR_TEMP_1046", f"A join hint names relations, which {p} does not.", plan
                )
        names = [_name(p) for p in plan.parameters]
        written = f"{plan.name}({', '.join(map('.'.join, names))})"
        found: set[Name] = set()
        overridden: list[str] = []
        child = _apply_hint(plan.child, [_lower(n) for n in names], strategy, found, overridden)
        for o in overridden:
            self.context.counters.warn(f"Hint (strategy={o}) is overridden by another hint and will not take effect.")
        for n in names:
            if _lower(n) not in found:
                self.context.counters.warn(f"Count not find relation '{'.'.join(n)}' specified in hint '{written}'.")
        return child


def _name(p: Expression) -> Name:
    return p.parts if isinstance(p, UnresolvedAttribute) else (str(p),)


def _lower(name: Name) -> Name:
    return tuple(part.lower() for part in name)


@deep
def _apply_hint(
    plan: LogicalPlan, names: list[Name], strategy: str, found: set[Name], overridden: list[str]
) -> LogicalPlan:
    own: Name | None = None
    if isinstance(plan, ResolvedHint):
        own = _relation_name(plan.child)
    elif isinstance(plan, SubqueryAlias | UnresolvedRelation | View):
        own = _relation_name(plan)
    # A hint may leave out what stands before a table's own name: its database, its catalogue.
    named = [n for n in names if own is not None and own[-len(n) :] == n]
    if named:
        found.update(named)
        if isinstance(plan, ResolvedHint):
            # The hint written first stands (Spark: HintInfo.merge).
            overridden += [plan.strategy] if plan.strategy != strategy else []
            return plan.replace(strategy=strategy)
        return ResolvedHint(strategy, plan)
    if isinstance(plan, SubqueryAlias | View | UnresolvedRelation | WithCTE | CTERelationRef):
        return plan
    return plan.map_children(lambda c: _apply_hint(c, names, strategy, found, overridden))


def _relation_name(plan: LogicalPlan) -> Name | None:
    if isinstance(plan, SubqueryAlias):
        return _lower(plan.name)
    return _lower(plan.parts) if isinstance(plan, UnresolvedRelation) else None


class ResolveCoalesceHints(AnalyzerRule):
    """Hints that repartition.

    UnresolvedHint REPARTITION, [3, a]  =>  RepartitionByExpression [a], 3
    """

    matches = (UnresolvedHint,)
    package = "org.apache.spark.sql.catalyst.analysis.ResolveHints$"

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return plan.resolve_operators_up(self._one, UnresolvedHint.BIT)

    def _one(self, plan: LogicalPlan) -> LogicalPlan:
        if not isinstance(plan, UnresolvedHint) or plan.name.upper() not in _PARTITIONING:
            return plan
        name = plan.name.upper()
        number: int | None = None
        # A text names a column, too.
        keys = [_column_of_text(p) for p in plan.parameters]
        first = keys[0] if keys else None
        numbered = name != "REBALANCE" or self.context.config.behaviour.rebalancing_takes_a_number
        if isinstance(first, Literal) and isinstance(first.value, int) and numbered:
            number = first.value
            keys = keys[1:]
            if number < 1:
                told = f"requirement failed: Number of partitions ({number}) must be positive."
                raise analysis_error("IllegalArgumentException", told, plan)
        if name == "COALESCE":
            if number is None or keys:
                told = "COALESCE Hint expects a partition number as a parameter."
                raise analysis_error("_LEGACY_ERROR_TEMP_1048", told, plan)
            return Repartition(number, False, plan.child)
        if name == "REPARTITION" and not keys and number is not None:
            return Repartition(number, True, plan.child)
        if name == "REBALANCE":
            known = self.context.config.behaviour.queries_are_rebalanced
            if not known or not self.context.config.get("spark.sql.adaptive.enabled"):
                return plan
            _check_columns(name, keys, plan)
            return RebalancePartitions(tuple(keys), plan.child, number)
        _check_columns(name, keys, plan)
        if name == "REPARTITION_BY_RANGE":
            return RepartitionByExpression(tuple(SortOrder(k) for k in keys), plan.child, number)
        return RepartitionByExpression(tuple(keys), plan.child, number)


def _check_columns(name: str, keys: Sequence[Expression], plan: UnresolvedHint) -> None:
    wrong = ", ".join(str(k) for k in keys if isinstance(k, Literal))
    if wrong:
        told = f"{name} Hint parameter should include columns, but {wrong} found."
        raise analysis_error("_LEGACY_ERROR_TEMP_1047", told, plan)


def _column_of_text(parameter: Expression) -> Expression:
    name = parameter.value if isinstance(parameter, Literal) and is_string(parameter.type) else None
    return parameter if name is None else UnresolvedAttribute(name_parts(name))


class DisableHints(AnalyzerRule[UnresolvedHint]):
    """Drop all hints before they are read, where `spark.sql.optimizer.disableHints` says so.

    UnresolvedHint NAME over child  =>  child
    """

    matches = (UnresolvedHint,)
    order = "up"
    package = "org.apache.spark.sql.catalyst.analysis.ResolveHints$"

    def rewrite(self, node: UnresolvedHint) -> LogicalPlan:
        """The child, where hints are disabled."""
        return node.child if self.context.config.get("spark.sql.optimizer.disableHints") else node


class RemoveAllHints(AnalyzerRule[UnresolvedHint]):
    """Drop hints that mean nothing, and rebalancing, which needs adaptive execution.

    UnresolvedHint NAME over child  =>  child
    """

    matches = (UnresolvedHint,)
    # Hints stand upon one another.
    order = "up"
    package = "org.apache.spark.sql.catalyst.analysis.ResolveHints$"

    @override
    def rewrite(self, node: UnresolvedHint) -> LogicalPlan:
        parameters = f"({', '.join('.'.join(_name(p)) for p in node.parameters)})" if node.parameters else ""
        self.context.counters.warn(f"Unrecognized hint: {node.name}{parameters}")
        return node.child
