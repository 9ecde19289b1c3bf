"""Structs with other fields: what `Column.withField` and `Column.dropFields` make."""

from __future__ import annotations

from collections.abc import Callable

from planviz.expressions.arithmetic import unexpected_input
from planviz.expressions.complex import CreateNamedStruct, GetStructField
from planviz.expressions.conditional import If
from planviz.expressions.core import Expression, LeafExpression, Literal, TypeMismatch, UnaryExpression
from planviz.expressions.predicates import IsNull
from planviz.trees.node import always, lazy, node
from planviz.types import NULL, STRING, UNKNOWN, DataType, StructField, StructType

#: A field's name and value.
Field = tuple[str, Expression]


@node
class WithField(UnaryExpression):
    """A field that is added, or has another value."""

    name: str
    child: Expression

    @property
    def data_type(self) -> DataType:
        """The value's."""
        return self.child.data_type

    def to_string(self) -> str:
        """WithField(name, value)."""
        return f"WithField({self.name}, {self.child})"

    def render(self, r: Callable[[Expression], str]) -> str:
        """The value alone."""
        return f"WithField({r(self.child)})"


@node
class DropField(LeafExpression):
    """A field that goes."""

    name: str

    data_type = always(NULL)
    foldable = always(False)

    def to_string(self) -> str:
        """dropfield(name)."""
        return f"dropfield({self.name})"

    def render(self, r: Callable[[Expression], str]) -> str:
        """Without the name."""
        return "dropfield()"


@node
class UpdateFields(Expression):
    """A struct with fields added, changed or dropped, one after another; null where the struct is."""

    struct: Expression
    operations: tuple[Expression, ...]

    @lazy
    def fields(self) -> list[Field]:
        """The fields of the result with what gives them, read out of a struct that is not null."""
        found = list(_fields_of(self.struct))
        for operation in self.operations:
            found = _after(found, operation)
        return found

    @lazy
    def data_type(self) -> DataType:
        """The struct of those fields."""
        if not isinstance(self.struct.data_type, StructType):
            return UNKNOWN
        return StructType(tuple(StructField(name, e.data_type, e.nullable) for name, e in self.fields))

    @lazy
    def nullable(self) -> bool:
        """When the struct is."""
        return self.struct.nullable

    @property
    def built(self) -> Expression:
        """The same as a struct that is put together of its fields."""
        parts = tuple(x for name, e in self.fields for x in (Literal(name, STRING), e))
        made = CreateNamedStruct(parts)
        return self.unless_null(made)

    def unless_null(self, value: Expression) -> Expression:
        """The value, or null where the struct is."""
        if not self.struct.nullable:
            return value
        return If(IsNull(self.struct), Literal(None, value.data_type), value)

    def check_input_types(self) -> TypeMismatch | None:
        """A struct, of which something stays."""
        kind = self.struct.data_type
        if kind == UNKNOWN:
            return None
        if not isinstance(kind, StructType):
            return unexpected_input(1, self.struct, '"STRUCT"')
        if kind.fields and not self.fields:
            return TypeMismatch("CANNOT_DROP_ALL_FIELDS", "Cannot drop all fields in struct")
        return None

    def to_string(self) -> str:
        """update_fields(struct, operation, ...)."""
        return f"update_fields({', '.join(map(str, self.children))})"

    def render(self, r: Callable[[Expression], str]) -> str:
        """The same with their SQL."""
        return f"update_fields({', '.join(map(r, self.children))})"


def _fields_of(struct: Expression) -> list[Field]:
    kind = struct.data_type
    if isinstance(struct, CreateNamedStruct):
        return list(zip(struct.names, struct.values, strict=True))
    fields = kind.fields if isinstance(kind, StructType) else ()
    return [(f.name, GetStructField(struct, i)) for i, f in enumerate(fields)]


def _after(fields: list[Field], operation: Expression) -> list[Field]:
    """The fields after one operation; every field of its name is meant, whatever its case."""
    if isinstance(operation, DropField):
        return [f for f in fields if f[0].lower() != operation.name.lower()]
    assert isinstance(operation, WithField)
    new = (operation.name, operation.child)
    if not any(f[0].lower() == operation.name.lower() for f in fields):
        return [*fields, new]
    return [new if f[0].lower() == operation.name.lower() else f for f in fields]
