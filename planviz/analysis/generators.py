"""Generators in select lists and LATERAL VIEW, PIVOT and UNPIVOT."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import NoReturn

from typing_extensions import override

from planviz.analysis.coercion.legacy import LEGACY
from planviz.analysis.context import AnalyzerRule
from planviz.evaluation import DEFAULT_EVALUATOR, Evaluator
from planviz.expressions.aggregates import AggregateCall, AggregateExpression, FirstLast
from planviz.expressions.casts import Cast
from planviz.expressions.complex import CreateNamedStruct, GetArrayItem, GetStructField
from planviz.expressions.conditional import If
from planviz.expressions.core import (
    Alias,
    AttributeReference,
    Expression,
    GeneratorMark,
    Literal,
    NamedExpression,
    alias,
    lit,
    occurs,
)
from planviz.expressions.earlier import quoted_sql
from planviz.expressions.generators import Explode, Generator
from planviz.expressions.ids import next_id
from planviz.expressions.literals import stored_text
from planviz.expressions.predicates import EqualNullSafe
from planviz.expressions.specs import FunctionSpec
from planviz.expressions.unresolved import LateralColumnAliasReference, MultiAlias, UnresolvedAlias
from planviz.frontend.errors import analysis_error
from planviz.logical.operators import Aggregate, Expand, Generate, Project
from planviz.logical.plan import LogicalPlan
from planviz.logical.unresolved import Pivot, Unpivot, UnresolvedTableValuedFunction
from planviz.types import BOOLEAN, STRING, UNKNOWN, ArrayType, DataType, StructType, is_numeric, is_orderable, is_string
from planviz.types.zones import session_zone


class ExtractGenerator(AnalyzerRule):
    """A generator in a select list becomes a Generate beneath it.

    Project [a, explode(xs) AS x]  =>  Project [a, x] over Generate explode(xs), [x]
    """

    matches = (GeneratorMark,)

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan | None:
        return plan.resolve_operators_up(self._one, GeneratorMark.BIT)

    def _one(self, plan: LogicalPlan) -> LogicalPlan:
        if not isinstance(plan, Aggregate | Project):
            return plan if isinstance(plan, Generate) else _outside(plan)
        items = plan.aggregates if isinstance(plan, Aggregate) else plan.projects
        for e in items:
            if _nested(e):
                _refuse_nested(e)
        found = [(e, g) for e in items if (g := _generator(e)) is not None]
        alone = isinstance(plan, Aggregate) or not self.context.config.behaviour.lists_hold_generators
        if alone and sum(occurs(e, GeneratorMark.BIT) for e in items) > 1:
            raise analysis_error(
                "UNSUPPORTED_GENERATOR.MULTI_GENERATOR",
                "The generator is not supported: only one generator allowed per SELECT clause.",
                plan,
            )
        if isinstance(plan, Aggregate):
            return self._aggregate(plan) if found else plan
        if not found or not plan.children_resolved:
            return plan
        if not all(g.resolved for _, (g, _) in found):
            return plan
        if self.context.config.behaviour.generators_read_no_aliases:
            read = next((x for _, (g, _) in found for x in g.collect(LateralColumnAliasReference)), None)
            if read is not None:
                told = f"A generator reads the alias {read.pretty} of the same select list, which Spark cannot plan."
                raise analysis_error("INTERNAL_ERROR", told, read)
        below, columns = plan.child, {}
        for item, (generator, names_given) in found:
            outer = isinstance(generator, Explode) and generator.outer
            below = Generate(generator, (), outer, None, _columns(generator, names_given, plan), below)
            columns[id(item)] = below.generator_output
        projects: list[Expression] = []
        for e in plan.projects:
            projects += columns.get(id(e), (e,))
        return Project(tuple(projects), below)

    @staticmethod
    def _aggregate(plan: Aggregate) -> LogicalPlan:
        if not all(_generator(e) is not None or e.resolved for e in plan.aggregates):
            return plan
        inner: list[Expression] = []
        outer: list[Expression] = []
        for e in plan.aggregates:
            found = _generator(e)
            if found is None:
                inner.append(e)
                outer.append(e.to_attribute())
                continue
            generator, names = found
            named = [c if c.foldable else alias(c, f"_gen_input_{i}") for i, c in enumerate(generator.children)]
            inner += [c for c in named if isinstance(c, Alias)]
            arguments = tuple(c.to_attribute() if isinstance(c, Alias) else c for c in named)
            outer.append(MultiAlias(generator.with_new_children(arguments), tuple(names)))
        return Project(tuple(outer), Aggregate(plan.grouping, tuple(inner), plan.child))


def _nested(e: Expression) -> bool:
    """Whether a generator stands where its rows could not go: below another expression."""
    top = e.child if isinstance(e, UnresolvedAlias | Alias | MultiAlias) else e
    inside = top.children if isinstance(top, GeneratorMark) else (top,)
    return any(occurs(c, GeneratorMark.BIT) for c in inside)


def _refuse_nested(e: Expression) -> NoReturn:
    raise analysis_error(
        "UNSUPPORTED_GENERATOR.NESTED_IN_EXPRESSIONS",
        f'The generator is not supported: nested in expressions "{e.pretty}".',
        e,
    )


def _outside(plan: LogicalPlan) -> LogicalPlan:
    """The operator as it is; AnalysisError where it holds a generator."""
    generators = [g for e in plan.expressions for g in e.walk() if isinstance(g, GeneratorMark)]
    for g in generators:
        if isinstance(plan, UnresolvedTableValuedFunction) or any(occurs(c, GeneratorMark.BIT) for c in g.children):
            _refuse_nested(g)
    if generators:
        raise analysis_error(
            "UNSUPPORTED_GENERATOR.OUTSIDE_SELECT",
            f"The generator is not supported: outside the SELECT clause, found: {plan.simple_string}.",
            plan,
        )
    return plan


def _generator(e: Expression) -> tuple[Generator, tuple[str, ...]] | None:
    if isinstance(e, Alias) and isinstance(e.child, Generator):
        return e.child, (e.name,)
    if isinstance(e, MultiAlias) and isinstance(e.child, Generator):
        return e.child, e.names
    return None


def _columns(generator: Generator, names: tuple[str, ...], place: LogicalPlan) -> tuple[AttributeReference, ...]:
    schema = generator.element_schema
    if names and len(names) != len(schema):
        raise analysis_error(
            "UDTF_ALIAS_NUMBER_MISMATCH",
            f"The number of aliases supplied in the AS clause does not match the number of columns output by the "
            f"generator. Expected {len(schema)} aliases, but got {', '.join(names)}.",
            place,
        )
    shown = names or tuple(f.name for f in schema)
    return tuple(AttributeReference(n, f.data_type, f.nullable, next_id()) for n, f in zip(shown, schema, strict=True))


class ResolveGenerate(AnalyzerRule):
    """Give the columns of LATERAL VIEW their types.

    Generate explode(xs), ['x]  =>  Generate explode(xs), [x#1]
    """

    matches = (Generate,)

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return plan.resolve_operators_up(self._one, Generate.BIT)

    @staticmethod
    def _one(plan: LogicalPlan) -> LogicalPlan:
        if not isinstance(plan, Generate) or plan.resolved or not plan.children_resolved or not plan.generator.resolved:
            return plan
        if not isinstance(plan.generator, Generator):
            raise analysis_error(
                "UNSUPPORTED_GENERATOR.NOT_GENERATOR", f"{plan.generator.pretty} is expected to be a generator.", plan
            )
        names = tuple(c.name for c in plan.columns if isinstance(c, NamedExpression))
        outer = plan.outer or (isinstance(plan.generator, Explode) and plan.generator.outer)
        return plan.replace(columns=_columns(plan.generator, names, plan), outer=outer)


# ---------------------------------------------------------------------------------------------------- pivot


class ResolvePivot(AnalyzerRule):
    """PIVOT: group once more by the pivot column, then lay its values side by side.

    Pivot c IN ('x', 'y'), [sum(b)]  =>  Project [a, s[0] AS x, s[1] AS y] over Aggregate [a] over Aggregate [a, c]
    """

    matches = (Pivot,)

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan | None:
        return plan.resolve_operators_up(self._one, Pivot.BIT)

    def _one(self, plan: LogicalPlan) -> LogicalPlan:
        if not isinstance(plan, Pivot) or not plan.children_resolved or not all(e.resolved for e in plan.expressions):
            return plan
        if not is_orderable(plan.column.data_type):
            raise analysis_error(
                "INCOMPARABLE_PIVOT_COLUMN",
                f"Invalid pivot column `{plan.column.pretty}`. Pivot columns must be comparable.",
                plan,
            )
        for a in plan.aggregates:
            if not occurs(a, AggregateExpression.BIT):
                raise analysis_error(
                    "_LEGACY_ERROR_TEMP_1006",
                    f"Aggregate expression required for pivot, but '{a.pretty}' did not appear in any aggregate "
                    f"function.",
                    plan,
                )
        used = frozenset[int]().union(*[a.references for a in plan.aggregates]) | plan.column.references
        keys = plan.groups if plan.grouped else tuple(a for a in plan.child.output if a.expr_id not in used)
        # A key that is no column (a struct's field) has its name from here on.
        keys = tuple(k if isinstance(k, NamedExpression) else alias(k, _key_name(k)) for k in keys)
        simple = all(_slots(a.data_type) for a in plan.aggregates)
        values = [_pivot_value(v, plan) for v in plan.values]
        if not simple:
            return _pivot_if(plan, keys, values)
        # A name in quotes is quoted again where the names of both aggregates are put together.
        named = self.context.config.behaviour.distincts_are_filtered
        return _pivot_first(plan, keys, values, _bare_sql if named else quoted_sql)


def _key_name(key: Expression) -> str:
    return key.name if isinstance(key, GetStructField) else key.pretty


def _slots(t: DataType) -> bool:
    """Whether `pivotfirst` can hold values of this type (Spark: PivotFirst.supportsDataType)."""
    return is_numeric(t) or t == BOOLEAN


def _pivot_value(e: Expression, plan: Pivot) -> tuple[Expression, str]:
    value = e.child if isinstance(e, Alias) else e
    if not value.foldable:
        raise analysis_error(
            "NON_LITERAL_PIVOT_VALUES", f'Literal expressions required for pivot values, found "{value.pretty}".', plan
        )
    name = e.name if isinstance(e, Alias) else _value_name(value)
    wanted, given = plan.column.data_type, value.data_type
    if isinstance(wanted, StructType) != isinstance(given, StructType) and UNKNOWN not in (wanted, given):
        raise analysis_error(
            "PIVOT_VALUE_DATA_TYPE_MISMATCH",
            f"Invalid pivot value '{value.pretty}': its type {given.sql} is not the column's, {wanted.sql}.",
            plan,
        )
    if is_numeric(wanted) and isinstance(value, Literal) and is_string(given) and not _reads_as_number(value.value):
        raise analysis_error(
            "CAST_INVALID_INPUT",
            f"The value '{value.value}' of the type STRING cannot be cast to {wanted.sql} because it is malformed.",
            plan,
        )
    if value.data_type != plan.column.data_type and not isinstance(plan.column, CreateNamedStruct):
        retyped = isinstance(value, Literal) and is_string(given) and is_string(wanted)
        value = value.replace(type=wanted) if retyped else Cast(value, wanted)
    return value, name


def _reads_as_number(text: str | None) -> bool:
    try:
        return text is None or float(text.strip()) is not None
    except ValueError:
        return False


def _value_name(e: Expression) -> str:
    if isinstance(e, CreateNamedStruct):
        return "{" + ", ".join(_value_name(v) for v in e.values) + "}"
    if isinstance(e, Literal):
        return "null" if e.value is None else str(e)
    known = DEFAULT_EVALUATOR.value_of(Cast(e, STRING))
    return str(e) if known is None or known.value is None else str(known.value)


def _output_name(value: str, aggregate: Expression, single: bool) -> str:
    if single and not isinstance(aggregate, Alias):
        return value
    if single:
        return value
    suffix = aggregate.name if isinstance(aggregate, Alias) else aggregate.pretty
    return f"{value}_{suffix}"


def _is_column(e: Expression) -> bool:
    while isinstance(e, Alias | Cast):
        e = e.child
    return isinstance(e, AttributeReference)


def _slot_text(e: Expression) -> str:
    """A pivot value as `pivotfirst` prints it: a struct as its row."""
    if isinstance(e, CreateNamedStruct):
        return f"[{','.join(_slot_text(v) for v in e.values)}]"
    known = Evaluator(session_zone()).value_of(e)
    return str(e) if known is None else stored_text(known.value, known.type, session_zone())


@functools.cache
def pivot_spec(t: DataType) -> FunctionSpec:
    """`pivotfirst` over values of a type."""
    return FunctionSpec("pivotfirst", (), lambda _: ArrayType(t), False)


def _bare_sql(e: Expression) -> str:
    return e.sql.replace("`", "") if isinstance(e, Alias) else e.sql


def _pivot_first(
    plan: Pivot,
    keys: tuple[Expression, ...],
    values: list[tuple[Expression, str]],
    sql: Callable[[Expression], str],
) -> LogicalPlan:
    named = [Alias(a.child if isinstance(a, Alias) else a, sql(a), next_id()) for a in plan.aggregates]
    column = plan.column
    key_column = column if isinstance(column, NamedExpression) else alias(column, "__pivot_col")
    groups = tuple(k.child if isinstance(k, Alias) else k for k in (*keys, key_column))
    first = Aggregate(groups, (*keys, key_column, *named), plan.child)
    pivoted = []
    texts = tuple(_slot_text(v) for v, _ in values)
    for n in named:
        attribute = n.to_attribute()
        arguments = (key_column.to_attribute(), attribute)
        function = AggregateCall("pivotfirst", arguments, pivot_spec(attribute.type), (*texts, "0", "0"))
        aggregate = AggregateExpression(function, "Complete", False, None, next_id())
        quoted = n.name.replace("`", "``")
        pivoted.append(alias(aggregate, f"__pivot_{n.name} AS `{quoted}`"))
    made = tuple(k.to_attribute() for k in keys)
    second = Aggregate(made, (*made, *pivoted), first)
    single = len(named) == 1
    items: list[Expression] = list(made)
    for i, (_, name) in enumerate(values):
        for p, a in zip(pivoted, plan.aggregates, strict=True):
            items.append(alias(GetArrayItem(p.to_attribute(), lit(i)), _output_name(name, a, single)))
    return Project(tuple(items), second)


def _pivot_if(plan: Pivot, keys: tuple[Expression, ...], values: list[tuple[Expression, str]]) -> LogicalPlan:
    single = len(plan.aggregates) == 1
    results: list[Expression] = list(keys)
    for value, name in values:
        for a in plan.aggregates:
            inner = a.child if isinstance(a, Alias) else a
            wanted = value if isinstance(value, Cast) else Cast(value, plan.column.data_type)

            def one(e: Expression, value: Expression = wanted) -> Expression:
                if isinstance(e, AggregateExpression):
                    function = e.function.map_children(
                        lambda c: c if c.foldable else If(EqualNullSafe(plan.column, value), c, lit(None))
                    )
                    if isinstance(function, FirstLast):
                        # What stands for the rows of other values is null, which must not come first or last.
                        function = function.replace(ignore_nulls=True)
                    return e.replace(function=function)
                return e

            results.append(alias(inner.transform_up(one, AggregateExpression.BIT), _output_name(name, a, single)))
    return Aggregate(tuple(k.child if isinstance(k, Alias) else k for k in keys), tuple(results), plan.child)


class ResolveUnpivot(AnalyzerRule):
    """UNPIVOT: every row once per value column.

    Unpivot val FOR nm IN (a, b)  =>  Expand [[c, 'a', a], [c, 'b', b]], [c, nm, val]
    """

    matches = (Unpivot,)

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return plan.resolve_operators_up(self._one, Unpivot.BIT)

    def _one(self, plan: LogicalPlan) -> LogicalPlan:
        if not isinstance(plan, Unpivot) or not plan.children_resolved:
            return plan
        if not all(e.resolved for g in plan.groups for e in g):
            return plan
        used = frozenset[int]().union(*[e.references for g in plan.groups for e in g])
        keys = list(plan.ids) if plan.identified else [a for a in plan.child.output if a.expr_id not in used]
        if any(len(g) != len(plan.value_columns) for g in plan.groups):
            raise analysis_error(
                "UNPIVOT_VALUE_SIZE_MISMATCH",
                f"All unpivot value columns must have the same size as there are value column names "
                f"({', '.join(plan.value_columns)}).",
                plan,
            )
        if not plan.identified and not all(_is_column(e) for g in plan.groups for e in g):
            raise analysis_error(
                "UNPIVOT_REQUIRES_ATTRIBUTES",
                "UNPIVOT takes columns, not parts of them, where no columns are said to stay.",
                plan,
            )
        types = [plan.groups[0][i].data_type for i in range(len(plan.value_columns))]
        if any(
            e.data_type.simple_string != t.simple_string for g in plan.groups for e, t in zip(g, types, strict=True)
        ):
            if all(LEGACY.least_common([g[i].data_type for g in plan.groups]) is not None for i in range(len(types))):
                # UnpivotCoercion casts them.
                return plan
            raise analysis_error(
                "UNPIVOT_VALUE_DATA_TYPE_MISMATCH",
                "Unpivot value columns must share a least common type, some types do not.",
                plan,
            )
        rows = []
        for g, given in zip(plan.groups, plan.aliases, strict=True):
            label = given or "_".join(_plain_name(e) for e in g)
            rows.append((*keys, Literal(label, STRING), *g))
        name = AttributeReference(plan.name_column, STRING, False, next_id())
        values = []
        for i, (v, t) in enumerate(zip(plan.value_columns, types, strict=True)):
            values.append(AttributeReference(v, t, any(g[i].nullable for g in plan.groups), next_id()))
        return Expand(tuple(rows), (*keys, name, *values), plan.child)


def _plain_name(e: Expression) -> str:
    inner = e.child if isinstance(e, Cast) else e
    return inner.name if isinstance(inner, NamedExpression) else str(inner)
