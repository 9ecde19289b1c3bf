"""RDDs: rows whose origin no plan shows (PySpark: RDD). Only what makes a DataFrame of them is known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from planviz.dataframe.frame import DataFrame
    from planviz.dataframe.rows import Schema
    from planviz.dataframe.session import SparkSession


class RDD:
    """Rows of a program: `rows` are its elements where the program says them, else None.

    Where they are not `whole`, they have the types of the elements, and nothing else is known of these. `examples` are
    elements of these types for the place of rows that lead nowhere.
    """

    def __init__(
        self,
        session: SparkSession,
        rows: list[object] | None = None,
        whole: bool = True,
        examples: list[object] | None = None,
    ) -> None:
        self.session, self.rows, self.whole, self.examples = session, rows, whole, examples
        #: The DataFrame whose rows these come from, where they come from one.
        self.frame: object = None

    def toDF(self, schema: Schema = None, sampleRatio: float | None = None) -> DataFrame:
        """The rows as a DataFrame."""
        return self.session.createDataFrame(self, schema)

    def _value(self, *given: object, **named: object) -> object:
        """What only running the program would give: the session says what stands for it."""
        return self.session.act_on_rows(self)

    collect = count = take = first = top = takeOrdered = takeSample = reduce = fold = aggregate = sum = mean = _value
    max = min = stdev = variance = stats = histogram = countByKey = countByValue = collectAsMap = lookup = isEmpty = (
        _value
    )
    foreach = foreachPartition = saveAsTextFile = saveAsSequenceFile = saveAsPickleFile = saveAsHadoopFile = _value
    saveAsNewAPIHadoopFile = getNumPartitions = countApprox = countApproxDistinct = treeReduce = treeAggregate = _value
    toLocalIterator = id = name = toDebugString = getStorageLevel = saveAsNewAPIHadoopDataset = _value

    def _other(self, *given: object, **named: object) -> RDD:
        return RDD(self.session)

    map = flatMap = filter = mapPartitions = mapPartitionsWithIndex = reduceByKey = groupByKey = join = union = _other
    sortBy = sortByKey = mapValues = flatMapValues = keys = values = zipWithIndex = keyBy = sample = _other
    leftOuterJoin = rightOuterJoin = cogroup = aggregateByKey = combineByKey = foldByKey = zip = glom = _other
    subtract = intersection = cartesian = groupBy = zipWithUniqueId = pipe = _other

    def _same(self, *given: object, **named: object) -> RDD:
        return self

    cache = persist = unpersist = repartition = coalesce = distinct = setName = partitionBy = _same
    sampleByKey = subtractByKey = fullOuterJoin = repartitionAndSortWithinPartitions = groupWith = _other

    def randomSplit(self, weights: Sequence[float] = (), seed: object = None) -> list[RDD]:
        """Parts of the rows."""
        return [RDD(self.session) for _ in weights]

    checkpoint = localCheckpoint = barrier = _same
