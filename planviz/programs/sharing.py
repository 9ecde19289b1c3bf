"""What several actions of a program compute again: the part that they share, and what keeping its rows would save."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from planviz.errors import PlanvizError
from planviz.estimation import Estimator
from planviz.logical.combining import Join, SetOperation
from planviz.logical.operators import Aggregate, Repartition, RepartitionByExpression, Sort, Window
from planviz.logical.plan import LogicalPlan
from planviz.logical.python import BaseEvalPython, TableFunction
from planviz.programs.model import Action, Program
from planviz.programs.values import Place, Value
from planviz.units import beyond, byte_size

#: What makes a part worth keeping: operators that move rows or hand them to Python.
_COSTLY = (
    Join,
    SetOperation,
    Aggregate,
    Window,
    Sort,
    Repartition,
    RepartitionByExpression,
    BaseEvalPython,
    TableFunction,
)
#: Bytes from which on a size is Spark's word for one that nobody knows (spark.sql.defaultSizeInBytes).
_UNKNOWN = 1 << 60
#: How many actions are compared at most.
MOST_ACTIONS = 200


@dataclass(frozen=True)
class SharedPlan:
    """A part of the plans of several actions.

    `place` is where the program makes it, `actions` who computes it, each time anew; `rows` (None: unknown) and `size`
    (bytes) are the estimates of what `cache()` would keep, `read` the bytes of the sources that each time are read.
    """

    plan: LogicalPlan
    place: Place | None
    actions: tuple[Action, ...]
    rows: int | None
    size: int
    read: int

    @property
    def saved(self) -> int:
        """The bytes that need not be read again if the rows were kept."""
        return self.read * (len(self.actions) - 1)

    def __str__(self) -> str:
        lines = ", ".join(dict.fromkeys(str(a.place.line) for a in self.actions))
        where = "" if self.place is None else f" of line {self.place.line}"
        rows = "" if self.rows is None or beyond(self.rows) else f" (some {self.rows:,} rows)"
        times = (
            f"The {self.plan.node_name}{where} is computed {len(self.actions)} times (actions of the lines {lines})."
        )
        if self.read >= _UNKNOWN:
            return f"{times} cache() there would compute it once; how much that saves no statistics tell."
        saves = f"save reading about {byte_size(self.saved)}"
        if self.size >= _UNKNOWN:
            # What a join of unknown selectivity multiplies up to is the size of no table.
            return f"{times} cache() there would {saves}; how much it would keep no statistics tell."
        return f"{times} cache() there would keep about {byte_size(self.size)}{rows} and {saves}."


def shared_plans(program: Program) -> list[SharedPlan]:
    """The largest parts that several actions compute, what saves most first; what is cached is not among them."""
    actions = program.actions[:MOST_ACTIONS]
    users: dict[int, list[int]] = {}
    nodes: dict[int, Any] = {}
    parents: dict[int, set[int]] = {}
    for index, action in enumerate(actions):
        for node in _beneath(action):
            nodes[id(node)] = node
            users.setdefault(id(node), []).append(index)
            for child in node.children:
                parents.setdefault(id(child), set()).add(id(node))
    found = []
    for key, by in users.items():
        whole = any(users.get(p) == by for p in parents.get(key, ()))
        together = _together([actions[i] for i in by])
        if len(together) > 1 and not whole and nodes[key].contains(*_COSTLY):
            made = _shared(program, nodes[key], together)
            if made is not None:
                found.append(made)
    return sorted(found, key=lambda s: -s.saved)


def _together(actions: list[Action]) -> list[Action]:
    """Those of the actions that one run of the program reaches: of two ways of a branch the first."""
    taken = {f"not ({a.variant})" for a in actions}
    return [a for a in actions if not a.variant or a.variant not in taken]


def _beneath(action: Action) -> list[Value]:
    """The operators of an action's plan, each once, without those whose rows are kept."""
    seen: dict[int, int] = {}
    todo: list[Any] = [action.execution.with_cached_data]
    while todo:
        node = todo.pop()
        if id(node) not in seen:
            seen[id(node)] = node
            todo += node.children
    return list(seen.values())


def _shared(program: Program, plan: LogicalPlan, by: list[Action]) -> SharedPlan | None:
    try:
        estimator = Estimator(by[0].execution.config)
        kept = estimator.estimate(plan)
        read = sum(estimator.size_in_bytes(n) for n in plan.walk() if not n.children)
    except (PlanvizError, RecursionError):
        return None
    return SharedPlan(plan, program.place_of(plan), tuple(by), kept.rows, int(kept.size), int(read))
