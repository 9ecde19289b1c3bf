"""Implicit casts, ANSI rules (Spark: AnsiTypeCoercion, TypeCoercionBase)."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from planviz.analysis import legacy
from planviz.analysis.context import AnalysisContext, AnalyzerRule
from planviz.analysis.signatures import accepts as parameter
from planviz.analysis.widening import ANSI, TypeCoercion, cast_to
from planviz.expressions.aggregates import Average, Sum
from planviz.expressions.arithmetic import (
    Abs,
    BinaryOperator,
    Divide,
    IntegralDivide,
    Shift,
    UnaryMinus,
    UnaryPositive,
)
from planviz.expressions.calls import (
    CommonExpressionDef,
    CommonExpressionRef,
    Concat,
    FunctionCall,
    IntervalScale,
    RegexpForm,
    ReplaceableCall,
    StringForm,
    With,
)
from planviz.expressions.complex import CreateArray, CreateMap, GetMapValue
from planviz.expressions.conditional import CaseWhen, Coalesce, Extremum, If
from planviz.expressions.core import BEYOND_LEAVES, Cast, Expression, Literal, alias
from planviz.expressions.predicates import (
    BinaryComparison,
    Connective,
    EqualNullSafe,
    EqualTo,
    In,
    IsNaN,
    Like,
    MultiLike,
    Not,
    RLike,
    StringPredicate,
)
from planviz.expressions.specs import SignatureCall
from planviz.expressions.subqueries import InSubquery, ListQuery
from planviz.expressions.windows import LagLead, NTile, SpecifiedWindowFrame, WindowSpec
from planviz.logical.combining import Except, Intersect, Union
from planviz.logical.operators import Project
from planviz.logical.unresolved import Unpivot
from planviz.trees.depth import deep
from planviz.types import (
    BINARY,
    BOOLEAN,
    DOUBLE,
    FLOAT,
    FOR_TYPE,
    INT,
    LONG,
    NULL,
    STRING,
    UNKNOWN,
    ArrayType,
    DataType,
    DecimalType,
    MapType,
    is_atomic,
    is_integral,
    is_interval,
    is_numeric,
    promote_string,
    tightest_common_type,
    wider_decimal,
    wider_type,
)


def of_literal(e: Literal) -> DecimalType:
    """The narrowest decimal of an integral literal."""
    return DecimalType(max(len(str(abs(int(e.value)))), 1), 0)


Rule = Callable[[Any, TypeCoercion], Any]


class WidenSetOperationTypes(AnalyzerRule):
    """Cast the columns of UNION, INTERSECT and EXCEPT to types that hold all of them.

    Union(int, bigint)  =>  Union(Project [cast(a as bigint) AS a], ...)
    """

    matches = (Union, Intersect, Except)
    package = "org.apache.spark.sql.catalyst.analysis.TypeCoercionBase$"

    def apply(self, plan: Any) -> Any:
        """See the class."""
        return plan.transform_up(self._operator, self.mask)

    def _operator(self, plan: Any) -> Any:
        if not isinstance(plan, Union | Intersect | Except) or plan.resolved or not plan.children_resolved:
            return plan
        if isinstance(plan, Union) and plan.by_name:
            return plan
        children = plan.children
        outputs = [c.output for c in children]
        if len({len(o) for o in outputs}) != 1:
            return plan
        if not isinstance(plan, Union) and not plan.duplicate_resolved:
            return plan
        targets = [self.widest([a.type for a in column]) for column in zip(*outputs, strict=True)]
        if any(t is None for t in targets):
            return plan
        new = tuple(_projected(c, targets) for c in children)
        return plan.with_new_children(new) if any(a is not b for a, b in zip(children, new, strict=True)) else plan

    def widest(self, types: list[DataType]) -> DataType | None:
        """The type of a column of all inputs, from left to right."""
        result: DataType | None = types[0]
        for t in types[1:]:
            result = None if result is None else coercion_of(self.context).wider(result, t)
        return result


def _projected(child: Any, targets: list[Any]) -> Any:
    items: list[Expression] = []
    for a, t in zip(child.output, targets, strict=True):
        items.append(a if a.type.simple_string == t.simple_string else alias(Cast(a, t), a.name))
    return child if all(i is a for i, a in zip(items, child.output, strict=True)) else Project(tuple(items), child)


class UnpivotCoercion(AnalyzerRule):
    """Give the value columns of UNPIVOT one type each."""

    matches = (Unpivot,)
    package = "org.apache.spark.sql.catalyst.analysis.TypeCoercionBase$"

    def apply(self, plan: Any) -> Any:
        """See the class."""

        def one(p: Any) -> Any:
            if not isinstance(p, Unpivot) or not all(e.resolved for g in p.groups for e in g):
                return p
            width = len(p.value_columns)
            if any(len(g) != width for g in p.groups):
                return p
            common = coercion_of(self.context).common
            types = [common([g[i].data_type for g in p.groups]) for i in range(width)]
            if any(t is None for t in types):
                return p
            groups = tuple(
                tuple(cast_to(e, t) for e, t in zip(g, types, strict=True) if t is not None) for g in p.groups
            )
            return p.replace(groups=groups) if groups != p.groups else p

        return plan.transform_up(one, Unpivot.BIT)


class AnsiCombinedTypeCoercionRule(AnalyzerRule):
    """Cast the inputs of expressions to the types they take.

    a_int = b_bigint  =>  cast(a_int as bigint) = b_bigint

    One pass over every expression, children first, all of Spark's coercions in their order at each node.
    """

    package = "org.apache.spark.sql.catalyst.analysis.AnsiTypeCoercion$"
    coercion = ANSI

    def apply(self, plan: Any) -> Any:
        """See the class."""
        changed = plan

        def operator(p: Any) -> Any:
            if not p.children_resolved or not p.expressions:
                return p
            return p.map_expressions(self._expression, BEYOND_LEAVES)

        return changed.transform_up(operator, settled=self.settled)

    def _expression(self, e: Any) -> Any:
        return coerced_tree(e, self.coercion)


class CombinedTypeCoercionRule(AnsiCombinedTypeCoercionRule):
    """The same by the rules of spark.sql.ansi.enabled=false.

    a_string + b_int  =>  cast(a_string as double) + cast(b_int as double)

    What ANSI mode lets fail gives null here, so that casts and arithmetic take the mode LEGACY as well.
    """

    package = "org.apache.spark.sql.catalyst.analysis.TypeCoercionBase$"
    coercion = legacy.LEGACY


def coercion_of(context: AnalysisContext) -> TypeCoercion:
    """The rules that a session casts by."""
    return ANSI if context.config.get("spark.sql.ansi.enabled") else legacy.LEGACY


def combined_rule(context: AnalysisContext) -> AnsiCombinedTypeCoercionRule:
    """The rule that applies them to expressions."""
    return (AnsiCombinedTypeCoercionRule if coercion_of(context) is ANSI else CombinedTypeCoercionRule)(context)


@deep
def coerced_tree(e: Any, c: TypeCoercion) -> Any:
    """An expression with the casts it needs; what was done before is remembered on the node."""
    if e.__dict__.get("_coerced") is c:
        return e
    new = e.map_children(lambda child: coerced_tree(child, c), BEYOND_LEAVES)
    if c.mode != ANSI.mode:
        new = _in_mode(new, c.mode)
    if new.children_resolved and not isinstance(new, Literal):
        result = coerce(new, c)
        if result is not new:
            new.rebuilt(result)
            # The casts may need a second look one level up only: their children are settled.
            new = result
    if new.resolved:
        new.__dict__["_coerced"] = c
    return new


def _in_mode(e: Any, mode: str) -> Any:
    if getattr(e, "mode", "") == ANSI.mode:
        return e.rebuilt(e.replace(mode=mode))
    if not isinstance(e, SignatureCall):
        return e
    new = e.without_failures()
    if new is not e and isinstance(e, ReplaceableCall) and e.made is not None:
        made = e.made
        return new.replace(made=lambda a: made(a).transform_up(lambda x: _in_mode(x, mode)))
    return new


def coerce(e: Any, c: TypeCoercion) -> Any:
    """One node with its inputs cast; itself when they fit."""
    rule = _rule_for(e.__class__, c.mode)
    return e if rule is None else rule(e, c)


@cache
def _rule_for(kind: type, mode: str) -> Callable[[Any, TypeCoercion], Any] | None:
    return next((rule for cls, rule in _RULES[mode] if issubclass(kind, cls)), None)


def _binary(e: Any, c: TypeCoercion) -> Any:
    if isinstance(e, Connective):
        return _connective(e)
    left, right = e.left, e.right
    a, b = left.data_type, right.data_type
    if UNKNOWN in (a, b):
        return e
    if isinstance(e, Divide):
        return _divide(e, a, b, c)
    if isinstance(e, IntegralDivide):
        return _integral_divide(e, a, b)
    if a == b:
        return e
    if isinstance(e, BinaryComparison) and isinstance(a, DecimalType) and isinstance(b, DecimalType):
        t = wider_decimal(a, b)
        return e.replace(left=cast_to(left, t), right=cast_to(right, t))
    made = with_decimal(e, a, b)
    if made is not None:
        # A comparison of the two decimals that this makes is for the next pass, as in Spark.
        return made
    return _tightest(e, a, b)


def with_decimal(e: Any, a: DataType, b: DataType) -> Any:
    """The operator with an integral or a float beside a decimal cast, or None (Spark: `DecimalPrecision`)."""
    left, right = e.left, e.right
    if isinstance(a, DecimalType) and is_integral(b):
        t = of_literal(right) if isinstance(right, Literal) and right.value is not None else FOR_TYPE[b]
        return e.replace(right=Cast(right, t))
    if isinstance(b, DecimalType) and is_integral(a):
        t = of_literal(left) if isinstance(left, Literal) and left.value is not None else FOR_TYPE[a]
        return e.replace(left=Cast(left, t))
    if isinstance(a, DecimalType) and b in (FLOAT, DOUBLE):
        return e.replace(left=Cast(left, DOUBLE), right=cast_to(right, DOUBLE))
    if isinstance(b, DecimalType) and a in (FLOAT, DOUBLE):
        return e.replace(left=cast_to(left, DOUBLE), right=Cast(right, DOUBLE))
    return None


def _tightest(e: Any, a: DataType, b: DataType) -> Any:
    t = tightest_common_type(a, b)
    if t is None and a == STRING and is_atomic(b):
        t = promote_string(b)
    elif t is None and b == STRING and is_atomic(a):
        t = promote_string(a)
    if t is None and isinstance(e, BinaryComparison):
        t = wider_type(a, b)
    if t is None or (not e.accepts(t) and not isinstance(e, EqualTo | EqualNullSafe)):
        return e
    return e.replace(left=cast_to(e.left, t), right=cast_to(e.right, t))


def _connective(e: Any) -> Any:
    left, right = e.left, e.right
    for side in (left, right):
        if side.data_type not in (BOOLEAN, NULL, STRING):
            return e
    if left.data_type == right.data_type == BOOLEAN or (
        STRING in (left.data_type, right.data_type) and BOOLEAN not in (left.data_type, right.data_type)
    ):
        return e
    return e.replace(left=cast_to(left, BOOLEAN), right=cast_to(right, BOOLEAN))


def _divide(e: Any, a: DataType, b: DataType, c: TypeCoercion) -> Any:
    if (a == b and (a == DOUBLE or isinstance(a, DecimalType))) or (
        isinstance(a, DecimalType) and isinstance(b, DecimalType)
    ):
        return e
    made = with_decimal(e, a, b)
    if made is not None:
        return made
    numeric = {STRING, NULL}
    if c.mode == "ANSI" and STRING in (a, b) and (is_integral(a) or is_integral(b)):
        # A string beside a whole number is one before both are divided as doubles.
        return e.replace(left=_through_long(e.left), right=_through_long(e.right))
    if (is_numeric(a) or a in numeric) and (is_numeric(b) or b in numeric) and not (a == b == STRING):
        return e.replace(left=cast_to(e.left, DOUBLE), right=cast_to(e.right, DOUBLE))
    return e


def _through_long(e: Expression) -> Expression:
    return cast_to(cast_to(e, LONG), DOUBLE)


def _integral_divide(e: Any, a: DataType, b: DataType) -> Any:
    if isinstance(a, DecimalType) or isinstance(b, DecimalType):
        return e if a == b else (with_decimal(e, a, b) or e)
    if (is_numeric(a) and is_numeric(b)) or STRING in (a, b):
        return e.replace(left=cast_to(e.left, LONG), right=cast_to(e.right, LONG))
    return e


def _same_type(c: TypeCoercion, children: tuple[Expression, ...]) -> DataType | None:
    types = [x.data_type for x in children]
    if len({t.simple_string for t in types}) == 1:
        return None
    return c.common([t for t in types if t != UNKNOWN])


def _case(e: CaseWhen, c: TypeCoercion) -> Any:
    t = _same_type(c, tuple(e.results))
    if t is None:
        return e
    branches = tuple(cast_to(b, t) if i % 2 else b for i, b in enumerate(e.branches))
    otherwise = cast_to(e.otherwise, t) if e.otherwise is not None else None
    return e.replace(branches=branches, otherwise=otherwise)


def _if(e: If, c: TypeCoercion) -> Any:
    taken = (NULL, STRING) if c is ANSI else (NULL,)
    predicate = cast_to(e.predicate, BOOLEAN) if e.predicate.data_type in taken else e.predicate
    t = _same_type(c, (e.then, e.otherwise))
    if t is None:
        return e.replace(predicate=predicate)
    return e.replace(predicate=predicate, then=cast_to(e.then, t), otherwise=cast_to(e.otherwise, t))


def _arguments(field: str) -> Rule:
    def rule(e: Any, c: TypeCoercion) -> Any:
        items = getattr(e, field)
        if not items:
            return e
        t = _same_type(c, items)
        return e if t is None else e.replace(**{field: tuple(cast_to(i, t) for i in items)})

    return rule


def _extremum(e: Extremum, c: TypeCoercion) -> Any:
    types = [a.data_type for a in e.arguments]
    t = c.least_common(types) if len({t.simple_string for t in types}) > 1 else None
    return e if t is None else e.replace(arguments=tuple(cast_to(a, t) for a in e.arguments))


def _map(e: CreateMap, c: TypeCoercion) -> Any:
    keys, values = e.parts[::2], e.parts[1::2]
    k = _same_type(c, keys) if keys else None
    v = _same_type(c, values) if values else None
    if k is None and v is None:
        return e
    out: list[Expression] = []
    for key, value in zip(keys, values, strict=True):
        out += [cast_to(key, k) if k else key, cast_to(value, v) if v else value]
    return e.replace(parts=tuple(out))


def _in(e: In, c: TypeCoercion) -> Any:
    everything = (e.value, *e.items)
    t = _same_type(c, everything)
    if t is None:
        return e
    # Spark casts every side here, also one that has the type already.
    return e.replace(value=Cast(e.value, t), items=tuple(Cast(i, t) for i in e.items))


def _in_subquery(e: InSubquery, c: TypeCoercion) -> Any:
    query = e.query
    if e.resolved or not isinstance(query, ListQuery) or not query.resolved:
        return e
    out = query.child_outputs
    if len(out) != len(e.values):
        return e
    types = [c.wider(v.data_type, a.data_type) for v, a in zip(e.values, out, strict=True)]
    if any(t is None for t in types):
        return e
    items: list[Expression] = []
    for a, t in zip(out, types, strict=True):
        assert t is not None
        items.append(a if a.type == t else alias(Cast(a, t), a.name))
    plan = Project(tuple(items), query.plan)  # type: ignore[arg-type]
    values = tuple(cast_to(v, t) for v, t in zip(e.values, types, strict=True) if t is not None)
    return e.replace(values=values, query=query.replace(plan=plan))


def _concat(e: Concat, c: TypeCoercion) -> Any:
    types = {i.data_type for i in e.items}
    if len(types) <= 1 and types <= {STRING, BINARY, UNKNOWN}:
        return e
    if any(isinstance(t, ArrayType) for t in types):
        return _arguments("items")(e, c)
    target = BINARY if types == {BINARY} else STRING
    if all(is_atomic(t) or t == NULL for t in types):
        return e.replace(items=tuple(cast_to(i, target) for i in e.items))
    return e


def _function(e: SignatureCall, c: TypeCoercion) -> Any:
    if e.name == "sequence":
        return _sequence(e, c)
    inputs = e.spec.inputs
    if not inputs or (c is not ANSI and legacy.keeps_days(e)):
        return e
    new = []
    for i, a in enumerate(e.arguments):
        t = c.implicit(a.data_type, inputs[min(i, len(inputs) - 1)])
        new.append(a if t is None else cast_to(a, t))
    made = e if all(a is b for a, b in zip(new, e.arguments, strict=True)) else e.replace(arguments=tuple(new))
    return _array_elements(made, c) if isinstance(made, FunctionCall) else made


_ELEMENT_FUNCTIONS = frozenset(("array_contains", "array_position", "array_remove", "array_append", "array_prepend"))
_ARRAY_PAIRS = frozenset(("array_union", "array_except", "array_intersect", "arrays_overlap"))


def _array_elements(e: FunctionCall, c: TypeCoercion) -> Any:
    """Functions over an array and one of its elements, or two arrays, want one element type."""
    if e.name in _ELEMENT_FUNCTIONS and isinstance(e.arguments[0].data_type, ArrayType):
        array, value = e.arguments
        element = e.arguments[0].data_type.element
        if element == value.data_type:
            return e
        t = c.least_common([element, value.data_type])
        if t is None:
            return e
        first = array if element == t else Cast(array, ArrayType(t, e.arguments[0].data_type.contains_null))
        return e.replace(arguments=(first, cast_to(value, t)))
    if e.name == "array_insert" and isinstance(e.arguments[0].data_type, ArrayType):
        array, position, value = e.arguments
        held = e.arguments[0].data_type
        t = c.least_common([held.element, value.data_type])
        if t is None or held.element == value.data_type:
            return e
        whole = cast_to(array, ArrayType(t, held.contains_null))
        return e.replace(arguments=(whole, position, cast_to(value, t)))
    if e.name in _ARRAY_PAIRS:
        t = c.least_common([a.data_type for a in e.arguments])
        return e if t is None else e.replace(arguments=tuple(cast_to(a, t) for a in e.arguments))
    if e.name in ("element_at", "try_element_at") and isinstance(e.arguments[0].data_type, MapType):
        return _map_element(e, c)
    if e.name in ("element_at", "try_element_at", "get") and is_integral(e.arguments[1].data_type):
        return e.replace(arguments=(e.arguments[0], cast_to(e.arguments[1], INT)))
    return e


def _map_element(e: FunctionCall, c: TypeCoercion) -> Any:
    whole, key = e.arguments
    t = whole.data_type
    if not isinstance(t, MapType) or (c is not ANSI and legacy.tightest(t.key, key.data_type) != t.key):
        return e
    return e.replace(arguments=(whole, cast_to(key, t.key)))


def _sequence(e: SignatureCall, c: TypeCoercion) -> Any:
    """The bounds (and a whole-numbered step) of one type; when one must change, all are cast."""
    stepped = len(e.arguments) > 2 and is_integral(e.arguments[2].data_type)
    alike = e.arguments if stepped else e.arguments[:2]
    t = _same_type(c, alike)
    return e if t is None else e.replace(arguments=(*(Cast(a, t) for a in alike), *e.arguments[len(alike) :]))


def _string_form(e: StringForm, c: TypeCoercion) -> Any:
    new = []
    for i, a in enumerate(e.arguments):
        text = i == 0 or "trim" in e.name or (e.name in ("locate", "position", "overlay") and i == 1)
        t = c.implicit(a.data_type, parameter("S|X" if text else "I"))
        new.append(a if t is None else cast_to(a, t))
    return e if all(a is b for a, b in zip(new, e.arguments, strict=True)) else e.replace(arguments=tuple(new))


def _texts(e: Any, c: TypeCoercion) -> Any:
    def one(a: Expression) -> Expression:
        t = c.implicit(a.data_type, parameter("S|X"))
        return a if t is None else cast_to(a, t)

    return e.map_children(one)


def _child_to(code: str) -> Rule:
    def rule(e: Any, c: TypeCoercion) -> Any:
        t = c.implicit(e.child.data_type, parameter(code))
        if is_interval(e.child.data_type):
            return e
        return e if t is None else e.replace(child=cast_to(e.child, t))

    return rule


def _shift(e: Shift, c: TypeCoercion) -> Any:
    left, right = c.implicit(e.left.data_type, parameter("I|L")), c.implicit(e.right.data_type, parameter("I"))
    return e.replace(
        left=e.left if left is None else cast_to(e.left, left),
        right=e.right if right is None else cast_to(e.right, right),
    )


def _lag_lead(e: LagLead, c: TypeCoercion) -> Any:
    if e.default.data_type != e.input.data_type and not isinstance(e.default, Cast) and e.default.data_type != NULL:
        return e.replace(default=cast_to(e.default, e.input.data_type))
    return e


def _window_spec(e: WindowSpec, c: TypeCoercion) -> Any:
    """A RANGE frame's bounds take the type of the sort key."""
    frame = e.frame
    if not isinstance(frame, SpecifiedWindowFrame) or frame.kind != "RangeFrame" or len(e.order) != 1:
        return e
    t = e.order[0].data_type
    lower, upper = _bound(frame.lower, t), _bound(frame.upper, t)
    return e.replace(frame=frame.replace(lower=lower, upper=upper))


