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

# The first pattern that matches an operator's name decides. Vendor prefixes are dropped before: Comet, Gluten's
# *ExecTransformer, Photon*, Gpu* (RAPIDS) and Velox name the same operators as Spark.
_PATTERNS: tuple[tuple[str, str], ...] = (
    (
        "command",
        r"^Execute\b|Command$|^(Create|Drop|Alter|Insert|Overwrite|Append|Replace|Delete|Merge|Update|Truncate|Show|"
        r"Describe|Analyze|Refresh|Set|Add|Rename|Load|Repair|Use|Cache|Uncache|Write|Save|Explain|Reset|Call)(?!Query)",
    ),
    (
        "exchange",
        r"Exchange|ShuffleRead|CustomShuffleReader|^Repartition|^Rebalance|^Coalesce|Shuffle(?!d)|QueryStage|"
        r"^BroadcastToRow|Broadcast(?!.*(Join|Hash))|^StageRebalance",
    ),
    ("join", r"Join|CartesianProduct|CoGroup|IntervalJoin"),
    ("aggregate", r"Aggregat|^Distinct|^Deduplicate|Dedup|GroupInPandas|^StateStore|HashAgg|Expand|GroupState"),
    ("window", r"Window"),
    (
        "scan",
        r"Scan|Relation|^Range\b|^OneRow|^Empty|^LocalTable|^Values|InMemoryTable|^Table|^UnresolvedTable|^RDD|"
        r"^ExternalRDD|^LogicalRDD|^View|^SubqueryAlias|^CTERelationRef|InlineTable|^DataSource|^MicroBatch|"
        r"^ContinuousScan|Reader$|^StreamingRelation|^Catalog",
    ),
    ("filter", r"Filter|^Having|^UnresolvedHaving"),
    ("sort", r"Sort"),
    ("limit", r"Limit|^TakeOrdered|TopN|TopK|^Tail|^Offset|^Sample|^TakeAndOffset"),
    ("set", r"Union|Intersect|Except|SetOp"),
    ("generate", r"Generate|Explode|^Unpivot|^Pivot|^LateralView|^Flatten|^Stack"),
    ("project", r"Project|^WithColumns|^MapElements|^MapPartitions|^Serialize|^Deserialize|Python|Pandas|Arrow|^Map"),
)
_COMPILED = tuple((kind, re.compile(pattern)) for kind, pattern in _PATTERNS)
_VENDOR = re.compile(r"^(Comet|Gpu|Photon|Velox|Native|CH)(?=[A-Z])|(ExecTransformer|Transformer|Exec)$")


@lru_cache(maxsize=4096)
def kind_of(op: str) -> str:
    """The kind (one of `KINDS`) of an operator by its name; an unknown name is "other", never an error."""
    name = _VENDOR.sub("", op) or op
    name = _VENDOR.sub("", name) or name
    for kind, pattern in _COMPILED:
        if pattern.search(name):
            return kind
    return "other"
