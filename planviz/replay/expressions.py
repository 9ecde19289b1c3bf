"""Terms to typed expressions: functions by the names that Spark prints, constants by what stands beside them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import cast

from planviz.errors import PlanvizError
from planviz.expressions.aggregates import AggregateExpression, FirstLast
from planviz.expressions.arithmetic import (
    Add,
    BitwiseAnd,
    BitwiseNot,
    BitwiseOr,
    BitwiseXor,
    Divide,
    IntegralDivide,
    Multiply,
    Remainder,
    Shift,
    Subtract,
    UnaryMinus,
)
from planviz.expressions.calls import (
    DatetimeMinus,
    DatetimePlus,
    IntervalScale,
    Replaced,
)
from planviz.expressions.casts import Cast
from planviz.expressions.complex import (
    CreateNamedStruct,
    GetArrayItem,
    GetArrayStructFields,
    GetMapValue,
    GetStructField,
)
from planviz.expressions.conditional import CaseWhen, If
from planviz.expressions.core import Alias, AttributeReference, Expression, Literal, SortOrder
from planviz.expressions.decimals import PromotePrecision
from planviz.expressions.lambdas import NamedLambdaVariable
from planviz.expressions.patterns import Like
from planviz.expressions.predicates import (
    And,
    EqualNullSafe,
    EqualTo,
    GreaterThan,
    GreaterThanOrEqual,
    In,
    InSet,
    IsUnknown,
    LessThan,
    LessThanOrEqual,
    Not,
    Or,
)
from planviz.expressions.python import PythonEvalType
from planviz.expressions.subqueries import (
    DynamicPruningSubquery,
    Exists,
    InSubquery,
    LateralSubquery,
    ListQuery,
    ScalarSubquery,
)
from planviz.expressions.unresolved import SESSION_WINDOW, OuterReference
from planviz.expressions.windows import (
    WindowExpression,
    WindowSpec,
)
from planviz.logical.plan import LogicalPlan
from planviz.replay.calls import Calls, is_constant
from planviz.replay.found import Found
from planviz.replay.literals import calendar_interval, constant, own_decimal
from planviz.replay.opaque import OpaqueExpression, OpenField, Wrapped
from planviz.replay.term import Term, columns_in
from planviz.types import (
    BOOLEAN,
    CALENDAR_INTERVAL,
    DATE,
    INT,
    LONG,
    NULL,
    STRING,
    TIMESTAMP,
    UNKNOWN,
    ArrayType,
    DataType,
    DayTimeIntervalType,
    DecimalType,
    MapType,
    StructType,
    is_datetime,
    is_interval,
    is_string,
)
from planviz.types.reading import parse_type

_COMPARISONS: dict[str, Callable[[Expression, Expression], Expression]] = {
    "=": EqualTo, "<=>": EqualNullSafe, "<": LessThan, "<=": LessThanOrEqual, ">": GreaterThan,
    ">=": GreaterThanOrEqual,
}  # fmt: skip
_ARITHMETIC: dict[str, Callable[[Expression, Expression, str], Expression]] = {
    "+": Add, "-": Subtract, "*": Multiply, "/": Divide, "%": Remainder, "div": IntegralDivide,
}  # fmt: skip
_BITS: dict[str, Callable[[Expression, Expression], Expression]] = {
    "&": BitwiseAnd, "|": BitwiseOr, "^": BitwiseXor,
}  # fmt: skip
#: The session's time zone, which casts do not print.
ZONE = "Etc/UTC"
#: Terms that are read otherwise where a type is wanted.
_WANTING = {"operator", "constant", "minus", "group", "call", "python", "case", "if", "alias"}


class Elaborator(Calls):
    """Types the terms of one operator.

    `scope` are the columns by id, `outer` those of the queries around, `plans` the operator's subqueries by
    where they begin in its line, `ansi` whether the session was in ANSI mode, `zone` its time zone.
    """

    def __init__(
        self,
        scope: Mapping[int, AttributeReference],
        outer: Mapping[int, AttributeReference],
        plans: Mapping[int, LogicalPlan],
        ansi: bool,
        found: Found,
        python: Mapping[int | str, PythonEvalType] | None = None,
        zone: str = ZONE,
    ) -> None:
        self.scope, self.outer, self.plans, self.found = scope, outer, plans, found
        self.python, self.zone = python or {}, zone
        self.mode = "ANSI" if ansi else "LEGACY"
        #: Whether an expression whose arguments do not suit it is kept as it stands: Spark had resolved it.
        self.strict = False
        self.lambdas: dict[int, NamedLambdaVariable] = {}
        #: What was made of a term already; the term is kept, so that its id is not given to another.
        self.made: dict[tuple[int, DataType | None], tuple[Term, Expression]] = {}

    # -------------------------------------------------------------------------------------------- entry

    def expression(self, term: Term, wanted: DataType | None = None) -> Expression:
        """The expression that a term stands for; `wanted` is the type that a constant here should have."""
        key = id(term), wanted if term.kind in _WANTING else None
        known = self.made.get(key)
        if known is not None:
            return known[1]
        self.found.expressions += 1
        try:
            made = self._made(term, wanted)
        except (PlanvizError, TypeError, ValueError, KeyError, IndexError, AssertionError, AttributeError):
            made = self.opaque(term)
        given = made.parameters if isinstance(made, Replaced) else made.children
        if self.strict and not made.resolved and all(g.resolved for g in given if isinstance(g, Expression)):
            made = self.opaque(term)
        self.made[key] = term, made
        return made

    def opaque(self, term: Term, type: DataType = UNKNOWN) -> OpaqueExpression:
        """A term as it stands, with its columns."""
        self.found.opaque.append(term.text)
        return self.as_it_stands(term, type)

    def as_it_stands(self, term: Term, type: DataType = UNKNOWN) -> OpaqueExpression:
        """An expression that prints a term's text around its columns."""
        pieces, columns, at = [], [], term.start
        for c in columns_in(term):
            pieces.append(term.text[at - term.start : c.start - term.start])
            columns.append(self._column(c))
            at = c.end
        return OpaqueExpression((*pieces, term.text[at - term.start :]), tuple(columns), type)

    def _made(self, term: Term, wanted: DataType | None) -> Expression:
        if term.kind == "constant":
            return constant(term.value[0], wanted)
        if term.kind == "column":
            return self._column(term)
        made: Expression = getattr(self, f"_{term.kind}")(term, wanted)
        return made

    def _column(self, term: Term) -> Expression:
        name, number, long = term.value
        expr_id = int(number)
        known = self.scope.get(expr_id) or self.outer.get(expr_id)
        if known is not None:
            return known if known.name == name else known.replace(name=name)
        return AttributeReference(name, LONG if long else UNKNOWN, True, expr_id)

    # -------------------------------------------------------------------------------------------- operators

    def _sides(self, a: Term, b: Term) -> tuple[Expression, Expression]:
        """Two sides of one type: a constant takes that of the other side."""
        if is_constant(a) and not is_constant(b):
            right = self.expression(b)
            return self.expression(a, right.data_type), right
        left = self.expression(a)
        right = self.expression(b, left.data_type)
        if is_constant(a) and right.data_type != left.data_type:
            left = self.expression(a, right.data_type)
        x, y = left.data_type, right.data_type
        if x != y and isinstance(x, DecimalType) and isinstance(y, DecimalType):
            # A folded constant is wider than its digits: as wide as makes both sides one type.
            right = self.expression(b, x)
            left = left if right.data_type == x else self.expression(a, y)
        self._same(left, right)
        return left, right

    def _same(self, a: Expression, b: Expression) -> None:
        """Note the type of a column that must have that of another expression."""
        for one, other in ((a, b), (b, a)):
            if isinstance(one, AttributeReference) and one.type == UNKNOWN and other.data_type not in (UNKNOWN, NULL):
                self.found.told.setdefault(one.expr_id, other.data_type)

    def _operator(self, term: Term, wanted: DataType | None) -> Expression:
        symbol = term.value[0]
        a, b = term.children
        if symbol in ("AND", "OR"):
            left, right = self.expression(a, BOOLEAN), self.expression(b, BOOLEAN)
            for side in (left, right):
                if isinstance(side, AttributeReference) and side.type == UNKNOWN:
                    self.found.told.setdefault(side.expr_id, BOOLEAN)
            return And(left, right) if symbol == "AND" else Or(left, right)
        if symbol in _COMPARISONS:
            left, right = self._sides(a, b)
            return _COMPARISONS[symbol](left, right)
        if symbol in _BITS:
            left, right = self._sides(a, b)
            return _BITS[symbol](left, right)
        if symbol in ("<<", ">>", ">>>"):
            return Shift(self.expression(a), self.expression(b, INT), symbol)
        left, right = self._numbers(a, b)
        made = self._arithmetic(symbol, left, right, term)
        if isinstance(wanted, DecimalType) and isinstance(made.data_type, DecimalType) and made.data_type != wanted:
            return self._widened(symbol, left, right, term, wanted) or made
        return made

    def _widened(
        self, symbol: str, left: Expression, right: Expression, term: Term, wanted: DecimalType
    ) -> Expression | None:
        """Arithmetic over a constant of more digits than it shows, so many that the result is of the wanted type."""
        for at, side in enumerate((left, right)):
            if not isinstance(side, Literal) or not isinstance(side.type, DecimalType):
                continue
            for precision in range(side.type.precision + 1, 39):
                wide = side.replace(type=DecimalType(precision, side.type.scale))
                a, b = (wide, right) if at == 0 else (left, wide)
                made = self._arithmetic(symbol, a, b, term)
                if made.data_type == wanted:
                    return made
        return None

    def _arithmetic(self, symbol: str, left: Expression, right: Expression, term: Term) -> Expression:
        x, y = left.data_type, right.data_type
        if symbol == "-" and is_datetime(x) and is_datetime(y):
            return DatetimeMinus(left, right, DayTimeIntervalType(0, 0 if x == y == DATE else 3))
        if symbol in "*/" and (is_interval(x) or is_interval(y)) and x != y:
            return IntervalScale(left, right, symbol, x if is_interval(x) else y, self.mode)
        if symbol not in _ARITHMETIC:
            return self.opaque(term)
        return _ARITHMETIC[symbol](left, right, self.mode)

    def _numbers(self, a: Term, b: Term) -> tuple[Expression, Expression]:
        """The sides of arithmetic: beside a decimal, a constant is the decimal of its digits."""
        if is_constant(a) and not is_constant(b):
            right, left = reversed(self._numbers(b, a))
            return right, left
        left = self.expression(a)
        kind = left.data_type
        if is_constant(b) and isinstance(kind, DecimalType):
            # Beside a promoted side a constant has been promoted, too, before it was folded.
            number = constant(b.text, kind) if isinstance(left, PromotePrecision) else own_decimal(b.text)
            if number is not None:
                return left, number
        right = self.expression(b, kind)
        self._same(left, right)
        return left, right

    def _spaced(self, term: Term, wanted: DataType | None) -> Expression:
        left, right = self.expression(term.children[0]), self.expression(term.children[1])
        if isinstance(right, Literal) and is_string(right.data_type):
            right = calendar_interval(term.children[1].text) or right
            if isinstance(left, Literal) and right.data_type == CALENDAR_INTERVAL:
                left = constant(term.children[0].text, DATE)  # a folded one, shown as a number of days
        kind = left.data_type
        if kind == DATE and isinstance(right.data_type, DayTimeIntervalType) and right.data_type.end:
            kind = TIMESTAMP
        return DatetimePlus(left, right, term.value[0], kind)

    def _not(self, term: Term, wanted: DataType | None) -> Expression:
        return Not(self.expression(term.children[0], BOOLEAN))

    def _minus(self, term: Term, wanted: DataType | None) -> Expression:
        child = self.expression(term.children[0], wanted)
        return UnaryMinus(child, self.mode)

    def _tilde(self, term: Term, wanted: DataType | None) -> Expression:
        return BitwiseNot(self.expression(term.children[0]))

    def _group(self, term: Term, wanted: DataType | None) -> Expression:
        if wanted is not None and is_string(wanted) and not columns_in(term):
            return constant(term.text, wanted)
        child = self.expression(term.children[0])
        if child.data_type == BOOLEAN and columns_in(term):
            return IsUnknown(child)
        return constant(term.text, wanted) if not columns_in(term) else self.opaque(term)

    # -------------------------------------------------------------------------------------------- forms

    def _cast(self, term: Term, wanted: DataType | None) -> Expression:
        word, name = term.value
        kind = parse_type(name)
        inner = term.children[0]
        child = self.expression(inner)
        if isinstance(child, Literal) and inner.kind == "constant" and child.type == kind and not is_string(kind):
            # Nobody casts a constant to the type that it has: what stands there is a text.
            child = constant(inner.text, STRING)
        mode = "TRY" if word == "try_cast" else "ANSI" if word == "ansi_cast" else self.mode
        made = Cast(child, kind, mode, False, ZONE)
        return made if word != "ansi_cast" else self.as_it_stands(term, kind)

    def _case(self, term: Term, wanted: DataType | None) -> Expression:
        parts = list(term.children)
        last = parts.pop() if term.value else None
        results = [*parts[1::2], *([last] if last is not None else [])]
        kind = self._common(results, wanted)
        branches = [
            self.expression(p, BOOLEAN) if i % 2 == 0 else self.expression(p, kind) for i, p in enumerate(parts)
        ]
        return CaseWhen(tuple(branches), None if last is None else self.expression(last, kind))

    def _common(self, terms: Sequence[Term], wanted: DataType | None) -> DataType | None:
        """The type that values of one type have: of the first that says one."""
        guess = None
        for t in terms:
            kind = UNKNOWN if is_constant(t) else self.expression(t).data_type
            if kind not in (UNKNOWN, NULL):
                return kind
        if wanted not in (None, UNKNOWN):
            return wanted
        for t in terms:
            kind = constant(t.text).type if is_constant(t) else UNKNOWN
            if kind in (UNKNOWN, NULL):
                continue
            if guess is not None and guess != kind:
                numbers = isinstance(guess, DecimalType) or isinstance(kind, DecimalType)
                return (guess if isinstance(guess, DecimalType) else kind) if numbers else STRING
            guess = kind
        return guess

    def _if(self, term: Term, wanted: DataType | None) -> Expression:
        test, then, other = term.children
        kind = self._common((then, other), wanted)
        return If(self.expression(test, BOOLEAN), self.expression(then, kind), self.expression(other, kind))

    def _in(self, term: Term, wanted: DataType | None) -> Expression:
        value, *items = term.children
        if len(items) == 1 and items[0].kind == "subquery":
            left = self.expression(value)
            query = self.expression(items[0])
            values = left.values if isinstance(left, CreateNamedStruct) else (left,)
            return InSubquery(tuple(values), query)
        left = self.expression(value)
        made = tuple(self.expression(i, left.data_type) for i in items)
        for m in made:
            self._same(left, m)
        return In(left, made)

    def _inset(self, term: Term, wanted: DataType | None) -> Expression:
        child = self.expression(term.children[0])
        inside, bracket = term.value
        kind = child.data_type
        texts = re.split(r",\s?", inside) if bracket else inside.split(", ")
        values = tuple(constant(t, kind) for t in texts)
        if values:
            self._same(child, values[0])
        made = InSet(child, values)
        return made if made.text == term.text else self.as_it_stands(term, BOOLEAN)

    def _like(self, term: Term, wanted: DataType | None) -> Expression:
        a, b = self.expression(term.children[0]), self.expression(term.children[1], STRING)
        if isinstance(a, AttributeReference) and a.type == UNKNOWN:
            self.found.told.setdefault(a.expr_id, STRING)
        if term.value[0] == "RLIKE":
            return self.as_it_stands(term, BOOLEAN)
        return Like(a, b, *term.value[1:])

    def _alias(self, term: Term, wanted: DataType | None) -> Expression:
        name, number, long = term.value
        child = self.expression(term.children[0], LONG if long else wanted)
        if not long and isinstance(child, Literal) and child.type == LONG:
            child = self.expression(term.children[0], None)
            child = constant(child.text, STRING) if child.data_type == LONG else child
        if long and child.data_type != LONG:
            self._whole_numbers(child)
            child = Wrapped(child, "", "", LONG)
        made = Alias(child, name, int(number))
        # No text shows the remark by which the planner knows the sessions of session_window().
        of_sessions = name == "session_window" and isinstance(child, CreateNamedStruct)
        return made.remarked(SESSION_WINDOW) if of_sessions else made

    def _whole_numbers(self, e: Expression) -> None:
        """Note that a column whose sum is a bigint holds whole numbers."""
        if isinstance(e, AggregateExpression) and e.function.pretty_name == "sum":
            (summed,) = e.function.children
            if isinstance(summed, AttributeReference) and summed.type == UNKNOWN:
                self.found.told.setdefault(summed.expr_id, INT)

    def _order(self, term: Term, wanted: DataType | None) -> Expression:
        return SortOrder(self.expression(term.children[0]), *term.value)

    def _item(self, term: Term, wanted: DataType | None) -> Expression:
        child = self.expression(term.children[0])
        kind = child.data_type
        if isinstance(kind, MapType):
            return GetMapValue(child, self.expression(term.children[1], kind.key))
        if isinstance(kind, ArrayType):
            return GetArrayItem(child, self.expression(term.children[1]), self.mode)
        key = term.children[1]
        return OpenField(child, f"[{key.text}]") if kind == UNKNOWN and not columns_in(key) else self.opaque(term)

    def _part(self, term: Term, wanted: DataType | None) -> Expression:
        child = self.expression(term.children[0])
        kind, name = child.data_type, term.value[0]
        if isinstance(kind, StructType):
            at = _place(kind, name)
            return GetStructField(child, at, None if kind.fields[at].name == name else name)
        if isinstance(kind, ArrayType) and isinstance(kind.element, StructType):
            return GetArrayStructFields(child, _place(kind.element, name))
        return OpenField(child, f".{name}") if kind == UNKNOWN else self.opaque(term)

    def _lambda(self, term: Term, wanted: DataType | None) -> Expression:
        name, number, long = term.value
        known = self.lambdas.get(int(number))
        return known or NamedLambdaVariable(name, LONG if long else UNKNOWN, True, int(number))

    def _subquery(self, term: Term, wanted: DataType | None) -> Expression:
        label, number = term.value
        plan = self.plans.get(term.start)
        if plan is None:
            return self.opaque(term, wanted or UNKNOWN)
        inner = {a.expr_id: a for a in plan.output}
        kept, self.outer = self.outer, {**self.outer, **inner}
        inside = [self.expression(t) for t in term.children]
        self.outer = kept
        outers = [e for e in inside if isinstance(e, AttributeReference | OuterReference)]
        conditions = inside[len(outers) :]
        if label == "dynamicpruning":
            return self._pruning(plan, inside, int(number))
        kinds = {
            "scalar-subquery": ScalarSubquery, "exists": Exists, "list": ListQuery,
            "lateral-subquery": LateralSubquery,
        }  # fmt: skip
        made: Expression = kinds[label](plan, tuple(outers), int(number), tuple(conditions))
        return made

    def _pruning(self, plan: LogicalPlan, inside: list[Expression], number: int) -> Expression:
        keys = tuple(plan.output)
        return DynamicPruningSubquery(plan, tuple(inside), number, (), keys, 0)

    def _window(self, term: Term, wanted: DataType | None) -> Expression:
        # One that nobody can read stands there as it was printed.
        spec = cast(WindowSpec, self.expression(term.children[1]))
        return WindowExpression(self.expression(term.children[0]), spec)

    def _filter(self, term: Term, wanted: DataType | None) -> Expression:
        made = self.expression(term.children[0])
        where = self.expression(term.children[1], BOOLEAN)
        return made.replace(where=where) if isinstance(made, AggregateExpression) else self.opaque(term)

    def _nulls(self, term: Term, wanted: DataType | None) -> Expression:
        made = self.expression(term.children[0])
        if isinstance(made, AggregateExpression) and isinstance(made.function, FirstLast):
            return made.replace(function=made.function.replace(ignore_nulls=True))
        return self.opaque(term)


def _place(kind: StructType, name: str) -> int:
    names = [f.name for f in kind.fields]
    return names.index(name) if name in names else [n.lower() for n in names].index(name.lower())
