"""Lines of logical operators that read nothing else: relations, rows, ranges, references to CTEs."""

from __future__ import annotations

import re
from collections.abc import Callable

from planviz.expressions.core import AttributeReference
from planviz.logical.plan import LogicalPlan
from planviz.logical.relations import (
    CTERelationRef,
    LocalRelation,
    LogicalRDD,
    LogicalRelation,
    OneRowRelation,
    Range,
    UnionLoopRef,
    UntoldRows,
)
from planviz.replay.operator_lines import LEFT_OUT, Operator, columns_of, cut_items
from planviz.types import LONG


def _relation(o: Operator) -> LogicalPlan:
    # Behind the columns stands a format, or a data source in words of its own, which stays as it is.
    m = re.fullmatch(r"Relation ?([^\[]*)\[((?:.*#\d+L?|[^\[]*|.*\.\.\. \d+ more fields))\] ?([\w.$@-]*)", o.text, re.S)
    if m is None:
        return o.opaque()
    name = tuple(p for p in m.group(1).strip().split(".") if p)
    attributes = o.own_columns(f"[{m.group(2)}]", ".".join(name).lower())
    made = LogicalRelation(attributes, name, None, m.group(3))
    listed = sum(1 for _ in columns_of(f"[{m.group(2)}]"))
    LEFT_OUT.set(made, max(listed + cut_items(m.group(2)) - len(attributes), 0))
    return made


def _local(o: Operator) -> LogicalPlan:
    columns = o.own_columns(o.text) if "[" in o.text else ()
    if o.text.startswith("LocalRelation <empty>"):
        return LocalRelation(columns)
    if o.columns.empties:  # a filter takes the rows of null out
        return LocalRelation(columns, ((None,) * len(columns),))
    return LocalRelation(columns, UntoldRows.over(len(columns)))


def _range(o: Operator) -> LogicalPlan:
    m = re.fullmatch(r"Range \((-?\d+), (-?\d+), step=(-?\d+)(?:, splits=(?:Some\((\d+)\)|None))?\)", o.text)
    if m is None:
        return o.opaque()
    start, end, step, slices = m.groups()
    column = AttributeReference("id", LONG, False, o.line.column)
    shows_none = "splits=None" in o.text
    return Range(int(start), int(end), int(step), None if slices is None else int(slices), column, shows_none)


def _rdd(o: Operator) -> LogicalPlan:
    made = LogicalRDD(o.own_columns(o.text[: o.text.index("]") + 1]))
    return made if made.simple_string == o.text else o.opaque()


def _cte_ref(o: Operator) -> LogicalPlan:
    m = re.fullmatch(
        r"CTERelationRef (\d+), (true|false)(?:, \[(.*)\])?(?:, (true|false))?(?:, (true|false))?(?:, (\d+))?(.*)",
        o.text,
    )
    if m is None or m.group(7):
        return o.opaque()
    attributes = o.own_columns(f"[{m.group(3)}]", f"cte {m.group(1)}") if m.group(3) else ()
    rows = None if m.group(6) is None else int(m.group(6))
    streaming, recursive = (None if flag is None else flag == "true" for flag in m.group(4, 5))
    definition = o.columns.definitions.get(int(m.group(1)))
    if definition is not None and len(definition) == len(attributes):
        pairs = zip(attributes, definition, strict=True)
        attributes = tuple(AttributeReference(a.name, d.type, d.is_nullable, a.expr_id) for a, d in pairs)
    return CTERelationRef(int(m.group(1)), m.group(2) == "true", attributes, streaming, recursive, rows)


def _loop_ref(o: Operator) -> LogicalPlan:
    m = re.fullmatch(r"UnionLoopRef (\d+), \[.*\], (true|false)", o.text)
    return UnionLoopRef(int(m[1]), o.own_columns(o.text), m[2] == "true") if m is not None else o.opaque()


#: What reads a line, by the operator's name.
READERS: dict[str, Callable[[Operator], LogicalPlan]] = {
    "Relation": _relation,
    "LocalRelation": _local,
    "OneRowRelation": lambda o: OneRowRelation(),
    "Range": _range,
    "LogicalRDD": _rdd,
    "CTERelationRef": _cte_ref,
    "UnionLoopRef": _loop_ref,
}
