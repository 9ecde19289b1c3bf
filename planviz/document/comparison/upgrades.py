"""What another version of Spark does to the plans of a workload, and which of its changes does it.

Every query is planned as both versions. Where the physical plans differ in more than the form of their expressions,
the versions between tell which one changed the plan; its changes are then undone one by one
(`planviz.versions.undone`) until the old plan comes back: a cause is told because undoing it was seen to help, never
because it might.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Literal

from planviz.config import OptimizerConfig
from planviz.document.comparison.plans import Difference, compare_plans
from planviz.document.model import Document
from planviz.errors import InputError, PlanvizError
from planviz.estimation import OF_UNKNOWN_SIZE
from planviz.graph import PlanGraph, PlanNode
from planviz.graph.effect import Effect
from planviz.optimizer.reference import rule_reference
from planviz.settings import SETTINGS, spark_words
from planviz.versions import CHANGES, PROFILES, Change, undone
from planviz.versions.words import CHANGES as WORDS

#: Effects that tell of another form of the same work: casts, names, where an operator of no weight stands.
FORMS = frozenset({"filter-changed", "operator-changed", "operator-moved", "estimate-moved"})
State = Literal["same", "reworded", "changed", "breaks", "works", "failed"]
#: A text planned with some settings: every way to open a text, with its catalogue, is one of these.
Opener = Callable[[OptimizerConfig], Document]


@dataclass(frozen=True)
class Cause:
    """A change of Spark that undone gives the old plan back, alone or with the other causes of the same version."""

    change: Change
    after: object = None

    @property
    def keep(self) -> str:
        """The setting that keeps the old plan on the new version, as KEY=VALUE; empty where none does."""
        if self.change.kind == "setting":
            return f"{self.change.name}={spark_words(self.change.before)}"
        if self.change.kind == "rule":
            return f"spark.sql.optimizer.excludedRules={rule_reference(self.change.name).spark_name}"
        if self.change.kind == "preparation":
            # Spark names the switch of a preparation after its class, where there is one.
            switch = f"spark.sql.execution.{self.change.name[0].lower()}{self.change.name[1:]}"
            return f"{switch}=false" if switch in SETTINGS else ""
        return ""

    @property
    def about(self) -> str:
        """What the newer version does, in a sentence."""
        if self.change.kind == "rule":
            return rule_reference(self.change.name).one_line
        return WORDS.get(self.change.name, "")


@dataclass(frozen=True)
class Upgraded:
    """One query as two versions plan it.

    `state`: the plans are the same, differ in the form of expressions alone (reworded), are others (changed); the
    query fails on the new version alone (breaks), on the old one alone (works), or on both. `versions` are those that
    changed the plan; `causes` what was seen to do it; `unexplained` the versions of which no set of changes alone did.
    """

    name: str
    path: str
    line: int
    state: State
    difference: Difference | None = None
    message: str = ""
    versions: tuple[str, ...] = ()
    causes: tuple[Cause, ...] = ()
    unexplained: tuple[str, ...] = ()

    @property
    def effects(self) -> tuple[Effect, ...]:
        """The effects that count, the most important first."""
        return () if self.difference is None else tuple(e for e in self.difference.effects if e.kind not in FORMS)

    @property
    def bytes_at_stake(self) -> float:
        """Bytes of the tables that the operators that changed read or stand above, in the plan where they are more."""
        if self.difference is None:
            return 0.0
        before, after = self.difference.before, self.difference.after
        return max(
            _bytes_beneath(before, {id for effect in self.effects for id in effect.before}),
            _bytes_beneath(after, {id for effect in self.effects for id in effect.after}),
        )

    def fails(self, kinds: Sequence[str]) -> bool:
        """Whether a build fails on this: the query breaks, or its plan changed, by one of `kinds` if any are named."""
        if self.state == "changed" and kinds:
            return any("any" in kinds or effect.kind in kinds for effect in self.effects)
        return self.state in ("changed", "breaks")


@dataclass
class Upgrade:
    """Two versions of Spark, and the queries that are asked of them one after the other.

    What explained one query is tried first at the next.

    Raises InputError for profiles that are not there, or that are the same.
    """

    old: str
    new: str
    _known: list[tuple[Change, ...]] = field(default_factory=list, repr=False)

    def __post_init__(self) -> None:
        for name in (self.old, self.new):
            if name not in PROFILES:
                raise InputError(f"There is no profile “{name}”; there are {', '.join(PROFILES)}.")
        if self.old == self.new:
            raise InputError(f"Both versions are {self.old}: name another one.")

    @property
    def path(self) -> tuple[str, ...]:
        """The versions from the old one to the new one, both included; backwards for a downgrade."""
        names = list(reversed(PROFILES))
        one, two = names.index(self.old), names.index(self.new)
        return tuple(names[one : two + 1] if one < two else names[two : one + 1][::-1])

    def queries(
        self, name: str, path: str, opener: Opener, config: OptimizerConfig, explain: Container[int] | None = None
    ) -> Iterator[Upgraded]:
        """The queries of one text, `config` being the settings that hold on both versions.

        Causes are looked for, which takes most of the time, of the queries whose numbers are in `explain`, from 0; None
        stands for all.
        """
        opened: dict[str, list[_Planned]] = {}

        def planned(profile: str) -> list[_Planned]:
            if profile not in opened:
                opened[profile] = _planned(opener, replace(config, profile=profile, variant=None))
            return opened[profile]

        count = max(len(planned(self.old)), len(planned(self.new)))
        for at in range(count):
            told = name if count == 1 else f"{name}:{at + 1}"

            def of(profile: str, at: int = at) -> _Planned:
                queries = planned(profile)
                return queries[at] if at < len(queries) else _Planned(1, None, queries[-1].error if queries else None)

            result = self._compared(told, path, of)
            if explain is None or at in explain:
                result = self._explained(result, of, lambda variant, at=at: _one(opener, variant, at), config)  # type: ignore[misc]
            yield result

    def _compared(self, name: str, path: str, of: Callable[[str], _Planned]) -> Upgraded:
        before, after = of(self.old), of(self.new)
        state, difference = _state(before, after, (self.old, self.new))
        message = str((after if state in ("breaks", "failed") else before).error or "")
        return Upgraded(name, path, max(before.line, after.line), state, difference, message)

    def _explained(
        self,
        result: Upgraded,
        of: Callable[[str], _Planned],
        variant_of: Callable[[OptimizerConfig], _Planned],
        config: OptimizerConfig,
    ) -> Upgraded:
        if result.state not in ("changed", "breaks", "works"):
            return result
        versions, causes, unexplained = [], [], []
        for older, newer in pairwise(self.path):
            if _same(of(older), of(newer)):
                continue
            versions.append(max(older, newer, key=_age))
            found = self._causes(of, variant_of, older, newer, config)
            causes += found or []
            if found is None:
                unexplained.append(versions[-1])
        return replace(result, versions=tuple(versions), causes=tuple(causes), unexplained=tuple(unexplained))

    def _causes(
        self,
        of: Callable[[str], _Planned],
        variant_of: Callable[[OptimizerConfig], _Planned],
        older: str,
        newer: str,
        config: OptimizerConfig,
    ) -> list[Cause] | None:
        """The changes that undone on the newer of two neighbours give the older one's plan; None if none do."""
        older, newer = sorted((older, newer), key=_age)
        wanted = of(older)
        every = tuple(c for c in CHANGES[newer] if c.kind != "setting" or c.name not in config.settings)

        def suffice(changes: tuple[Change, ...]) -> bool:
            variant = replace(config, profile=newer, variant=undone(PROFILES[newer], changes))
            return _same(wanted, variant_of(variant))

        for known in self._known:
            if known[0].since == newer and suffice(known):
                return self._told(known, newer)
        alone = next(((change,) for change in every if suffice((change,))), None)
        if alone is None and not suffice(every):
            return None
        changes = alone or _fewest(every, suffice)
        self._known.append(changes)
        return self._told(changes, newer)

    def _told(self, changes: Iterable[Change], newer: str) -> list[Cause]:
        config = OptimizerConfig.of(newer)
        return [Cause(c, config.get(c.name) if c.kind == "setting" else None) for c in changes]


