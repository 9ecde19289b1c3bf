"""Expressions of Spark before 3.2 where they differ in their text alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from functools import cache

from planviz.expressions.aggregates import AggregateCall, FirstLast
from planviz.expressions.calls import FunctionCall, RuntimeReplaceable
from planviz.expressions.casts import Cast
from planviz.expressions.complex import CreateMap, GetArrayStructFields, GetStructField
from planviz.expressions.core import Alias, AttributeReference, Expression, Literal, lit
from planviz.expressions.literals import stored_text
from planviz.expressions.objects import KnownNotContainsNull, StaticInvoke
from planviz.expressions.patterns import Like, RLike
from planviz.expressions.predicates import InSet
from planviz.expressions.specs import Accepts, FunctionSpec
from planviz.expressions.windows import LagLead
from planviz.trees.node import always, node
from planviz.types import CALENDAR_INTERVAL, INT, STRING, ArrayType, DayTimeIntervalType, YearMonthIntervalType
from planviz.versions.model import Behaviour

_DAY = 86_400_000_000


@node
class StoredLiteral(Literal):
    """A date or a moment that a plan shows as Spark stores it: days or microseconds since 1970.

    `zone`: the one whose wall clock a TIMESTAMP is.
    """

    zone: str = "UTC"

    def to_string(self) -> str:
        """The number."""
        return stored_text(self.value, self.type, self.zone)


@node
class PlainlyNamedLike(Like):
    """left LIKE right ESCAPE escape, whose name leaves out the escape (before Spark 4.0)."""

    def render(self, r: Callable[[Expression], str]) -> str:
        """left LIKE right."""
        return f"{r(self.left)} LIKE {r(self.right)}"


@node
class InfixRLike(RLike):
    """left RLIKE right, whatever it was written as (before Spark 3.2)."""

    def to_string(self) -> str:
        """left RLIKE right."""
        return self.render(str)

    def render(self, r: Callable[[Expression], str]) -> str:
        """left RLIKE right."""
        return f"{r(self.left)} RLIKE {r(self.right)}"


@node
class PositiveLag(LagLead):
    """lag(input, offset, default) with the offset as it was written (before Spark 3.1)."""

    def to_string(self) -> str:
        """The same as in SQL."""
        return self.render(str)


@node
class HashedInSet(InSet):
    """child INSET (a,b): the values stand as they lie in Scala's hash set, which whoever makes this says."""

    def to_string(self) -> str:
        """child INSET (a,b)."""
        return f"{self.child} INSET ({','.join(map(str, self.values))})"


#: Of Java's methods the class, the types that it takes and whether it may give null, which their long form shows.
_CATALYST = "org.apache.spark.sql.catalyst"
_JAVA, _BITMAPS = f"{_CATALYST}.expressions.ExpressionImplUtils", f"{_CATALYST}.expressions.BitmapExpressionUtils"
_TEXT, _BYTES, _LONG = "StringType", "BinaryType", "LongType"
_METHODS: dict[str, tuple[str, tuple[str, ...], bool]] = {
    "encode": (f"{_CATALYST}.expressions.Base64", (_BYTES, "BooleanType"), False),
    "aesEncrypt": (
        f"{_CATALYST}.expressions.ExpressionImplUtils",
        (*(_BYTES,) * 2, *(_TEXT,) * 2, *(_BYTES,) * 2),
        True,
    ),
    "aesDecrypt": (_JAVA, (*(_BYTES,) * 2, *(_TEXT,) * 2, _BYTES), True),
    "isLuhnNumber": (_JAVA, (_TEXT,), True),
    "bitmapBitPosition": (_BITMAPS, (_LONG,), False),
    "bitmapBucketNumber": (_BITMAPS, (_LONG,), False),
    "bitmapCount": (_BITMAPS, (_BYTES,), False),
    "readSidePadding": (f"{_CATALYST}.util.CharVarcharCodegenUtils", (), False),
}


_CODEC = (f"{_CATALYST}.expressions.UrlCodec$", (_TEXT, _TEXT), True)


@cache
def _unfolded(spec: FunctionSpec) -> FunctionSpec:
    """The signature of a function that is not computed while planning, constant as its arguments may be."""
    return replace(spec, foldable=False)


@cache
def _without_option(spec: FunctionSpec) -> FunctionSpec:
    """The signature of a function whose last parameter is not there yet."""
    return replace(spec, option=0)


@cache
def _taking_int(spec: FunctionSpec) -> FunctionSpec:
    """The signature of timestampadd() that takes an INT."""
    unit, _, moment = spec.inputs
    return replace(spec, inputs=(unit, Accepts.exactly(INT), moment))


