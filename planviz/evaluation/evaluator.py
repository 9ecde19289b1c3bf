"""`Evaluator`: the value of an expression under a session's settings (Spark: Expression.eval under SQLConf)."""

from __future__ import annotations

import warnings
from decimal import localcontext

from planviz.config import OptimizerConfig
from planviz.errors import cut
from planviz.evaluation.casts import convert
from planviz.evaluation.core import LONGEST, OUT_OF_REACH, WIDE, Row, Run, evaluate, under_way
from planviz.evaluation.errors import FailsError, UnknownValueError
from planviz.expressions.core import Expression, Literal, ZonedLiteral
from planviz.types import UNKNOWN, ArrayType, DataType, MapType, StructType
from planviz.types.data import has_timestamp
from planviz.types.values import Value


class EvaluatorWarning(RuntimeWarning):
    """A mistake in the evaluator itself: an error in tests; elsewhere it is logged and the value counts as unknown."""


class Evaluator:
    """Computes expressions by the clock of a time zone, within `LONGEST` steps each.

    `legacy_patterns`: patterns of dates are those of SimpleDateFormat; `last_wins`: a map keeps the last value of a key
    that it gets twice; `bytes_style`: how bytes become texts in CSV and XML.
    """

    def __init__(
        self, zone: str = "Etc/UTC", legacy_patterns: bool = False, last_wins: bool = False, bytes_style: str = ""
    ) -> None:
        self.bytes_style = bytes_style
        self.zone = zone
        self.last_wins = last_wins
        self.legacy_patterns = legacy_patterns

    @classmethod
    def of(cls, config: OptimizerConfig) -> Evaluator:
        """One with a session's zone and its policy for dates."""
        legacy = config.text("spark.sql.legacy.timeParserPolicy").upper() == "LEGACY"
        last_wins = config.text("spark.sql.mapKeyDedupPolicy").upper() == "LAST_WIN"
        style = config.text("spark.sql.binaryOutputStyle").upper()
        return cls(config.text("spark.sql.session.timeZone"), legacy, last_wins, style)

    def value_of(self, e: Expression) -> Literal | None:
        """The expression's value as a literal of its type; None where it cannot be known here."""
        if isinstance(e, Literal):
            return e
        try:
            t = e.data_type
            if t == UNKNOWN:
                return None
            value = self._value(e, {})
            nested = isinstance(t, ArrayType | MapType | StructType)
            return ZonedLiteral(value, t, self.zone) if nested and has_timestamp(t) else Literal(value, t)
        except (UnknownValueError, *OUT_OF_REACH):
            return None

    def row_value(self, e: Expression, row: Row) -> Value:
        """The value for one row, given as values by attribute id. Raises UnknownValueError."""
        try:
            return self._value(e, row)
        except OUT_OF_REACH as error:
            raise UnknownValueError(str(error)) from None

    def failure(self, e: Expression) -> FailsError | None:
        """How computing the expression of constants fails, as it would in the query; None where it does not."""
        try:
            self._value(e, {})
        except FailsError as error:
            return error
        except UnknownValueError:
            return None
        except OUT_OF_REACH as error:
            return FailsError(str(error))
        return None

    def converted(self, value: object, a: DataType, b: DataType) -> object:
        """A value of type `a` as type `b`, None where it does not convert."""
        try:
            with under_way(
                Run(self.zone, self.legacy_patterns, last_wins=self.last_wins, bytes_style=self.bytes_style)
            ):
                return convert(value, a, b)
        except (UnknownValueError, *OUT_OF_REACH):
            return None

    def _run(self, steps: int | None) -> Run:
        return Run(self.zone, self.legacy_patterns, steps, self.last_wins, self.bytes_style)

    def _value(self, e: Expression, row: Row) -> object:
        """The value, decimals computed with all their digits. Raises as `evaluate` does."""
        try:
            with (
                under_way(Run(self.zone, self.legacy_patterns, LONGEST, self.last_wins, self.bytes_style)),
                localcontext(WIDE),
            ):
                return evaluate(e, row)
        except (TypeError, AttributeError) as error:
            said = f"{type(error).__name__} while computing {cut(str(e), 200)}: {error}. Please report it."
            warnings.warn(said, EvaluatorWarning, stacklevel=2)
            raise UnknownValueError(said) from error


#: With Spark's defaults, where no session's settings are at hand, or none of them matters.
DEFAULT_EVALUATOR = Evaluator()