@dataclass(frozen=True)
class _Planned:
    """A query of a text as one version plans it: its line, its physical plan, and what stopped it."""

    line: int
    plan: PlanGraph | None
    error: PlanvizError | None


def _planned(opener: Opener, config: OptimizerConfig) -> list[_Planned]:
    try:
        document = opener(config)
    except PlanvizError as error:
        return [_Planned(getattr(error, "line", None) or 1, None, error)]
    found = []
    for statement in document.statements:
        plans = [document.plans[at] for at in statement.plans if document.plans[at].stage == "physical"]
        if statement.kind == "query" and (statement.execution is not None or statement.error is not None):
            found.append(_Planned(statement.line, plans[-1] if plans else None, statement.error))
    return found or ([_Planned(1, None, document.error)] if document.error is not None else [])


def _state(before: _Planned, after: _Planned, names: tuple[str, str]) -> tuple[State, Difference | None]:
    if before.plan is None or after.plan is None:
        states: dict[tuple[bool, bool], State] = {(False, False): "failed", (True, False): "breaks"}
        return states.get((before.plan is not None, after.plan is not None), "works"), None
    difference = compare_plans(before.plan, after.plan, names)
    kinds = {effect.kind for effect in difference.effects}
    return "same" if not kinds else "reworded" if kinds <= FORMS else "changed", difference


def _one(opener: Opener, config: OptimizerConfig, at: int) -> _Planned:
    queries = _planned(opener, config)
    return queries[at] if at < len(queries) else _Planned(1, None, None)


def _same(one: _Planned, two: _Planned) -> bool:
    """Whether two versions do the same with a query: the same plan up to the form of expressions, or no plan."""
    if one.plan is None or two.plan is None:
        return one.plan is two.plan
    return {effect.kind for effect in compare_plans(one.plan, two.plan).effects} <= FORMS


def _fewest(changes: tuple[Change, ...], suffice: Callable[[tuple[Change, ...]], bool]) -> tuple[Change, ...]:
    """A smallest set that suffices, in the sense that none of it can be left out (Zeller, Hildebrandt: ddmin)."""
    kept = changes
    for change in changes:
        fewer = tuple(c for c in kept if c is not change)
        if fewer and suffice(fewer):
            kept = fewer
    return kept


def _age(profile: str) -> int:
    """How a profile stands among the versions, the oldest first."""
    return -list(PROFILES).index(profile)


def _bytes_beneath(plan: PlanGraph, ids: set[int]) -> float:
    """Bytes that the optimizer expects out of the scans at or below some operators, each counted once; scans whose size
    nothing tells count none.
    """
    total = 0
    for node in plan:
        size = node.estimate.size_in_bytes if node.kind == "scan" and node.estimate is not None else None
        if size is None or size >= OF_UNKNOWN_SIZE:
            continue
        at: PlanNode | None = node
        while at is not None and at.id not in ids:
            at = None if at.parent is None else plan[at.parent]
        total += 0 if at is None else size
    return float(total)