@cache
def _holding_nulls(spec: FunctionSpec) -> FunctionSpec:
    """The signature of split() whose texts may be null."""
    return replace(spec, result=lambda _: ArrayType(STRING, True))


_CALLS = FunctionCall.BIT | AggregateCall.BIT | StaticInvoke.BIT | KnownNotContainsNull.BIT | LagLead.BIT | RLike.BIT


@cache
def _of_the_array(spec: FunctionSpec) -> FunctionSpec:
    """The signature of array_compact() whose array may hold nulls as its argument may."""
    return replace(spec, result=lambda arguments: arguments[0].data_type)


_DATABASE = FunctionSpec("current_database", (), lambda _: STRING, False)


@node
class LongStaticInvoke(StaticInvoke):
    """A static method with all that its expression holds, of which no test for null is derived (before Spark 4.0)."""

    null_intolerant = always(False)

    def to_string(self) -> str:
        """staticinvoke(class name, type, method, arguments, types that it takes, true, whether null, true)."""
        known = _CODEC if self.owner == "UrlCodec" else _METHODS.get(self.method, (self.owner, (), True))
        owner, inputs, null = known
        shown = (*map(str, self.arguments), *inputs[: len(self.arguments)], "true", str(null).lower(), "true")
        return f"staticinvoke(class {owner}, {self.type.scala_name}, {self.method}, {', '.join(shown)})"


def quoted_sql(e: Expression) -> str:
    """SQL with the names of columns in quotes, whether they need them or not (before Spark 3.2)."""
    if isinstance(e, AttributeReference):
        return ".".join((*e.qualifier, f"`{e.name}`"))
    if isinstance(e, Alias):
        return f"{quoted_sql(e.child)} AS `{e.name}`"
    return e.render(quoted_sql)


def name_then(e: Expression) -> str:
    """A column's name in Spark 3.0: what another expression replaces, nvl(a, b) above all, stands in it as SQL."""
    if not e.bits & RuntimeReplaceable.BIT:
        return e.pretty
    if isinstance(e, RuntimeReplaceable):
        return quoted_sql(e)
    return name_then(e.children[0]) if isinstance(e, Cast) and not e.user_specified else e.render(name_then)


def stored(e: Expression, zone: str) -> Expression:
    """The literal of a date or a moment of a zone as it was shown before 3.2; any other expression as it is."""
    if type(e) is Literal and isinstance(e.value, date):
        return StoredLiteral(e.value, e.type, zone)
    return e


def as_stored(expressions: tuple[Expression, ...], zone: str) -> tuple[Expression, ...]:
    """The expressions with every date and moment in them shown so."""
    return tuple(e.transform_up(lambda part: stored(part, zone), Literal.BIT) for e in expressions)


def untyped_interval(e: Expression) -> Expression:
    """INTERVAL 30 DAYS as months, days and microseconds in one type, the only one before 3.2."""
    if not isinstance(e, Literal) or e.value is None:
        return e
    if isinstance(e.type, YearMonthIntervalType):
        return e.rebuilt(Literal((e.value, 0, 0), CALENDAR_INTERVAL))
    if isinstance(e.type, DayTimeIntervalType):
        # Hours that a text gives in a unit of their own are no days, however many.
        days = int(e.value / _DAY) if e.type.start == 0 else 0
        return e.rebuilt(Literal((0, days, e.value - days * _DAY), CALENDAR_INTERVAL))
    return e


