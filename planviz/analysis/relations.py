"""FROM: tables, views, inline tables, table functions, and columns that occur twice."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any

from planviz.analysis.cleanup import EliminateUnions
from planviz.analysis.coercion import coercion_of
from planviz.analysis.context import AnalyzerRule, analysis_error, sql_text, subplans
from planviz.analysis.ctes import CTESubstitution
from planviz.analysis.joins import ResolveCoalesceHints, ResolveJoinStrategyHints
from planviz.analysis.windows import WindowsSubstitution
from planviz.catalog.tables import CATALOG, DATABASE, Table
from planviz.expressions.aggregates import AggregateExpression
from planviz.expressions.calls import Explode, GeneratorCall
from planviz.expressions.core import Alias, AttributeReference, Cast, GeneratorMark, Literal, alias, next_id
from planviz.expressions.subqueries import SubqueryExpression
from planviz.expressions.unresolved import UnresolvedAttribute
from planviz.frontend import parse_plan
from planviz.logical.cached import InMemoryRelation
from planviz.logical.combining import Except, Intersect, Join, LateralJoin, Union
from planviz.logical.objects import SerializeFromObject
from planviz.logical.operators import Aggregate, Expand, Generate, Project, SubqueryAlias, View, Window
from planviz.logical.plan import LogicalPlan
from planviz.logical.relations import (
    CTERelationRef,
    LocalRelation,
    LogicalRDD,
    LogicalRelation,
    OneRowRelation,
    Range,
    UnionLoopRef,
    cell,
)
from planviz.logical.scripts import ScriptTransformation
from planviz.logical.unresolved import (
    LimitAll,
    UnresolvedCatalogRelation,
    UnresolvedInlineTable,
    UnresolvedRelation,
    UnresolvedSubqueryColumnAliases,
    UnresolvedTableValuedFunction,
    UnresolvedTVFAliases,
    UnresolvedWith,
)
from planviz.trees.depth import deep
from planviz.types import LONG, NULL, UNKNOWN

INSTANCES = (LogicalRelation, InMemoryRelation, LocalRelation, LogicalRDD, Range, CTERelationRef, UnionLoopRef)


_BEFORE_NAMES = (
    CTESubstitution,
    WindowsSubstitution,
    EliminateUnions,
    ResolveJoinStrategyHints,
    ResolveCoalesceHints,
)


class ResolveRelations(AnalyzerRule):
    """Look tables and views up in the catalogue.

    UnresolvedRelation [t]  =>  SubqueryAlias spark_catalog.default.t over UnresolvedCatalogRelation

    A view's query is analyzed in place; then its columns are cast to those of the view.
    """

    matches = (UnresolvedRelation, View)

    def apply(self, plan: Any) -> Any:
        """See the class; an unknown name stays and is reported at the end."""
        return plan.transform_up(self._one, self.mask)

    def _one(self, plan: Any) -> Any:
        if isinstance(plan, View) and not plan.projected and plan.child.resolved:
            return _with_columns(plan)
        if not isinstance(plan, UnresolvedRelation):
            return plan
        catalog = self.context.catalog
        view = catalog.view(plan.parts)
        if view is not None:
            names = (view.name,) if view.temporary else (CATALOG, DATABASE, view.name)
            return SubqueryAlias(names, View(names, self._substituted(_of_view(view)), view.temporary, view.columns))
        table = catalog.table(plan.parts)
        if table is None:
            return plan
        return SubqueryAlias(table.qualified, UnresolvedCatalogRelation(table.qualified, table))

    def _substituted(self, plan: LogicalPlan) -> LogicalPlan:
        """A view's query after what comes before names are looked up: WITH, WINDOW, hints."""
        if plan.resolved:
            return plan
        for rule in (
            CTESubstitution,
            WindowsSubstitution,
            EliminateUnions,
            ResolveJoinStrategyHints,
            ResolveCoalesceHints,
        ):
            plan = rule(self.context).apply(plan)
        return plan


def _of_view(view: Any) -> LogicalPlan:
    """The plan of a catalogue's view: read again, its parts under ids of their own, unless a DataFrame analyzed it."""
    if view.plan is None:
        return parse_plan(view.sql)
    # Columns of an analyzed plan have to keep their ids: DeduplicateRelations renews them where they clash.
    made: LogicalPlan = view.plan if view.plan.resolved else _with_fresh_ids(view.plan)
    return made


