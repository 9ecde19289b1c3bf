"""Operators whose arguments are told apart by their place alone.

Each entry reads `name:kind name:kind ...`, in Spark's order (the parameters of the case class, or its `stringArgs`);
see `pieces.in_order` for the kinds. Several versions of Spark share an entry: what a version does not print is skipped.
"""

from __future__ import annotations

_POSITIONS = {
    # rows
    "Project": "project_list:list -:bool",
    "PartialSort": "sort_order:order global:bool -:int",
    "Sample": "lower_bound:float upper_bound:float with_replacement:bool seed:any method:word",
    "Union": "by_name:bool allow_missing_columns:bool",
    "UnionLoop": "id:int output:list limit:int",
    "UnionLoopRef": "id:int output:list accumulated:bool",
    "Coalesce": "partitions:int",
    "Repartition": "partitions:int shuffle:bool",
    "RepartitionByExpression": "partition_keys:list partitions:int -:any",
    "RebalancePartitions": "partition_keys:list partitions:any",
    "Distinct": "partial:bool",
    "OutputAdapter": "output:list",
    "Deduplicate": "keys:list streaming:bool",
    "DeduplicateWithinWatermark": "keys:list",
    "GroupingSets": "grouping_sets:list results:list",
    "WithWindowDefinition": "definitions:list for_pipe:bool",
    "Pivot": "pivot_column:text values:list functions:list",
    "UnresolvedPivot": "pivot_column:text values:list functions:list",
    "Unpivot": "columns:text variable_name:text value_names:list",
    "Transpose": "columns:list",
    "CollectMetrics": "name:text functions:list dataframe_id:int",
    "SerializeFromObject": "project_list:list",
    "DeserializeToObject": "deserializer:text output:any",
    "AppendColumns": "function:text deserializer:text project_list:list",
    "AppendColumnsWithObject": "function:text project_list:list output:list",
    "MapElements": "function:text output:any",
    "MapPartitions": "function:text output:any",
    "MapPartitionsInR": "function:text output:any",
    "MapGroups": "function:text deserializer:text value_deserializer:text keys:list data:list output:any",
    "MergeRows": "output:list",
    "MergeRowsExec": "output:list",
    "SpatialIndex": "column:text index:word -:any",
    "AttachDistributedSequence": "output:list",
    # Python and Arrow
    "BatchEvalPython": "functions:list output:list eval_type:int",
    "ArrowEvalPython": "functions:list output:list eval_type:int",
    "BatchEvalPythonUDTF": "generator:text carried:list output:list eval_type:int",
    "ArrowEvalPythonUDTF": "generator:text carried:list output:list eval_type:int",
    "MapInPandas": "function:text output:list barrier:bool",
    "MapInArrow": "function:text output:list barrier:bool",
    "PythonMapInArrow": "function:text output:list barrier:bool",
    "FlatMapGroupsInPandas": "keys:list key_count:int function:text output:list",
    "FlatMapGroupsInArrow": "keys:list key_count:int function:text output:list",
    "FlatMapCoGroupsInPandas": (
        "left_keys:list right_keys:list left_key_count:int right_key_count:int function:text output:list"
    ),
    "FlatMapCoGroupsInArrow": (
        "left_keys:list right_keys:list left_key_count:int right_key_count:int function:text output:list"
    ),
    "FlatMapGroupsInPandasWithState": "function:text keys:list output:list",
    "AggregateInPandas": "keys:list functions:list results:list eval_type:int",
    "ArrowAggregatePython": "keys:list functions:list results:list eval_type:int",
    # leaves
    "CTERelationRef": "id:int -:bool output:list streaming:bool recursive:bool max_rows:int",
    "CTERelationDef": "id:int original_plan_with_predicates:bool",
    "CTE": "names:list",
    "UnresolvedWith": "names:list",
    "LogicalRDD": "output:list streaming:bool rdd:text",
    "ExternalRDD": "output:list rdd:text",
    "PhysicalRDD": "output:list rdd:text",
    "UnresolvedInlineTable": "output:list rows:list",
    "StreamingRelation": "source:call format:text output:list",
    "StreamingRelationV2": "source:text format:text table:text options:options output:list",
    "StreamingExecutionRelation": "source:text output:list",
    "StreamingDataSourceV2Relation": "output:list source:text options:any",
    "UnresolvedTable": "table:list command:text suggest_alternative:bool",
    "UnresolvedTableOrView": "table:list command:text suggest_alternative:bool usage:word",
    "UnresolvedView": "table:list command:text suggest_alternative:bool",
    "UnresolvedIdentifier": "table:list allow_temporary:bool",
    "UnresolvedNamespace": "table:list",
    "UnresolvedTableValuedFunction": "function:any arguments:list outer:bool",
    "UnresolvedSubqueryColumnAliases": "output:list",
    "ResolvedIdentifier": "catalog:text table:text",
    "ResolvedNamespace": "catalog:text table:list",
    "ResolvedTable": "catalog:text table:text source:text output:list",
    # streaming
    "StateStoreRestore": "keys:list state_info:text version:int",
    "StateStoreSave": "keys:list state_info:text output_mode:word watermark:int late_watermark:int version:int",
    "StreamingDeduplicate": "keys:list state_info:text watermark:int late_watermark:int",
    "StreamingDeduplicateWithinWatermark": "keys:list state_info:text watermark:int late_watermark:int",
    "SessionWindowStateStoreRestore": "keys:list session:text state_info:text watermark:int version:int",
    "SessionWindowStateStoreSave": (
        "keys:list session:text state_info:text output_mode:word watermark:int late_watermark:int version:int"
    ),
    "StreamingGlobalLimit": "limit:int state_info:text output_mode:word",
    "WriteToMicroBatchDataSource": "sink:text query_id:text options:list output_mode:word batch:int",
    "WriteToMicroBatchDataSourceV1": "sink:text query_id:text options:list output_mode:word batch:int",
    "WriteToStream": "name:text checkpoint:text sink:text output_mode:word",
    # adaptive execution and engines
    "ShuffleQueryStage": "stage:int",
    "BroadcastQueryStage": "stage:int",
    "ResultQueryStage": "stage:int",
    "TableCacheQueryStage": "stage:int",
    "LogicalQueryStage": "logical_plan:text physical_plan:text",
    "SubqueryBroadcast": "subquery:text indices:ints build_keys:list",
    "SubqueryAdaptiveBroadcast": "subquery:text indices:ints only_in_broadcast:bool build_plan:text build_keys:list",
    "ShuffleCoalesce": "target_size:int",
    "CoalesceBatches": "goal:text",
    "RowToColumnar": "goal:text",
    "ColumnarToRow": "-:bool",
    "BringBackToHost": "-:bool",
    "ApplyResourceProfile": "profile:any",
    # data and table commands
    "DropTableCommand": "table:text if_exists:bool view:bool purge:bool",
    "DropTableStatement": "table:list if_exists:bool purge:bool",
    "DropTable": "catalog:text table:text if_exists:bool purge:bool -:text",
    "CacheTableAsSelect": "table:text parsed_query:text query:text lazy:bool analyzed:bool",
    "AnalyzeColumn": "all_columns:bool columns:list",
    "AnalyzeColumnCommand": "table:text columns:list all_columns:bool",
    "AnalyzeColumnStatement": "table:list columns:list all_columns:bool",
    "AnalyzeTable": "partition_spec:list no_scan:bool",
    "AnalyzeTableCommand": "table:text no_scan:bool",
    "AlterTableAddColumnsCommand": "table:text columns:list",
    "AlterTableAddColumnsStatement": "table:list columns:list",
    "AddColumns": "columns:list",
    "DescribeRelation": "partition_spec:list extended:bool output:list",
    "DescribeTableCommand": "table:text partition_spec:list extended:bool output:list",
    "ShowTables": "output:list catalog:text table:list",
    "ShowTablesCommand": "table:text output:list extended:bool",
    "CreateView": "query:text if_not_exists:bool replace:bool schema_mode:word analyzed:bool",
    "CreateViewCommand": (
        "table:text query:text if_not_exists:bool replace:bool view_type:word analyzed:bool schema_mode:word -:bool"
    ),
    "CreateViewStatement": (
        "table:list query:text parsed_query:text if_not_exists:bool replace:bool view_type:word analyzed:bool"
    ),
    "CacheTableCommand": "table:text query:text lazy:bool",
    "CacheTableStatement": "table:list query:text lazy:bool",
    "CreateTableAsSelect": "partitioning:list table_spec:text if_not_exists:bool analyzed:bool",
    "CreateTableAsSelectStatement": "table:list columns:list format:word if_not_exists:bool",
    "CreateDataSourceTableAsSelectCommand": "table:text mode:word columns:list",
    "DeleteFromTable": "condition:text",
    "UpdateTable": "assignments:list condition:text",
    "InsertIntoHiveTable": (
        "table:text serde:text partition:call overwrite:bool if_partition_not_exists:bool columns:list"
    ),
    "InsertIntoDir": "local:bool location:text format:word overwrite:bool",
    "InsertIntoDataSourceDirCommand": "location:text format:word overwrite:bool",
    "InsertIntoStatement": (
        "table:text options:list by_position:bool partition_spec:list overwrite:bool if_not_exists:bool by_name:bool "
        "with_schema_evolution:bool"
    ),
    "MergeIntoTable": (
        "condition:text matched:list not_matched:list not_matched_by_source:list with_schema_evolution:bool"
    ),
    "AppendData": "refresh:text sink:text",
    "OverwriteByExpression": "refresh:text sink:text",
    "OverwritePartitionsDynamic": "refresh:text sink:text",
    "ReplaceData": "refresh:text sink:text",
    "WriteDelta": "sink:text",
    "WriteToDataSourceV2": "relation:text sink:text",
}

POSITIONS: dict[str, tuple[tuple[str, str], ...]] = {
    op: tuple((name, kind) for name, _, kind in (entry.partition(":") for entry in line.split()))
    for op, line in _POSITIONS.items()
}
