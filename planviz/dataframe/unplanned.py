"""Names of PySpark 4.3's API that no plan here is made of, by class: what a program does with them is not known."""

from __future__ import annotations

from planviz.dataframe.frame import DataFrame
from planviz.dataframe.grouped import GroupedData
from planviz.dataframe.python import UDFRegistration
from planviz.dataframe.rdd import RDD
from planviz.dataframe.readers import DataFrameReader
from planviz.dataframe.services import SessionCatalog, SparkContext
from planviz.dataframe.session import SparkSession

_FRAME = """executionInfo inputFiles metadataColumn nearestByJoin plot rdd repartitionById
sameSemantics semanticHash storageLevel zip zipWithIndex"""
_SESSION = """active addArtifact addArtifacts addTag clearProgressHandlers clearTags client copyFromLocalToFs
createExternalTable dataSource emptyDataFrame getConf getTags interruptAll interruptOperation interruptTag profile
registerFunction registerJavaFunction registerProgressHandler removeProgressHandler removeTag sessionState sharedState
streams tableNames tables"""
_CATALOG = """analyzeTable createDatabase createExternalTable createTable currentCatalog currentDatabase databaseExists
dropDatabase dropTable dropView functionExists getCreateTableString getDatabase getFunction getTable getTableProperties
listCatalogs listColumns listDatabases listFunctions listPartitions listTables listViews recoverPartitions refreshByPath
registerFunction setCurrentCatalog truncateTable"""
_CONTEXT = """accumulator addArchive addJobTag applicationId binaryRecords broadcast cancelAllJobs cancelJobGroup
cancelJobsWithTag clearJobTags defaultMinPartitions defaultParallelism dump_profiles getCheckpointDir getConf getJobTags
getLocalProperty getOrCreate getSystemProperty hadoopRDD listArchives listFiles newAPIHadoopFile removeJobTag resources
runJob setInterruptOnCancel setSystemProperty show_profiles sparkUser startTime statusTracker uiWebUrl union version"""
_RDD = """cleanShuffleDependencies collectWithJobGroup context getCheckpointFile getResourceProfile isCheckpointed
isLocallyCheckpointed mapPartitionsWithSplit meanApprox reduceByKeyLocally sampleStdev sampleVariance
saveAsHadoopDataset sumApprox withResources"""
_FUNCTIONS = """arrow_udtf from_base32
timestamp_nanos to_base32 try_variant_array_append try_variant_insert try_variant_set
unix_nanos unwrap_udt variant_array_append variant_delete variant_insert variant_set variant_strip_nulls
AnalyzeArgument AnalyzeResult ArrowUDFType OrderingColumn PartitioningColumn SelectedColumn
SkipRestOfInputTableException UserDefinedFunction UserDefinedTableFunction"""

#: Methods and attributes by class.
UNPLANNED: dict[type, frozenset[str]] = {
    kind: frozenset(names.split())
    for kind, names in (
        (DataFrame, _FRAME), (SparkSession, _SESSION), (RDD, _RDD),
        (GroupedData, "applyInPandasWithState transformWithState transformWithStateInPandas"),
        (DataFrameReader, "changes name"), (SessionCatalog, _CATALOG), (SparkContext, _CONTEXT),
        (UDFRegistration, "registerJavaFunction registerJavaUDAF"),
    )
}  # fmt: skip

#: Functions of pyspark.sql.functions.
FUNCTIONS = frozenset(_FUNCTIONS.split())


def is_unplanned(value: object, name: str) -> bool:
    """Whether PySpark has `value.name` and planviz does not; a DataFrame's column of that name goes before."""
    if not any(name in names for kind, names in UNPLANNED.items() if isinstance(value, kind)):
        return False
    # The columns of a query that refers to one around it are not known before that is.
    return not (isinstance(value, DataFrame) and value.plan.resolved and name in value.columns)
