"""CASE, IF, casts, comparisons of casts, LIKE."""

from __future__ import annotations

from typing import Any

from planviz.expressions.arithmetic import Abs, BinaryArithmetic, UnaryMinus
from planviz.expressions.calls import DatetimePlus, FunctionCall
from planviz.expressions.complex import (
    CreateArray,
    CreateMap,
    CreateNamedStruct,
    ExtractValue,
    GetArrayItem,
    GetArrayStructFields,
    GetMapValue,
    GetStructField,
)
from planviz.expressions.conditional import CaseWhen, If
from planviz.expressions.core import Cast, Literal, lit
from planviz.expressions.predicates import (
    And,
    BinaryComparison,
    EqualNullSafe,
    EqualTo,
    GreaterThan,
    GreaterThanOrEqual,
    In,
    IsNotNull,
    IsNull,
    LessThan,
    LessThanOrEqual,
    Like,
    MultiLike,
    Not,
    Or,
    StringPredicate,
)
from planviz.optimizer.context import OptimizerRule
from planviz.optimizer.evaluation import UnknownValueError, convert
from planviz.optimizer.rules.boolean import is_false, is_null, is_true
from planviz.types import (
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    INTEGRAL,
    STRING,
    TIMESTAMP,
    DataType,
    DecimalType,
    is_integral,
    is_numeric,
)


class SimplifyConditionals(OptimizerRule):
    """Take the branches out of CASE and IF that can never, or always, be taken.

    CASE WHEN false THEN 2 WHEN a > 1 THEN 1 ELSE 3 END  =>  CASE WHEN a > 1 THEN 1 ELSE 3 END

    Pays because conditions need no test. Conditions that draw are kept in their order even if all values are equal.
    """

    matches = (If, CaseWhen)

    def apply(self, plan: Any) -> Any:
        """See the class."""
        return plan.transform_down(lambda p: p.transform_expressions_up(self._one, self.mask), self.mask)

    @staticmethod
    def _one(e: Any) -> Any:
        if isinstance(e, If):
            return _if(e)
        return _case(e) if isinstance(e, CaseWhen) else e


def _truth(condition: Any) -> Any:
    return EqualNullSafe(condition, Literal(True, BOOLEAN)) if condition.nullable else condition


def _if(e: If) -> Any:
    p, a, b = e.predicate, e.then, e.otherwise
    if is_true(p):
        return a
    if is_false(p) or is_null(p):
        return b
    if is_true(a) and is_false(b):
        return _truth(p)
    if is_false(a) and is_true(b):
        return Not(_truth(p))
    if p.deterministic and a.semantic_equals(b):
        return a
    if not p.nullable and e.data_type == BOOLEAN:
        if is_null(a) and is_false(b):
            return And(p, a)
        if is_null(a) and is_true(b):
            return Or(Not(p), a)
        if is_false(a) and is_null(b):
            return And(Not(p), b)
        if is_true(a) and is_null(b):
            return Or(p, b)
    return e


def _case(e: CaseWhen) -> Any:
    pairs = list(zip(e.conditions, e.values, strict=True))
    otherwise = e.otherwise
    if len(pairs) == 1 and otherwise is not None:
        (condition, value), last = pairs[0], otherwise
        if is_true(value) and is_false(last):
            return _truth(condition)
        if is_false(value) and is_true(last):
            return Not(_truth(condition))
    live = [(c, v) for c, v in pairs if not is_false(c) and not is_null(c)]
    if len(live) < len(pairs):
        if not live:
            return otherwise if otherwise is not None else Literal(None, e.data_type)
        return CaseWhen(_flat(live), otherwise)
    if is_true(pairs[0][0]):
        return pairs[0][1]
    first = next((i for i, (c, _) in enumerate(pairs) if is_true(c)), None)
    if first is not None and (first < len(pairs) - 1 or otherwise is not None):
        return CaseWhen(_flat(pairs[:first]), pairs[first][1])
    last = otherwise if otherwise is not None else Literal(None, e.data_type)
    if all(v.semantic_equals(last) for _, v in pairs):
        keep = len(pairs)
        while keep and pairs[keep - 1][0].deterministic:
            keep -= 1
        return last if keep == 0 else CaseWhen(_flat([(c, last) for c, _ in pairs[:keep]]), otherwise)
    if otherwise is not None and is_null(otherwise):
        return CaseWhen(e.branches, None)
    return e


def _flat(pairs: list[tuple[Any, Any]]) -> tuple[Any, ...]:
    return tuple(x for p in pairs for x in p)


