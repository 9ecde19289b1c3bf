"""Settings of Spark that planviz does not read: those that change plans, with what they change, and those that act only
while a query runs. Who sets one is told."""

from __future__ import annotations

#: Settings that change plans in Spark and not here; what of the plan.
UNREAD: dict[str, str] = {
    # ---------------------------------------------------------------- names, types, values
    "spark.sql.legacy.allowHashOnMapType": "whether hash functions take maps.",
    "spark.sql.legacy.allowNegativeScaleOfDecimal": "the types of decimals.",
    "spark.sql.legacy.castComplexTypesToString.enabled": "how arrays, maps and structs become texts.",
    "spark.sql.legacy.inSubqueryNullability": "whether IN with a subquery may be null.",
    "spark.sql.legacy.lpadRpadAlwaysReturnString": "the type of lpad and rpad.",
    "spark.sql.legacy.typeCoercion.datetimeToString.enabled": "whether dates are compared as texts.",
    # ---------------------------------------------------------------- optimizer
    "spark.sql.legacy.scalarSubqueryCountBugBehavior": "how a correlated count is unnested.",
    "spark.sql.optimizer.decorrelateInnerQuery.enabled": "how correlated subqueries are unnested.",
    "spark.sql.optimizer.decorrelateSetOps.enabled": "whether set operations in correlated subqueries are unnested.",
    "spark.sql.optimizer.dynamicPartitionPruning.broadcastProjection.enabled": "how partitions are pruned.",
    "spark.sql.optimizer.metadataOnly": "whether partitions alone answer a query.",
    "spark.sql.optimizer.nestedPredicatePushdown.supportedFileSources": "which filters on nested fields scans take.",
    "spark.sql.optimizer.propagateDistinctKeys.enabled": "whether groupings by unique keys are dropped.",
    "spark.sql.optimizer.runtime.rowLevelOperationGroupFilter.enabled": "filters of row-level commands.",
    "spark.sql.optimizer.scalarSubqueryUseSingleJoin": "how correlated scalar subqueries are joined.",
    "spark.sql.optimizer.singleTaskExecution.enabled": "whether small queries run in one task.",
    "spark.sql.optimizer.wrapExistsInAggregateFunction": "how EXISTS beside an aggregate is planned.",
    # ---------------------------------------------------------------- planner
    "spark.sql.optimizeNullAwareAntiJoin.broadcastThreshold": "up to which size NOT IN is a broadcast join.",
    "spark.sql.shuffle.spreadNullJoinKeys.enabled": "where rows with null keys of a join go.",
    "spark.sql.sources.useV1SourceList": "which formats are read by the newer interface (BatchScan).",
    "spark.sql.sources.v2.bucketing.enabled": "whether the spread of the newer interface's tables saves a shuffle.",
}
_WHILE_RUNNING: tuple[tuple[str, str], ...] = (
    ("spark.sql.join.forceApplyShuffledHashJoin", "Spark obeys it in its own tests only."),
    ("spark.sql.adaptive.autoBroadcastJoinThreshold", "Spark reads it while a query runs, when sizes are measured."),
    ("spark.sql.adaptive.", "adaptive execution reads it while a query runs."),
    ("spark.sql.files.max", "it decides into how many tasks files are read."),
    ("spark.sql.files.min", "it decides into how many tasks files are read."),
    ("spark.sql.files.openCostInBytes", "it decides into how many tasks files are read."),
    ("spark.sql.parquet.", "it decides how files are read and written."),
    ("spark.sql.orc.", "it decides how files are read and written."),
    ("spark.sql.execution.arrow.", "it decides how rows go to Python."),
    ("spark.sql.execution.sortBeforeRepartition", "it decides how rows are dealt out while they are shuffled."),
    ("spark.sql.codegen.", "it decides how generated code is compiled."),
    ("spark.sql.windowExec.buffer.", "it decides when buffers spill."),
    ("spark.sql.sortMergeJoinExec.buffer.", "it decides when buffers spill."),
    ("spark.sql.streaming.", "it is about streams that run."),
    ("spark.sql.debug.", "it is about what is printed."),
    ("spark.sql.ui.", "it is about Spark's pages."),
    ("spark.sql.hive.", "it is about Hive's metastore."),
    ("spark.sql.warehouse.dir", "it is where tables lie."),
    ("spark.executor.", "it is about the machines."),
    ("spark.driver.", "it is about the machines."),
    ("spark.dynamicAllocation.", "it is about the machines."),
    ("spark.shuffle.", "it decides how shuffled rows are kept."),
    ("spark.memory.", "it is about the machines."),
    ("spark.databricks.", "it is one of Databricks' own, which planviz does not imitate."),
)


def acts_while_running(key: str) -> str:
    """Why a setting changes no plan before it runs, by how its key begins; empty where that is not known."""
    return next((why for begins, why in _WHILE_RUNNING if key.startswith(begins)), "")
