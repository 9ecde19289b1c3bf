"""Functions that give several rows or columns for one (Spark: Generator)."""

from __future__ import annotations

from planviz.expressions.arithmetic import unexpected_input
from planviz.expressions.core import Expression, GeneratorMark, Literal, TypeMismatch, UnaryExpression
from planviz.trees.node import always, node
from planviz.types import INT, NULL, UNKNOWN, ArrayType, DataType, MapType, StructField, StructType, is_string


class Generator(GeneratorMark):
    """A function that gives rows. `element_schema` are its columns."""

    @property
    def element_schema(self) -> tuple[StructField, ...]:
        """The columns, resolved children given."""
        return ()

    @property
    def data_type(self) -> DataType:
        """Rows of its columns."""
        return ArrayType(StructType(self.element_schema))

    foldable = always(False)
    nullable = always(False)


@node
class Explode(Generator, UnaryExpression):
    """explode, posexplode or inline of the child, and their outer forms; `name` as written."""

    child: Expression
    name: str = "explode"

    @property
    def pretty_name(self) -> str:
        """See Expression."""
        return self.name.removesuffix("_outer")

    @property
    def outer(self) -> bool:
        """Whether empty input still gives a row."""
        return self.name.endswith("_outer")

    @property
    def element_schema(self) -> tuple[StructField, ...]:
        """pos, and col or key and value or the struct's fields."""
        t = self.child.data_type
        if self.pretty_name == "inline" and isinstance(t, ArrayType) and isinstance(t.element, StructType):
            if t.contains_null:
                return tuple(StructField(f.name, f.data_type, True) for f in t.element.fields)
            return t.element.fields
        pos = (StructField("pos", INT, False),) if self.pretty_name == "posexplode" else ()
        if isinstance(t, MapType):
            return (*pos, StructField("key", t.key, False), StructField("value", t.value, t.value_contains_null))
        element, null = (t.element, t.contains_null) if isinstance(t, ArrayType) else (UNKNOWN, True)
        return (*pos, StructField("col", element, null))

    def check_input_types(self) -> TypeMismatch | None:
        """Arrays and maps; inline an array of structs."""
        t = self.child.data_type
        if self.pretty_name == "inline":
            if (isinstance(t, ArrayType) and isinstance(t.element, StructType)) or t == UNKNOWN:
                return None
            return unexpected_input(1, self.child, '"ARRAY<STRUCT>"')
        if isinstance(t, ArrayType | MapType) or t == UNKNOWN:
            return None
        return unexpected_input(1, self.child, '("ARRAY" or "MAP")')

    def flat_arguments(self) -> list[str]:
        """The child."""
        return [str(self.child)]


@node
class Stack(Generator):
    """stack(n, values): n rows."""

    arguments: tuple[Expression, ...]

    @property
    def element_schema(self) -> tuple[StructField, ...]:
        """col0, col1 ...; a column's type is that of its first value that is not NULL."""
        rows = self.arguments[0]
        n = rows.value if isinstance(rows, Literal) and isinstance(rows.value, int) else 1
        types = [v.data_type for v in self.arguments[1:]]
        width = -(-len(types) // max(n, 1))
        columns = (next((t for t in types[i::width] if t != NULL), NULL) for i in range(width))
        return tuple(StructField(f"col{i}", t, True) for i, t in enumerate(columns))

    def check_input_types(self) -> TypeMismatch | None:
        """A constant count of rows, and every value of a column of the column's type."""
        rows = self.arguments[0]
        if not rows.foldable:
            return TypeMismatch(
                "NON_FOLDABLE_INPUT",
                f'the input `n` should be a foldable "INT" expression; however, got "{rows.pretty}"',
            )
        if rows.data_type != INT:
            return unexpected_input(1, rows, '"INT"')
        if isinstance(rows, Literal) and isinstance(rows.value, int) and rows.value < 1:
            return TypeMismatch(
                "VALUE_OUT_OF_RANGE", f"The `n` must be between (0, 2147483647] (current value = {rows.value})"
            )
        columns = [f.data_type for f in self.element_schema]
        for i, value in enumerate(self.arguments[1:]):
            at = i % len(columns)
            if value.data_type not in (NULL, UNKNOWN, columns[at]) and columns[at] != UNKNOWN:
                return TypeMismatch(
                    "STACK_COLUMN_DIFF_TYPES",
                    f"The data type of the column ({at}) do not have the same type: "
                    f'"{columns[at].sql}" ({at + 1}) <> "{value.data_type.sql}" ({i + 1})',
                )
        return None


@node
class GeneratorCall(Generator):
    """Any other generator: its columns are given."""

    name: str
    arguments: tuple[Expression, ...]
    schema: tuple[StructField, ...]
    outer: bool = False

    @property
    def pretty_name(self) -> str:
        """See Expression."""
        return self.name

    @property
    def element_schema(self) -> tuple[StructField, ...]:
        """The given columns."""
        return self.schema

    def check_input_types(self) -> TypeMismatch | None:
        """json_tuple takes texts."""
        if self.name != "json_tuple" or all(is_string(a.data_type) or a.data_type == UNKNOWN for a in self.arguments):
            return None
        return TypeMismatch("NON_STRING_TYPE", "all arguments of the function `json_tuple` must be strings")

    def flat_arguments(self) -> list[str]:
        """The arguments."""
        return [str(a) for a in self.arguments]
