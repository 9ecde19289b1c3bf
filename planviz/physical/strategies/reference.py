"""The planner's strategies under the names of Spark's classes, in the order in which they are asked (inventory D-003).

Each does what its module does; here stands what a person is told of it, as with the optimizer's rules.
"""

from __future__ import annotations

from typing import ClassVar

from planviz.physical.strategies.steps import spark_name


class Strategy:
    """A strategy over logical plans. `example` is a query over the catalogue `documents` that it plans a part of."""

    example: ClassVar[str] = ""

    @classmethod
    def spark_name(cls) -> str:
        """The class's name in Spark, package included."""
        return spark_name(cls.__name__)


class PythonEvals(Strategy):
    """Plan the evaluation of functions that are written in Python.

    BatchEvalPython(udfs, child)  =>  BatchEvalPythonExec(udfs, PlanLater child)
    ArrowEvalPython(udfs, child)  =>  ArrowEvalPythonExec(udfs, PlanLater child)

    Rows go to a Python process and come back: in batches of pickled rows, or in Arrow's columns.
    """


class FileSourceStrategy(Strategy):
    """Plan projections and filters right above a table of files as one scan, with what the files need not give.

    Project over Filter over Relation  =>  Project over Filter over FileSourceScan(columns, filters)

    Pattern: ScanOperation. Filters on partition columns choose folders and are done with; others are pushed to the
    reader, which may skip by them, and are evaluated once more above the scan. Only the columns that are used are read.
    """

    example = "SELECT a FROM t1 WHERE a > 1"


class SpecialLimits(Strategy):
    """Plan a limit over a sort as one operator, and a limit at the root as one that stops early.

    GlobalLimit(n, LocalLimit(n, Sort(order, child)))  =>  TakeOrderedAndProject(n, order, PlanLater child)
    GlobalLimit(n, LocalLimit(n, child)) at the root  =>  CollectLimit(n, PlanLater child)

    Pattern: ReturnAnswer over Limit. Every task keeps its first n rows, so that nothing is sorted as a whole. From
    spark.sql.execution.topKSortFallbackThreshold rows on the sort stays.
    """

    example = "SELECT a FROM t1 ORDER BY a LIMIT 10"


class Aggregation(Strategy):
    """Plan an aggregate as stages: partial, before rows are moved, and final; two more where a DISTINCT is asked for.

    Aggregate(keys, functions, child)  =>  HashAggregate(final) over HashAggregate(partial) over PlanLater child

    Pattern: PhysicalAggregation. HashAggregate where every buffer's field can be changed in place, else
    ObjectHashAggregate where a function keeps objects, else SortAggregate. No exchange yet: EnsureRequirements puts it
    between the stages.
    """

    example = "SELECT a, count(*) FROM t1 GROUP BY a"


class Window(Strategy):
    """Plan window functions.

    Window(functions, partition, order, child)  =>  WindowExec(functions, partition, order, PlanLater child)

    Those that are written in Python get an operator of their own. EnsureRequirements spreads and sorts the rows.
    """

    example = "SELECT a, rank() OVER (PARTITION BY b ORDER BY a) FROM t1"


class WindowGroupLimit(Strategy):
    """Plan a filter on the rank within a partition: before the rows are moved, and after.

    WindowGroupLimit(k, child)  =>  WindowGroupLimit(final) over WindowGroupLimit(partial) over PlanLater child

    Pays because most rows of a large partition never move.
    """

    example = "SELECT * FROM (SELECT a, rank() OVER (PARTITION BY b ORDER BY a) AS r FROM t1) x WHERE r < 3"


class JoinSelection(Strategy):
    """Choose the operator of a join.

    Join(l, r, keys)  =>  BroadcastHashJoin, ShuffledHashJoin or SortMergeJoin over PlanLater l and PlanLater r
    Join(l, r, no keys)  =>  BroadcastNestedLoopJoin or CartesianProduct over PlanLater l and PlanLater r

    Pattern: ExtractEquiJoinKeys. Hints come first: broadcast, merge, shuffle hash, replicate. Then a side of at most
    spark.sql.autoBroadcastJoinThreshold bytes is broadcast; then a shuffled hash join where a side is small enough and
    much smaller than the other; then sort merge where the keys have an order.
    """

    example = "SELECT t1.a FROM t1 JOIN t2 ON t1.a = t2.a"


class InMemoryScans(Strategy):
    """Plan projections and filters right above a cache as a scan of it.

    Project over Filter over InMemoryRelation  =>  Project over Filter over InMemoryTableScan(columns, predicates)

    Whole batches are skipped by the least and largest values of their columns.
    """


class SparkScripts(Strategy):
    """Plan rows that go through a program.

    ScriptTransformation(script, child)  =>  ScriptTransformationExec(script, PlanLater child)
    """

    example = "SELECT TRANSFORM(a) USING 'cat' AS (x) FROM t1"


class BasicOperators(Strategy):
    """Plan every operator that becomes one operator.

    Project(list, child)  =>  ProjectExec(list, PlanLater child)
    Filter(condition, child)  =>  FilterExec(condition, PlanLater child)
    Sort, Union, Expand, Generate, Sample, Range, LocalRelation ...  =>  one operator each

    Asked last of those for queries: what others know as a part of a larger pattern is not left for it.
    """

    example = "SELECT a FROM t1 ORDER BY a"


def strategy_classes() -> dict[str, type[Strategy]]:
    """Every strategy by its name, in the order of this module, which is the order in which they are asked."""
    return {cls.__name__: cls for cls in Strategy.__subclasses__()}