class PushFoldableIntoBranches(OptimizerRule):
    """Compute with a constant inside the branches when all but one of them are constants.

    CASE WHEN c THEN 1 ELSE 2 END = 1  =>  CASE WHEN c THEN 1 = 1 ELSE 2 = 1 END

    Pays because the branches fold. With two branches that are no constants the expression would be there twice.
    """

    matches = (If, CaseWhen)

    def apply(self, plan: Any) -> Any:
        """See the class."""
        return plan.transform_down(lambda p: p.transform_expressions_up(self._one, self.mask), self.mask)

    @staticmethod
    def _one(e: Any) -> Any:
        if isinstance(e, _UNARY) and len(e.children) == 1:
            return _pushed(e, e.children[0], lambda b: e.with_new_children((b,)))
        if isinstance(e, _BINARY) and len(e.children) == 2:
            a, b = e.children
            if b.foldable and isinstance(a, If | CaseWhen):
                return _pushed(e, a, lambda x: e.with_new_children((x, b)))
            if a.foldable and isinstance(b, If | CaseWhen):
                return _pushed(e, b, lambda x: e.with_new_children((a, x)))
        return e


_UNARY = (IsNull, IsNotNull, Abs, UnaryMinus, Cast, ExtractValue, FunctionCall)
_BINARY = (BinaryComparison, BinaryArithmetic, And, Or, Like, StringPredicate, DatetimePlus)


def _pushed(e: Any, choice: Any, f: Any) -> Any:
    match choice:
        case If(p, a, b) if _foldable_enough([a, b]):
            return If(p, f(a), f(b))
        case CaseWhen(branches, otherwise):
            last = otherwise if otherwise is not None else Literal(None, choice.data_type)
            if not _foldable_enough([*choice.values, last]):
                return e
            new = tuple(f(b) if i % 2 else b for i, b in enumerate(branches))
            return CaseWhen(new, f(last))
    return e


def _foldable_enough(values: list[Any]) -> bool:
    fixed = [v for v in values if v.foldable]
    return bool(fixed) and len(values) - len(fixed) < 2


class SimplifyCasts(OptimizerRule):
    """Remove casts to the type that is there, the inner one of two widening casts, and widening casts tested for null.

    cast(cast(a AS bigint) AS decimal(20,0))  =>  cast(a AS decimal(20,0)), a being an int

    Pays because nothing is converted twice. A narrowing inner cast stays: `cast(cast(a AS tinyint) AS int)` may fail.
    """

    matches = (Cast,)

    def apply(self, plan: Any) -> Any:
        """See the class."""
        return plan.transform_down(lambda p: p.transform_expressions_down(self._one, Cast.BIT), Cast.BIT)

    @staticmethod
    def _one(e: Any) -> Any:
        match e:
            case Cast(child, t) if child.data_type == t:
                return child
            case Cast(Cast(child, inner), t) if wider(child.data_type, inner) and wider(inner, t):
                return Cast(child, t, e.mode, e.user_specified, e.time_zone)
            case IsNull(Cast(child, t)) | IsNotNull(Cast(child, t)) if keeps_values(child.data_type, t):
                return type(e)(child)
        return e


def keeps_values(a: DataType, b: DataType) -> bool:
    """Whether a cast never fails and never gives null for a value (Spark: `Cast.canUpCast`, the common cases)."""
    return wider(a, b) or (a in INTEGRAL and b in (FLOAT, DOUBLE)) or (a == DATE and b == TIMESTAMP) or b == STRING


def wider(a: DataType, b: DataType) -> bool:
    """Whether every value of numeric type `a` is one of `b`, and nothing else than widening is needed."""
    if a in INTEGRAL and b in INTEGRAL:
        return INTEGRAL.index(a) <= INTEGRAL.index(b)
    if a in INTEGRAL and isinstance(b, DecimalType):
        digits = {0: 3, 1: 5, 2: 10, 3: 20}[INTEGRAL.index(a)]
        return b.precision - b.scale >= digits
    if isinstance(a, DecimalType) and isinstance(b, DecimalType):
        return b.scale >= a.scale and b.precision - b.scale >= a.precision - a.scale
    return False


_RANGE = {INTEGRAL[0]: 7, INTEGRAL[1]: 15, INTEGRAL[2]: 31, INTEGRAL[3]: 63}


