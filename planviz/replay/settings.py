"""The settings of the session that planned a text, as far as the text tells them, each with what tells it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from planviz.config import OptimizerConfig
from planviz.graph import PlanGraph
from planviz.versions import PROFILES

PARTITIONS = "spark.sql.shuffle.partitions"
ADAPTIVE = "spark.sql.adaptive.enabled"
ANSI = "spark.sql.ansi.enabled"
ZONE = "spark.sql.session.timeZone"
BLOOM = "spark.sql.optimizer.runtime.bloomFilter.enabled"
COST_BASED = ("spark.sql.cbo.enabled", "spark.sql.cbo.planStats.enabled", "spark.sql.cbo.joinReorder.enabled")
#: Up to how many operators a text is planned as every version that may have printed it; beyond, as this many.
SMALL, FEW = 300, 3
#: The flags of a broadcast join, whose number grew: `BuildRight, false, false`.
_FLAGS = re.compile(r"Build(?:Left|Right)(?:, \(.*\))?, (?:true|false)(, )?(?=true|false|$)")
_PARTITIONING = re.compile(r"\b(?:hash|range)partitioning\((?:[^\n]*?), (\d+)\), (?:ENSURE_REQUIREMENTS|true|\[id)")
_ROUND = re.compile(r"\bRoundRobinPartitioning\((\d+)\)")
_ZONED = re.compile(r"Some\(([A-Z]\w+(?:/\w+)*|[+-]\d\d:\d\d)\)")


@dataclass(frozen=True)
class Setting:
    """A setting that was found: its value and the evidence in words."""

    key: str
    value: Any
    evidence: str


def found_settings(plans: Sequence[PlanGraph], origin: Sequence[str] = ()) -> list[Setting]:
    """What the plans of one explain say of their session by themselves."""
    found: list[Setting] = []
    physical = [n for p in plans if p.stage in ("physical", "initial") for n in p]
    counts: Counter[int] = Counter()
    for node in physical:
        if node.kind == "exchange":
            counts.update(int(m) for m in _PARTITIONING.findall(node.text))
    if counts:
        number, times = counts.most_common(1)[0]
        words = f"{times} exchange{'s' if times > 1 else ''} into {number} partitions"
        found.append(Setting(PARTITIONS, number, words))
    found += _adaptive(physical)
    texts = [n.text for p in plans for n in p]
    zones = Counter(z for t in texts for z in _ZONED.findall(t) if "/" in z or z == "UTC")
    if zones:
        zone = zones.most_common(1)[0][0]
        found.append(Setting(ZONE, zone, f"an expression names the time zone {zone}"))
    if any("ansi_cast(" in t for t in texts):
        found.append(Setting(ANSI, True, "casts are printed as ansi_cast"))
    elif _before_4(texts, origin):
        found.append(
            Setting(ANSI, False, f"the text is of {_version(origin) or 'Spark 3'}, where it is off by default")
        )
    if any("might_contain(" in t for t in texts):
        found.append(Setting(BLOOM, True, "a runtime filter was built"))
    return found


def _adaptive(physical: Sequence[Any]) -> list[Setting]:
    if any(n.op == "AdaptiveSparkPlan" for n in physical):
        return [Setting(ADAPTIVE, True, "the physical plan begins with AdaptiveSparkPlan")]
    if any(n.kind == "exchange" for n in physical) or any(n.codegen_stage is not None for n in physical):
        exchange = any(n.kind == "exchange" for n in physical)
        return [Setting(ADAPTIVE, False, "there are exchanges and no AdaptiveSparkPlan")] if exchange else []
    return []


def _version(origin: Sequence[str]) -> str:
    return next((o for o in origin if o.startswith("Spark ")), "")


def _before_4(texts: Sequence[str], origin: Sequence[str]) -> bool:
    """Whether an older Spark printed this: what only 3.x prints stands in it."""
    version = _version(origin)
    if version.startswith("Spark 3") and "later" not in version:
        return True
    old = ("promote_precision(", "CheckOverflow(")
    return any(word in t for t in texts for word in old)


def candidates(plans: Sequence[PlanGraph], origin: Sequence[str]) -> list[str]:
    """The profiles of the versions that may have printed the plans, the likeliest first; never none."""
    words = _version(origin)
    numbers = [tuple(map(int, n.split("."))) for n in re.findall(r"\d+\.\d+", words)]
    first, last = (numbers[0], numbers[-1]) if numbers else ((0, 0), (9, 9))
    if "later" in words:
        last = (9, 9)
    elif "earlier" in words:
        first = (0, 0)
    flags = {m for p in plans for n in p for m in _FLAGS.findall(n.text) if n.op == "BroadcastHashJoin"}
    named = [(_number(name), name) for name in PROFILES]
    fitting = [(n, name) for n, name in named if first <= n <= last and (not flags or (n >= (4, 2)) is (", " in flags))]
    if not fitting:
        fitting = sorted(named, reverse=True)[:1] if last == (9, 9) else sorted(named)[:1]
    size = sum(len(p) for p in plans)
    most = len(fitting) if size < SMALL else FEW
    return [name for _, name in sorted(fitting, reverse=True)][:most]


def _number(profile: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", profile)[:2]))


def configured(settings: Sequence[Setting], profile: str = "spark-4.3") -> OptimizerConfig:
    """A configuration of these settings."""
    return OptimizerConfig(profile=profile).with_settings({s.key: s.value for s in settings})
