"""Lines of logical operators with several inputs: unions, joins, loops."""

from __future__ import annotations

import re
from collections.abc import Callable

from planviz.expressions.core import Alias, AttributeReference, Literal
from planviz.expressions.ids import next_id
from planviz.expressions.subqueries import LateralSubquery
from planviz.logical.combining import (
    Except,
    Intersect,
    Join,
    LateralJoin,
    NearestByJoin,
    Union,
    UnionLoop,
)
from planviz.logical.operators import (
    Aggregate,
    Project,
)
from planviz.logical.plan import LogicalPlan
from planviz.replay.literals import constant
from planviz.replay.operator_lines import Operator
from planviz.types import BOOLEAN, UNKNOWN, DataType

JOIN_KINDS = r"Inner|Cross|LeftOuter|RightOuter|FullOuter|LeftSemi|LeftAnti|LeftSingle"
_JOIN = re.compile(
    rf"Join (?:({JOIN_KINDS})|ExistenceJoin\((.*?)#(\d+)\)"
    rf"|UsingJoin\(({JOIN_KINDS}), ?(?:\[|Buffer\(|List\()(.*?)[\])]\))"
)
_HINTS = re.compile(r"(?:, leftHint=\(strategy=(\w+)\))?(?:, rightHint=\(strategy=(\w+)\))?$")


def _union(o: Operator) -> LogicalPlan:
    words = o.rest.split(", ") if o.rest else ["false", "false"]
    return Union(_alike(o.inputs), words[0] == "true", words[-1] == "true", shows_flags=bool(o.rest))


def _alike(inputs: tuple[LogicalPlan, ...]) -> tuple[LogicalPlan, ...]:
    """The inputs of a union with constants of the types that the other inputs' columns have: `0.00 AS x`."""
    outputs = [p.output for p in inputs]
    if len({len(o) for o in outputs}) != 1:
        return inputs
    wanted: list[DataType] = []
    for at, column in enumerate(zip(*outputs, strict=True)):
        kinds = [a.type for a in column]
        sure = [k for k, p in zip(kinds, inputs, strict=True) if not _is_written(p, at)]
        wanted.append(next((k for k in sure if k != UNKNOWN), kinds[0]))
    return tuple(_retyped(p, wanted) for p in inputs)


def _is_written(plan: LogicalPlan, at: int) -> bool:
    """Whether a column is a constant."""
    e = plan.projects[at] if isinstance(plan, Project) else plan.aggregates[at] if isinstance(plan, Aggregate) else None
    return isinstance(e, Alias) and isinstance(e.child, Literal)


def _retyped(plan: LogicalPlan, wanted: list[DataType]) -> LogicalPlan:
    if not isinstance(plan, Project | Aggregate) or all(a.type == w for a, w in zip(plan.output, wanted, strict=True)):
        return plan
    given = plan.projects if isinstance(plan, Project) else plan.aggregates
    made = []
    for at, (e, kind) in enumerate(zip(given, wanted, strict=True)):
        if isinstance(e, Alias) and _is_written(plan, at):
            e = e.replace(child=constant(e.child.text, kind))
        made.append(e)
    if isinstance(plan, Project):
        return plan.replace(projects=tuple(made))
    return plan.replace(aggregates=tuple(made))


def _set(make: Callable[[LogicalPlan, LogicalPlan, bool], LogicalPlan]) -> Callable[[Operator], LogicalPlan]:
    def read(o: Operator) -> LogicalPlan:
        left, right = o.inputs
        return make(left, right, o.rest.endswith("true"))

    return read


def _join(o: Operator) -> LogicalPlan:
    left, right = o.inputs
    hints = _HINTS.search(o.text)
    assert hints is not None
    m = _JOIN.match(o.text)
    if m is None:
        return o.opaque()
    exists = None
    if m.group(3):
        exists = AttributeReference(m.group(2), BOOLEAN, False, int(m.group(3)))
    kind = m.group(1) or m.group(4) or "ExistenceJoin"
    using = tuple(p.strip() for p in m.group(5).split(",")) if m.group(5) else None
    condition = None
    if o.text.startswith(", ", m.end()) and m.end() + 2 < hints.start():
        condition = o.elaborator.expression(o.terms.one(m.end() + 2, hints.start()))
    return Join(left, right, kind, condition, using, hints.group(1), hints.group(2), exists)


def _lateral(o: Operator) -> LogicalPlan:
    m = re.search(rf", ({JOIN_KINDS})(?=$|, )", o.text)
    if m is None:
        return o.opaque()
    right = o.elaborator.expression(o.terms.one(o.at, m.start()))
    if not isinstance(right, LateralSubquery):
        return o.opaque()
    condition = o.elaborator.expression(o.terms.one(m.end() + 2)) if m.end() < len(o.text) else None
    return LateralJoin(o.child, right, m.group(1), condition)


_NEAREST = re.compile(r"NearestByJoin (Inner|LeftOuter), (true|false), (\d{1,6}), ")
_DIRECTION = re.compile(r"(?:: [a-z]\w*(?:[(<].*)?)?, (NearestBy(?:Distance|Similarity))$")


def _nearest(o: Operator) -> LogicalPlan:
    m, end = _NEAREST.match(o.text), _DIRECTION.search(o.text)
    if m is None or end is None or end.start() < m.end():
        return o.opaque()
    left, right = o.inputs
    ranking = o.elaborator.expression(o.terms.one(m.end(), end.start()))
    return NearestByJoin(left, right, m.group(1), m.group(2) == "true", int(m.group(3)), ranking, end.group(1))


def _loop(o: Operator) -> LogicalPlan:
    m = re.fullmatch(r"UnionLoop (\d+)(?:, (\d+))?(?:, (\d+))?", o.text)
    if m is None:
        return o.opaque()
    anchor, recursion = o.inputs
    depth, limit = (None if n is None else int(n) for n in m.group(2, 3))
    listed = o.columns.loops.get(int(m[1]), ())
    if len(listed) != len(anchor.output):
        listed = tuple((a.name, next_id(), False) for a in anchor.output)
    pairs = zip(listed, anchor.output, strict=True)
    own = tuple(AttributeReference(name, a.data_type, True, number) for (name, number, _), a in pairs)
    return UnionLoop(int(m[1]), anchor, recursion, own, depth, limit)


#: What reads a line, by the operator's name.
READERS: dict[str, Callable[[Operator], LogicalPlan]] = {
    "Union": _union,
    "Intersect": _set(Intersect),
    "Except": _set(Except),
    "Join": _join,
    "LateralJoin": _lateral,
    "NearestByJoin": _nearest,
    "UnionLoop": _loop,
}
