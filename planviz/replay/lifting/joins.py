"""Join operators to joins, and what each says of the planner's choice."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from planviz.expressions.core import AttributeReference, Expression
from planviz.expressions.predicates import EqualTo, IsNull, Or, conjunction
from planviz.logical.combining import Join
from planviz.logical.plan import LogicalPlan
from planviz.replay.lifting.steps import Step
from planviz.replay.operator_lines import Operator
from planviz.replay.plans import with_pruning_keys
from planviz.types import BOOLEAN

if TYPE_CHECKING:
    from planviz.replay.lifting.lifter import Lifter

_KIND = re.compile(
    r"(?:, )?(Inner|Cross|LeftOuter|RightOuter|FullOuter|LeftSemi|LeftAnti|LeftSingle|ExistenceJoin\((.*?)#(\d+)\))"
    r"(?=, |$)"
)
_SIDE = re.compile(r"(?:, )?(Build(?:Left|Right))(?=, |$)")
_FLAGS = re.compile(r", (true|false)(?:, (true|false))?$")


def lifted(lifter: Lifter, step: Step) -> LogicalPlan:
    """The join of one operator; notes the operator and its build side under the keys. Raises ValueError for a line
    that is none."""
    left, right = (lifter.lifted(s) for s in step.inputs)
    operator = lifter.operator(step, [left, right])
    null_aware = False
    end = len(step.text)
    if step.op == "BroadcastHashJoin" and (flags := _FLAGS.search(step.text)) is not None:
        null_aware, end = flags.group(1) == "true", flags.start()
    keys: tuple[Expression, ...] = ()
    others: tuple[Expression, ...] = ()
    if operator.rest.startswith("["):
        keys = operator.expressions()
        operator.skip(", ")
        others = operator.expressions()
    side, kind = _words(operator)
    exists = None
    if kind is not None and kind.group(2):
        exists = AttributeReference(kind.group(2), BOOLEAN, False, int(kind.group(3)))
    name = "Inner" if kind is None else "ExistenceJoin" if exists else kind.group(1)
    condition = _condition(operator, end)
    equalities: list[Expression] = [EqualTo(a, b) for a, b in zip(keys, others, strict=True)]
    # Photon's joins of other types end in booleans of its own.
    if null_aware and name == "LeftAnti" and len(equalities) == 1:
        equalities = [Or(equalities[0], IsNull(equalities[0]))]
    parts = [*equalities, *([condition] if condition is not None else [])]
    made = Join(left, right, name, conjunction(parts) if parts else None, exists=exists)
    lifter.choices.append(_choice(step.op, made, side, bool(keys)))
    keyed: LogicalPlan = with_pruning_keys(made, lifter.pruned)
    return keyed


def _words(operator: Operator) -> tuple[str, re.Match[str] | None]:
    """The build side and the type of a join, in either order; the reader is behind them."""
    side, kind = "", None
    for _ in range(2):
        m = _SIDE.match(operator.text, operator.at)
        if m is not None:
            side, operator.at = m.group(1), m.end()
        m = _KIND.match(operator.text, operator.at)
        if m is not None and kind is None:
            kind, operator.at = m, m.end()
    return side, kind


def _condition(operator: Operator, end: int) -> Expression | None:
    operator.skip(", ")
    operator.skip(" ")
    if operator.at >= end:
        return None
    return operator.elaborator.expression(operator.terms.one(operator.at, end))


def _choice(op: str, join: Join, side: str, keyed: bool) -> str:
    """The line that a physical plan has for this join: what it joins by, in the columns of the lifted plan."""
    from planviz.replay.wanted import signature_of

    signature, has_keys = signature_of(join)
    if keyed and has_keys:
        return f"{op} {signature}" + (f", {side}" if side else "")
    return f"{op} {side}, {join.kind}" + (f", {signature}" if signature else "")