def as_called_then(e: Expression, known: Behaviour) -> Expression:
    """A call, and all in it, with what a version's text shows of it beside its arguments."""
    named = known.json_readers_show_a_flag and known.parsers_name_a_function and known.databases_are_schemas
    named = named and known.dates_name_their_own_parser
    if named and known.parsed_json_shows_three_flags:
        return e

    shorter, later = dict(known.calls_show_less), dict(known.calls_begin_later)

    def step(x: Expression) -> Expression:
        match x:
            case FunctionCall(name) if name in shorter or name in later:
                spec = x.spec if x.tail else _without_option(x.spec)
                return x.rebuilt(x.replace(unshown=(later.get(name, 0), shorter.get(name, 0)), spec=spec))
            case FunctionCall("timestampadd") if not known.moments_move_by_bigints:
                return x.rebuilt(x.replace(spec=_taking_int(x.spec)))
            case FunctionCall("split") if not known.split_texts_are_no_nulls:
                return x.rebuilt(x.replace(spec=_holding_nulls(x.spec)))
            case FunctionCall("regexp_replace", (text, pattern, new, _)) if not known.regexp_replace_shows_its_start:
                return x.rebuilt(x.replace(arguments=(text, pattern, new)))
            case RLike() if known.rlike_stands_between and type(x) is RLike:
                return x.rebuilt(InfixRLike(x.left, x.right, x.name))
            case LagLead("lag") if not known.lags_are_negative and type(x) is LagLead:
                return x.rebuilt(PositiveLag(x.name, x.input, x.offset, x.default, x.ignore_nulls))
            case AggregateCall("mode") if not known.modes_show_their_order:
                return x.rebuilt(x.replace(tail=x.tail[:2]))
            case FunctionCall("array_compact") if not known.filtered_arrays_are_marked:
                return x.rebuilt(x.replace(spec=_of_the_array(x.spec)))
            case KnownNotContainsNull() if not known.filtered_arrays_are_marked:
                return x.child
            case FunctionCall("from_json") if not known.json_readers_show_a_flag:
                return x.rebuilt(x.replace(tail=x.tail[:-1])) if len(x.tail) > 1 else x
            case FunctionCall("gettimestamp") if not known.parsers_name_a_function:
                return x.rebuilt(x.replace(tail=(x.tail[0], *x.tail[2:]))) if len(x.tail) > 3 else x
            case FunctionCall("gettimestamp") if not known.dates_name_their_own_parser and "try_to_date" in x.tail:
                return x.rebuilt(x.replace(tail=(x.tail[0], "try_to_timestamp", *x.tail[2:])))
            case FunctionCall("raise_error", (message, *more)) if not known.raised_errors_have_a_class:
                told = more[0].parts[1] if more and isinstance(more[0], CreateMap) else message
                return x.rebuilt(x.replace(arguments=(told,), tail=("NullType",)))
            case FunctionCall("parse_url") if not known.more_functions_are_replaced:
                return x.rebuilt(x.replace(spec=_unfolded(x.spec)))
            case FunctionCall("current_schema") if not known.databases_are_schemas:
                return x.rebuilt(x.replace(name="current_database", spec=_DATABASE))
            case StaticInvoke() if not known.static_calls_are_short and type(x) is StaticInvoke:
                given = (x.arguments[0], lit("UTF-8")) if x.owner == "UrlCodec" else x.arguments
                return LongStaticInvoke(x.owner, x.method, x.type, given, x.is_nullable, x.takes_null)
            case StaticInvoke(_, "parseJson") if not known.parsed_json_shows_three_flags and len(x.arguments) > 3:
                return x.replace(arguments=x.arguments[:3])
            case FunctionCall("aes_encrypt" | "aes_decrypt") if not known.ciphers_take_vectors:
                return x.rebuilt(x.replace(arguments=x.arguments[:4]))
        return x

    return e.transform_up(step, _CALLS)


def with_named_fields(e: Expression, grouped: bool) -> Expression:
    """The expression with the fields of columns in it as they were named before 3.2, for its own name: p.a AS `a`.

    `grouped`: in the list of an Aggregate, where that is left out of all but the fields of arrays.
    """

    def step(x: Expression) -> Expression:
        if not isinstance(x, GetStructField | GetArrayStructFields) or not _of_column(x):
            return x.map_children(step)
        if grouped and isinstance(x, GetStructField):
            return x
        name = x.name if isinstance(x, GetStructField) else x.field.name
        return AttributeReference(f"{x.pretty} AS `{name}`", x.data_type, x.nullable, 0)

    return e.map_children(step) if not _of_column(e) else e


def _of_column(e: Expression) -> bool:
    """Whether an expression is a column or a field of one, as a name with dots says it."""
    while isinstance(e, GetStructField | GetArrayStructFields):
        e = e.child
    return isinstance(e, AttributeReference)


def with_shown_casts(e: Expression) -> Expression:
    """The expression with every inserted cast as if it were written, for a name that shows them all."""

    def step(x: Expression) -> Expression:
        return x.replace(user_specified=True) if isinstance(x, Cast) and not x.user_specified else x

    return e.transform_up(step, Cast.BIT)


@cache
def _drawing(spec: FunctionSpec) -> FunctionSpec:
    """The signature of a function whose value may differ each time."""
    return replace(spec, deterministic=False)


def undetermined(e: Expression) -> Expression:
    """first(), last() and what collects values as Spark took them before 3.3: as if they drew lots."""
    if isinstance(e, FirstLast):
        return e.rebuilt(e.replace(settled=False)) if e.settled else e
    if isinstance(e, AggregateCall) and e.name in ("collect_list", "collect_set") and e.spec.deterministic:
        return e.rebuilt(e.replace(spec=_drawing(e.spec)))
    return e
