"""Which engine printed a plan, and which versions of Spark print so: read from names and spellings alone.

A spelling tells a bound: `[plan_id=` came with 3.3, `CustomShuffleReader` went with 3.2. Vendors carry spellings back
into older versions, so bounds that contradict each other tell nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice

from planviz.graph import PlanGraph

_MOST_OPERATORS = 400

_ENGINES: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("Databricks Photon", re.compile(r"Photon[A-Z]")),
    ("RAPIDS Accelerator", re.compile(r"Gpu[A-Z]|HostColumnarToGpu$")),
    ("DataFusion Comet", re.compile(r"Comet[A-Z]")),
    ("Gluten (ClickHouse)", re.compile(r"CH[A-Z]\w+(?:Transformer|ToRow|Columnar)|RowToCHNative")),
    ("Gluten (Velox)", re.compile(r"Velox[A-Z]|RowToVelox|\w+(?:Exec)?Transformer$")),
    ("Auron", re.compile(r"ConvertToNative$|Native(?:Parquet|Orc)Scan$|Native(?:Project|Filter|ShuffleExchange|Agg)$")),
    ("Apache Sedona", re.compile(r"(?:Range|Distance|BroadcastIndex)Join$|SpatialIndex$")),
)


def engines_of(plans: Sequence[PlanGraph]) -> tuple[str, ...]:
    """The engines other than Spark's own that the plans' operators betray: `("RAPIDS Accelerator",)`."""
    operators = [node for plan in plans for node in islice(plan, _MOST_OPERATORS)]
    return tuple(name for name, pattern in _ENGINES if any(pattern.match(node.op) for node in operators))
