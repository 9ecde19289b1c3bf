"""The family of every operator name that Spark 1.6 to 4.3 and the engines beside it print."""

from __future__ import annotations

import pytest

from planviz.graph.kinds import KINDS, is_exchange, is_known, kind_of

SPARK = {
    "scan": """
        FileScan Scan BatchScan HiveTableScan InMemoryTableScan LocalTableScan Range OneRowRelation
        EmptyRelation MicroBatchScan ContinuousScan StreamingRelation StreamingRelationV2
        StreamingDataSourceV2ScanRelation LogicalRDD ExternalRDD PhysicalRDD Relation LogicalRelation RelationV2
        DataSourceV2ScanRelation HiveTableRelation MetastoreRelation InMemoryRelation LocalRelation
        UnresolvedRelation UnresolvedInlineTable UnresolvedTableValuedFunction UnresolvedDataSource
        CTERelationRef UnionLoopRef
    """,
    "filter": """
        Filter TypedFilter UnresolvedHaving UnresolvedQualify
    """,
    "project": """
        Project TungstenProject MapElements MapPartitions MapInPandas MapInArrow PythonMapInArrow
        SerializeFromObject DeserializeToObject BatchEvalPython ArrowEvalPython ArrowEvalPythonUDTF
        AppendColumns AppendColumnsWithObject ScriptTransformation HiveScriptTransformation DataFrameDropColumns
        AttachDistributedSequence MergeRows
    """,
    "join": """
        Join SortMergeJoin BroadcastHashJoin ShuffledHashJoin BroadcastNestedLoopJoin CartesianProduct
        StreamingSymmetricHashJoin CoGroup FlatMapCoGroupsInPandas AsOfJoin LateralJoin SortMergeAsOfJoin
    """,
    "aggregate": """
        Aggregate HashAggregate SortAggregate ObjectHashAggregate TungstenAggregate AggregateInPandas
        ArrowAggregatePython Distinct Deduplicate GroupingSets StateStoreSave StateStoreRestore
        StreamingDeduplicate MapGroups FlatMapGroupsInPandas FlatMapGroupsWithState TransformWithStateInPySpark
    """,
    "exchange": """
        Exchange BroadcastExchange ReusedExchange AQEShuffleRead CustomShuffleReader Coalesce Repartition
        RepartitionByExpression RebalancePartitions ShuffleQueryStage BroadcastQueryStage TungstenExchange
    """,
    "sort": """
        Sort
    """,
    "limit": """
        LocalLimit GlobalLimit CollectLimit CollectTail TakeOrderedAndProject Tail Offset LimitAll
        StreamingGlobalLimit
    """,
    "set": """
        Union Intersect IntersectAll Except ExceptAll UnionLoop
    """,
    "window": """
        Window WindowGroupLimit WindowInPandas ArrowWindowPython SessionWindowStateStoreSave MergingSessions
        UpdatingSessions
    """,
    "generate": """
        Generate Pivot Unpivot Transpose
    """,
    "command": """
        Execute CreateTableAsSelect AtomicCreateTableAsSelect CreateViewCommand InsertIntoStatement
        InsertIntoHadoopFsRelationCommand AppendData OverwriteByExpression ReplaceData DeleteFromTable
        UpdateTable MergeIntoTable WriteDelta WriteFiles WriteToDataSourceV2 SaveIntoDataSourceCommand
        DescribeRelation ShowTables AnalyzeColumn SetCatalogAndNamespace CacheTableAsSelect UncacheTable
        RecoverPartitions CommentOnTable UnsetTableProperties CommandResult OpenCursor
    """,
    "other": """
        AdaptiveSparkPlan ColumnarToRow RowToColumnar InputAdapter Subquery ReusedSubquery SubqueryBroadcast
        SubqueryAdaptiveBroadcast ResultQueryStage TableCacheQueryStage LogicalQueryStage CollectMetrics
        EventTimeWatermark ResolvedHint WithCTE CTERelationDef ReturnAnswer ConvertToUnsafe
        UpdateEventTimeWatermarkColumn ExceptionHandler
    """,
}
VENDORS = {
    "scan": """
        CometScan CometNativeScan CometIcebergNativeScan GpuFileGpuScan GpuRange PhotonScan PhotonRange
        NativeFileScan FileScanTransformer FileFileSourceScanExecTransformer BatchScanExecTransformer
        IcebergScanTransformer VeloxColumnarFileScan
    """,
    "filter": """
        CometFilter GpuFilter PhotonFilter FilterExecTransformer PhotonRuntimeFilterSource
    """,
    "project": """
        CometProject GpuProject GpuArrowEvalPython PhotonProject ProjectExecTransformer ColumnarPartialProject
        ColumnarArrowEvalPython NativeRenameColumns GpuMergeRows
    """,
    "join": """
        CometHashJoin CometBroadcastHashJoin GpuShuffledSymmetricHashJoin GpuBroadcastNestedLoopJoin
        PhotonShuffledHashJoin ShuffledHashJoinExecTransformer CHShuffledHashJoinExecTransformer
        BroadcastHashJoinExecTransformer BroadcastIndexJoin
    """,
    "aggregate": """
        CometHashAggregate GpuHashAggregate PhotonGroupingAgg PhotonAgg PhotonGroupingAggWithRollup
        HashAggregateTransformer FlushableHashAggregateTransformer CometFlatMapGroupsInBatch
    """,
    "exchange": """
        CometExchange CometColumnarExchange CometBroadcastExchange GpuColumnarExchange GpuCustomShuffleReader
        PhotonShuffleExchangeSink PhotonShuffleExchangeSource PhotonShuffleMapStage ColumnarExchange
        ColumnarBroadcastExchange
    """,
    "sort": """
        CometSort GpuSort PhotonSort SortExecTransformer
    """,
    "limit": """
        CometTakeOrderedAndProject GpuTopN PhotonTopK LimitExecTransformer ColumnarCollectLimit
    """,
    "set": """
        CometUnion GpuUnion PhotonUnion ColumnarUnion BucketUnion
    """,
    "window": """
        CometWindow GpuRunningWindow GpuUnboundedToUnboundedAggWindow PhotonWindow WindowExecTransformer
    """,
    "generate": """
        GpuGenerate PhotonGenerate GenerateExecTransformer
    """,
    "command": """
        CometNativeWrite CometIcebergWrite IcebergCommit ColumnarWriteFiles WriteFilesExecTransformer
        PhotonWriteStage PhotonParquetWriter GpuAppendData MergeIntoCommandEdge InsertIntoHoodieTableCommand
    """,
    "other": """
        CometColumnarToRow CometSparkRowToColumnar CometSubqueryBroadcast GpuColumnarToRow GpuCoalesceBatches
        GpuShuffleCoalesce PhotonResultStage PhotonRowToColumnar PhotonAdapter VeloxColumnarToRowExec
        RowToVeloxColumnar VeloxResizeBatches ArrowColumnarToVeloxColumnar OffloadArrowData LoadArrowData
        GlutenRowToArrowColumnar InputIteratorTransformer CHNativeColumnarToRow
    """,
}


