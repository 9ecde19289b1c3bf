"""Expressions as SQL text that can be run: by the names of a block, and without what only the optimizer writes."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Protocol

from planviz.errors import ExportError
from planviz.expressions.aggregates import AggregateExpression, Average, Sum
from planviz.expressions.arithmetic import UnaryMinus
from planviz.expressions.calls import FunctionCall, RuntimeReplaceable
from planviz.expressions.casts import Cast
from planviz.expressions.common_expressions import CommonExpressionDef, CommonExpressionRef, With
from planviz.expressions.complex import CreateNamedStruct
from planviz.expressions.core import Alias, AttributeReference, Expression, Literal, SortOrder
from planviz.expressions.internal import KnownFloatingPointNormalized, MakeDecimal, NormalizeNaNAndZero, UnscaledValue
from planviz.expressions.lambdas import LambdaFunction, NamedLambdaVariable
from planviz.expressions.subqueries import Exists, InSubquery, ListQuery, ScalarSubquery, SubqueryExpression
from planviz.expressions.unresolved import OuterReference
from planviz.expressions.windows import (
    FrameBoundary,
    LagLead,
    NTile,
    RankLike,
    SpecifiedWindowFrame,
    WindowExpression,
    WindowSpec,
)
from planviz.frontend.writing.blocks import Existence, Scope
from planviz.logical.plan import LogicalPlan
from planviz.types import STRING, ArrayType, DataType, DecimalType, MapType, StructType, is_integral, quote_if_needed
from planviz.types.values import Value

#: Functions that only mark what the optimizer knows of their argument.
MARKS = frozenset(("knownnotnull", "knownnotcontainsnull", "knownnullable", "promote_precision"))

#: Functions that keep their schema as a type.
PARSERS = frozenset(("from_json", "from_csv", "from_xml"))


class SubqueryWriter(Protocol):
    """Whoever writes the plans of subqueries."""

    def nested(self, plan: LogicalPlan, outer: tuple[Scope, ...], conditions: tuple[Expression, ...]) -> str:
        """A subquery in parentheses; `conditions` are the correlated predicates that were pulled out of it."""


class ExpressionWriter:
    """Writes expressions inside one block.

    `scope` says what ids are called here, `qualified` whether names carry their source; ids that are not here belong
    to a surrounding block and are looked up in `outer`, always with their source.
    """

    def __init__(
        self, plans: SubqueryWriter, scope: Scope, qualified: bool, outer: tuple[Scope, ...], names: dict[int, str]
    ) -> None:
        self.plans = plans
        self.scope = scope
        self.qualified = qualified
        self.outer = outer
        #: Columns that the block itself makes, by the name it gives them: for ORDER BY.
        self.names = names
        self._common: dict[int, Expression] = {}

    def __call__(self, e: Expression) -> str:
        """The text of an expression."""
        special = self._special(e)
        return special if special is not None else e.render(self)

    def key(self, e: Expression) -> str:
        """A grouping or sort key: a bare number would mean a position there."""
        if isinstance(e, SortOrder):
            return f"{self.key(e.child)} {e.direction} {e.null_order}"
        text = self(e)
        return f"CAST({text} AS {e.type.sql})" if isinstance(e, Literal) and is_integral(e.type) else text

    def _special(self, e: Expression) -> str | None:
        match e:
            case AttributeReference():
                return self._name(e)
            case OuterReference():
                return self(e.attribute)
            case Alias(child):
                return self(child)
            case Cast(child, type):
                return f"{'TRY_' if e.mode == 'TRY' else ''}CAST({self(child)} AS {type.sql})"
            case KnownFloatingPointNormalized(child) | NormalizeNaNAndZero(child):
                return self(child)
            case RuntimeReplaceable():
                return self(e.replacement)
            case With(body, definitions):
                self._common.update({d.id: d.child for d in definitions if isinstance(d, CommonExpressionDef)})
                return self(body)
            case CommonExpressionRef() if e.id in self._common:
                return self(self._common[e.id])
            case MakeDecimal() | UnscaledValue():
                return self._unscaled(e)
            case Literal(value, type) if value is not None and isinstance(type, ArrayType | MapType | StructType):
                return self._complex(value, type)
            case CreateNamedStruct():
                return f"named_struct({', '.join(map(self, e.children))})"
            case WindowExpression():
                return self._window(e)
            case AggregateExpression() if e.function.pretty_name == "pivotfirst":
                raise ExportError("The second step of a PIVOT has no form in SQL; the plan's text and picture show it.")
            case Literal(str()):
                # A line break in the text would be moved by indentation.
                return e.sql.replace("\n", "\\n").replace("\r", "\\r")
            case LambdaFunction(body, arguments):
                names = ", ".join(self(a) for a in arguments)
                return f"{names if len(arguments) == 1 else f'({names})'} -> {self(body)}"
            case NamedLambdaVariable(name):
                return quote_if_needed(name)
            case FunctionCall() if e.pretty_name in PARSERS and len(e.children) == 1:
                return f"{e.pretty_name}({self(e.children[0])}, {Literal(e.data_type.sql, STRING).sql})"
            case FunctionCall() if e.pretty_name == "gettimestamp":
                return f"to_timestamp({', '.join(map(self, e.children))})"
            case FunctionCall() if e.pretty_name in MARKS:
                return self(e.children[0])
            case SubqueryExpression() | InSubquery():
                return self._subquery(e)
        return None

    def _window(self, e: WindowExpression) -> str:
        """Without the frame that the function brings along and that SQL refuses."""
        spec = e.spec
        assert isinstance(spec, WindowSpec)
        by = f"PARTITION BY {', '.join(map(self, spec.partition))}" if spec.partition else ""
        order = f"ORDER BY {', '.join(map(self, spec.order))}" if spec.order else ""
        frame = "" if isinstance(e.function, LagLead | RankLike | NTile) else self._frame(spec.frame)
        return f"{self(e.function)} OVER ({' '.join(p for p in (by, order, frame) if p)})"

    def _frame(self, frame: Expression) -> str:
        if not isinstance(frame, SpecifiedWindowFrame):
            return ""
        unit = "ROWS" if frame.kind == "RowFrame" else "RANGE"
        return f"{unit} BETWEEN {self._bound(frame.lower)} AND {self._bound(frame.upper)}"

    def _bound(self, bound: Expression) -> str:
        if isinstance(bound, FrameBoundary):
            return bound.sql
        if isinstance(bound, UnaryMinus):
            return f"{self(bound.child)} PRECEDING"
        if isinstance(bound, Literal) and isinstance(bound.value, int | float | Decimal) and bound.value < 0:
            return f"{self(Literal(-bound.value, bound.type))} PRECEDING"
        return f"{self(bound)} FOLLOWING"

    def _complex(self, value: Value, t: DataType) -> str:
        """A constant array, map or struct as the call that makes it."""
        if isinstance(t, ArrayType):
            return f"array({', '.join(self(Literal(v, t.element)) for v in value)})"
        if isinstance(t, MapType):
            pairs = [self(Literal(x, kind)) for k, v in value for x, kind in ((k, t.key), (v, t.value))]
            return f"map({', '.join(pairs)})"
        assert isinstance(t, StructType)
        fields = [
            f"{Literal(f.name, STRING).sql}, {self(Literal(v, f.data_type))}"
            for v, f in zip(value, t.fields, strict=True)
        ]
        return f"named_struct({', '.join(fields)})"

    def _name(self, a: AttributeReference) -> str:
        if a.expr_id in self.names:
            return quote_if_needed(self.names[a.expr_id])
        found = self.scope.get(a.expr_id)
        if isinstance(found, Existence):
            return f"EXISTS {self.plans.nested(found.plan, self._scopes(), _listed(found.condition))}"
        if found is not None:
            return found.text(self.qualified)
        for scope in self.outer:
            column = scope.get(a.expr_id)
            if column is not None and not isinstance(column, Existence):
                return column.text(qualified=True)
        return a.sql

    def _scopes(self) -> tuple[Scope, ...]:
        return (self.scope, *self.outer)

    def _unscaled(self, e: Expression) -> str:
        """Sums of decimals are planned on their digits; SQL sums the decimals themselves."""
        if isinstance(e, MakeDecimal):
            whole = _undone(e.child)
            if whole is not None:
                return f"CAST({self(whole)} AS {e.data_type.sql})"
            return f"CAST({self(e.child)} / {10**e.scale}BD AS {e.data_type.sql})"
        assert isinstance(e, UnscaledValue)
        t = e.child.data_type
        scale = t.scale if isinstance(t, DecimalType) else 0
        return f"CAST({self(e.child)} * {10**scale}BD AS BIGINT)"

    def _subquery(self, e: Expression) -> str:
        if isinstance(e, InSubquery):
            values = ", ".join(map(self, e.values))
            query = e.query
            assert isinstance(query, ListQuery)
            left = values if len(e.values) == 1 else f"({values})"
            return f"({left} IN {self.plans.nested(query.plan, self._scopes(), query.conditions)})"
        assert isinstance(e, SubqueryExpression)
        word = "EXISTS " if isinstance(e, Exists) else "" if isinstance(e, ScalarSubquery) else "LATERAL "
        return word + self.plans.nested(e.plan, self._scopes(), e.conditions)


def _listed(condition: Expression | None) -> tuple[Expression, ...]:
    return () if condition is None else (condition,)


def _undone(e: Expression) -> Expression | None:
    """The same aggregate over the decimals themselves; None when `e` does not aggregate digits."""
    if not (e.bits & UnscaledValue.BIT):
        return None
    swap: Callable[[Expression], Expression] = lambda c: c.child if isinstance(c, UnscaledValue) else c  # noqa: E731
    if any(isinstance(a.function, Sum | Average) for a in e.collect(AggregateExpression)):
        undone: Expression = e.transform_up(swap)
        return undone
    return None
