"""CASE, IF, COALESCE and their relatives."""

from __future__ import annotations

from collections.abc import Callable

from planviz.expressions.core import Expression, TypeMismatch
from planviz.trees.node import lazy, node
from planviz.types import (
    BOOLEAN,
    UNKNOWN,
    ArrayType,
    DataType,
    MapType,
    StructField,
    StructType,
    is_orderable,
    wider_type,
)


def merged_type(children: list[Expression]) -> DataType:
    """The common type of children that agree but for nullability inside complex types."""
    result = children[0].data_type
    for c in children[1:]:
        t = c.data_type
        if t != result:
            result = _merge(result, t)
    return result


def _merge(a: DataType, b: DataType) -> DataType:
    if isinstance(a, ArrayType) and isinstance(b, ArrayType):
        return ArrayType(_merge(a.element, b.element), a.contains_null or b.contains_null)
    if isinstance(a, MapType) and isinstance(b, MapType):
        null = a.value_contains_null or b.value_contains_null
        return MapType(_merge(a.key, b.key), _merge(a.value, b.value), null)
    if isinstance(a, StructType) and isinstance(b, StructType) and len(a.fields) == len(b.fields):
        pairs = zip(a.fields, b.fields, strict=True)
        return StructType(
            tuple(StructField(x.name, _merge(x.data_type, y.data_type), x.nullable or y.nullable) for x, y in pairs)
        )
    return a if b == UNKNOWN or a == b else (wider_type(a, b) or a)


def same_types(children: list[Expression], name: str) -> TypeMismatch | None:
    """The mismatch of children that should be of one type, or None."""
    first = children[0].data_type
    if all(c.data_type.simple_string == first.simple_string or UNKNOWN in (c.data_type, first) for c in children):
        return None
    kinds = ", ".join(f'"{c.data_type.sql}"' for c in children)
    return TypeMismatch("DATA_DIFF_TYPES", f"Input to `{name}` should all be the same type, but it's [{kinds}]")


@node
class CaseWhen(Expression):
    """CASE WHEN conditions THEN values ELSE otherwise END; branches alternate condition, value."""

    branches: tuple[Expression, ...]
    otherwise: Expression | None = None

    @property
    def conditions(self) -> tuple[Expression, ...]:
        """The conditions in order."""
        return self.branches[::2]

    @property
    def values(self) -> tuple[Expression, ...]:
        """The values of the branches in order."""
        return self.branches[1::2]

    @property
    def results(self) -> list[Expression]:
        """The values and the ELSE."""
        return [*self.values, *([] if self.otherwise is None else [self.otherwise])]

    @lazy
    def data_type(self) -> DataType:
        """The common type of the results."""
        return merged_type(self.results)

    @lazy
    def nullable(self) -> bool:
        """When a result is, or there is no ELSE."""
        return self.otherwise is None or any(v.nullable for v in self.results)

    def check_input_types(self) -> TypeMismatch | None:
        """Boolean conditions, results of one type."""
        from planviz.expressions.arithmetic import unexpected_input

        mismatch = same_types(self.results, "casewhen")
        if mismatch:
            return mismatch
        for i, c in enumerate(self.conditions, 1):
            if c.data_type not in (BOOLEAN, UNKNOWN):
                return unexpected_input(i, c, '"BOOLEAN"')
        return None

    def to_string(self) -> str:
        """CASE WHEN c THEN v ELSE e END."""
        return self.render(str)

    def render(self, r: Callable[[Expression], str]) -> str:
        """The same with the children's SQL."""
        pairs = zip(self.conditions, self.values, strict=True)
        cases = "".join(f" WHEN {r(c)} THEN {r(v)}" for c, v in pairs)
        otherwise = "" if self.otherwise is None else f" ELSE {r(self.otherwise)}"
        return f"CASE{cases}{otherwise} END"


@node
class If(Expression):
    """if(predicate, then, otherwise)."""

    predicate: Expression
    then: Expression
    otherwise: Expression

    @lazy
    def data_type(self) -> DataType:
        """The common type of the results."""
        return merged_type([self.then, self.otherwise])

    @lazy
    def nullable(self) -> bool:
        """When a result is."""
        return self.then.nullable or self.otherwise.nullable

    def check_input_types(self) -> TypeMismatch | None:
        """A boolean predicate, results of one type."""
        from planviz.expressions.arithmetic import unexpected_input

        if self.predicate.data_type not in (BOOLEAN, UNKNOWN):
            return unexpected_input(1, self.predicate, '"BOOLEAN"')
        return same_types([self.then, self.otherwise], "if")

    def to_string(self) -> str:
        """if (p) a else b."""
        return f"if ({self.predicate}) {self.then} else {self.otherwise}"

    def render(self, r: Callable[[Expression], str]) -> str:
        """(IF(p, a, b))."""
        return f"(IF({r(self.predicate)}, {r(self.then)}, {r(self.otherwise)}))"


@node
class Coalesce(Expression):
    """The first of its arguments that is not null."""

    arguments: tuple[Expression, ...]

    @lazy
    def data_type(self) -> DataType:
        """The common type."""
        return merged_type(list(self.arguments))

    @lazy
    def nullable(self) -> bool:
        """Only when all are."""
        return all(a.nullable for a in self.arguments)

    def check_input_types(self) -> TypeMismatch | None:
        """One type."""
        return same_types(list(self.arguments), "coalesce")


@node
class Extremum(Expression):
    """greatest(...) or least(...), ignoring nulls."""

    name: str
    arguments: tuple[Expression, ...]

    @property
    def pretty_name(self) -> str:
        """See Expression."""
        return self.name

    @lazy
    def data_type(self) -> DataType:
        """The common type."""
        return merged_type(list(self.arguments))

    @lazy
    def nullable(self) -> bool:
        """Only when all are."""
        return all(a.nullable for a in self.arguments)

    def check_input_types(self) -> TypeMismatch | None:
        """One type, whose values have an order."""
        t = self.arguments[0].data_type
        if not is_orderable(t) and t != UNKNOWN and same_types(list(self.arguments), self.name) is None:
            return TypeMismatch(
                "INVALID_ORDERING_TYPE", f'The `{self.name}` does not support ordering on type "{t.sql}"'
            )
        return same_types(list(self.arguments), self.name)

    def flat_arguments(self) -> list[str]:
        """The arguments."""
        return [str(a) for a in self.arguments]
