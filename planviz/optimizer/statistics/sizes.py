"""The size of a plan's result in bytes, from table sizes alone (Spark: SizeInBytesOnlyStatsPlanVisitor)."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod
from typing import Any

from planviz.config import OptimizerConfig
from planviz.expressions.core import Literal
from planviz.logical.combining import Except, Intersect, Join, Union, WithCTE
from planviz.logical.operators import (
    Aggregate,
    Expand,
    Generate,
    GlobalLimit,
    LocalLimit,
    Repartition,
    RepartitionByExpression,
    Sample,
    Sort,
)
from planviz.logical.plan import UnaryNode
from planviz.logical.relations import CTERelationRef, LocalRelation, LogicalRelation, OneRowRelation, Range

#: What Spark takes for a table of unknown size (spark.sql.defaultSizeInBytes).
UNKNOWN_SIZE = (1 << 63) - 1


def row_size(columns: Iterable[Any]) -> int:
    """Bytes of one row: 8 and what each type takes by default."""
    width: int = sum(a.data_type.default_size for a in columns)
    return 8 + width


def size_in_bytes(plan: Any) -> int:
    """The estimated size; computed once per plan node."""
    if "_size" not in plan.__dict__:
        plan.__dict__["_size"] = _size(plan)
    found: int = plan.__dict__["_size"]
    return found


def _size(plan: Any) -> int:
    match plan:
        case LogicalRelation():
            known = getattr(plan.table, "size_in_bytes", None)
            return UNKNOWN_SIZE if known is None else int(known)
        case LocalRelation(columns, rows):
            return sum(a.data_type.default_size for a in columns) * len(rows)
        case OneRowRelation():
            return 1
        case Range():
            return 8 * (plan.max_rows or 1)
        case CTERelationRef(statistics=size):
            return UNKNOWN_SIZE if size is None else size
        case WithCTE(_, query):
            return size_in_bytes(query)
        case Aggregate(()):
            return row_size(plan.output)
        case GlobalLimit(Literal(int() as n, _), _):
            return row_size(plan.output) * n if n else 1
        case LocalLimit(Literal(0, _), _):
            return 1
        case Join(left, right, kind):
            return size_in_bytes(left) if kind in ("LeftSemi", "LeftAnti") else _product((left, right))
        case Union(inputs):
            return sum(map(size_in_bytes, inputs))
        case Intersect(left, right, _):
            return min(size_in_bytes(left), size_in_bytes(right))
        case Except(left, _, _):
            return size_in_bytes(left)
        case Expand(projections, _, _):
            return _unary(plan) * len(projections)
        case Sample():
            return max(1, int(size_in_bytes(plan.child) * (plan.upper - plan.lower)))
        case Sort() | Repartition() | RepartitionByExpression() | Generate():
            return size_in_bytes(plan.child)
        case UnaryNode():
            return _unary(plan)
    return _product(plan.children) if plan.children else UNKNOWN_SIZE


def _unary(plan: Any) -> int:
    size = size_in_bytes(plan.child) * row_size(plan.output) // row_size(plan.child.output)
    return size or 1


def _product(children: Iterable[Any]) -> int:
    return prod(s for s in map(size_in_bytes, children) if s > 0)


def can_broadcast(plan: Any, config: OptimizerConfig) -> bool:
    """Whether the plan is estimated to be small enough for a broadcast join."""
    return 0 <= size_in_bytes(plan) <= int(config.get("spark.sql.autoBroadcastJoinThreshold"))
