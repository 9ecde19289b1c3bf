"""What the decisions of a pasted plan say of sizes that its text does not give: below 10 MB, since it was broadcast."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from planviz.decisions.choices import Check, Decision, Rejected
from planviz.document.alternatives.join_flips import largest_within
from planviz.document.decisions.model import UNTOLD
from planviz.estimation import UNKNOWN_SIZE, Estimator
from planviz.execution import QueryExecution
from planviz.logical.relations import LogicalRelation
from planviz.replay.opaque import reads_opaque
from planviz.units import byte_size

if TYPE_CHECKING:
    from planviz.logical.plan import LogicalPlan

_SIDES = {"BuildLeft": "left", "BuildRight": "right"}
#: The questions that compare the sides with a limit up to which a side is broadcast.
_BROADCAST = ("N2", "N11")


@dataclass(frozen=True)
class Bound:
    """From and to which size in bytes a table is (None: any), and the decisions that say so, in words."""

    table: str
    low: int | None
    high: int | None
    evidence: tuple[str, ...]

    @property
    def words(self) -> str:
        """at most 10.0 MiB; more than 10.0 MiB; any size."""
        if self.low is None and self.high is None:
            return "any size"
        if self.low is None:
            return f"at most {byte_size(self.high or 0)}"
        above = f"more than {byte_size(self.low - 1)}"
        return above if self.high is None else f"{above}, at most {byte_size(self.high)}"


def fitted_tables(plan: LogicalPlan) -> dict[str, LogicalRelation]:
    """The relations beneath an operator whose sizes nobody gave, by the names of their tables."""
    leaves = [n for n in plan.walk() if isinstance(n, LogicalRelation)]
    return {n.table.shown_name: n for n in leaves if n.table is not None and n.table.fitted}


def size_bounds(execution: QueryExecution, decisions: Sequence[Decision]) -> dict[str, Bound]:
    """What the decisions on joins say of the tables whose sizes nobody gave, by the tables' names.

    A side with one such table says something of it; a side with several says nothing of each.
    """
    found: dict[str, Bound] = {}
    estimator = Estimator(execution.config)
    for decision in decisions:
        for bound in _of_join(decision, estimator) if decision.strategy == "JoinSelection" else ():
            found[bound.table] = _both(found.get(bound.table), bound)
    return found


def _of_join(decision: Decision, estimator: Estimator) -> Iterator[Bound]:
    for check in decision.checks:
        values = dict(check.values)
        limit = values.get("limit")
        if check.node not in _BROADCAST or not isinstance(limit, int) or limit < 0 or not _follows(decision, check):
            continue
        built = _SIDES.get(str(decision.value("build")))
        allowed = [_SIDES[a] for a in check.texts("allowed", tuple(_SIDES)) if a in _SIDES]
        for side in [built] if check.passed and built else allowed if check.passed is False else ():
            plan = getattr(decision.subject, side)
            unknown = fitted_tables(plan)
            edge = _edge(plan, next(iter(unknown.values())), limit, estimator) if len(unknown) == 1 else None
            if edge is None:
                continue
            name = next(iter(unknown))
            if check.passed:
                yield Bound(name, None, edge, (f"it was broadcast, up to {byte_size(limit)} may be",))
            else:
                yield Bound(name, edge + 1, None, (f"it was not broadcast, up to {byte_size(limit)} would have been",))


def _follows(decision: Decision, check: Check) -> bool:
    """Whether the operator taken tells the answer to a check on sizes.

    An outer join without keys is a nested loop at any size, and builds the side that suits its type both where that is
    small and where neither is; only the other side is built for being small.
    """
    if check.node != "N11" or decision.outcome != "BroadcastNestedLoopJoin":
        return True
    kind, built = str(decision.subject.kind), decision.value("build")
    if kind in ("Inner", "Cross"):
        return True
    return (
        bool(check.passed) and built != ("BuildLeft" if kind == "RightOuter" else "BuildRight") and kind != "FullOuter"
    )


def _edge(plan: LogicalPlan, relation: LogicalRelation, limit: int, estimator: Estimator) -> int | None:
    """The largest size of a table at which a plan over it is within the limit; None where there is none."""
    table = relation.table
    assert table is not None

    def size(value: int) -> int:
        known = replace(table, size_in_bytes=value)

        def one(p: LogicalPlan) -> LogicalPlan:
            same = isinstance(p, LogicalRelation) and p.table is not None and p.table.shown_name == table.shown_name
            return p.replace(table=known) if same else p

        return estimator.size_in_bytes(plan.transform_up(one))

    return largest_within(size, limit, max(limit, 1))


def _both(one: Bound | None, other: Bound) -> Bound:
    if one is None:
        return other
    low = other.low if one.low is None else one.low if other.low is None else max(one.low, other.low)
    high = other.high if one.high is None else one.high if other.high is None else min(one.high, other.high)
    return Bound(one.table, low, high, tuple(dict.fromkeys((*one.evidence, *other.evidence))))


# ----------------------------------------------------------------------------- decisions over sizes nobody gave


def without_fitted_sizes(decision: Decision) -> Decision:
    """A decision with what it implies of sizes that nobody gave in place of these sizes."""
    return _told(decision, lambda decision, check, side, size: _implied(decision, check, side))


def with_fitted_sizes(decision: Decision) -> Decision:
    """A decision that says which of the sizes it saw nobody gave."""
    return _told(decision, lambda decision, check, side, size: f"{byte_size(size)} (fitted)")


#: What stands for a size that nobody gave, by the decision, its check, the side and the size.
_Words = Callable[[Decision, Check, str, int], str]


def _told(decision: Decision, words: _Words) -> Decision:
    if decision.strategy != "JoinSelection":
        return decision
    sides = {side: getattr(decision.subject, side) for side in ("left", "right")}
    unknown = [side for side, plan in sides.items() if fitted_tables(plan) or reads_opaque(plan)]
    if not unknown:
        return decision
    checks = tuple(_check(decision, c, unknown, words) for c in decision.checks)
    sizes = list(decision.value("sizes") or (None, None))
    for side in unknown:
        at = ("left", "right").index(side)
        if isinstance(sizes[at], int):
            saw = [dict(c.values).get(side) for c in checks if c.node in _BROADCAST]
            sizes[at] = next((s for s in saw if isinstance(s, str)), None)
    rejected = tuple(_rejected(r, unknown) for r in decision.rejected)
    because = str(decision.value("because") or "")
    if any(map(reads_opaque, sides.values())):  # which side is the smaller one, nobody knows
        because = because.removesuffix(", both: the smaller")
    other = {"sizes": tuple(sizes), "because": because}
    values = tuple((k, other.get(k, v)) for k, v in decision.values)
    return replace(decision, checks=checks, rejected=rejected, values=values)


def _rejected(found: Rejected, unknown: Sequence[str]) -> Rejected:
    """An operator that was not taken, without the sizes that nobody gave."""
    if not any(k in unknown for k, _ in found.values):
        return found
    values = tuple((k, v) for k, v in found.values if k not in unknown)
    return replace(found, values=values, reason="the sizes of its sides said no")


def _check(decision: Decision, check: Check, unknown: Sequence[str], words: _Words) -> Check:
    values = tuple(
        (k, words(decision, check, k, v) if k in unknown and isinstance(v, int) and v < UNKNOWN_SIZE else v)
        for k, v in check.values
    )
    return replace(check, values=values)


def _implied(decision: Decision, check: Check, side: str) -> str:
    values = dict(check.values)
    limit = values.get("limit")
    if check.node not in _BROADCAST or not isinstance(limit, int) or limit < 0 or not _follows(decision, check):
        return UNTOLD
    if check.passed:
        return f"≤ {byte_size(limit)}" if _SIDES.get(str(decision.value("build"))) == side else UNTOLD
    allowed = [_SIDES.get(a) for a in check.texts("allowed", tuple(_SIDES))]
    return f"> {byte_size(limit)}" if side in allowed else UNTOLD
