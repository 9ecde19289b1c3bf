"""PySpark's DataFrameStatFunctions: statistics that run queries at once, samples and tables of counts."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import TYPE_CHECKING

from planviz.dataframe.column import Column, call, column_or_name, literal, named
from planviz.expressions.aggregates import AggregateExpression
from planviz.expressions.conditional import CaseWhen
from planviz.expressions.core import Alias, Expression, Literal
from planviz.expressions.ids import next_id
from planviz.expressions.objects import ScalaUDF
from planviz.functions.builders.aggregates import frequent_items
from planviz.logical.operators import Filter, Project
from planviz.types import BOOLEAN, INT

if TYPE_CHECKING:
    from planviz.dataframe.frame import DataFrame


class StatFunctions:
    """`df.stat`."""

    def __init__(self, frame: DataFrame) -> None:
        self.frame = frame

    def approxQuantile(self, col: object, probabilities: object, relativeError: object) -> Expression:
        """Quantiles of columns: a query runs."""
        return self.frame.session.act("approxQuantile", self.frame)

    def corr(self, col1: object, col2: object, method: object = None) -> Expression:
        """The correlation of two columns: a query runs."""
        return self.frame.session.act("corr", self.frame)

    def cov(self, col1: object, col2: object) -> Expression:
        """The covariance of two columns: a query runs."""
        return self.frame.session.act("cov", self.frame)

    def sampleBy(self, col: object, fractions: object, seed: object = None) -> DataFrame:
        """A random share of the rows for each value of a column."""
        number = random.randrange(1 << 63) if seed is None else seed
        random_value = call("rand", literal(number)).expr
        condition = ScalaUDF((column_or_name(col), random_value), BOOLEAN)
        return self.frame.derived(Filter(self.frame.numbered(Column(condition)), self.frame.plan))

    def crosstab(self, col1: str, col2: str) -> DataFrame:
        """How often the values of two columns come together; Spark runs a query to find those of the second."""
        frame = self.frame
        first, second = (call("isnull", frame[c].expr).expr for c in (col1, col2))
        text = call("regexp_replace", frame[col2].cast("string").expr, literal("`"), literal("")).expr
        rows = Column(CaseWhen((first, literal("null")), frame[col1].cast("string").expr))
        pivoted = frame.groupBy(rows.alias(f"{col1}_{col2}")).pivot(Column(CaseWhen((second, literal("null")), text)))
        return pivoted.count().na.filled(Literal(0, INT))

    def freqItems(self, cols: Iterable[str], support: object = None) -> DataFrame:
        """Values that are frequent in columns: in more than a share `support` of the rows, 0.01 unless given."""
        frame = self.frame
        most = int(1 / support) if isinstance(support, int | float) and support else 100
        with frame.session.numbering():
            items = []
            for name in cols:
                made = frequent_items(named(name), (str(most), "0", "0"))
                whole = AggregateExpression(made, "Complete", False, None, next_id())
                items.append(Alias(whole, f"{name}_freqItems", next_id()))
        return frame.derived(Project(tuple(items), frame.plan))
