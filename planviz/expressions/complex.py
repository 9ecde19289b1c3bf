"""Structs, arrays and maps: making them and taking parts out."""

from __future__ import annotations

from collections.abc import Callable

from planviz.expressions.conditional import merged_type, same_types
from planviz.expressions.core import (
    Expression,
    Literal,
    NamedExpression,
    PrettyAttribute,
    TypeMismatch,
    UnaryExpression,
)
from planviz.trees.node import always, lazy, node
from planviz.types import (
    NULL,
    STRING,
    UNKNOWN,
    ArrayType,
    DataType,
    MapType,
    StructField,
    StructType,
    has_map,
    is_string,
    quote_if_needed,
)


class ExtractValue(Expression):
    """Base of the expressions that take a part out of a complex value."""

    null_intolerant = always(True)


@node
class GetStructField(UnaryExpression, ExtractValue):
    """child.name, the field at `ordinal`; `given` is the name as the user wrote it."""

    child: Expression
    ordinal: int
    given: str | None = None

    @property
    def field(self) -> StructField:
        """The field."""
        t = self.child.data_type
        assert isinstance(t, StructType)
        return t.fields[self.ordinal]

    @property
    def name(self) -> str:
        """The name as written, or the field's."""
        return self.given or self.field.name

    @lazy
    def data_type(self) -> DataType:
        """The field's."""
        return self.field.data_type

    @lazy
    def nullable(self) -> bool:
        """When the struct or the field is."""
        return self.child.nullable or self.field.nullable

    def to_string(self) -> str:
        """child.field."""
        return f"{self.child}.{self.name if self.child.resolved else self.given}"

    def render(self, r: Callable[[Expression], str]) -> str:
        """child.field."""
        return f"{r(self.child)}.{quote_if_needed(self.name)}"

    def render_pretty(self) -> str:
        """child.field."""
        return f"{self.child.pretty}.{self.name}"


@node
class GetArrayStructFields(UnaryExpression, ExtractValue):
    """child.name for an array of structs: the array of that field."""

    child: Expression
    ordinal: int

    @property
    def field(self) -> StructField:
        """The field."""
        t = self.child.data_type
        assert isinstance(t, ArrayType)
        assert isinstance(t.element, StructType)
        return t.element.fields[self.ordinal]

    @lazy
    def data_type(self) -> DataType:
        """An array of the field's type."""
        t = self.child.data_type
        assert isinstance(t, ArrayType)
        return ArrayType(self.field.data_type, t.contains_null or self.field.nullable)

    def to_string(self) -> str:
        """child.field."""
        return f"{self.child}.{self.field.name}"

    def render(self, r: Callable[[Expression], str]) -> str:
        """child.field."""
        return f"{r(self.child)}.{self.field.name}"

    def render_pretty(self) -> str:
        """child.field, the child as a plan shows it but for the ids (Spark: usePrettyExpression)."""

        def bare(e: Expression) -> Expression:
            as_written = type(e).render_pretty is Expression.render_pretty
            return e if as_written else PrettyAttribute(e.pretty, e.data_type)

        return f"{self.child.transform_down(bare)}.{self.field.name}"


@node
class GetArrayItem(ExtractValue):
    """child[ordinal] of an array."""

    child: Expression
    ordinal: Expression
    mode: str = "ANSI"

    @lazy
    def data_type(self) -> DataType:
        """The element's."""
        t = self.child.data_type
        assert isinstance(t, ArrayType)
        return t.element

    @lazy
    def nullable(self) -> bool:
        """ANSI mode fails beyond the end, so: when child, ordinal or elements are; always otherwise."""
        t = self.child.data_type
        if self.mode == "LEGACY" and not self._inside():
            return True
        return self.child.nullable or self.ordinal.nullable or (isinstance(t, ArrayType) and t.contains_null)

    def _inside(self) -> bool:
        """Whether the ordinal is one of an array that is written out."""
        if not isinstance(self.child, CreateArray) or not isinstance(self.ordinal, Literal):
            return False
        return isinstance(self.ordinal.value, int) and 0 <= self.ordinal.value < len(self.child.items)

    def to_string(self) -> str:
        """child[ordinal]."""
        return f"{self.child}[{self.ordinal}]"

    def render(self, r: Callable[[Expression], str]) -> str:
        """child[ordinal]."""
        return f"{r(self.child)}[{r(self.ordinal)}]"


@node
class GetMapValue(ExtractValue):
    """child[key] of a map."""

    child: Expression
    key: Expression

    @lazy
    def data_type(self) -> DataType:
        """The values'."""
        t = self.child.data_type
        assert isinstance(t, MapType)
        return t.value

    nullable = always(True)  # the key may be missing

    def to_string(self) -> str:
        """child[key]."""
        return f"{self.child}[{self.key}]"

    def render(self, r: Callable[[Expression], str]) -> str:
        """child[key]."""
        return f"{r(self.child)}[{r(self.key)}]"


