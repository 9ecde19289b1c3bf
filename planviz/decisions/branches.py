"""Which way a rule took through its own logic when it fired, and what it saw (inventory F-007, F-008)."""

from __future__ import annotations

from dataclasses import dataclass

from planviz.trees.node import TreeNode


@dataclass(frozen=True)
class LogicLine:
    """One line of a rule's pseudo-code. `branch` names the way that ends here, empty on other lines."""

    text: str
    branch: str = ""


@dataclass(frozen=True)
class Observation:
    """One thing that decided: an expression or a value, and a clause without full stop that says what it gave."""

    what: object
    gave: str


@dataclass(frozen=True)
class Branch:
    """The way that a rule took on one operator.

    `took` is the `branch` of a line of the rule's logic, `seen` what decided, `reason` says in a sentence why that was
    right.
    """

    rule: str
    node: TreeNode
    took: str
    reason: str
    seen: tuple[Observation, ...] = ()


def logic(*lines: str | tuple[str, str]) -> tuple[LogicLine, ...]:
    """Pseudo-code from its lines; a pair gives the branch before its line."""
    return tuple([LogicLine(line) if isinstance(line, str) else LogicLine(line[1], line[0]) for line in lines])
