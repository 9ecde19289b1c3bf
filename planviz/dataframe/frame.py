"""DataFrame: PySpark's methods building logical plans."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Self, overload

from planviz.catalog.tables import GLOBAL_TEMP
from planviz.dataframe.actions import Actions
from planviz.dataframe.ambiguity import belonging
from planviz.dataframe.base import flat
from planviz.dataframe.column import Column, literal, name_parts, named, select_item
from planviz.dataframe.combining import Combining
from planviz.dataframe.grouped import GroupedData
from planviz.dataframe.maps import set_order
from planviz.dataframe.python import python_table_call
from planviz.dataframe.refusals import IllegalArgument, NotAsserted, UnexpectedType, UnrecognizedStatistic
from planviz.dataframe.statistics import StatFunctions
from planviz.dataframe.storage import StorageLevel
from planviz.dataframe.streams import check_moment, parsed_delay
from planviz.dataframe.summaries import STATISTICS, statistics_of
from planviz.dataframe.typed import TypedMethods
from planviz.dataframe.window import sort_order
from planviz.errors import AnalysisError, InputError
from planviz.expressions.core import Alias, AttributeReference, Expression, Literal, SortOrder
from planviz.expressions.ids import next_id
from planviz.expressions.unresolved import UnresolvedAttribute, UnresolvedFunction, UnresolvedRegex
from planviz.logical import cached
from planviz.logical.cached import storage_level
from planviz.logical.operators import (
    CollectMetrics,
    Filter,
    GlobalLimit,
    LocalLimit,
    Offset,
    Project,
    Repartition,
    RepartitionByExpression,
    Sample,
    Sort,
    SubqueryAlias,
)
from planviz.logical.python import MapInPython
from planviz.logical.relations import LogicalRDD
from planviz.logical.streams import UUID, EventTimeWatermark
from planviz.logical.unresolved import UnresolvedDeduplicate, UnresolvedHint
from planviz.types import (
    INT,
    STRING,
    ArrayType,
    StructType,
    is_numeric,
    is_orderable,
    is_string,
    parse_fields,
)

if TYPE_CHECKING:
    pass

_STAGES = {
    "parsed": "Parsed Logical Plan", "analyzed": "Analyzed Logical Plan", "optimized": "Optimized Logical Plan",
}  # fmt: skip


class NoSuchAttribute(InputError, AttributeError):
    """A DataFrame has no column or method of that name."""


class DataFrame(Combining, TypedMethods, Actions):
    """A plan with PySpark's methods; every method gives a new DataFrame and analyzes it at once.

    Raises AnalysisError (Spark's error classes) where the plan does not fit, ParseError for SQL texts that do not read.
    """

    # -------------------------------------------------------------------------------------------- looking

    def explain(self, extended: bool | str = False, mode: str | None = None) -> None:
        """Print the plans as Spark does: `extended` all logical ones, else the optimized one."""
        print(self.explained(mode if mode is not None else extended))

    def explained(self, mode: bool | str = True) -> str:
        """What `explain` prints. `mode` is True or extended, False or simple, or a stage's name."""
        if mode not in (True, False, "extended", "simple", *_STAGES):
            raise InputError(f"There is no explain mode {mode!r}; there are extended, simple, {', '.join(_STAGES)}.")
        chosen = list(_STAGES) if mode in (True, "extended") else [mode if mode in _STAGES else "optimized"]
        parts = []
        for stage in chosen:
            columns = ", ".join(f"{n}: {t}" for n, t in self.dtypes) + "\n" if stage == "analyzed" else ""
            parts.append(f"== {_STAGES[str(stage)]} ==\n{columns}{self.execution.text(str(stage))}")
        return "\n".join(parts)

    def cache(self) -> Self:
        """Keep the rows: queries of the session that hold this plan read them (InMemoryTableScan). Nothing runs."""
        return self.persist()

    def persist(self, storageLevel: cached.StorageLevel | str = StorageLevel.MEMORY_AND_DISK_DESER) -> Self:
        """Keep the rows at a level of `StorageLevel` or by SQL's name for one, such as 'DISK_ONLY'."""
        level = storage_level(storageLevel) if isinstance(storageLevel, str) else storageLevel
        self.session.caches.add(self.execution.kept(level))
        return self

    def unpersist(self, blocking: bool = False) -> Self:
        """Forget the rows; DataFrames whose plans were made with them keep reading them, as in Spark."""
        self.session.caches.drop(self.plan, dependents=False)
        return self

    @overload
    def __getitem__(self, item: str | int) -> Column: ...

    @overload
    def __getitem__(self, item: Column | list[object] | tuple[object, ...]) -> Self: ...

    @overload
    def __getitem__(self, item: object) -> Column | Self: ...

    def __getitem__(self, item: object) -> Column | Self:
        if isinstance(item, str):
            return self.col(item)
        if isinstance(item, Column):
            return self.filter(item)
        if isinstance(item, list | tuple):
            return self.select(*item)
        if isinstance(item, int):
            return Column(belonging(self.output[item], self.output, self.number))
        raise InputError(f"A DataFrame is indexed by a name, a column, a list of them or a number, not {item!r}.")

    def __getattr__(self, name: str) -> Column:
        if name.startswith("_") or "execution" not in self.__dict__:
            raise AttributeError(name)
        if name in self.columns:
            return self.col(name)
        raise NoSuchAttribute(f"The DataFrame has no column or method {name!r}; its columns are {self.columns}.")

    # -------------------------------------------------------------------------------------------- rows and columns

    def select(self, *columns: object) -> Self:
        """These columns."""
        return self.derived(Project(self.items(flat(columns)), self.plan))

    def selectExpr(self, *expressions: str) -> Self:
        """These expressions, as SQL texts."""
        return self.derived(Project(tuple(self.parsed(e) for e in flat(expressions)), self.plan))

    def filter(self, condition: object) -> Self:
        """The rows for which a column or SQL text holds; a Python function makes a typed filter."""
        if callable(condition) and not isinstance(condition, Column):
            return self.typed_filter(condition)
        return self.same_type(Filter(self.condition(condition), self.plan))

    where = filter

    def alias(self, alias: str) -> Self:
        """The same under a name that columns can be qualified with."""
        return self.same_type(SubqueryAlias((alias,), self.plan))

    def orderBy(self, *columns: object, ascending: bool | list[bool] = True, **ignored: object) -> Self:
        """All rows in order; PySpark looks at no other argument by name."""
        return self.same_type(Sort(self._order(columns, ascending), True, self.plan))

    sort = orderBy

    def sortWithinPartitions(self, *columns: object, ascending: bool | list[bool] = True, **ignored: object) -> Self:
        """Each partition in order."""
        return self.same_type(Sort(self._order(columns, ascending), False, self.plan))

    def _order(self, columns: tuple[object, ...], ascending: bool | list[bool] = True) -> tuple[SortOrder, ...]:
        keys = [self.key(c) for c in flat(columns)]
        up = ascending if isinstance(ascending, list) else [ascending] * len(keys)
        # PySpark pairs them as zip does: what has no direction is no key.
        return tuple(sort_order(k) if a else SortOrder(k, "DESC", "NULLS LAST") for k, a in zip(keys, up, strict=False))

    def limit(self, num: int) -> Self:
        """The first rows."""
        n = Literal(num, INT)
        return self.same_type(GlobalLimit(n, LocalLimit(n, self.plan)))

    def offset(self, num: int) -> Self:
        """All but the first rows."""
        return self.same_type(Offset(Literal(num, INT), self.plan))

    def distinct(self) -> Self:
        """Each row once."""
        return self.dropDuplicates()

    def dropDuplicates(self, subset: list[str] | None = None) -> Self:
        """One row of those that are equal in some columns, or in all."""
        return self._deduplicated(subset)

    def _deduplicated(self, subset: list[str] | None, within_watermark: bool = False) -> Self:
        if subset is not None and not isinstance(subset, list | tuple):
            raise UnexpectedType("subset", "list or tuple", subset)
        names = None if subset is None else tuple(subset)
        if not self.session.config.behaviour.duplicates_compare_in_order:
            names = tuple(set_order(list(self.columns if names is None else names)))
        return self.same_type(UnresolvedDeduplicate(names, self.plan, within_watermark))

    drop_duplicates = dropDuplicates

    def dropDuplicatesWithinWatermark(self, subset: list[str] | None = None) -> Self:
        """One row of those of a stream that are equal and came no longer apart than the watermark allows.

        Raises AnalysisError for rows that are no stream.
        """
        if self.session.is_batch(self.plan):
            told = "dropDuplicatesWithinWatermark is not supported with batch DataFrames/DataSets"
            raise AnalysisError("_LEGACY_ERROR_TEMP_3102", told)
        return self._deduplicated(subset, self.plan.is_streaming)

    def sample(
        self, withReplacement: bool | float | None = None, fraction: float | int | None = None, seed: int | None = None
    ) -> Self:
        """A random share of the rows: `sample(0.1)`, `sample(0.1, seed)`, `sample(True, 0.5, seed)`."""
        if not isinstance(withReplacement, bool) and withReplacement is not None:
            # PySpark forgets a seed that is given by its name where the share stands first.
            forgets = isinstance(withReplacement, float) and self.session.config.behaviour.samples_forget_seeds
            if seed is None or forgets:
                seed = None if fraction is None else int(fraction)
            withReplacement, fraction = False, withReplacement
        if fraction is None:
            raise InputError("sample needs the share of rows, as in sample(0.1).")
        if not 0 <= float(fraction) <= (float("inf") if withReplacement else 1):
            wanted = "nonnegative with replacement" if withReplacement else "on interval [0, 1] without replacement"
            raise IllegalArgument(f"requirement failed: Sampling fraction ({float(fraction)}) must be {wanted}")
        number = random.randrange(1 << 63) if seed is None else int(seed)
        return self.same_type(Sample(0.0, float(fraction), bool(withReplacement), number, self.plan))

    def randomSplit(self, weights: list[float], seed: int | None = None) -> list[Self]:
        """Random parts whose sizes are as the weights."""
        number = random.randrange(1 << 63) if seed is None else seed
        order = tuple(SortOrder(a) for a in self.output if is_orderable(a.type))
        ordered = Sort(order, False, self.plan) if order else self.plan
        bounds = [sum(weights[:i]) / sum(weights) for i in range(len(weights) + 1)]
        return [self.same_type(Sample(a, b, False, number, ordered)) for a, b in itertools.pairwise(bounds)]

    # -------------------------------------------------------------------------------------------- partitions, hints

    def repartition(self, numPartitions: object, *columns: object) -> Self:
        """Shuffled into so many partitions, by columns, or both."""
        number, keys = _partitions(numPartitions, columns)
        if not keys:
            return self.same_type(Repartition(number or 1, True, self.plan))
        return self.same_type(RepartitionByExpression(tuple(self.numbered(k) for k in keys), self.plan, number))

    def repartitionByRange(self, numPartitions: object, *columns: object) -> Self:
        """Shuffled into ranges of columns."""
        number, keys = _partitions(numPartitions, columns)
        return self.same_type(RepartitionByExpression(self._order(tuple(keys)), self.plan, number))

    def coalesce(self, numPartitions: int) -> Self:
        """Put together into fewer partitions, without a shuffle."""
        number, _ = _partitions(numPartitions, ())
        return self.same_type(Repartition(number or 1, False, self.plan))

    def hint(self, name: str, *parameters: object) -> Self:
        """With a hint, by its name in SQL."""
        given = tuple(named(p) if isinstance(p, str) else self._parameter(p) for p in parameters)
        return self.same_type(UnresolvedHint(name, given, self.plan))

    def _parameter(self, value: object) -> Expression:
        return self.numbered(value) if isinstance(value, Column) else literal(value)

    # -------------------------------------------------------------------------------------------- grouping

    def groupBy(self, *columns: object) -> GroupedData:
        """Groups of equal values."""
        return GroupedData(self, tuple(self.key(c) for c in flat(columns)))

    groupby = groupBy

    def rollup(self, *columns: object) -> GroupedData:
        """Groups by all columns, by all but the last, ... and of everything."""
        return GroupedData(self, tuple(self.key(c) for c in flat(columns)), "rollup")

    def cube(self, *columns: object) -> GroupedData:
        """Groups by every choice of the columns."""
        return GroupedData(self, tuple(self.key(c) for c in flat(columns)), "cube")

    def groupingSets(self, sets: list[list[object]], *columns: object) -> GroupedData:
        """Groups by each of these sets of columns."""
        chosen = tuple(tuple(self.key(c) for c in s) for s in sets)
        return GroupedData(self, tuple(self.key(c) for c in columns), "groupingsets", chosen)

    def agg(self, *aggregates: object) -> DataFrame:
        """Aggregates over all rows."""
        return GroupedData(self, ()).agg(*aggregates)

    def transform(self, function: Callable[..., DataFrame], *arguments: object, **named_arguments: object) -> DataFrame:
        """What a function makes of this DataFrame."""
        made = function(self, *arguments, **named_arguments)
        if made is None or isinstance(made, int | float | str | list | tuple | dict):
            raise NotAsserted(f"Func returned an instance of type [{type(made)}], should have been DataFrame.")
        return made

    def createOrReplaceTempView(self, name: str) -> None:
        """Know this DataFrame by a name in SQL."""
        self.session.with_view(name, self.plan)

    def createTempView(self, name: str) -> None:
        """The same where there is no view of that name. Raises AnalysisError where there is one."""
        self._refuse_view((name,))
        self.session.with_view(name, self.plan)

    def _refuse_view(self, parts: tuple[str, ...]) -> None:
        if self.session.catalog.view(parts) is not None:
            shown = ".".join(f"`{p}`" for p in parts)
            told = f"Cannot create the temporary view {shown} because it already exists."
            raise AnalysisError("TEMP_TABLE_OR_VIEW_ALREADY_EXISTS", told)

    registerTempTable = createOrReplaceTempView

    def createOrReplaceGlobalTempView(self, name: str) -> None:
        """Know this DataFrame by a name of the database `global_temp`."""
        self.session.with_view(f"{GLOBAL_TEMP}.{name}", self.plan)

    def createGlobalTempView(self, name: str) -> None:
        """The same where there is no view of that name. Raises AnalysisError where there is one."""
        self._refuse_view((GLOBAL_TEMP, name))
        self.createOrReplaceGlobalTempView(name)

    @property
    def isStreaming(self) -> bool:
        """Whether rows keep coming."""
        return self.plan.is_streaming

    def isLocal(self) -> bool:
        """Whether collect and take can do without executors."""
        return False

    def checkpoint(self, eager: bool = True) -> Self:
        """The rows kept in files; the plan above them does not show what they come from."""
        with self.session.numbering():
            made = LogicalRDD(tuple(a.new_instance() for a in self.output), next_id())
        return self.derived(made)

    localCheckpoint = checkpoint

    def withWatermark(self, eventTime: str, delayThreshold: str) -> Self:
        """How late rows of a stream may come; without a stream it means nothing.

        Raises AnalysisError for a delay that is no time, and for a column that is no moment.
        """
        delay, milliseconds = parsed_delay(str(delayThreshold))
        marked = self.session.config.behaviour.streams_are_marked
        column = UnresolvedAttribute(name_parts(str(eventTime)))
        watermark = EventTimeWatermark(UUID, column, delay, milliseconds, self.plan, marked)
        if not self.plan.is_streaming:
            made = self.same_type(self.plan)
            made.execution.written_as(watermark)
            return made
        made = self.same_type(watermark)
        if isinstance(made.plan, EventTimeWatermark):
            check_moment(made.plan)
        return made

    def withMetadata(self, columnName: str, metadata: object) -> Self:
        """With other metadata of a column."""
        return self.withColumn(columnName, self.col(columnName).alias(columnName, metadata=metadata))

    def observe(self, observation: object, *exprs: Column) -> Self:
        """The same rows, of which aggregates are kept while they pass: under a name, or in an `Observation`."""
        metrics = tuple(select_item(self.numbered(e)) for e in exprs)
        given = observation if isinstance(observation, str) else getattr(observation, "name", None)
        return self.same_type(CollectMetrics(str(given or "observation"), metrics, self.number, self.plan))

    def colRegex(self, colName: str) -> Column:
        """The columns whose names match a regular expression in backquotes."""
        return Column(UnresolvedRegex((), (), colName.strip("`")))

    @property
    def stat(self) -> StatFunctions:
        """Statistics: `stat.corr`, `stat.approxQuantile`, `stat.crosstab`."""
        return StatFunctions(self)

    def approxQuantile(self, col: object, probabilities: object, relativeError: object) -> Expression:
        """See `stat.approxQuantile`."""
        return self.stat.approxQuantile(col, probabilities, relativeError)

    def corr(self, col1: object, col2: object, method: object = None) -> Expression:
        """See `stat.corr`."""
        return self.stat.corr(col1, col2, method)

    def cov(self, col1: object, col2: object) -> Expression:
        """See `stat.cov`."""
        return self.stat.cov(col1, col2)

    def sampleBy(self, col: object, fractions: object, seed: object = None) -> DataFrame:
        """See `stat.sampleBy`."""
        return self.stat.sampleBy(col, fractions, seed)

    def crosstab(self, col1: str, col2: str) -> DataFrame:
        """See `stat.crosstab`."""
        return self.stat.crosstab(col1, col2)

    def freqItems(self, cols: Iterable[str], support: object = None) -> DataFrame:
        """See `stat.freqItems`."""
        return self.stat.freqItems(cols, support)

    def describe(self, *columns: object) -> Self:
        """Count, mean, deviation, least and greatest value of columns."""
        return self._summary(flat(columns), ["count", "mean", "stddev", "min", "max"])

    def summary(self, *statistics: str) -> Self:
        """The statistics of all columns; without names the usual ones with quartiles."""
        chosen = flat(statistics) or ["count", "mean", "stddev", "min", "25%", "50%", "75%", "max"]
        for name in chosen:
            if name not in STATISTICS and not str(name).endswith("%"):
                raise UnrecognizedStatistic(str(name), STATISTICS)
        return self._summary([], chosen)

    def _summary(self, names: list[object], statistics: list[str]) -> Self:
        known = [a for a in self.output if is_numeric(a.type) or is_string(a.type)]
        if names:
            return self.select(*names)._summary([], statistics)
        with self.session.numbering():
            made = [Alias(statistics_of(a, statistics), a.name, next_id()) for a in known]
        aggregated = self.derived(Project(tuple(made), self.plan))
        texts = Literal(tuple(statistics), ArrayType(STRING, False))
        exploded = aggregated.withColumn("summary", Column(UnresolvedFunction(("explode",), (texts,))))
        label = UnresolvedAttribute(("summary",))
        with self.session.numbering():
            items = [
                Alias(UnresolvedFunction(("element_at",), (UnresolvedAttribute((a.name,)), label)), a.name, next_id())
                for a in known
            ]
        return exploded.derived(Project((label, *items), exploded.plan))

    def mapInPandas(
        self, func: object, schema: StructType | str, barrier: bool = False, profile: object = None
    ) -> Self:
        """What a function makes of all rows, batch by batch, as DataFrames of pandas."""
        return self._mapped("MapInPandas", func, schema, barrier)

    def mapInArrow(self, func: object, schema: StructType | str, barrier: bool = False, profile: object = None) -> Self:
        """The same as batches of Arrow."""
        return self._mapped("MapInArrow", func, schema, barrier)

    def _mapped(self, name: str, func: object, schema: StructType | str, barrier: bool) -> Self:
        fields = parse_fields(schema) if isinstance(schema, str) else schema.fields
        with self.session.numbering():
            udf = python_table_call(func, self.output, fields)
            columns = tuple(AttributeReference(f.name, f.data_type, f.nullable, next_id()) for f in fields)
        return self.derived(MapInPython(name, udf, columns, barrier, self.plan))


def _partitions(first: object, more: tuple[object, ...]) -> tuple[int | None, list[object]]:
    """Number (None when not given) and keys."""
    if isinstance(first, bool) or not isinstance(first, int):
        return None, flat((first, *more) if more else (first,))
    if first <= 0:
        raise InputError(f"Number of partitions ({first}) must be positive.")
    return first, list(more)
