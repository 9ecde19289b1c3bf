"""Why a rule did in one step what it did: the way it took through its logic, on which operator, with what it saw.

A step's rule is run once more on the plan before it with its ways noted; planning itself notes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

from planviz.decisions.branches import Branch, LogicLine
from planviz.execution import QueryExecution
from planviz.expressions.ids import fresh_ids
from planviz.graph.trace import short_name
from planviz.optimizer.context import OptimizerContext
from planviz.optimizer.profiles import rules_by_name
from planviz.optimizer.reference import parts_of

#: From where the ids count that a rule makes when it is run once more: none of them is in the plan.
_NEW_IDS = 1 << 40


@dataclass(frozen=True)
class Explanation:
    """A branch that a rule took, with the lines of its logic."""

    branch: Branch
    logic: tuple[LogicLine, ...]


def explained(execution: QueryExecution, step: int) -> tuple[Explanation, ...]:
    """Why the rule of a step (from 0, of the execution's trace) did what it did; empty where it has no logic to tell.

    A rule that runs others within its step is explained by theirs. Raises IndexError for a step that is not there.
    """
    application = execution.trace.applications[step]
    made = rules_by_name().get(short_name(application.rule))
    if made is None:
        return ()
    branches: list[Branch] = []
    rule = made(OptimizerContext(execution.config, branches=branches))
    told = {part.name: part.logic for part in (rule, *parts_of(rule)) if part.logic}
    if not told:
        return ()
    with fresh_ids(_NEW_IDS):
        _ = rule.apply(application.before)
    return tuple([Explanation(b, told[b.rule]) for b in _once(branches)])


def _once(branches: list[Branch]) -> list[Branch]:
    """Each branch once: a rule may come by the same operator again."""
    return list({(b.rule, str(_text(b.node)), b.took): b for b in branches}.values())


def _text(node: object) -> str:
    return str(getattr(node, "simple_string", node))
