"""Which family an operator belongs to: the colour and icon it is drawn with, and what is counted together (D-006)."""

from __future__ import annotations

import re
from functools import lru_cache

KINDS = (
    "scan",
    "filter",
    "project",
    "join",
    "aggregate",
    "exchange",
    "sort",
    "limit",
    "set",
    "window",
    "generate",
    "command",
    "other",
)

# The first pattern that matches an operator's name decides; vendor prefixes and suffixes are dropped before. The first
# entry keeps out what only sounds like another family: changes between rows and columns move no rows between executors,
# and an engine's wrapper around a stage is not the work inside it.
_PATTERNS: tuple[tuple[str, str], ...] = (
    (
        "other",
        r"ToRow$|RowTo|ColumnarTo|ToColumnar|Batches$|ArrowData$|^ShuffleCoalesce$|^(Result|TableCache|Logical)QueryStage$|"
        r"^Subquery(?!Alias)|^ReusedSubquery$|Subquery$|^CTERelationDef$|^UpdateEventTime|^SetAccumulator$",
    ),
    (
        "command",
        r"^Execute\b|Command$|^(Create|Drop|Alter|Insert|Overwrite|Append(?!Columns)|Replace|Delete|Merge(?!Rows)|Update|"
        r"Truncate|Show|Describe|Analyze|Refresh|Set|Add|Rename(?!Columns)|Load|Repair|Recover|Use(?![a-z])|Cache(?!d)|"
        r"Uncache|Write|Save|Explain|Reset|Call|Atomic|Comment|Unset|OptimizeTable|Vacuum|Declare|ExternalCommand|"
        r"CommandResult)(?!Query)|^(Open|Close|Fetch)Cursor$|WriteFiles$|Writer$|^Iceberg(Write|Commit)$",
    ),
    (
        "exchange",
        r"Exchange|ShuffleRead|CustomShuffleReader|^Repartition|^Rebalance|^Coalesce|Shuffle(?!d)|QueryStage|"
        r"^BroadcastToRow|Broadcast(?!.*(Join|Hash))|^StageRebalance",
    ),
    ("join", r"Join|CartesianProduct|CoGroup|IntervalJoin"),
    (
        "aggregate",
        r"Aggregat|GroupingAgg|^Agg$|^GroupingSets$|^Distinct|^Deduplicate|Dedup|GroupInPandas|MapGroups|^StateStore|HashAgg|"
        r"Expand|GroupState|^TransformWithState",
    ),
    ("window", r"Window|^(Merging|Updating)Sessions$"),
    (
        "scan",
        r"Scan|Relation|^Range\b|^OneRow|^Empty|^LocalTable|^Values|InMemoryTable|^Table|^UnresolvedTable|RDD$|"
        r"InlineTable|^ExistingRdd$|^(Unresolved)?DataSource|^MicroBatch|Reader$|^Catalog|^UnionLoopRef$",
    ),
    ("filter", r"Filter|^Having|^Unresolved(Having|Qualify)"),
    ("sort", r"Sort"),
    ("limit", r"Limit|^TakeOrdered|TopN|TopK|^(Collect)?Tail|^Offset|^Sample|^TakeAndOffset|^Take$|^FastSample"),
    ("set", r"Union|Intersect|Except(?!ion)|SetOp"),
    ("generate", r"Generate|Explode|^Unpivot|^Pivot|Transpose$|^LateralView|^Flatten|^Stack"),
    (
        "project",
        r"Project|^WithColumns|^(DataFrame)?DropColumns|^RenameColumns|^AppendColumns|^MergeRows|ScriptTransformation|"
        r"^AttachDistributedSequence|^Serialize|^Deserialize|Python|Pandas|Arrow|^Map",
    ),
)
_COMPILED = tuple((kind, re.compile(pattern)) for kind, pattern in _PATTERNS)
# Comet, RAPIDS (Gpu...), Photon, and Gluten (Velox..., CH..., Columnar..., ...Transformer) name the operators of Spark.
_VENDOR = re.compile(
    r"^(Comet|Gpu|Photon|Gluten|Velox|Native|CH|Columnar(?!To))(?=[A-Z])|(ExecTransformer|Transformer|Exec)$"
)


