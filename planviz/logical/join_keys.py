"""What a join compares for equality, and which columns tell rows apart."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime
from decimal import Decimal

from planviz.expressions.conditional import Coalesce
from planviz.expressions.core import Alias, AttributeReference, Expression, Literal, ZonedLiteral, id_of
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
from planviz.logical.plan import LogicalPlan
from planviz.logical.relations import LocalRelation
from planviz.trees.memo import Memo
from planviz.types import (
    BINARY,
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    ArrayType,
    DataType,
    DecimalType,
    MapType,
    StructType,
    is_string,
)
from planviz.types.values import Value
from planviz.types.zones import clock_of, session_zone

Key = tuple[Expression, Expression]


def join_keys(join: Join) -> list[Key]:
    """The pairs of expressions, left and right, that an equi-join compares (Spark: ExtractEquiJoinKeys)."""
    return keys_and_rest(join)[0]


def keys_and_rest(join: Join) -> tuple[list[Key], list[Expression]]:
    """The pairs that an equi-join compares, and the conjuncts of its condition that give none."""
    keys: list[Key] = []
    rest: list[Expression] = []
    for c in split(join.condition) if join.condition is not None else ():
        found = _keys_of(c, join.left.output_set, join.right.output_set)
        keys += found
        if not found:
            rest.append(c)
    return keys, rest


def _keys_of(c: Expression, left: frozenset[int], right: frozenset[int]) -> list[Key]:
    """The keys of one conjunct. Null-safe, a side may read no column at all."""
    if not isinstance(c, EqualTo | EqualNullSafe):
        return []
    if isinstance(c, EqualTo) and not (c.left.references and c.right.references):
        return []
    for a, b in ((c.left, c.right), (c.right, c.left)):
        if a.references <= left and b.references <= right:
            if isinstance(c, EqualTo):
                return [(a, b)]
            defaults = default_literal(a.data_type), default_literal(b.data_type)
            return [(Coalesce((a, defaults[0])), Coalesce((b, defaults[1]))), (IsNull(a), IsNull(b))]
    return []


_DEFAULTS: dict[DataType, object] = {
    STRING: "", BINARY: b"", BOOLEAN: False, DOUBLE: 0.0, FLOAT: 0.0, DATE: date(1970, 1, 1),
    TIMESTAMP_NTZ: datetime(1970, 1, 1),
}  # fmt: skip


def default_literal(t: DataType) -> Literal:
    """A type's default value (Spark: Literal.default): what stands for null in a null-safe key."""
    return ZonedLiteral(_default(t), t, session_zone()) if isinstance(t, StructType) else Literal(_default(t), t)


def _default(t: DataType) -> Value:
    if isinstance(t, DecimalType):
        return Decimal(0).scaleb(-t.scale)
    if t == TIMESTAMP:
        return clock_of(0, session_zone())
    if isinstance(t, StructType):
        return tuple([_default(f.data_type) for f in t.fields])
    return () if isinstance(t, ArrayType | MapType) else _DEFAULTS.get(STRING if is_string(t) else t, 0)


def unique_keys(plan: LogicalPlan, keys: Iterable[Expression]) -> bool:
    """Whether no two rows of the plan share these keys."""
    known = distinct_keys(plan)
    if not known:
        return False
    given = frozenset(k.expr_id for k in keys if hasattr(k, "expr_id"))
    return any(s <= given for s in known)


_DISTINCT_KEYS: Memo[list[frozenset[int]]] = Memo("distinct_keys")


def distinct_keys(plan: LogicalPlan) -> list[frozenset[int]]:
    """Sets of columns whose values together occur once (Spark: DistinctKeyVisitor); computed once per node."""
    found = _DISTINCT_KEYS.get(plan)
    return _DISTINCT_KEYS.set(plan, _distinct_keys(plan)) if found is None else found


def _distinct_keys(plan: LogicalPlan) -> list[frozenset[int]]:
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
    # Of rows that stand in the plan Spark knows no keys, however few they are.
    single = not isinstance(plan, LocalRelation) and plan.max_rows is not None and plan.max_rows <= 1
    return [frozenset()] if single else []


def _of_groups(
    grouping: tuple[Expression, ...], items: tuple[Expression, ...], below: list[frozenset[int]]
) -> list[frozenset[int]]:
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


def _renamed(below: list[frozenset[int]], items: tuple[Expression, ...]) -> list[frozenset[int]]:
    """The sets whose columns are all kept, under the names that the items give them."""
    if not below:
        return []
    aliases = [i for i in items if isinstance(i, Alias) and isinstance(i.child, AttributeReference)]
    renamed = {i.child.expr_id: i.expr_id for i in reversed(aliases) if isinstance(i.child, AttributeReference)}
    kept = {i.expr_id for i in items if isinstance(i, AttributeReference)}
    out = [frozenset(renamed.get(k, k) for k in s) for s in below if all(k in renamed or k in kept for k in s)]
    return list(dict.fromkeys([*out, *[s for s in below if s <= kept]]))


def _of_join(join: Join) -> list[frozenset[int]]:
    left, right = distinct_keys(join.left), distinct_keys(join.right)
    keys = join_keys(join) if left or right else []
    if not keys:
        return []
    left_unique = join.kind != "LeftOuter" and unique_keys(join.left, [a for a, _ in keys])
    right_unique = join.kind != "RightOuter" and unique_keys(join.right, [b for _, b in keys])
    if left_unique and right_unique:
        return [*left, *right]
    return left if right_unique else right if left_unique else []
