"""Exchanges: those of the planner go, those that a program asked for become what asked for them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from planviz.logical.operators import (
    RebalancePartitions,
    Repartition,
    RepartitionByExpression,
)
from planviz.logical.plan import LogicalPlan
from planviz.replay.lifting import aggregates, sources
from planviz.replay.lifting.steps import Step

if TYPE_CHECKING:
    from planviz.replay.lifting.lifter import Lifter

_EXCHANGE = re.compile(r"(?:\w*Exchange\w*) (\w+?)partitioning\((.*), (\d+)\)(?:, (.*))?$", re.S)
_SPREAD = re.compile(
    r"(?:\w*Exchange\w*) (?:RoundRobinPartitioning\((\d+)\)|SinglePartition\$?)(?:, (.*)| \.\.\.)?$", re.S
)
#: Operators that take rows as they are spread: an exchange right beneath is not the planner's.
_TAKE_ANY = ("Project", "Filter")


def unasked(root: Step) -> frozenset[int]:
    """The exchanges that no operator asks for, by `id`: a program's. Spark says so itself since 3.1.

    Wrong for a text that begins at an exchange of the planner's, without what asked for it.
    """
    places = [root, *(i for step in root.walk() if step.op in _TAKE_ANY for i in step.inputs)]
    return frozenset(
        id(step)
        for step in places
        if step.op in ("Exchange", "ShuffleExchange")
        and (m := _EXCHANGE.match(step.text)) is not None
        and (m.group(4) or "").split(", ")[0] in ("", "true")
        and not aggregates.is_partial(step.inputs[0])
    )


def lifted(lifter: Lifter, step: Step) -> LogicalPlan:
    """What an exchange stands for: nothing but its input, or the repartitioning that a program asked for."""
    child = lifter.lifted(step.inputs[0])
    if step.op.startswith("Broadcast"):
        if not lifter.columns.shortened:  # else the places of columns are not known
            sources.note_broadcast_keys(lifter, step, child)
        return child
    m = _EXCHANGE.match(step.text)
    if m is not None:
        _, _, number, behind = m.groups()
        origin, asked = _origin(behind or "")
        if not asked and id(step) not in lifter.unasked:
            return child
        operator = lifter.operator(step, [child])
        operator.at = m.start(2)
        text = operator.text
        terms, _ = operator.terms.listed(operator.at, f", {number})" + text[m.end(3) + 1 :])
        keys = tuple(operator.elaborator.expression(t) for t in terms)
        if origin.startswith("REBALANCE"):
            return RebalancePartitions(keys, child, _number_asked(lifter, int(number)))
        return RepartitionByExpression(keys, child, None if origin.endswith("BY_COL") else int(number))
    m = _SPREAD.match(step.text)
    if m is None:
        return child
    origin, asked = _origin(m.group(2) or "")
    if origin.startswith("REBALANCE"):
        return RebalancePartitions((), child, None if m.group(1) is None else _number_asked(lifter, int(m.group(1))))
    if m.group(1) is not None or asked:
        return Repartition(int(m.group(1) or 1), True, child)
    return child


def _number_asked(lifter: Lifter, number: int) -> int | None:
    """The partitions that rows are rebalanced into, where the planner's own exchanges make others."""
    roots = (lifter.steps.root, *lifter.subquery_steps())
    planned = (m for r in roots for s in r.walk() if (m := _EXCHANGE.match(s.text)) is not None)
    own = {int(m.group(3)) for m in planned if (m.group(4) or "").startswith("ENSURE_REQUIREMENTS")}
    return number if own and number not in own else None


def _origin(behind: str) -> tuple[str, bool]:
    """Why an exchange is there, and whether a program asked for it."""
    word = behind.split(", ")[0]
    if word == "false":  # as Spark 3.0 says that a number of partitions was asked for
        return "REPARTITION_BY_NUM", True
    return word, word.startswith(("REPARTITION", "REBALANCE"))