class UnwrapCastInBinaryComparison(OptimizerRule):
    """Compare the column itself instead of its cast with a constant.

    cast(a AS bigint) > 5L  =>  a > 5        cast(a AS bigint) > 3000000000L  =>  false unless a is null

    Pays because the filter can be pushed into the scan. Beyond the column's range the answer is known; null stays
    null: `SELECT cast(a AS bigint) > 3000000000` gives null for a null a.
    """

    matches = (Cast,)

    def apply(self, plan: Any) -> Any:
        """See the class."""
        return plan.transform_down(lambda p: p.transform_expressions_up(self._one, Cast.BIT), Cast.BIT)

    def _one(self, e: Any) -> Any:
        match e:
            case BinaryComparison(left=Literal() as v, right=Cast()):
                from planviz.expressions.predicates import MIRRORS

                flipped = MIRRORS[type(e)](e.right, v)
                new = self._one(flipped)
                return e if new is flipped else new
            case BinaryComparison(left=Cast(child, t) as c, right=Literal(value, _)) if (
                value is not None and _can_unwrap(child.data_type, t)
            ):
                return _unwrapped(e, c, child, value)
            case In(Cast(child, t) as c, items) if (
                _can_unwrap(child.data_type, t) and items and all(isinstance(i, Literal) for i in items)
            ):
                return _unwrapped_in(e, c, child, items)
        return e


def _can_unwrap(a: DataType, b: DataType) -> bool:
    if a == BOOLEAN and is_numeric(b):
        return True
    if a == DATE and b == TIMESTAMP:
        return True
    if a == b or not is_numeric(a) or not is_numeric(b):
        return False
    if isinstance(a, DecimalType) and isinstance(b, DecimalType):
        return wider(a, b)
    if a in INTEGRAL and b in INTEGRAL:
        return INTEGRAL.index(a) < INTEGRAL.index(b)
    if a in INTEGRAL and b in (DOUBLE, FLOAT):
        return INTEGRAL.index(a) < (3 if b == DOUBLE else 2)
    return a in INTEGRAL and isinstance(b, DecimalType) and wider(a, b)


def _if_not_null(child: Any, truth: bool) -> Any:
    """The truth, or null where the child is null."""
    if truth:
        return Or(IsNotNull(child), Literal(None, BOOLEAN)) if child.nullable else Literal(True, BOOLEAN)
    return And(IsNull(child), Literal(None, BOOLEAN)) if child.nullable else Literal(False, BOOLEAN)


def _unwrapped(e: Any, cast: Any, child: Any, value: Any) -> Any:
    t, wide = child.data_type, cast.type
    if not child.deterministic:
        return e
    if t in _RANGE and not isinstance(value, str):
        top, bottom = (1 << _RANGE[t]) - 1, -(1 << _RANGE[t])
        if value > top or value < bottom:
            return _outside(e, child, value > top)
        if value == top and isinstance(e, GreaterThan | LessThanOrEqual):
            return _if_not_null(child, isinstance(e, LessThanOrEqual))
        if value == top and isinstance(e, GreaterThanOrEqual):
            return EqualTo(child, Literal(top, t))
        if value == top and isinstance(e, LessThan):
            return Not(EqualTo(child, Literal(top, t)))
    if t == BOOLEAN:
        return e
    try:
        narrow = convert(value, wide, t)
        back = convert(narrow, t, wide)
    except (UnknownValueError, ValueError, ArithmeticError, TypeError):
        return e
    literal = Literal(narrow, t)
    if back == value:
        return type(e)(child, literal)
    above = back > value
    if isinstance(e, EqualTo):
        return _if_not_null(child, False)
    if isinstance(e, EqualNullSafe):
        return Literal(False, BOOLEAN)
    if isinstance(e, GreaterThan | GreaterThanOrEqual):
        return (GreaterThanOrEqual if above else GreaterThan)(child, literal)
    return (LessThan if above else LessThanOrEqual)(child, literal)


def _outside(e: Any, child: Any, above: bool) -> Any:
    if isinstance(e, EqualNullSafe):
        return Literal(False, BOOLEAN)
    if isinstance(e, EqualTo):
        return _if_not_null(child, False)
    greater = isinstance(e, GreaterThan | GreaterThanOrEqual)
    return _if_not_null(child, greater != above)


def _unwrapped_in(e: Any, cast: Any, child: Any, items: tuple[Any, ...]) -> Any:
    t = child.data_type
    new = []
    for i in items:
        if i.value is None:
            new.append(Literal(None, t))
            continue
        try:
            narrow = convert(i.value, cast.type, t)
            if convert(narrow, t, cast.type) == i.value:
                new.append(Literal(narrow, t))
        except (UnknownValueError, ValueError, ArithmeticError, TypeError):
            if not is_integral(t):
                return e
    return In(child, tuple(new)) if new else _if_not_null(child, False)


class LikeSimplification(OptimizerRule):
    """Patterns with % only at their ends are plain text searches.

    c LIKE 'abc%'  =>  startswith(c, 'abc')        c LIKE 'a%c'  =>  length(c) >= 2 AND startswith AND endswith

    Pays because no pattern is matched and the scan may use it. `_` and escapes need the pattern: `a_c` stays.
    """

    matches = (Like, MultiLike)

    def apply(self, plan: Any) -> Any:
        """See the class."""
        return plan.transform_down(lambda p: p.transform_expressions_down(self._one, self.mask), self.mask)

    @staticmethod
    def _one(e: Any) -> Any:
        match e:
            case Like(text, Literal(None, _), _):
                return Literal(None, BOOLEAN)
            case Like(text, Literal(str() as pattern, _), escape):
                new = _like(text, pattern, escape)
                return e if new is None else new
            case MultiLike(child, patterns, name):
                return _multi_like(e, child, patterns, name)
        return e