@lru_cache(maxsize=4096)
def spark_name(op: str) -> str:
    """The name of Spark's operator that a vendor's stands for: `CometHashAggregate` is "HashAggregate"."""
    name = op
    for _ in range(3):  # GlutenRowToArrow..., CHNativeColumnar..., ...ExecTransformer: at most three layers
        name = _VENDOR.sub("", name) or name
    return name


#: Names of vendors' operators that differ from Spark's by more than a prefix or suffix.
_OTHERS = {
    "GroupingAgg": "HashAggregate",
    "Agg": "HashAggregate",
    "TopK": "TakeOrderedAndProject",
    "TopN": "TakeOrderedAndProject",
    "ShuffleExchangeSink": "Exchange",
    "ShuffledHashJoinExec": "ShuffledHashJoin",
    "ShuffledSymmetricHashJoin": "ShuffledHashJoin",
    "ShuffledAsymmetricHashJoin": "ShuffledHashJoin",
    "FlushableHashAggregate": "HashAggregate",
    "RegularHashAggregate": "HashAggregate",
    "HashJoin": "ShuffledHashJoin",
    "NativeScan": "FileScan",
    "FileGpuScan": "FileScan",
    "GpuScan": "FileScan",
}


def spark_operator(op: str) -> str:
    """Spark's name of an operator, whoever printed it."""
    name = spark_name(op)
    return _OTHERS.get(name, name)


#: Operators that only say how rows are passed on: generated code, batches, stages of an adaptive plan.
WRAPPERS = re.compile(
    r"(WholeStageCodegen|InputAdapter|AdaptiveSparkPlan|(Shuffle|Broadcast|Result|TableCache)QueryStage"
    r"|AQEShuffleRead|CustomShuffleReader|CoalescedShuffleReader|SkewedShuffleReader|LocalShuffleReader"
    r"|InputIterator|WholeStage|ResultStage|ShuffleMapStage|ShuffleExchangeSource|(Coalesce|Resize|Append)Batches"
    r"|ShuffleCoalesce"
    r"|SparkToColumnar|ConvertToUnsafe|ConvertToSafe|\w*ToRow|\w+To\w*Columnar)(Transformer|Exec)?$"
)


@lru_cache(maxsize=4096)
def kind_of(op: str) -> str:
    """The kind (one of `KINDS`) of an operator by its name; an unknown name is "other", never an error."""
    name = spark_name(op)
    for kind, pattern in _COMPILED:
        if pattern.search(name):
            return kind
    return "other"


# Photon prints one exchange as three operators: the sink, the stage and the source; Velox wraps its own likewise. Older
# names end otherwise (ShuffleExchangeLike never stands in a plan).
_EXCHANGES = re.compile(r"(?!Reused|Reuse)\w*Exchange(Sink|V\d)?$")


@lru_cache(maxsize=4096)
def is_exchange(op: str) -> bool:
    """Whether an operator itself moves rows between executors, by its name: what is counted as an exchange everywhere.

    Not one that is used again, the reading of one, or the stage that adaptive execution wraps around one.
    """
    return kind_of(op) == "exchange" and bool(_EXCHANGES.match(spark_name(op)))


_KNOWN_OTHER = re.compile(
    r"(Columnar|Row|Broadcast)To(\w*Row|\w*Columnar)|^(AdaptiveSparkPlan|InputAdapter|WholeStageCodegen|CTE|WithCTE|"
    r"CTERelationDef|ResolvedHint|UnresolvedHint|CollectMetrics|EventTimeWatermark|ReturnAnswer|DummySparkPlan|ApplyResourceProfile|"
    r"(Result|TableCache|Logical)QueryStage|ResultStage|Adapter|InputIterator|WholeStage|ConvertTo(Uns|S)afe|View|"
    r"SinkPlaceHolder|SpatialIndex|OutputAdapter|ConvertToNative|InputBatchAdapter|BringBackToHost|HostColumnarToGpu|"
    r"SparkToColumnar|SparkLogicalPlan)$|"
    r"Hint$|Subquery|Batches$|ArrowData$|^ShuffleCoalesce$"
)


def is_known(op: str) -> bool:
    """Whether planviz knows an operator of this name."""
    return kind_of(op) != "other" or bool(_KNOWN_OTHER.search(spark_name(op)))
