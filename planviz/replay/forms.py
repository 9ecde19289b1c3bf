"""Functions and forms whose printed text is their own: what each name makes of its terms."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from planviz.analysis.generators import pivot_spec
from planviz.expressions import decimals
from planviz.expressions.aggregates import AggregateCall, AggregateExpression, FirstLast
from planviz.expressions.arithmetic import BinaryArithmetic
from planviz.expressions.calls import (
    Concat,
    FunctionCall,
    StringForm,
)
from planviz.expressions.complex import (
    CreateNamedStruct,
)
from planviz.expressions.core import AttributeReference, Expression, Literal, SortOrder
from planviz.expressions.decimals import PromotePrecision
from planviz.expressions.generators import GeneratorCall
from planviz.expressions.ids import next_id
from planviz.expressions.internal import KnownFloatingPointNormalized, MakeDecimal, NormalizeNaNAndZero, UnscaledValue
from planviz.expressions.objects import (
    CheckOverflow,
    KnownNotContainsNull,
    KnownNotNull,
)
from planviz.expressions.patterns import MultiLike, RLike, StringPredicate
from planviz.expressions.predicates import (
    IsNotNull,
    IsNull,
)
from planviz.expressions.specs import FunctionSpec
from planviz.expressions.unresolved import OuterReference
from planviz.expressions.updates import DropField, UpdateFields, WithField
from planviz.expressions.windows import (
    CURRENT_ROW,
    UNBOUNDED_FOLLOWING,
    UNBOUNDED_PRECEDING,
    LagLead,
    NthValue,
    SpecifiedWindowFrame,
    UnspecifiedFrame,
    WindowSpec,
)
from planviz.functions.builders.aggregates import frequent_items
from planviz.functions.builders.datetimes import parsed_spec
from planviz.functions.builders.formats import spec_from
from planviz.functions.registry import build
from planviz.optimizer.rules.runtime_filters import BLOOM, CONTAINS, HASH
from planviz.replay import invocations, lambdas
from planviz.replay.literals import constant
from planviz.replay.opaque import Wrapped
from planviz.replay.scala_types import scala_field, scala_type
from planviz.replay.term import Term, columns_in
from planviz.types import (
    INT,
    LONG,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    UNKNOWN,
    ArrayType,
    DataType,
    DecimalType,
    StructField,
    StructType,
)

if TYPE_CHECKING:
    from planviz.replay.expressions import Elaborator

_PRECISE = {"LongType": LONG, "TimestampType": TIMESTAMP, "TimestampNTZType": TIMESTAMP_NTZ}
_BOUNDS = {
    "unboundedpreceding$()": UNBOUNDED_PRECEDING,
    "unboundedfollowing$()": UNBOUNDED_FOLLOWING,
    "currentrow$()": CURRENT_ROW,
}
_DECIMAL_TYPE = re.compile(r",? ?DecimalType\((\d+),(\d+)\)")

#: How the expression of one kind of term is made.
Form = Callable[["Elaborator", Term], Expression]


def _one(make: Callable[[Expression], Expression]) -> Form:
    return lambda e, t: make(e.expression(t.children[0]))


def _two(make: Callable[[Expression, Expression], Expression], wanted: DataType = STRING) -> Form:
    return lambda e, t: make(e.expression(t.children[0], wanted), e.expression(t.children[1], wanted))


def _outer(e: Elaborator, t: Term) -> Expression:
    child = e.expression(t.children[0])
    return OuterReference(child) if isinstance(child, AttributeReference) else e.opaque(t)


def _make_decimal(e: Elaborator, t: Term) -> Expression | None:
    m = re.fullmatch(r",(\d+),(\d+)", t.value[1])
    if m is None:
        return None
    child = e.expression(t.children[0])
    precision, scale = int(m[1]), int(m[2])
    for x in child.collect(UnscaledValue):
        if (
            isinstance(x.child, AttributeReference)
            and x.child.type == UNKNOWN
            and isinstance(child, AggregateExpression)
        ):
            # A sum of decimals has ten digits more (Spark: DecimalAggregates).
            e.found.told.setdefault(x.child.expr_id, DecimalType(precision - 10, scale))
    return MakeDecimal(child, precision, scale)


def _unscaled(e: Elaborator, t: Term) -> Expression:
    return UnscaledValue(e.expression(t.children[0]))


def _check_overflow(e: Elaborator, t: Term) -> Expression:
    m = _DECIMAL_TYPE.match(t.value[1])
    kind: DataType = DecimalType(int(m[1]), int(m[2])) if m else UNKNOWN
    child = e.expression(t.children[0])
    made: Expression = CheckOverflow(child, kind)
    if isinstance(kind, DecimalType) and (
        isinstance(child, BinaryArithmetic) or t.value[1].endswith((", true", ", false"))
    ):
        made = decimals.CheckOverflow(child, kind, t.value[1].endswith(", true"))
    return made if made.text == t.text else Wrapped(child, "CheckOverflow(", f"{t.value[1]})", kind)


def _promoted(e: Elaborator, t: Term) -> Expression:
    return PromotePrecision(e.expression(t.children[0]))


def _frame(e: Elaborator, t: Term) -> Expression:
    kind, low, high = t.children

    def bound(x: Term) -> Expression:
        return _BOUNDS.get(x.text) or e.expression(x)

    return SpecifiedWindowFrame(kind.text, bound(low), bound(high))


def _spec(e: Elaborator, t: Term) -> Expression:
    *keys, frame = t.children
    made = [e.expression(k) for k in keys]
    orders = tuple(k for k in made if isinstance(k, SortOrder))
    last = UnspecifiedFrame() if frame.text.startswith("unspecifiedframe$") else e.expression(frame)
    return WindowSpec(tuple(k for k in made if not isinstance(k, SortOrder)), orders, last)


def _trim(e: Elaborator, t: Term) -> Expression | None:
    if len(t.children) != 2:
        return None
    text, what = t.children
    first = e.expression(text, STRING)
    if what.text == "None":
        return StringForm(t.value[0], (first,))
    if what.kind == "call" and what.value[0] == "Some":
        made = StringForm(t.value[0], (first, e.expression(what.children[0], STRING)))
        return made if made.text == t.text else None
    return None


def _first_last(e: Elaborator, t: Term) -> Expression | None:
    if len(t.children) == 2 and t.children[1].text in ("true", "false"):
        function = FirstLast(e.expression(t.children[0]), t.value[0], t.children[1].text == "true")
        return AggregateExpression(function, "Complete", False, None, next_id())
    if len(t.children) == 1:
        function = FirstLast(e.expression(t.children[0]), t.value[0], False)
        return AggregateExpression(function, "Complete", False, None, next_id())
    return None


def _struct(e: Elaborator, t: Term) -> Expression | None:
    if len(t.children) % 2:
        return None
    named = enumerate(t.children)
    parts = [constant(c.text, STRING) if i % 2 == 0 and not columns_in(c) else e.expression(c) for i, c in named]
    return CreateNamedStruct(tuple(parts), t.value[0])


def _lag_lead(e: Elaborator, t: Term) -> Expression | None:
    if len(t.children) != 3:
        return None
    value = e.expression(t.children[0])
    made = LagLead(t.value[0], value, e.expression(t.children[1]), e.expression(t.children[2], value.data_type))
    return made if made.text == t.text else None


def _nth(e: Elaborator, t: Term) -> Expression | None:
    if len(t.children) != 3:
        return None
    return NthValue(e.expression(t.children[0]), e.expression(t.children[1]), t.children[2].text == "true")


def _precise(e: Elaborator, t: Term) -> Expression:
    """precisetimestampconversion(x, TimestampType, LongType): the bounds of time windows as numbers and back."""
    value, _, target = t.children
    kind = _PRECISE.get(target.text, UNKNOWN)
    start = t.text.index("(") + 1
    child = e.expression(value)
    return Wrapped(child, t.text[:start], t.text[value.end - t.start :], kind)


def _as_its_child(e: Elaborator, t: Term) -> Expression | None:
    """A call that only says something of its argument."""
    if len(t.children) != 1:
        return None
    child = e.expression(t.children[0])
    return Wrapped(child, f"{t.value[0]}(", ")", child.data_type)


def _null_test(make: Callable[[Expression], Expression]) -> Form:
    return lambda e, t: make(e.expression(t.children[0]))


_DAYS = FunctionSpec("extractansiintervaldays", (), lambda _: INT)


def _interval_days(e: Elaborator, t: Term) -> Expression:
    return FunctionCall("extractansiintervaldays", tuple(e.expression(c) for c in t.children), _DAYS)


def _bloom(e: Elaborator, t: Term) -> Expression | None:
    if len(t.children) != 5:
        return None
    value, items, bits, *tail = t.children
    call = AggregateCall(
        "bloom_filter_agg",
        (e.expression(value), e.expression(items, LONG), e.expression(bits, LONG)),
        BLOOM,
        tuple(x.text for x in tail),
    )
    return AggregateExpression(call, "Complete", False, None, next_id())


def _hash(e: Elaborator, t: Term) -> Expression | None:
    *values, seed = t.children
    if len(values) != 1:
        return None
    return FunctionCall("xxhash64", (e.expression(values[0]),), HASH, (seed.text,))


def _might_contain(e: Elaborator, t: Term) -> Expression:
    return FunctionCall("might_contain", tuple(e.expression(c) for c in t.children), CONTAINS)


def _concat(e: Elaborator, t: Term) -> Expression | None:
    kind = e._common(t.children, None)
    wanted = kind if isinstance(kind, ArrayType) else STRING
    made = Concat(tuple(e.expression(c, wanted) for c in t.children))
    return made if made.text == t.text else None


def _explode(e: Elaborator, t: Term) -> Expression | None:
    """A generator over an array that was folded: `explode([1,2,3])`."""
    if len(t.children) != 1 or t.children[0].kind != "constant" or not t.children[0].text.startswith("["):
        return None
    items = t.children[0].text[1:-1].split(",")
    kinds = {constant(i).type for i in items}
    kind = kinds.pop() if len(kinds) == 1 else STRING
    array = Literal(tuple(constant(i, kind).value for i in items), ArrayType(kind, False))
    made = build((t.value[0],), (array,), None)
    return made if made is not None and made.text == t.text else None


def _get_timestamp(e: Elaborator, t: Term) -> Expression | None:
    """gettimestamp(text, format, TimestampType, [what to use instead,] zone, flag): a text read by a format."""
    if len(t.children) < 3:
        return None
    value, pattern, *tail = t.children
    arguments = (e.expression(value, STRING), e.expression(pattern, STRING))
    # Before Spark 3.2 it always is a moment of a zone, and no type is shown.
    kind = _PRECISE.get(tail[0].text, TIMESTAMP)
    made = FunctionCall("gettimestamp", arguments, parsed_spec(kind), tuple(x.text for x in tail))
    return made if made.text == t.text else None


def _pivot_first(e: Elaborator, t: Term) -> Expression | None:
    """pivotfirst(pivot column, value, the pivot's values, two offsets): one slot of an array for each value."""
    if len(t.children) < 5:
        return None
    column, value, *others = t.children
    arguments = (e.expression(column), e.expression(value))
    call = AggregateCall("pivotfirst", arguments, pivot_spec(arguments[1].data_type), tuple(o.text for o in others))
    return AggregateExpression(call, "Complete", False, None, next_id())


def _update_fields(e: Elaborator, t: Term) -> Expression | None:
    """update_fields(struct, WithField(name, value), dropfield(name), ...)."""
    struct, *changes = t.children
    made: list[Expression] = []
    for change in changes:
        name = change.children[0].text if change.children else ""
        match change.value, len(change.children):
            case ("WithField", *_), 2:
                made.append(WithField(name, e.expression(change.children[1])))
            case ("dropfield", *_), 1:
                made.append(DropField(name))
            case _:
                return None
    return UpdateFields(e.expression(struct), tuple(made))


def _frequent_items(e: Elaborator, t: Term) -> Expression | None:
    """collect_frequent_items(column, how many are kept, two offsets)."""
    if len(t.children) != 4:
        return None
    column, *tail = t.children
    call = frequent_items(e.expression(column), tuple(o.text for o in tail))
    return AggregateExpression(call, "Complete", False, None, next_id())


_OPTION = re.compile(r"\([\w.]+,.*\)")


def _parsed(e: Elaborator, t: Term) -> Expression | None:
    """from_json(schema, options, text, zone, flag): the fields of a struct stand there one by one."""
    texts = [c.text for c in t.children]
    fields: list[StructField] = []
    while texts[len(fields) :] and texts[len(fields)].startswith("StructField("):
        fields.append(scala_field(texts[len(fields)]))
    kind: DataType = StructType(tuple(fields)) if fields else scala_type(texts[0])
    at = len(fields) or 1
    while _OPTION.fullmatch(texts[at]):
        at += 1
    value = e.expression(t.children[at], STRING)
    made = FunctionCall(t.value[0], (value,), spec_from(t.value[0], kind), tuple(texts[at + 1 :]), tuple(texts[:at]))
    return made if made.text == t.text else None


def _multi_like(e: Elaborator, t: Term) -> Expression | None:
    """likeany(text, patterns), and its kin."""
    value, *patterns = t.children
    made = MultiLike(e.expression(value), tuple(constant(p.text, STRING) for p in patterns), t.value[0])
    return made if made.text == t.text else None


def _replicated(e: Elaborator, t: Term) -> Expression | None:
    """replicaterows(count, columns): every row as often as its count says (EXCEPT ALL, INTERSECT ALL)."""
    count, *columns = (e.expression(c) for c in t.children)
    schema = tuple(StructField(f"col{i}", c.data_type, c.nullable) for i, c in enumerate(columns))
    made = GeneratorCall(t.value[0], (count, *columns), schema)
    return made if made.text == t.text else None


FORMS: dict[str, Callable[[Elaborator, Term], Expression | None]] = {
    "isnull": _null_test(IsNull),
    "isnotnull": _null_test(IsNotNull),
    "outer": _outer,
    "UnscaledValue": _unscaled,
    "MakeDecimal": _make_decimal,
    "CheckOverflow": _check_overflow,
    "promote_precision": _promoted,
    "normalizenanandzero": _one(NormalizeNaNAndZero),
    "knownfloatingpointnormalized": _one(KnownFloatingPointNormalized),
    "knownnotnull": _one(KnownNotNull),
    "knownnotcontainsnull": _one(KnownNotContainsNull),
    "knownnullable": _as_its_child,
    "precisetimestampconversion": _precise,
    "StartsWith": _two(lambda a, b: StringPredicate(a, b, "StartsWith")),
    "EndsWith": _two(lambda a, b: StringPredicate(a, b, "EndsWith")),
    "Contains": _two(lambda a, b: StringPredicate(a, b, "Contains")),
    "RLIKE": _two(RLike),
    "specifiedwindowframe": _frame,
    "windowspecdefinition": _spec,
    "trim": _trim,
    "ltrim": _trim,
    "rtrim": _trim,
    "first": _first_last,
    "last": _first_last,
    "first_value": _first_last,
    "last_value": _first_last,
    "any_value": _first_last,
    "named_struct": _struct,
    "struct": _struct,
    "lag": _lag_lead,
    "lead": _lag_lead,
    "nth_value": _nth,
    "concat": _concat,
    "extractansiintervaldays": _interval_days,
    "bloom_filter_agg": _bloom,
    "xxhash64": _hash,
    "might_contain": _might_contain,
    "pivotfirst": _pivot_first,
    "explode": _explode,
    "posexplode": _explode,
    "gettimestamp": _get_timestamp,
    "update_fields": _update_fields,
    "collect_frequent_items": _frequent_items,
    "replicaterows": _replicated,
    **dict.fromkeys(("from_json", "from_csv", "from_xml"), _parsed),
    **dict.fromkeys(("likeany", "likeall", "notlikeany", "notlikeall"), _multi_like),
    **lambdas.FORMS,
    **invocations.FORMS,
}