@pytest.mark.parametrize(("kind", "names"), [*SPARK.items(), *VENDORS.items()])
def test_kind_of_every_name_in_its_family(kind: str, names: str) -> None:
    assert kind in KINDS
    assert {name: kind_of(name) for name in names.split()} == dict.fromkeys(names.split(), kind)


def test_every_listed_name_is_known_except_the_rarest() -> None:
    rare = {"ExceptionHandler", "UpdateEventTimeWatermarkColumn"}
    names = [name for table in (SPARK, VENDORS) for names in table.values() for name in names.split()]
    assert {name for name in names if not is_known(name)} == rare


@pytest.mark.parametrize("name", ["MysteryOperator", "Proje", "-Execute", "", "*", "|Columnar"])
def test_an_unknown_name_is_other_and_not_known(name: str) -> None:
    assert kind_of(name) == "other"
    assert not is_known(name)


@pytest.mark.parametrize(
    ("op", "moves"),
    [
        ("Exchange", True),
        ("BroadcastExchange", True),
        ("TungstenExchange", True),
        ("CometBroadcastExchange", True),
        ("ColumnarExchangeExec", True),
        ("PhotonShuffleExchangeSink", True),
        ("PhotonShuffleExchangeSource", False),
        ("PhotonShuffleMapStage", False),
        ("ReusedExchange", False),
        ("ShuffleQueryStage", False),
        ("AQEShuffleRead", False),
        ("Repartition", False),
        ("BroadcastHashJoin", False),
    ],
)
def test_an_exchange_is_counted_once_under_whatever_names(op: str, moves: bool) -> None:
    assert is_exchange(op) is moves