def _with_fresh_ids(plan: Any) -> Any:
    """Before names are bound nothing refers to an id, so that each can be replaced on its own."""

    def expression(e: Any) -> Any:
        if isinstance(e, SubqueryExpression):
            return e.with_plan(_with_fresh_ids(e.plan)).replace(expr_id=next_id())
        if isinstance(e, Alias | AttributeReference):
            return e.replace(expr_id=next_id())
        return e.replace(result_id=next_id()) if isinstance(e, AggregateExpression) else e

    def operator(p: Any) -> Any:
        if isinstance(p, LocalRelation):
            return p.replace(attributes=tuple(a.new_instance() for a in p.attributes))
        if isinstance(p, UnresolvedWith):
            p = p.replace(plans=tuple(_with_fresh_ids(x) for x in p.plans))
        return p.map_expressions(lambda e: e.transform_up(expression))

    return plan.transform_up(operator)


def _with_columns(view: View) -> View:
    output = view.child.output
    names = view.columns or tuple(a.name for a in output)
    casts = tuple(alias(Cast(a, a.type), n) for a, n in zip(output, names, strict=False))
    return view.replace(child=Project(casts, view.child), projected=True)


class FindDataSourceTable(AnalyzerRule):
    """Read a catalogue's table as a relation with columns of its own ids.

    UnresolvedCatalogRelation  =>  Relation db.t[a#1, ...] parquet

    The same table read twice gives the same ids; DeduplicateRelations tells them apart where it matters.
    """

    matches = (UnresolvedCatalogRelation,)
    package = "org.apache.spark.sql.execution.datasources"

    def __init__(self, context: Any, relations: dict[tuple[str, ...], LogicalRelation]) -> None:
        super().__init__(context)
        self.relations = relations

    def rewrite(self, node: Any) -> Any:
        """See the class."""
        relation = self.relations.get(node.name)
        if relation is None:
            table: Table = node.table
            columns = tuple(AttributeReference(c.name, c.data_type, c.nullable, next_id()) for c in table.columns)
            relation = self.relations[node.name] = LogicalRelation(columns, node.name, table, table.provider)
        return relation


def table_not_found(plan: UnresolvedRelation, names: list[str]) -> Exception:
    """The error for a table that is not there, with the nearest names."""
    shown = sql_text(plan.parts)
    if len(plan.parts) - (plan.parts[0].lower() == CATALOG) > 2:
        return analysis_error(
            "REQUIRES_SINGLE_PART_NAMESPACE", f"{CATALOG} requires a single-part namespace, but got {shown}.", plan
        )
    near = get_close_matches(plan.parts[-1].lower(), [n.lower() for n in names], 3, 0.6)
    hint = f" Did you mean {' or '.join(sql_text((n,)) for n in near)}?" if near else ""
    return analysis_error(
        "TABLE_OR_VIEW_NOT_FOUND",
        f"The table or view {shown} cannot be found in the catalogue.{hint} Verify the spelling, or give a catalogue "
        "or a CREATE TABLE that has it.",
        plan,
    )


class ResolveInlineTables(AnalyzerRule):
    """Evaluate VALUES.

    UnresolvedInlineTable  =>  LocalRelation where every cell is a constant
    """

    matches = (UnresolvedInlineTable,)
    package = "org.apache.spark.sql.catalyst.analysis"

    def rewrite(self, node: Any) -> Any:
        """See the class."""
        cells = [c for row in node.rows for c in row]
        if not all(c.resolved for c in cells):
            return node
        wrong = next((c for c in cells if not c.deterministic), None)
        if wrong is not None:
            raise analysis_error(
                "INVALID_INLINE_TABLE.CANNOT_EVALUATE_EXPRESSION_IN_INLINE_TABLE",
                f'Invalid inline table. Cannot evaluate the expression "{wrong.pretty}" in inline table definition.',
                wrong,
            )
        common = coercion_of(self.context).least_common
        types = [common([row[i].data_type for row in node.rows]) for i in range(len(node.names))]
        if any(t is None for t in types):
            raise analysis_error(
                "INVALID_INLINE_TABLE.INCOMPATIBLE_TYPES_IN_INLINE_TABLE",
                "The columns of an inline table need one type each.",
                node,
            )
        columns = []
        for i, (n, t) in enumerate(zip(node.names, types, strict=True)):
            columns.append(AttributeReference(n, t or NULL, any(r[i].nullable for r in node.rows), next_id()))
        rows = tuple(tuple(cell(c, a.type) for c, a in zip(row, columns, strict=True)) for row in node.rows)
        return LocalRelation(tuple(columns), rows)


