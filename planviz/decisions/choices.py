"""What the planner chose and why: the checks in their order, the outcome, what was rejected."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Check:
    """One question of a decision.

    `node` names it (N0, H1 ... in the tree of join selection), `condition` says it in words, `setting` is the key of
    the setting that it reads and `hint` the hint, `values` are what it saw, by name.
    """

    node: str
    condition: str
    passed: bool
    setting: str | None = None
    hint: str | None = None
    values: tuple[tuple[str, Any], ...] = ()


@dataclass(frozen=True)
class Rejected:
    """A candidate that was not taken, and why."""

    operator: str
    reason: str


@dataclass(frozen=True)
class Decision:
    """One choice of the planner: `strategy` took it for `subject`, a logical operator; `outcome` is the operator taken.

    `values` are what describes the outcome, by name: join type, build side, keys, stages.
    """

    strategy: str
    subject: Any
    outcome: str
    checks: tuple[Check, ...] = ()
    rejected: tuple[Rejected, ...] = ()
    values: tuple[tuple[str, Any], ...] = ()


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
        **values: Any,
    ) -> bool:
        """Record a check; `passed`, so that the strategy can branch on it."""
        self.checks.append(Check(node, condition, passed, setting, hint, tuple(values.items())))
        return passed

    def reject(self, operator: str, reason: str) -> None:
        """Record a candidate that is not taken."""
        self.rejected.append(Rejected(operator, reason))

    def decided(self, strategy: str, subject: Any, outcome: str, **values: Any) -> Decision:
        """The decision with all that was recorded."""
        return Decision(strategy, subject, outcome, tuple(self.checks), tuple(self.rejected), tuple(values.items()))
