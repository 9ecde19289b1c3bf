"""The settings of the session that planned a text, as far as the text tells them, each with what tells it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from planviz.config import OptimizerConfig
from planviz.graph import PlanGraph, PlanNode
from planviz.plantext.versions import Minor, PrintedBy
from planviz.replay.lifting.lines import line_of
from planviz.versions import PROFILES

if TYPE_CHECKING:
    from planviz.graph.node import PlanNode

PARTITIONS = "spark.sql.shuffle.partitions"
ADAPTIVE = "spark.sql.adaptive.enabled"
ANSI = "spark.sql.ansi.enabled"
ZONE = "spark.sql.session.timeZone"
BLOOM = "spark.sql.optimizer.runtime.bloomFilter.enabled"
PARALLELISM = "spark.sql.leafNodeDefaultParallelism"
COST_BASED = ("spark.sql.cbo.enabled", "spark.sql.cbo.planStats.enabled", "spark.sql.cbo.joinReorder.enabled")
#: Up to how many operators a text is planned as every version that may have printed it; beyond, as this many.
SMALL, FEW = 300, 3
_PARTITIONING = re.compile(r"\b(?:hash|range)partitioning\((?:[^\n]*?), (\d+)\), (?:ENSURE_REQUIREMENTS|true|\[id)")
#: Exchanges of a program that gave no number: what it wants is spread over as many partitions as a join's rows.
_ASKED = re.compile(
    r"\bhashpartitioning\([^\n]*?, (\d+)\), RE(?:PARTITION_BY_COL|BALANCE_PARTITIONS_BY_COL)\b"
    r"|\bRoundRobinPartitioning\((\d+)\), REBALANCE_PARTITIONS_BY_NONE\b"
)
_REBALANCED = re.compile(r"RebalancePartitions (?:\[.*\], )?(\d+)$")
_BARE = re.compile(r"\b(?:hash|range)partitioning\([^\n]*, (\d+)\)$")
_ROUND = re.compile(r"\bRoundRobinPartitioning\((\d+)\)")
_ZONED = re.compile(r"Some\(([A-Z]\w+(?:/\w+)*|[+-]\d\d:\d\d)\)")
_SPLITS = re.compile(r"Range \(-?\d+, -?\d+, step=-?\d+, splits=(\d+)\)")
_GLOBAL = re.compile(r"\], true, \d+$")
_STAGED = re.compile(r"(?:Shuffle|Broadcast|Result|TableCache)QueryStage$|AQEShuffleRead$|(?:Gpu)?CustomShuffleReader$")


@dataclass(frozen=True)
class Setting:
    """A setting that was found: its value and the evidence in words."""

    key: str
    value: object
    evidence: str


def found_settings(plans: Sequence[PlanGraph], printed: PrintedBy) -> list[Setting]:
    """What the plans of one explain say of their session by themselves."""
    found: list[Setting] = []
    physical = [n for p in plans if p.stage in ("physical", "initial") for n in p]
    counts: Counter[int] = Counter()
    for node in physical:
        if node.kind == "exchange":
            counts.update(int(m) for m in _PARTITIONING.findall(line_of(node).text))
    if not counts:
        given = {int(m[1]) for p in plans for n in p if (m := _REBALANCED.match(n.text)) is not None}
        asked = (int(a or b) for n in physical if n.kind == "exchange" for a, b in _ASKED.findall(line_of(n).text))
        counts.update(number for number in asked if number not in given)
    if not counts:  # before Spark 3.0, and where somebody took it off, an exchange does not say why it is there
        counts.update(int(m) for n in physical if n.kind == "exchange" for m in _BARE.findall(line_of(n).text))
    if counts:
        number, times = counts.most_common(1)[0]
        words = f"{times} exchange{'s' if times > 1 else ''} into {number} partitions"
        found.append(Setting(PARTITIONS, number, words))
    logical = (n.text for p in plans if p.stage in ("analyzed", "optimized") for n in p if n.op == "Range")
    splits = {int(m[1]) for n in physical if (m := _SPLITS.match(n.text)) is not None}
    if len(splits) == 1 and any("splits=Some(" not in text for text in logical):
        words = "a range that does not say its partitions has so many"
        found.append(Setting(PARALLELISM, splits.pop(), words))
    found += _adaptive(physical)
    texts = [n.text for p in plans for n in p]
    zones = Counter(z for t in texts for z in _ZONED.findall(t) if "/" in z or z == "UTC")
    if zones:
        zone = zones.most_common(1)[0][0]
        found.append(Setting(ZONE, zone, f"an expression names the time zone {zone}"))
    if any("ansi_cast(" in t for t in texts):
        found.append(Setting(ANSI, True, "casts are printed as ansi_cast"))
    elif _before_4(texts, printed):
        found.append(Setting(ANSI, False, f"the text is of {printed.words or 'Spark 3'}, where it is off by default"))
    if any("might_contain(" in t for t in texts):
        found.append(Setting(BLOOM, True, "a runtime filter was built"))
    return found


def _adaptive(physical: Sequence[PlanNode]) -> list[Setting]:
    if any(n.op == "AdaptiveSparkPlan" for n in physical):
        return [Setting(ADAPTIVE, True, "the physical plan begins with AdaptiveSparkPlan")]
    if any(_STAGED.match(n.op) for n in physical):
        return [Setting(ADAPTIVE, True, "the physical plan has stages of adaptive execution")]
    if any(n.kind == "exchange" for n in physical) and _without_code(physical):
        return [Setting(ADAPTIVE, True, "no operator has generated code yet, as adaptive execution leaves it")]
    if any(n.kind == "exchange" for n in physical):
        return [Setting(ADAPTIVE, False, "there are exchanges and no AdaptiveSparkPlan")]
    asking = next((n.op for n in physical if _asks(n)), None)
    if asking is not None and any(n.codegen_stage is not None or n.op == "ColumnarToRow" for n in physical):
        return [Setting(ADAPTIVE, False, f"{asking} asks for a distribution, and there is no AdaptiveSparkPlan")]
    if any(n.op == "Subquery" for n in physical) and any(n.codegen_stage is not None for n in physical):
        return [Setting(ADAPTIVE, False, "there is a subquery and no AdaptiveSparkPlan")]
    return []


def _without_code(physical: Sequence[PlanNode]) -> bool:
    """Whether a plan of Spark 3 or later reads batches and has neither rows made of them nor generated code: so it
    looks within AdaptiveSparkPlan before it runs."""
    numbered = any("[plan_id=" in n.text or "[id=#" in n.text for n in physical)
    coded = any(n.codegen_stage is not None or "ToRow" in n.op or n.operator_id is not None for n in physical)
    return numbered and not coded and any("Batched: true" in n.text for n in physical)


def _asks(node: PlanNode) -> bool:
    """Whether an operator needs the rows of a key together, or all rows in one order."""
    if node.op in ("SortMergeJoin", "ShuffledHashJoin"):
        return True
    if node.op == "Sort":
        return _GLOBAL.search(node.text) is not None
    return node.kind in ("aggregate", "window") and "partial_" not in node.text


def _before_4(texts: Sequence[str], printed: PrintedBy) -> bool:
    """Whether an older Spark printed this: what only 3.x prints stands in it."""
    if not printed.contradicted and printed.first >= (3, 0) and printed.last < (4, 0):
        return True
    old = ("promote_precision(", "CheckOverflow(")
    return any(word in t for t in texts for word in old)


def candidates(plans: Sequence[PlanGraph], printed: PrintedBy, chosen: str = "") -> list[str]:
    """The profiles of the versions that may have printed the plans, the likeliest first; never none.

    A `chosen` profile is the only one.
    """
    if chosen:
        return [chosen]
    named = sorted(((_number(name), name) for name in PROFILES), reverse=True)
    fitting = [name for number, name in named if printed.includes(number)]
    if not fitting:
        fitting = [named[0][1] if printed.first > named[0][0] else named[-1][1]]
    size = sum(len(p) for p in plans)
    return fitting[: len(fitting) if size < SMALL else FEW]


def _number(profile: str) -> Minor:
    major, minor = map(int, re.findall(r"\d+", profile)[:2])
    return major, minor


def configured(settings: Sequence[Setting], profile: str = "spark-4.3") -> OptimizerConfig:
    """A configuration of these settings."""
    return OptimizerConfig(profile=profile).with_settings({s.key: s.value for s in settings})
