"""What a join compares for equality, and which columns tell rows apart."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from planviz.expressions.conditional import Coalesce
from planviz.expressions.core import Alias, AttributeReference, Literal
from planviz.expressions.predicates import EqualNullSafe, EqualTo, IsNull
from planviz.expressions.predicates import split_conjunction as split
from planviz.logical.combining import Except, Intersect, Join, WithCTE
from planviz.logical.operators import (
    Aggregate,
    Distinct,
    Filter,
    GlobalLimit,
    Limit,
    Project,
    RebalancePartitions,
    Repartition,
    RepartitionByExpression,
    Sample,
    Sort,
    Window,
)
from planviz.optimizer.attributes import id_of
from planviz.types import STRING

Key = tuple[Any, Any]


def join_keys(join: Any) -> list[Key]:
    """The pairs of expressions, left and right, that an equi-join compares (Spark: ExtractEquiJoinKeys)."""
    if join.condition is None:
        return []
    left, right = join.left.output_set, join.right.output_set
    keys: list[Key] = []
    for c in split(join.condition):
        if not isinstance(c, EqualTo | EqualNullSafe):
            continue
        a, b = c.left, c.right
        if not a.references or not b.references:
            continue
        if not (a.references <= left and b.references <= right):
            a, b = b, a
        if not (a.references <= left and b.references <= right):
            continue
        if isinstance(c, EqualTo):
            keys.append((a, b))
        else:
            keys += [(Coalesce((a, _default(a))), Coalesce((b, _default(b)))), (IsNull(a), IsNull(b))]
    return keys


def _default(e: Any) -> Literal:
    return Literal("" if e.data_type == STRING else 0, e.data_type)


def unique_keys(plan: Any, keys: Iterable[Any]) -> bool:
    """Whether no two rows of the plan share these keys."""
    known = distinct_keys(plan)
    if not known:
        return False
    given = frozenset(k.expr_id for k in keys if hasattr(k, "expr_id"))
    return any(s <= given for s in known)


def distinct_keys(plan: Any) -> list[frozenset[int]]:
    """Sets of columns whose values together occur once (Spark: DistinctKeyVisitor); computed once per node."""
    found: list[frozenset[int]] | None = plan.__dict__.get("_distinct_keys")
    if found is None:
        found = plan.__dict__["_distinct_keys"] = _distinct_keys(plan)
    return found


def _distinct_keys(plan: Any) -> list[frozenset[int]]:
    match plan:
        case Aggregate(grouping, items, child):
            return _of_groups(grouping, items, distinct_keys(child))
        case Distinct() | Except(is_all=False) | Intersect(is_all=False):
            return [frozenset(plan.output_set)]
        case Project(items, child):
            return _renamed(distinct_keys(child), items)
        case GlobalLimit() if plan.max_rows is not None and plan.max_rows <= 1:
            return [frozenset([i]) for i in plan.output_set]
        case Join(left, _, kind) if kind in ("LeftSemi", "LeftAnti"):
            return distinct_keys(left)
        case Join() if plan.kind in ("Inner", "LeftOuter", "RightOuter"):
            return _of_join(plan)
        case Sample(with_replacement=True):
            return []
        case WithCTE():
            return distinct_keys(plan.plan)
        case Filter() | Limit() | Repartition() | RepartitionByExpression() | RebalancePartitions() | Sample() | Sort():
            return distinct_keys(plan.child)
        case Window():
            return distinct_keys(plan.child)
    return [frozenset()] if plan.max_rows is not None and plan.max_rows <= 1 else []


def _of_groups(grouping: tuple[Any, ...], items: tuple[Any, ...], below: list[frozenset[int]]) -> list[frozenset[int]]:
    if not grouping:
        return [frozenset()]
    renamed = _renamed(below, items)
    keys: list[int] = []
    for g in grouping:
        found = next((id_of(i) for i in items if (i.child if isinstance(i, Alias) else i).semantic_equals(g)), None)
        if found is None:
            return renamed
        keys.append(found)
    own = frozenset(keys)
    return renamed if any(s <= own for s in renamed) else [*renamed, own]


def _renamed(below: list[frozenset[int]], items: tuple[Any, ...]) -> list[frozenset[int]]:
    """The sets whose columns are all kept, under the names that the items give them."""
    if not below:
        return []
    aliases = [i for i in items if isinstance(i, Alias) and isinstance(i.child, AttributeReference)]
    renamed = {i.child.expr_id: i.expr_id for i in reversed(aliases) if isinstance(i.child, AttributeReference)}
    kept = {i.expr_id for i in items if isinstance(i, AttributeReference)}
    out = [frozenset(renamed.get(k, k) for k in s) for s in below if all(k in renamed or k in kept for k in s)]
    return list(dict.fromkeys([*out, *[s for s in below if s <= kept]]))


def _of_join(join: Any) -> list[frozenset[int]]:
    left, right = distinct_keys(join.left), distinct_keys(join.right)
    keys = join_keys(join) if left or right else []
    if not keys:
        return []
    left_unique = join.kind != "LeftOuter" and unique_keys(join.left, [a for a, _ in keys])
    right_unique = join.kind != "RightOuter" and unique_keys(join.right, [b for _, b in keys])
    if left_unique and right_unique:
        return [*left, *right]
    return left if right_unique else right if left_unique else []
