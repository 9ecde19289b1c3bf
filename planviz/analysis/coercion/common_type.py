"""Casts of values that must have one type: branches, elements, the values of IN."""

from __future__ import annotations

from planviz.analysis.coercion.lattice import ANSI, Rule, TypeCoercion, cast_to
from planviz.expressions.calls import Concat
from planviz.expressions.casts import Cast
from planviz.expressions.complex import CreateMap
from planviz.expressions.conditional import CaseWhen, Extremum, If
from planviz.expressions.core import Expression, Literal, alias
from planviz.expressions.predicates import In
from planviz.expressions.subqueries import InSubquery, ListQuery
from planviz.logical.operators import Project
from planviz.types import BINARY, BOOLEAN, NULL, STRING, UNKNOWN, ArrayType, DataType, is_atomic, is_string


def same_type(c: TypeCoercion, children: tuple[Expression, ...]) -> DataType | None:
    """The type that several expressions are cast to, or None when they agree already or cannot."""
    types = [x.data_type for x in children]
    if len({t.simple_string for t in types}) == 1:
        return None
    return c.common([t for t in types if t != UNKNOWN])


def case(e: CaseWhen, c: TypeCoercion) -> Expression:
    """CASE: the results, the default included."""
    t = same_type(c, tuple(e.results))
    if t is None:
        return e
    branches = tuple(cast_to(b, t) if i % 2 else b for i, b in enumerate(e.branches))
    otherwise = cast_to(e.otherwise, t) if e.otherwise is not None else None
    return e.replace(branches=branches, otherwise=otherwise)


def conditional(e: If, c: TypeCoercion) -> Expression:
    """if(): a boolean first, then two of one type."""
    given = e.predicate.data_type
    taken = given == NULL or (c.mode == ANSI.mode and is_string(given))
    predicate = cast_to(e.predicate, BOOLEAN) if taken else e.predicate
    if e.predicate == Literal(None, NULL):
        predicate = Literal(None, BOOLEAN)
    t = same_type(c, (e.then, e.otherwise))
    if t is None:
        return e.replace(predicate=predicate)
    return e.replace(predicate=predicate, then=cast_to(e.then, t), otherwise=cast_to(e.otherwise, t))


def all_of(field: str) -> Rule:
    """The rule that gives all expressions in `field` one type."""

    def rule(e: Expression, c: TypeCoercion) -> Expression:
        items = getattr(e, field)
        if not items:
            return e
        t = same_type(c, items)
        return e if t is None else e.replace(**{field: tuple(cast_to(i, t) for i in items)})

    return rule


def extremum(e: Extremum, c: TypeCoercion) -> Expression:
    """greatest and least."""
    types = [a.data_type for a in e.arguments]
    # A text and something else are of no common type here (findWiderTypeWithoutStringPromotion).
    mixed = any(map(is_string, types)) and not all(is_string(t) or t in (NULL, UNKNOWN) for t in types)
    t = c.least_common(types) if len({t.simple_string for t in types}) > 1 and not mixed else None
    return e if t is None else e.replace(arguments=tuple(cast_to(a, t) for a in e.arguments))


def map_entries(e: CreateMap, c: TypeCoercion) -> Expression:
    """map(): the keys of one type, the values of one."""
    keys, values = e.parts[::2], e.parts[1::2]
    k = same_type(c, keys) if keys else None
    v = same_type(c, values) if values else None
    if k is None and v is None:
        return e
    out: list[Expression] = []
    for key, value in zip(keys, values, strict=True):
        out += [cast_to(key, k) if k else key, cast_to(value, v) if v else value]
    return e.replace(parts=tuple(out))


def in_list(e: In, c: TypeCoercion) -> Expression:
    """IN with a list."""
    types = [x.data_type for x in (e.value, *e.items)]
    if all(t == types[0] for t in types):
        return e
    t = c.common([t for t in types if t != UNKNOWN])
    if t is None:
        return e
    # Spark casts every side here, also one that has the type already.
    return e.replace(value=Cast(e.value, t), items=tuple(Cast(i, t) for i in e.items))


def in_subquery(e: InSubquery, c: TypeCoercion) -> Expression:
    """IN with a query: its columns are cast in a projection above it."""
    query = e.query
    if e.resolved or not isinstance(query, ListQuery) or not query.resolved:
        return e
    out = query.child_outputs
    if len(out) != len(e.values):
        return e
    types = [c.wider(v.data_type, a.data_type) for v, a in zip(e.values, out, strict=True)]
    if any(t is None for t in types):
        return e
    items: list[Expression] = []
    for a, t in zip(out, types, strict=True):
        assert t is not None
        items.append(a if a.type == t else alias(Cast(a, t), a.name))
    plan = Project(tuple(items), query.plan)
    values = tuple(cast_to(v, t) for v, t in zip(e.values, types, strict=True) if t is not None)
    return e.replace(values=values, query=query.replace(plan=plan))


def concat(e: Concat, c: TypeCoercion) -> Expression:
    """concat and ||: arrays of one type, all binary, else strings."""
    types = {i.data_type for i in e.items}
    if c.bytes_join_as_text and types == {BINARY}:
        return e.replace(items=tuple(Cast(i, STRING) for i in e.items))
    if len(types) <= 1 and all(is_string(t) or t in (BINARY, UNKNOWN) for t in types):
        return e
    if all(isinstance(t, ArrayType) for t in types):
        return all_of("items")(e, c)
    target: DataType = BINARY if types == {BINARY} else next(filter(is_string, types), STRING)
    if all(is_atomic(t) or t == NULL for t in types):
        return e.replace(items=tuple(cast_to(i, target) for i in e.items))
    return e