class ResolveTableFunctions(AnalyzerRule):
    """Functions in FROM: range gives a Range, generators a Generate over one row.

    range(10)  =>  Range (0, 10, step=1)          explode(xs)  =>  Generate explode(xs), [col] over OneRowRelation
    """

    matches = (UnresolvedTableValuedFunction,)
    package = "org.apache.spark.sql.catalyst.analysis.Analyzer$"

    @property
    def name(self) -> str:
        """Part of Spark's ResolveFunctions."""
        return "ResolveFunctions"

    def rewrite(self, node: Any) -> Any:
        """See the class."""
        name = node.parts[-1].lower()
        if not all(a.resolved for a in node.args):
            return node
        if name == "range" and len(node.parts) == 1:
            return _range(node)
        from planviz.analysis.registry import build

        made = build((name,), node.args, node)
        if made is None or len(node.parts) > 1 or not made.bits & GeneratorMark.BIT:
            raise analysis_error(
                "UNRESOLVABLE_TABLE_VALUED_FUNCTION",
                f"Could not resolve {sql_text(node.parts)} to a table function.",
                node,
            )
        outer = isinstance(made, Explode | GeneratorCall) and made.outer
        return Generate(made, (), outer, None, (), OneRowRelation())


def _range(node: Any) -> Any:
    values = []
    for a in node.args:
        value = a.child if isinstance(a, Alias | Cast) else a
        if not isinstance(value, Literal) or not isinstance(value.value, int):
            raise analysis_error("UNEXPECTED_INPUT_TYPE", "The arguments of range must be whole numbers.", node)
        values.append(value.value)
    if not 1 <= len(values) <= 4:
        raise analysis_error("WRONG_NUM_ARGS.WITHOUT_SUGGESTION", "The `range` requires 1 to 4 parameters.", node)
    start, end = (0, values[0]) if len(values) == 1 else (values[0], values[1])
    step = values[2] if len(values) > 2 else 1
    slices = values[3] if len(values) > 3 else None
    return Range(start, end, step, slices, AttributeReference("id", LONG, False, next_id()))


class ResolveSubqueryColumnAliases(AnalyzerRule):
    """Column names given to a relation.

    t(x, y)  =>  Project [a AS x, b AS y] over t
    """

    matches = (UnresolvedSubqueryColumnAliases, UnresolvedTVFAliases)

    def rewrite(self, node: Any) -> Any:
        """See the class."""
        child = node.child
        if not child.resolved:
            return node
        if len(child.output) != len(node.names):
            raise analysis_error(
                "ASSIGNMENT_ARITY_MISMATCH",
                f"The number of column aliases ({len(node.names)}) does not match the number of columns "
                f"({len(child.output)}).",
                node,
            )
        return Project(tuple(alias(a, n) for a, n in zip(child.output, node.names, strict=True)), child)


class DeduplicateRelations(AnalyzerRule):
    """Give a relation that occurs a second time ids of its own, and rewrite what reads it.

    Join(t[a#1], t[a#1])  =>  Join(t[a#1], t[a#9])

    Works from left to right: the first occurrence keeps its ids. Spark 3.0 only tells the sides of one operator apart:
    a subquery may read a table under the same ids as the query around it.
    """

    package = "org.apache.spark.sql.catalyst.analysis"

    def apply(self, plan: Any) -> Any:
        """See the class."""
        if self.context is not None and self.context.earlier:
            mask = Join.BIT | LateralJoin.BIT | Intersect.BIT | Except.BIT
            return plan.transform_up(_conflicts, mask) if plan.bits & mask else plan
        new, _ = _renew(plan, set())
        mask = Join.BIT | LateralJoin.BIT | Intersect.BIT | Except.BIT | Union.BIT
        return new.transform_up(_conflicts, mask) if new.bits & mask else new


#: An operator's class and the ids that it brings into being.
Key = tuple[type, tuple[int, ...]]
Seen = set[Key]