def _like(text: Any, pattern: str, escape: str) -> Any:
    if escape in pattern or "_" in pattern:
        return None
    parts = pattern.split("%")
    match parts:
        case [whole]:
            return EqualTo(text, Literal(whole, STRING))
        case [head, ""] if head:
            return StringPredicate(text, Literal(head, STRING), "StartsWith")
        case ["", tail] if tail:
            return StringPredicate(text, Literal(tail, STRING), "EndsWith")
        case ["", middle, ""] if middle:
            return StringPredicate(text, Literal(middle, STRING), "Contains")
        case [head, tail] if head and tail:
            from planviz.optimizer.attributes import function

            length = function("length", text)
            start = StringPredicate(text, Literal(head, STRING), "StartsWith")
            end = StringPredicate(text, Literal(tail, STRING), "EndsWith")
            return And(GreaterThanOrEqual(length, lit(len(head) + len(tail))), And(start, end))
    return None


def _multi_like(e: Any, child: Any, patterns: tuple[Any, ...], name: str) -> Any:
    simple, rest = [], []
    for p in patterns:
        new = _like(child, p.value, "\\") if isinstance(p.value, str) else None
        if new is None:
            rest.append(p)
        else:
            simple.append(Not(new) if name.startswith("not") else new)
    if not simple:
        return e
    from planviz.optimizer.rules.boolean import balanced

    join = And if name.endswith("all") else Or
    together = balanced(simple, join)
    return join(together, MultiLike(child, tuple(rest), name)) if rest else together


class SimplifyCaseConversionExpressions(OptimizerRule):
    """Of two nested case conversions the outer one wins.

    upper(lower(c))  =>  upper(c)

    Pays because no text is built twice. Other functions between them stay: upper(reverse(lower(c))).
    """

    matches = (FunctionCall,)

    def apply(self, plan: Any) -> Any:
        """See the class."""
        names = ("upper", "lower", "ucase", "lcase")

        def step(e: Any) -> Any:
            if isinstance(e, FunctionCall) and e.name in names:
                inner = e.arguments[0]
                if isinstance(inner, FunctionCall) and inner.name in names:
                    return e.replace(arguments=inner.arguments)
            return e

        return plan.transform_all_expressions(step, FunctionCall.BIT)


class SimplifyDateTimeConversions(OptimizerRule):
    """A text made of a timestamp and read again in the same format is truncated instead of parsed.

    date_format(to_timestamp(s, f), f)  =>  s, where that is exact

    Pays because parsing is dear. Formats that drop parts, as 'yyyy', would lose them; such calls stay as they are.
    """

    matches = (FunctionCall,)

    def apply(self, plan: Any) -> Any:
        """Itself: no format is known to be exact both ways."""
        return plan


class SimplifyExtractValueOps(OptimizerRule):
    """Take a part of what is just being put together.

    named_struct('x', a, 'y', b).y  =>  b        array(a, b)[1]  =>  b        map('k', a)['k']  =>  a

    Pays because the rest is never built. Keys of a map are compared: map(a, 1)[b] needs a CASE.
    """

    matches = (ExtractValue,)

    def apply(self, plan: Any) -> Any:
        """See the class."""
        from planviz.logical.operators import Aggregate

        def operator(p: Any) -> Any:
            if isinstance(p, Aggregate):
                return p
            return p.transform_expressions_up(self._one, ExtractValue.BIT)

        return plan.transform_down(operator, ExtractValue.BIT)

    @staticmethod
    def _one(e: Any) -> Any:
        match e:
            case GetStructField(CreateNamedStruct() as s, i):
                return s.values[i]
            case GetArrayStructFields(CreateArray(items), i):
                return CreateArray(tuple(GetStructField(x, i) for x in items))
            case GetArrayItem(CreateArray(items), Literal(int() as i, _)):
                return items[i] if 0 <= i < len(items) else e
            case GetMapValue(CreateMap(parts), key):
                return _from_map(e, parts, key)
        return e


def _from_map(e: Any, parts: tuple[Any, ...], key: Any) -> Any:
    pairs = list(zip(parts[::2], parts[1::2], strict=True))
    if not pairs:
        return Literal(None, e.data_type)
    return CaseWhen(_flat([(EqualTo(key, k), v) for k, v in pairs]))
