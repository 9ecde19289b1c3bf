"""The search for the order of joins as a table: level by level each set, its candidates, costs, the winner (G-007)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from planviz.config import OptimizerConfig
from planviz.decisions.refusals import Refusal
from planviz.estimation import Estimator
from planviz.estimation.cost import Candidate, JoinPlan, Reordering
from planviz.execution import QueryExecution
from planviz.logical.plan import LogicalPlan
from planviz.logical.relations import LogicalRelation
from planviz.render.text import one_line

_RULE = "CostBasedJoinReorder"
#: Candidates of one set that are told: the winner and the next best.
_SHOWN = 8
#: Stands for any number of times.
_FAR = 1e300


def order_table(execution: QueryExecution) -> dict[str, object]:
    """The searches of a query that is yet to be optimized, and why groups of joins were not searched.

    `searches` has one entry a group of joins; `refused` are sentences.
    """
    execution.reorderings, execution.refusals = [], []
    _ = execution.optimized
    estimator = Estimator(execution.config)
    searches = [_search(found, estimator) for found in execution.reorderings]
    return {"searches": searches, "refused": _refused(execution.refusals, execution.config)}


def _refused(refusals: Iterable[Refusal], config: OptimizerConfig) -> list[str]:
    """Why groups of joins were not searched, the telling reasons first."""
    found = []
    for refusal in refusals:
        if refusal.rule != _RULE:
            continue
        value = "" if refusal.value_text is None else f" ({refusal.value_text})"
        setting = f"; {refusal.setting} is {config.get(refusal.setting)}" if refusal.setting else ""
        found.append(f"{refusal.reason}{value}{setting}")
    found.sort(key=lambda words: "(" not in words)
    return [one_line(words[:1].upper() + words[1:] + ".") for words in dict.fromkeys(found)]


def _search(found: Reordering, estimator: Estimator) -> dict[str, object]:
    names = relation_names(found.relations)
    relations = []
    for name, plan in zip(names, found.relations, strict=True):
        own = estimator.estimate(plan)
        relations.append({"name": name, "rows": own.rows, "bytes": own.size})
    levels = [_level(found, level, candidates) for level, candidates in enumerate(found.levels, 1)]
    chosen = found.chosen
    return {
        "relations": relations,
        "weight": found.weight,
        "candidates": sum(map(len, found.levels)),
        "levels": levels,
        "chosen": None if chosen is None else _order(chosen),
        "cost": None if chosen is None else [chosen.cost.rows, chosen.cost.size],
    }


def _level(found: Reordering, level: int, candidates: list[Candidate]) -> dict[str, object]:
    sets: dict[int, list[Candidate]] = {}
    for candidate in candidates:
        sets.setdefault(candidate.items, []).append(candidate)
    path = {} if found.chosen is None else _path(found.chosen)
    told = [_set(items, some, found.weight, items in path) for items, some in sets.items()]
    # What the chosen order is made of comes first, then the cheap ones.
    told.sort(key=lambda entry: (not entry["chosen"], entry["order"]))
    return {"level": level, "candidates": len(candidates), "sets": told}


def _set(items: int, candidates: list[Candidate], weight: float, chosen: bool) -> dict[str, object]:
    winner = next(c for c in candidates if c.kept)
    others = sorted((c for c in candidates if not c.kept), key=lambda c: _compared(c, winner, weight))
    shown = [winner, *others][:_SHOWN]
    return {
        "set": _bits(items),
        "chosen": chosen,
        "order": float(winner.cost.rows),
        "count": len(candidates),
        "candidates": [
            [_bits(c.left), _bits(c.right), c.cost.rows, c.cost.size, _compared(c, winner, weight)] for c in shown
        ],
    }


def _compared(one: Candidate, winner: Candidate, weight: float) -> float:
    """How many times the winner's cost, by the formula that compares them."""
    if not winner.cost.rows or not winner.cost.size:
        return 1.0 if one.cost == winner.cost else _FAR
    rows, size = one.cost.rows / winner.cost.rows, one.cost.size / winner.cost.size
    return round(min(float(rows**weight * size ** (1 - weight)), _FAR), 4)


def _bits(items: int) -> list[int]:
    return [i for i in range(items.bit_length()) if items >> i & 1]


def _path(plan: JoinPlan) -> set[int]:
    """The sets that the plan joins on its way."""
    found, stack = set(), [plan]
    while stack:
        one = stack.pop()
        if one.left is not None and one.right is not None:
            found.add(one.items)
            stack += [one.left, one.right]
    return found


def _order(plan: JoinPlan) -> object:
    """The plan as nested pairs of relations' numbers."""
    if plan.left is None or plan.right is None:
        return _bits(plan.items)[0]
    return [_order(plan.left), _order(plan.right)]


def relation_names(relations: Iterable[LogicalPlan]) -> list[str]:
    """Short names: the alias in the query, else the table, numbered where there are several."""
    found = [_name(plan) for plan in relations]
    counted, seen = Counter(found), Counter[str]()
    names = []
    for name in found:
        seen[name] += 1
        names.append(f"{name} {seen[name]}" if counted[name] > 1 else name)
    return names


def _name(plan: LogicalPlan) -> str:
    qualifiers = {a.qualifier[-1] for a in plan.output if a.qualifier}
    if len(qualifiers) == 1:
        return one_line(qualifiers.pop(), 60)
    tables = [node.name[-1] for node in plan.walk() if isinstance(node, LogicalRelation) and node.name]
    return one_line(" ⋈ ".join(dict.fromkeys(tables)) or plan.node_name, 60)