@deep
def _relations(plan: Any) -> frozenset[Key] | None:
    """What tells the resolved operators of the tree apart that bring ids into being; None where two are the same."""
    known = plan.__dict__
    if "_relations" not in known:
        ids = _own_ids(plan)
        found: set[Key] = {(type(plan), ids)} if ids and plan.resolved else set()
        count = len(found)
        inside = [s.plan for s in plan.subqueries] if plan.own_bits & SubqueryExpression.BIT else ()
        for below in (*plan.children, *inside):
            inner = _relations(below)
            count = -1 if inner is None or count < 0 else count + len(inner)
            found |= inner or set()
        known["_relations"] = frozenset(found) if count == len(found) else None
    result: frozenset[Key] | None = known["_relations"]
    return result


@deep
def _renew(plan: Any, seen: Seen) -> tuple[Any, bool]:
    # References to a CTE are told apart by single columns; sets of large trees would cost more than they save.
    if not plan.bits & CTERelationRef.BIT and plan.weight <= 200:
        keys = _relations(plan)
        if keys is not None and seen.isdisjoint(keys):
            seen |= keys
            return plan, False
    new, changed = _renew_children(plan, seen)
    ids = _own_ids(new)
    if not ids or not new.resolved:
        return new, changed
    key = (type(new), ids)
    if isinstance(new, CTERelationRef):
        # A definition that passes columns of another one on shares its ids with that one's references.
        if not any((CTERelationRef, (i,)) in seen for i in ids):
            seen.update((CTERelationRef, (i,)) for i in ids)
            return new, changed
    elif key not in seen:
        seen.add(key)
        return new, changed
    return _new_instance(new), True


def _renew_children(plan: Any, seen: Seen) -> tuple[Any, bool]:
    children = plan.children
    if not children:
        return plan, False
    changed = False
    renewed = []
    for c in children:
        n, child_changed = _renew(c, seen)
        renewed.append(n)
        changed = changed or child_changed
    below = plan

    def inner(e: Any) -> Any:
        nonlocal changed
        if isinstance(e, SubqueryExpression):
            n, sub_changed = _renew(e.plan, seen)
            changed = changed or sub_changed
            return e.with_plan(n)
        return e

    if plan.own_bits & SubqueryExpression.BIT:
        below = plan.transform_expressions_up(inner, SubqueryExpression.BIT)
    if not changed:
        return plan, False
    new = below.with_new_children(tuple(renewed))
    if all(c.resolved for c in children):
        mapping = {}
        for old, now in zip(children, renewed, strict=True):
            if old is not now:
                for a, b in zip(old.output, now.output, strict=True):
                    if a.expr_id != b.expr_id:
                        mapping[a.expr_id] = b
        if mapping:
            new = rewrite_attributes(new, mapping)
    return new, True


def rewrite_attributes(plan: Any, mapping: dict[int, AttributeReference]) -> Any:
    """One operator reading other attributes; outer references inside its subqueries too."""
    from planviz.expressions.unresolved import OuterReference

    def step(e: Any) -> Any:
        if isinstance(e, AttributeReference):
            new = mapping.get(e.expr_id)
            return e if new is None else new.with_qualifier(e.qualifier)
        if isinstance(e, SubqueryExpression):
            return e.with_plan(_rewrite_outer(e.plan, mapping))
        if isinstance(e, OuterReference):
            return e
        return e

    mask = AttributeReference.BIT | SubqueryExpression.BIT
    return plan.transform_expressions_up(step, mask)


def _rewrite_outer(plan: Any, mapping: dict[int, AttributeReference]) -> Any:
    from planviz.expressions.unresolved import OuterReference

    def step(e: Any) -> Any:
        if isinstance(e, OuterReference) and e.expr_id in mapping:
            return OuterReference(mapping[e.expr_id].with_qualifier(e.attribute.qualifier))
        return e

    return plan.transform_all_expressions(step, OuterReference.BIT)


def _aliases(expressions: tuple[Any, ...]) -> tuple[int, ...]:
    return tuple([e.expr_id for e in expressions if isinstance(e, Alias)])


def _own_ids(plan: Any) -> tuple[int, ...]:
    """The ids that an operator brings into being."""
    if isinstance(plan, INSTANCES):
        return tuple([a.expr_id for a in plan.output])
    if isinstance(plan, Project):
        return _aliases(plan.projects)
    if isinstance(plan, Aggregate):
        return _aliases(plan.aggregates)
    if isinstance(plan, Window):
        return _aliases(plan.functions)
    if isinstance(plan, SerializeFromObject):
        return _aliases(plan.serializer)
    if isinstance(plan, Generate):
        return tuple([a.expr_id for a in plan.generator_output])
    if isinstance(plan, Expand | ScriptTransformation):
        return tuple(sorted(plan.produced))
    return ()


