"""A finding, and the class that finds it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

if TYPE_CHECKING:
    from planviz.findings.plan_view import PlanView

Severity = Literal["problem", "warning", "info"]

#: The gravest first.
SEVERITIES: tuple[Severity, ...] = ("problem", "warning", "info")

Unit = Literal["ms", "bytes", "rows"]


@dataclass(frozen=True, slots=True)
class Stake:
    """What is at stake: an amount of work, measured while the query ran or estimated before."""

    amount: float
    unit: Unit
    measured: bool = False


@dataclass(frozen=True, slots=True)
class WhatIf:
    """A change that was planned: `change` in words, `before` and `after` what a plan shows without and with it."""

    change: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Hit:
    """What a check saw: `evidence` says what and where, with numbers; `nodes` are the operators, the first to look at.

    Hits of one check with the same `cause` are one finding. `severity`, `why`, `advice` and `cost` replace the check's.
    `settings` is a change of settings that should make the finding go away.
    """

    evidence: str
    nodes: tuple[int, ...]
    cause: str = ""
    severity: Severity | None = None
    why: str = ""
    advice: str = ""
    cost: str = ""
    stake: Stake | None = None
    title: str = ""
    settings: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing worth changing or knowing in a plan.

    `name` is the check's, `title` a few words; `evidence` says what and where, `why` why it matters here, `advice` what
    would change it and `cost` what that costs. `nodes` are ids of operators of the plan, the one to look at first;
    `line` is the line of the text of the first of them, from 1, where it is known.
    """

    name: str
    severity: Severity
    title: str
    evidence: str
    why: str
    advice: str
    cost: str
    nodes: tuple[int, ...]
    line: int | None = None
    stake: Stake | None = None
    what_if: WhatIf | None = None
    settings: tuple[tuple[str, str], ...] = ()

    @property
    def node(self) -> int | None:
        """The operator to look at, None when the finding is about the plan as a whole."""
        return self.nodes[0] if self.nodes else None


class Check(ABC):
    """One kind of finding. The docstring says when it is found; nothing is said where the plan cannot prove it.

    `stages` are the plans that it reads. `why`, `advice` and `cost` are whole sentences, as for `Finding`.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    severity: ClassVar[Severity] = "info"
    stages: ClassVar[tuple[str, ...]] = ("physical", "initial")
    why: ClassVar[str]
    advice: ClassVar[str]
    cost: ClassVar[str]

    @abstractmethod
    def find(self, plan: PlanView) -> Iterator[Hit]:
        """What of this kind is in a plan."""