@node
class CreateNamedStruct(Expression):
    """A struct of names and values, alternating; `shown` is the name it prints: struct or named_struct."""

    parts: tuple[Expression, ...]
    shown: str = "named_struct"

    UNCOMPARED = ("shown",)

    @property
    def names(self) -> list[str]:
        """The field names."""
        return [str(p.value) if isinstance(p, Literal) else p.pretty for p in self.parts[::2]]

    @property
    def values(self) -> tuple[Expression, ...]:
        """The field values."""
        return self.parts[1::2]

    @lazy
    def data_type(self) -> DataType:
        """The struct."""
        pairs = zip(self.names, self.values, strict=True)
        return StructType(tuple(StructField(n, v.data_type, v.nullable) for n, v in pairs))

    nullable = always(False)

    def check_input_types(self) -> TypeMismatch | None:
        """Names are constant strings."""
        wrong = [p for p in self.parts[::2] if not (p.foldable and p.data_type in (STRING, UNKNOWN))]
        if wrong:
            shown = ", ".join(f'"{p.pretty}"' for p in wrong)
            return TypeMismatch(
                "CREATE_NAMED_STRUCT_WITHOUT_FOLDABLE_STRING",
                f"Only foldable `STRING` expressions are allowed to appear at odd position, but they are [{shown}]",
            )
        if any(isinstance(p, Literal) and p.value is None for p in self.parts[::2]):
            return TypeMismatch("UNEXPECTED_NULL", "The Field name must not be null")
        return None

    def to_string(self) -> str:
        """named_struct(name, value, ...)."""
        return f"{self.shown}({', '.join(map(str, self.parts))})"

    def render(self, r: Callable[[Expression], str]) -> str:
        """struct shows only the values, named_struct the names, too."""
        shown = self.values if self.shown == "struct" else self.parts
        return f"{self.shown}({', '.join(r(p) for p in shown)})"


def field_name(value: Expression, position: int) -> str:
    """The name of a struct's field that is made of a value: the value's own, or col and its number."""
    if isinstance(value, NamedExpression):
        return value.name.split(".")[-1]
    extraction = getattr(value, "extraction", None)
    if isinstance(extraction, Literal) and is_string(extraction.type):
        return str(extraction.value)
    return value.name if isinstance(value, GetStructField) else f"col{position}"


def struct_of(values: list[Expression], shown: str = "named_struct") -> CreateNamedStruct:
    """A struct whose fields are named after the values, or col1, col2 ... where they have no name."""
    parts: list[Expression] = []
    for i, v in enumerate(values, 1):
        parts += [Literal(field_name(v, i), STRING), v]
    return CreateNamedStruct(tuple(parts), shown)


@node
class CreateArray(Expression):
    """array(items)."""

    items: tuple[Expression, ...]
    NAME = "array"

    @lazy
    def data_type(self) -> DataType:
        """An array of the items' type."""
        element = merged_type(list(self.items)) if self.items else NULL
        return ArrayType(element, any(i.nullable for i in self.items))

    nullable = always(False)

    @lazy
    def foldable(self) -> bool:
        """When all items are."""
        return all(i.foldable for i in self.items)

    def check_input_types(self) -> TypeMismatch | None:
        """Items of one type."""
        return same_types(list(self.items), "array") if self.items else None


@node
class CreateMap(Expression):
    """map(key, value, ...)."""

    parts: tuple[Expression, ...]
    NAME = "map"

    @lazy
    def data_type(self) -> DataType:
        """The map."""
        keys, values = self.parts[::2], self.parts[1::2]
        key = merged_type(list(keys)) if keys else NULL
        return MapType(key, merged_type(list(values)) if values else NULL, any(v.nullable for v in values))

    nullable = always(False)

    @lazy
    def foldable(self) -> bool:
        """When all parts are."""
        return all(i.foldable for i in self.parts)

    def check_input_types(self) -> TypeMismatch | None:
        """Keys of one type without maps, values of one type."""
        if not self.parts:
            return None
        for at, what in ((0, "KEY"), (1, "VALUE")):
            if same_types(list(self.parts[at::2]), "map") is not None:
                kinds = ", ".join(f'"{c.data_type.sql}"' for c in self.parts[at::2])
                return TypeMismatch(
                    f"CREATE_MAP_{what}_DIFF_TYPES",
                    f"The given {what.lower()}s of function `map` should all be the same type, but they are [{kinds}]",
                )
        key = merged_type(list(self.parts[::2]))
        if has_map(key):
            return TypeMismatch("INVALID_MAP_KEY_TYPE", f'The key of map cannot be/contain "{key.sql}"')
        return None