def _renamed(expressions: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(Alias(e.child, e.name, next_id(), e.qualifier) if isinstance(e, Alias) else e for e in expressions)


def _new_instance(plan: Any) -> Any:
    if isinstance(plan, INSTANCES):
        return plan.new_instance()
    if isinstance(plan, Project):
        return plan.replace(projects=_renamed(plan.projects))
    if isinstance(plan, Aggregate):
        return plan.replace(aggregates=_renamed(plan.aggregates))
    if isinstance(plan, Window):
        return plan.replace(functions=_renamed(plan.functions))
    if isinstance(plan, SerializeFromObject):
        return plan.replace(serializer=_renamed(plan.serializer))
    if isinstance(plan, Generate):
        columns = tuple(c.new_instance() if isinstance(c, AttributeReference) else c for c in plan.columns)
        return plan.replace(columns=columns)
    produced = plan.produced
    columns = tuple(a.new_instance() if a.expr_id in produced else a for a in plan.columns)
    return plan.replace(columns=columns)


def _conflicts(plan: Any) -> Any:
    """Sides of one operator that still share ids get a projection or new ids."""
    if not plan.children_resolved:
        return plan
    if isinstance(plan, Join | Intersect | Except):
        if plan.left.output_set & plan.right.output_set:
            return plan.replace(right=_dedup_right(plan.left, plan.right))
        return plan
    if isinstance(plan, LateralJoin):
        right: Any = plan.right
        if right.resolved and plan.child.output_set & right.plan.output_set:
            return plan.replace(right=right.with_plan(_dedup_right(plan.child, right.plan)))
        return plan
    if isinstance(plan, Union) and not plan.by_name:
        return _dedup_union(plan)
    return plan


def _dedup_right(left: LogicalPlan, right: LogicalPlan) -> LogicalPlan:
    """The right side with fresh ids for the columns that the left side has too."""
    shared = left.output_set & right.output_set
    seen: Seen = set()

    def go(p: Any) -> Any:
        if not p.output_set & shared and not isinstance(p, Project | Aggregate):
            return p
        children = p.children
        renewed = tuple(go(c) for c in children)
        new = p
        if any(a is not b for a, b in zip(children, renewed, strict=True)):
            new = p.with_new_children(renewed)
            pairs = zip(children, renewed, strict=True)
            mapping = {
                a.expr_id: b
                for old, now in pairs
                for a, b in zip(old.output, now.output, strict=True)
                if a.expr_id != b.expr_id
            }
            if mapping:
                new = rewrite_attributes(new, mapping)
        own = _own_ids(new)
        return _new_instance(new) if set(own) & shared else new

    del seen
    new = go(right)
    if left.output_set & new.output_set:
        return Project(tuple(alias(a, a.name) for a in right.output), right)
    made: LogicalPlan = new
    return made


def _dedup_union(plan: Union) -> Any:
    inputs = [_without_repeated_ids(one) for one in plan.inputs]
    changed = any(a is not b for a, b in zip(inputs, plan.inputs, strict=True))
    for i, head in enumerate(inputs):
        for j in range(i + 1, len(inputs)):
            child: Any = inputs[j]
            if head.output_set & child.output_set:
                inputs[j] = Project(tuple(alias(a, a.name) for a in child.output), child)
                changed = True
    return plan.replace(inputs=tuple(inputs)) if changed else plan


def _without_repeated_ids(plan: Any) -> Any:
    """An input of a union whose columns have ids of their own: `SELECT a, a` gives one id twice."""
    if len(plan.output_set) == len(plan.output):
        return plan
    seen: set[int] = set()
    items: list[Any] = []
    for column in plan.output:
        items.append(alias(column, column.name) if column.expr_id in seen else column)
        seen.add(column.expr_id)
    return Project(tuple(items), plan)


class ApplyLimitAll(AnalyzerRule):
    """LIMIT ALL limits nothing.

    LimitAll(child)  =>  child
    """

    matches = (LimitAll,)
    package = "org.apache.spark.sql.catalyst.analysis"

    def rewrite(self, node: Any) -> Any:
        """See the class."""
        return node.child


def star_columns(plan: LogicalPlan) -> tuple[AttributeReference, ...]:
    """What `*` means over a plan."""
    return tuple(a for c in plan.children for a in c.output)


__all__ = ["UNKNOWN", "AggregateExpression", "UnresolvedAttribute", "subplans"]
