"""The smallest change of settings under which a plan comes out as it was printed: a search with a bound."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from planviz.config import OptimizerConfig
from planviz.optimizer.batches import excludable_rules
from planviz.replay.compared import marks_of
from planviz.replay.settings import Setting
from planviz.settings import SETTINGS
from planviz.trees.text import Printable, tree_string
from planviz.trees.trace import DeferredTree, Trace
from planviz.versions.model import SettingValue

EXCLUDED = "spark.sql.optimizer.excludedRules"
SETS = "spark.sql.optimizer.inSetConversionThreshold"
#: Settings that the optimizer reads and a plan shows, other than rules that are excluded.
OPTIMIZER_FLAGS = (
    "spark.sql.constraintPropagation.enabled",
    "spark.sql.optimizer.dynamicPartitionPruning.enabled",
    "spark.sql.optimizer.runtime.bloomFilter.enabled",
    "spark.sql.optimizer.mergeSubplans.filterPropagation.enabled",
    "spark.sql.optimizer.replaceExceptWithFilter",
    "spark.sql.optimizer.avoidDoubleFilterEval",
    "spark.sql.optimizer.collapseProjectAlwaysInline",
    "spark.sql.optimizer.pushDownJoinThroughUnion.enabled",
    "spark.sql.optimizer.disableHints",
    "spark.sql.optimizer.enableJsonExpressionOptimization",
)
#: Settings that the planner reads.
PLANNER_FLAGS = (
    "spark.sql.parquet.enableVectorizedReader",
    "spark.sql.orc.enableVectorizedReader",
    "spark.sql.codegen.wholeStage",
    "spark.sql.join.preferSortMergeJoin",
    "spark.sql.exchange.reuse",
    "spark.sql.execution.reuseSubquery",
    "spark.sql.optimizeNullAwareAntiJoin",
    "spark.sql.execution.useObjectHashAggregateExec",
    "spark.sql.execution.replaceHashWithSortAgg",
    "spark.sql.execution.combineAdjacentAggregation",
    "spark.sql.execution.removeRedundantSorts",
    "spark.sql.execution.removeRedundantProjects",
    "spark.sql.execution.pushDownLocalSort",
    "spark.sql.codegen.wholeStage.union.enabled",
    "spark.sql.unionOutputPartitioning",
    "spark.sql.sources.bucketing.enabled",
)
#: How many operators are planned in all while settings are looked for, and how many settings change at most.
OPERATORS, FEWEST, MOST, CHANGES = 1200, 6, 48, 3
#: How many more changes are tried once one is enough, to say that they cannot be told apart.
ALIKE = 6
_IDS = re.compile(r"#\d+L?")
_INSET = re.compile(r" INSET ([^()\n]*)")


@dataclass(frozen=True)
class Change:
    """A setting that is tried at another value; `rule` is the rule that is excluded."""

    key: str
    value: SettingValue
    rule: str = ""

    @property
    def words(self) -> str:
        """The setting with its value."""
        return f"{self.key}={str(self.value).lower() if isinstance(self.value, bool) else self.value}"

    def on(self, config: OptimizerConfig) -> OptimizerConfig:
        """The settings with the change."""
        if not self.rule:
            return config.with_settings({self.key: self.value})
        others = config.text(EXCLUDED)
        return config.with_settings({EXCLUDED: f"{others},{self.value}" if others else self.value})


def tries_for(operators: int) -> int:
    """How many changes are tried of a plan of so many operators: it is planned once for each."""
    return max(FEWEST, min(MOST, OPERATORS // max(operators, 1)))


def smallest_change(
    config: OptimizerConfig,
    changes: Sequence[Change],
    distance: Callable[[OptimizerConfig], int],
    before: int,
    tries: int,
) -> tuple[list[Change], list[Change]]:
    """The fewest changes found under which `distance` is 0, from `before` without one, and other single changes that do
    as well in place of the last one; empty where there are none.

    One after another is tried; where none is enough, the one that comes nearest is kept and the rest are tried again.
    """
    kept: list[Change] = []
    left = list(changes)
    while left and tries > 0 and len(kept) < CHANGES:
        best: tuple[int, Change] | None = None
        for at, change in enumerate(left[:tries]):
            tries -= 1
            after = distance(change.on(config))
            if after == 0:
                next_ones = left[at + 1 : at + 1 + ALIKE]
                return [*kept, change], [c for c in next_ones if distance(c.on(config)) == 0]
            if after < before and (best is None or after < best[0]):
                best = after, change
        if best is None:
            return [], []
        before, found = best
        kept.append(found)
        config = found.on(config)
        left.remove(found)
    return [], []


def optimizer_changes(config: OptimizerConfig, trace: Trace, theirs: str, ours: str) -> list[Change]:
    """What may have been otherwise while a plan was optimized, the likeliest first.

    Rules that changed the plan here: those first that made away with lines of the text.
    """
    missing = _lines(theirs) - _lines(ours)
    excludable = excludable_rules(config)
    lost: dict[str, int] = {}
    for step in trace.applications:
        if step.rule in excludable:
            gone = 0
            if step.run == 0 and missing:
                before, after = (_lines(_text(tree)) & missing for tree in (step.before, step.after))
                gone = len(before - after) - len(after - before)
            lost[step.rule] = lost.get(step.rule, 0) + gone
    ranked = sorted(lost, key=lambda rule: -lost[rule])
    rules = [Change(EXCLUDED, rule, excludable[rule]) for rule in ranked]
    # Two ways to the same plan: the setting is the one that its makers advise.
    first, *others = _flags(config, OPTIMIZER_FLAGS)
    return [*_sets(config, theirs), first, *rules, *others]


def planner_changes(config: OptimizerConfig) -> list[Change]:
    """What may have been otherwise while a plan was planned."""
    return _flags(config, PLANNER_FLAGS)


def as_settings(changes: Sequence[Change], alike: Sequence[Change], stage: str) -> list[Setting]:
    """Changes as settings with their evidence, excluded rules as one; `alike` could stand in place of the last one."""
    rules = [c for c in changes if c.rule]
    also = f"; as it is with {' or '.join(c.words for c in alike)}, which the text cannot tell apart" if alike else ""
    found = []
    for change in (c for c in changes if not c.rule):
        words = f"the {stage} plan is Spark's with {change.words} and not without"
        found.append(Setting(change.key, change.value, words + also))
    if rules:
        names = ", ".join(c.rule for c in rules)
        words = f"the {stage} plan is Spark's without {names} and not with {'it' if len(rules) == 1 else 'them'}"
        found.append(Setting(EXCLUDED, ",".join(str(c.value) for c in rules), words + also))
    return found


def _flags(config: OptimizerConfig, keys: Iterable[str]) -> list[Change]:
    return [Change(key, not config.flag(key)) for key in keys if key in SETTINGS]


def _sets(config: OptimizerConfig, theirs: str) -> list[Change]:
    """The threshold of sets, where the text has one of fewer values than the usual threshold asks for."""
    sizes = [len(values.split(", ")) for values in _INSET.findall(theirs)]
    return [Change(SETS, min(sizes) - 1)] if sizes and min(sizes) <= config.number(SETS) else []


def _lines(text: str) -> set[str]:
    return {_IDS.sub("#", line[marks_of(line) :]) for line in text.split("\n")}


def _text(tree: Printable | DeferredTree) -> str:
    return tree_string(tree.tree if isinstance(tree, DeferredTree) else tree)
