"""What the planner chose and why: the checks in their order, the outcome, what was rejected."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from planviz.decisions.flips import Flip


@dataclass(frozen=True)
class Check:
    """One question of a decision.

    `node` names it (N0, H1 ... in the tree of join selection), `condition` says it in words, `setting` is the key of
    the setting that it reads and `hint` the hint, `values` are what it saw, by name. `passed` is None where the answer
    cannot be told: a pasted plan does not say what its planner saw.
    """

    node: str
    condition: str
    passed: bool | None
    setting: str | None = None
    hint: str | None = None
    values: tuple[tuple[str, object], ...] = ()

    def texts(self, name: str, default: tuple[str, ...] = ()) -> tuple[str, ...]:
        """The texts of a value that lists some; the default where there is none of this name."""
        found = next((v for n, v in self.values if n == name), default)
        return tuple(map(str, found)) if isinstance(found, tuple | list) else ()


@dataclass(frozen=True)
class Rejected:
    """A candidate that was not taken, and why: the check that it failed and the numbers it failed on.

    `node` is empty for one that was not asked, because another came first.
    """

    operator: str
    reason: str
    node: str = ""
    values: tuple[tuple[str, object], ...] = ()


@dataclass(frozen=True)
class Decision:
    """One choice of the planner: `strategy` took it for `subject`, a logical operator; `outcome` is the operator taken.

    `values` are what describes the outcome, by name: join type, build side, keys, stages. `flips` are the nearest
    changes that would give another outcome; `planviz.document.alternatives.flips` looks for them, not planning.
    `untried` counts those that might be among them and were not planned, where there were too many for one look.
    """

    strategy: str
    subject: Any
    outcome: str
    checks: tuple[Check, ...] = ()
    rejected: tuple[Rejected, ...] = ()
    values: tuple[tuple[str, object], ...] = ()
    flips: tuple[Flip, ...] = ()
    untried: int = 0

    def value(self, name: str) -> Any:
        """One of the values; None where there is none of this name."""
        return next((v for n, v in self.values if n == name), None)


@dataclass
class Recorder:
    """Collects the checks and the rejected candidates while a strategy decides."""

    checks: list[Check] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)

    def ask(
        self,
        node: str,
        condition: str,
        passed: bool,
        setting: str | None = None,
        hint: str | None = None,
        **values: object,
    ) -> bool:
        """Record a check; `passed`, so that the strategy can branch on it."""
        self.checks.append(Check(node, condition, passed, setting, hint, tuple(values.items())))
        return passed

    def reject(self, operator: str, reason: str, node: str = "", **values: object) -> None:
        """Record a candidate that is not taken; `node` is the check that said so."""
        self.rejected.append(Rejected(operator, reason, node, tuple(values.items())))

    def decided(self, strategy: str, subject: object, outcome: str, **values: object) -> Decision:
        """The decision with all that was recorded."""
        return Decision(strategy, subject, outcome, tuple(self.checks), tuple(self.rejected), tuple(values.items()))
