"""Limits, and the sort with a limit that the planner makes of both."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from planviz.expressions.core import Expression, Literal
from planviz.logical.operators import (
    GlobalLimit,
    LocalLimit,
    Offset,
    Project,
    Sort,
)
from planviz.logical.plan import LogicalPlan
from planviz.replay.lifting.steps import Step
from planviz.replay.operator_lines import ELIDED, Operator
from planviz.replay.operators import sort_keys
from planviz.replay.term import Unreadable
from planviz.types import INT

if TYPE_CHECKING:
    from planviz.replay.lifting.lifter import Lifter

_TAKEN = re.compile(r"TakeOrderedAndProject\(limit=(\d+), (?:offset=(\d+), )?orderBy=")


def lifted(lifter: Lifter, step: Step) -> LogicalPlan:
    """A limit as the optimizer leaves it. Raises ValueError for a line that is none."""
    m = re.fullmatch(r"(\w+?)(?: |\()(?:limit=)?(-?\d+)(?:, (?:offset=)?(\d+))?\)?", step.text)
    child = lifter.lifted(step.inputs[0])
    if m is None:
        raise ValueError(step.text)
    name, number, offset = m.group(1), int(m.group(2)), int(m.group(3) or 0)
    if name.startswith("LocalLimit"):
        return LocalLimit(Literal(number, INT), child)
    if name.startswith("CollectLimit"):
        return limited(number, offset, child)
    if offset:
        inner = child.child if isinstance(child, LocalLimit) else child
        return limited(number, offset, inner)
    return GlobalLimit(Literal(number, INT), child)


def limited(number: int, offset: int, child: LogicalPlan) -> LogicalPlan:
    """The rows `offset` to `number` of a plan, as the optimizer leaves LIMIT and OFFSET; -1 stands for no limit."""
    if number < 0:
        return Offset(Literal(offset, INT), child)
    inner: LogicalPlan = LocalLimit(Literal(number, INT), child)
    if not offset:
        return GlobalLimit(Literal(number, INT), inner)
    return GlobalLimit(Literal(number - offset, INT), Offset(Literal(offset, INT), inner))


def taken(lifter: Lifter, step: Step) -> LogicalPlan:
    """The sort, projection and limit of TakeOrderedAndProject; ValueError or Unreadable for a line that is none."""
    operator = lifter.operator(step)
    m = _TAKEN.match(step.text)
    if m is not None:
        number, offset = int(m.group(1)), int(m.group(2) or 0)
        operator.at = m.end()
        order = _listed(operator, ",")
        operator.skip(", output=")
        projects = operator.with_names(_listed(operator, ","))
    else:
        plain = re.match(r"TakeOrderedAndProject (\d+)(?:, (\d+))?, ", step.text)
        if plain is None:
            raise ValueError(step.text)
        number, offset = int(plain.group(1)), int(plain.group(2) or 0)
        operator.at = plain.end()
        order = operator.expressions()
        operator.skip(", ")
        projects = operator.named()
    child: LogicalPlan = Sort(sort_keys(order), True, operator.child)
    if [getattr(p, "expr_id", None) for p in projects] != [a.expr_id for a in operator.child.output]:
        child = Project(projects, child)
    return limited(number, offset, child)


def _listed(operator: Operator, separator: str) -> tuple[Expression, ...]:
    """A list in brackets with commas alone, or with commas and blanks, between its items."""
    if not operator.text.startswith("[", operator.at):
        raise Unreadable(operator.text[:80])
    for between in (separator, ", "):
        try:
            terms, end = operator.terms.listed(operator.at + 1, separator=between)
        except Unreadable:
            continue
        if end + 1 == len(operator.text) or operator.text[end + 1] in ",)":
            operator.at = end + 1
            return tuple(operator.elaborator.expression(t) for t in terms if not ELIDED.fullmatch(t.text))
    raise Unreadable(operator.text[:80])
