"""What Spark's planner consists of, as data: pipeline, classes, strategies, mappings (inventory D-001 to D-009)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from planviz.errors import InputError


@dataclass(frozen=True)
class Mapping:
    """A logical operator and the physical one it becomes; `when` says in which case, empty for always."""

    logical: str
    physical: str
    strategy: str
    when: str = ""


@cache
def _data() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((files("planviz.physical") / "planner.json").read_text(encoding="utf-8"))
    return found


def pipeline() -> list[dict[str, str]]:
    """The stages in order: `name`, `made_by`, `what` (D-001)."""
    return list(_data()["pipeline"])


def cost_note() -> str:
    """Why no cost decides among physical plans (D-009)."""
    return str(_data()["cost_note"])


def hierarchy() -> list[dict[str, str | None]]:
    """The planner's classes: `name`, `parent`, `where`, `what` (D-002)."""
    return list(_data()["hierarchy"])


def strategies(profile: str = "spark-4.3") -> list[str]:
    """The strategies in the order in which they are asked (D-003). Raises InputError for an unknown profile."""
    known = _data()["strategies"]
    if profile not in known:
        raise InputError(f"There is no profile {profile!r}; there are {', '.join(known)}.")
    return list(known[profile])


def one_to_one() -> list[Mapping]:
    """Operators that become one operator each (D-004)."""
    return [Mapping(**m) for m in _data()["one_to_one"]]


def patterns() -> list[dict[str, str]]:
    """Sub-trees that a strategy looks for as a whole: `name`, `used_by`, `what` (D-005)."""
    return list(_data()["patterns"])


def category(operator: str) -> str:
    """LeafExecNode, UnaryExecNode, BinaryExecNode or other (D-006), by class name or as plans print it."""
    name = operator if operator.endswith("Exec") else f"{operator}Exec"
    return next((c for c, members in _data()["categories"].items() if name in members), "other")