def _bound(b: Expression, t: DataType) -> Expression:
    from planviz.expressions.windows import FrameBoundary

    if isinstance(b, FrameBoundary) or not (is_numeric(t) or t == STRING):
        return b
    return cast_to(b, t)


def _with(e: With, c: TypeCoercion) -> Any:
    """References take the type that coercion gave their definitions."""
    types = {d.id: d.child for d in e.definitions if isinstance(d, CommonExpressionDef)}

    def refer(x: Any) -> Any:
        if isinstance(x, CommonExpressionRef) and x.id in types and types[x.id].resolved:
            d = types[x.id]
            if (x.type, x.is_nullable) != (d.data_type, d.nullable):
                return CommonExpressionRef(x.id, d.data_type, d.nullable)
        return x

    return e.replace(body=e.body.transform_up(refer, CommonExpressionRef.BIT))


def _map_value(e: GetMapValue, c: TypeCoercion) -> Any:
    t = e.child.data_type
    return e.replace(key=cast_to(e.key, t.key)) if isinstance(t, MapType) and e.key.data_type != NULL else e


_ANSI_RULES: list[tuple[Any, Rule]] = [
    (BinaryOperator, _binary),
    (CaseWhen, _case),
    (If, _if),
    (Coalesce, _arguments("arguments")),
    (Extremum, _extremum),
    (CreateArray, _arguments("items")),
    (CreateMap, _map),
    (In, _in),
    (InSubquery, _in_subquery),
    (Concat, _concat),
    (SignatureCall, _function),
    (StringForm, _string_form),
    (Like | RLike | StringPredicate | MultiLike | RegexpForm, _texts),
    (Sum | Average, _child_to("N")),
    (Abs | UnaryMinus | UnaryPositive, _child_to("N")),
    (Not, _child_to("B")),
    (IsNaN, _child_to("D")),
    (Shift, _shift),
    (LagLead, _lag_lead),
    (NTile, lambda e, c: e),
    (WindowSpec, _window_spec),
    (With, _with),
    (GetMapValue, _map_value),
]
#: The first row that fits counts.
_RULES: dict[str, list[tuple[Any, Rule]]] = {
    "ANSI": _ANSI_RULES,
    "LEGACY": [
        (BinaryOperator, legacy.binary),
        (Concat, legacy.concat),
        (Abs | UnaryMinus | UnaryPositive, legacy.sign),
        (IntervalScale, legacy.scaled),
        *_ANSI_RULES,
    ],
}
__all__ = ["AnsiCombinedTypeCoercionRule", "CombinedTypeCoercionRule", "cast_to", "combined_rule"]
