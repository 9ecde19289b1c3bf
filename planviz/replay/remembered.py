"""What was made under some settings, kept for others under which it comes out the same.

A replay optimizes and plans one plan as several versions of Spark and under several settings, and most of these make no
difference to it. So what is made holds the answers that its settings gave, and is not made again under others that give
the same ones.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar, cast

from planviz.config import OptimizerConfig
from planviz.optimizer.batches import batches
from planviz.optimizer.context import OptimizerContext
from planviz.trees.trace import Trace
from planviz.versions import Behaviour, Edit, Profile
from planviz.versions.model import SettingValue

T = TypeVar("T")


class _Asked:
    """A version's behaviour that holds the answers that it gave, by name."""

    def __init__(self, known: Behaviour) -> None:
        self.known = known
        self.answers: dict[str, object] = {}
        self.whole = False

    def __getattr__(self, name: str) -> object:
        self.answers[name] = value = getattr(self.known, name)
        setattr(self, name, value)  # the next time it is there
        return value

    def __hash__(self) -> int:
        self.whole = True
        return hash(self.known)

    def __eq__(self, other: object) -> bool:
        self.whole = True
        return self.known == (other.known if isinstance(other, _Asked) else other)

    def alike(self, other: Behaviour) -> bool:
        """Whether another one gives the answers that this one gave."""
        if self.whole and self.known != other:
            return False
        return all(getattr(other, name) == value for name, value in self.answers.items())


@dataclass(frozen=True, eq=False)
class _Watched(OptimizerConfig):
    """Settings that hold the answers that they gave, by key. Of batches they hold nothing: see `same_batches`."""

    answers: dict[str, SettingValue | None] = field(default_factory=dict)
    #: The behaviour once it was asked for, and whether the settings were taken as a whole.
    asked: dict[str, _Asked] = field(default_factory=dict)
    whole: list[str] = field(default_factory=list)

    @property
    def plain(self) -> OptimizerConfig:
        """The settings, no longer watched."""
        return OptimizerConfig(self.settings, self.profile, self.variant, self.runtime)

    def get(self, key: str) -> SettingValue | None:
        """As it is, and noted."""
        if key not in self.answers:
            self.answers[key] = self.plain.get(key)
        return self.answers[key]

    @property
    def behaviour(self) -> Behaviour:
        """As it is, and noted."""
        if "behaviour" not in self.asked:
            self.asked["behaviour"] = _Asked(self.plain.behaviour)
        return cast(Behaviour, self.asked["behaviour"])

    @property
    def edits(self) -> tuple[Edit, ...]:
        """As they are."""
        return self.plain.edits

    @property
    def version(self) -> Profile:
        """As it is; whoever asks for all of it may use any of it."""
        self.whole.append("version")
        return self.plain.version

    @property
    def parallelism(self) -> int:
        """As it is; it hangs on which settings are given at all."""
        self.whole.append("parallelism")
        return self.plain.parallelism

    def with_settings(self, settings: Mapping[str, object]) -> OptimizerConfig:
        """These settings changed; nobody watches what becomes of them."""
        self.whole.append("changed")
        return self.plain.with_settings(settings)

    def alike(self, other: OptimizerConfig) -> bool:
        """Whether other settings give the answers that these gave."""
        if self.whole and other != self.plain:
            return False
        if any(not asked.alike(other.behaviour) for asked in self.asked.values()):
            return False
        return all(other.get(key) == value for key, value in self.answers.items())


class Remembered(Generic[T]):
    """What `make` gave for a plan and what else there was beside it, under all settings so far.

    `same(made, before, now)` says of what was made under `before` whether it is the same under `now`, as far as the
    settings that were asked for do not tell.
    """

    def __init__(self, same: Callable[[T, OptimizerConfig, OptimizerConfig], bool] | None = None) -> None:
        self.same = same
        self.made: list[tuple[object, object, _Watched, T]] = []

    def of(self, plan: object, beside: object, config: OptimizerConfig, make: Callable[[OptimizerConfig], T]) -> T:
        """What `make` gives under these settings, or gave under others that are like them. Raises what it raises."""
        for known, others, watched, made in self.made:
            alike = known is plan and others == beside and watched.alike(config)
            if alike and (self.same is None or self.same(made, watched.plain, config)):
                return made
        watched = _Watched(config.settings, config.profile, config.variant, config.runtime)
        made = make(watched)
        self.made.append((plan, beside, watched, made))
        return made


def same_batches(trace: Trace, before: OptimizerConfig, now: OptimizerConfig) -> bool:
    """Whether the optimizer's batches of `now` do what those of `before` did according to a trace.

    So they do where they have the same rules, without some that changed nothing.
    """
    if before.profile == now.profile and before.variant == now.variant:
        return True
    effective = {(a.batch, a.rule) for a in trace.applications}
    changing = {batch for batch, _ in effective}
    rest = iter(batches(OptimizerContext(before)))
    for batch in batches(OptimizerContext(now)):
        old = next(rest, None)
        while old is not None and old.name != batch.name and old.name not in changing:
            old = next(rest, None)
        if old is None or old.name != batch.name:
            return False
        rules, old_rules = list(batch.names), list(old.names)
        if batch.name not in changing:
            if not set(rules) <= set(old_rules):
                return False
        else:
            kept = [r for r in old_rules if r in rules or (batch.name, r) in effective]
            if kept != rules or batch.strategy != old.strategy:
                return False
    return all(old.name not in changing for old in rest)
