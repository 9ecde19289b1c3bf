"""How much a counter grew from row to row (Spark: CounterDiff)."""

from __future__ import annotations

from typing import ClassVar

from planviz.expressions.aggregates import AggregateFunction
from planviz.expressions.arithmetic import unexpected_input
from planviz.expressions.core import Expression, TypeMismatch
from planviz.expressions.windows import RUNNING_ROWS, WindowFunction
from planviz.trees.node import always, lazy, node
from planviz.types import DOUBLE, NULL, TIMESTAMP, TIMESTAMP_NTZ, UNKNOWN, DataType, is_numeric


@node
class CounterDiff(AggregateFunction, WindowFunction):
    """counter_diff(value[, since]): null where the counter was reset, be it that `since` moved on."""

    value: Expression
    since: Expression | None = None
    time_zone: str | None = None
    NAME: ClassVar[str | None] = "counter_diff"

    nullable = always(True)

    @property
    def frame(self) -> Expression:
        """Rows up to this one."""
        return RUNNING_ROWS

    @lazy
    def data_type(self) -> DataType:
        """The counter's: it never falls below zero, so that no wider type is needed."""
        return DOUBLE if self.value.data_type == NULL else self.value.data_type

    def check_input_types(self) -> TypeMismatch | None:
        """A number, and a moment; neither is cast."""
        t = self.value.data_type
        if not is_numeric(t) and t not in (NULL, UNKNOWN):
            return unexpected_input(1, self.value, '"NUMERIC"')
        if self.since is not None and self.since.data_type not in (TIMESTAMP, TIMESTAMP_NTZ, NULL, UNKNOWN):
            return unexpected_input(2, self.since, '("TIMESTAMP" or "TIMESTAMP_NTZ")')
        return None

    def flat_arguments(self) -> list[str]:
        """The counter; with a start the time zone, too."""
        if self.since is None:
            return [str(self.value)]
        zone = "None" if self.time_zone is None else f"Some({self.time_zone})"
        return [str(self.value), str(self.since), zone]
