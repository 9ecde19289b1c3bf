"""What the parser writes where a name still has to be found."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from planviz.expressions.core import (
    Alias,
    Attribute,
    AttributeReference,
    Expression,
    LeafExpression,
    NamedExpression,
    UnaryExpression,
    type_suffix,
)
from planviz.trees.node import always, lazy, lazy_alone, node
from planviz.types import DataType, quote, quote_if_needed


class Unresolved(Expression):
    """Base of everything that has no meaning before analysis."""

    UNRESOLVED = True

    nullable = always(True)  # unknown, so yes
    foldable = always(False)


def name_text(parts: tuple[str, ...]) -> str:
    """Name parts with dots between; a part that holds a dot in backquotes (Spark: `UnresolvedAttribute.name`)."""
    return ".".join(quote(p) if "." in p else p for p in parts)


@node
class UnresolvedAttribute(LeafExpression, Unresolved, Attribute):
    """A column by name. `parts` are the dotted parts, as written."""

    parts: tuple[str, ...]

    @property
    def name(self) -> str:  # type: ignore[override]
        """The parts with dots between."""
        return name_text(self.parts)

    def to_string(self) -> str:
        """'a.b."""
        return f"'{self.name}"

    def render(self, r: Callable[[Expression], str]) -> str:
        """The quoted parts."""
        return ".".join(quote_if_needed(p) for p in self.parts)

    def render_pretty(self) -> str:
        """The name."""
        return self.name


@node
class UnresolvedStar(LeafExpression, Unresolved, NamedExpression):
    """`*`, `t.*` or `struct.*`, without the columns in `excepted` (each given by its name parts)."""

    target: tuple[str, ...] = ()
    excepted: tuple[tuple[str, ...], ...] = ()

    @property
    def name(self) -> str:  # type: ignore[override]
        """The star itself."""
        return "*"

    def to_string(self) -> str:
        """The star with its target."""
        return ".".join((*self.target, "*"))

    def render(self, r: Callable[[Expression], str]) -> str:
        """The star with its target."""
        return self.to_string()


@node
class ResolvedStar(UnresolvedStar):
    """The columns of one DataFrame, whatever stands beside them (DataFrame API: `df["*"]`)."""

    columns: tuple[AttributeReference, ...] = ()

    def to_string(self) -> str:
        """ResolvedStar(columns)."""
        return f"ResolvedStar({', '.join(map(str, self.columns))})"


@node
class UnresolvedRegex(UnresolvedStar):
    """The columns whose names match a regular expression (DataFrame API: `df.colRegex`)."""

    pattern: str = ""

    def to_string(self) -> str:
        """The pattern."""
        return self.pattern


@node
class UnresolvedStarWithColumns(Unresolved, NamedExpression):
    """All columns, with those of these names replaced or added (DataFrame.withColumns)."""

    names: tuple[str, ...]
    values: tuple[Expression, ...]

    def to_string(self) -> str:
        """unresolvedstarwithcolumns(names, values, None)."""
        return f"unresolvedstarwithcolumns({', '.join([*self.names, *map(str, self.values)])}, None)"


@node
class UnresolvedStarWithColumnsRenames(LeafExpression, Unresolved, NamedExpression):
    """All columns, those of the old names under the new ones (DataFrame.withColumnsRenamed)."""

    names: tuple[str, ...]
    new_names: tuple[str, ...]

    def to_string(self) -> str:
        """unresolvedstarwithcolumnsrenames(old names, new names)."""
        return f"unresolvedstarwithcolumnsrenames({', '.join((*self.names, *self.new_names))})"


@node
class UnresolvedFunction(Unresolved):
    """A call by name. `ignore_nulls` is True, False or None (not written); `internal`: what is called no SQL has."""

    parts: tuple[str, ...]
    arguments: tuple[Expression, ...]
    distinct: bool = False
    where: Expression | None = None
    ignore_nulls: bool | None = None
    order: tuple[Expression, ...] = ()
    internal: bool = False

    def to_string(self) -> str:
        """'name(distinct args)."""
        distinct = "distinct " if self.distinct else ""
        name = ".".join(quote_if_needed(p) for p in self.parts)
        return f"'{name}({distinct}{', '.join(map(str, self.children))})"

    def render(self, r: Callable[[Expression], str]) -> str:
        """name(DISTINCT args)."""
        distinct = "DISTINCT " if self.distinct else ""
        name = ".".join(quote_if_needed(p) for p in self.parts)
        args = ", ".join(r(a) for a in self.arguments)
        where = "" if self.where is None else f" FILTER (WHERE {r(self.where)})"
        return f"{name}({distinct}{args}){where}"

    @lazy_alone
    def children(self) -> tuple[Expression, ...]:
        """Arguments, filter, ordering (Spark's order)."""
        return (*self.arguments, *(() if self.where is None else (self.where,)), *self.order)


@node
class UnresolvedPythonCall(Unresolved):
    """A call of a Python function that is at hand, whatever names the session knows; `function` is the catalogue's."""

    function: Any
    arguments: tuple[Expression, ...]
    #: The id of the result, as Spark numbers it when a program makes the call; 0: it has none yet.
    result_id: int = 0

    def to_string(self) -> str:
        """name(args)#id, or 'name(args) while there is no id."""
        if self.result_id:
            # Of which type it is only a call with known arguments says.
            suffix = type_suffix(self.function.returns) if self.children_resolved else ""
            return f"{self.function.name}({', '.join(map(str, self.arguments))})#{self.result_id}{suffix}"
        return f"'{self.function.name}({', '.join(map(str, self.arguments))})"

    def render(self, r: Callable[[Expression], str]) -> str:
        """name(args)."""
        return f"{self.function.name}({', '.join(map(r, self.arguments))})"


@node
class UnresolvedTimestampFunction(UnresolvedFunction):
    """timestampadd or timestampdiff with its unit: Spark's parser makes the function itself at once."""

    parts: tuple[str, ...]
    arguments: tuple[Expression, ...]
    distinct: bool = False
    where: Expression | None = None
    ignore_nulls: bool | None = None
    order: tuple[Expression, ...] = ()
    internal: bool = False

    def to_string(self) -> str:
        """Without a time zone as yet."""
        return f"{self.parts[0]}({', '.join(map(str, self.arguments))}, None)"


#: What a function is called as long as nobody knows its name.
NO_NAME = ("IDENTIFIER",)


@node
class ExpressionWithUnresolvedIdentifier(Unresolved):
    """IDENTIFIER(name): a column whose name is the value of a constant expression.

    `call` is the call of a function of that name, under `NO_NAME`: no child, for nothing may look for it before.
    """

    name_expression: Expression
    call: object = None

    def to_string(self) -> str:
        """As Spark prints the class with its function field."""
        return f"expressionwithunresolvedidentifier({self.name_expression}, <function2>)"


@node
class TimeWindow(Unresolved):
    """window(moment, size, slide, start): durations in microseconds."""

    column: Expression
    size: int
    slide: int
    start: int

    def to_string(self) -> str:
        """As Spark prints it: window(moment, size, slide, start)."""
        return f"window({self.column}, {self.size}, {self.slide}, {self.start})"


#: What is remarked about the column of a session (Spark: SessionWindow.marker).
SESSION_WINDOW = "spark.sessionWindow"


@node
class SessionWindow(Unresolved):
    """session_window(moment, gap)."""

    column: Expression
    gap: Expression

    def to_string(self) -> str:
        """session_window(moment, gap)."""
        return f"session_window({self.column}, {self.gap})"


@node
class UnresolvedAlias(UnaryExpression, Unresolved, NamedExpression):
    """A projected expression that still needs a name."""

    child: Expression

    def to_string(self) -> str:
        """unresolvedalias(child)."""
        return f"unresolvedalias({self.child})"


@node
class MultiAlias(UnaryExpression, Unresolved, NamedExpression):
    """A generator with names for its columns: `explode(m) AS (k, v)`."""

    child: Expression
    names: tuple[str, ...]

    def to_string(self) -> str:
        """child AS (a, b)."""
        return f"{self.child} AS ({', '.join(self.names)})"


@node
class UnresolvedOrdinal(LeafExpression, Unresolved):
    """A position of the select list in GROUP BY or ORDER BY, from 1."""

    ordinal: int

    def to_string(self) -> str:
        """unresolvedordinal(n)."""
        return f"unresolvedordinal({self.ordinal})"


@node
class UnresolvedExtractValue(Unresolved):
    """child[extraction] or child.name, before the child's type is known."""

    child: Expression
    extraction: Expression

    def to_string(self) -> str:
        """child[extraction]."""
        return f"{self.child}[{self.extraction}]"

    def render(self, r: Callable[[Expression], str]) -> str:
        """child[extraction]."""
        return f"{r(self.child)}[{r(self.extraction)}]"


@node
class NamedArgument(Alias):
    """name => child, an argument of a function by its parameter's name."""

    child: Expression
    name: str
    expr_id: int
    qualifier: tuple[str, ...] = ()

    def to_string(self) -> str:
        """name => child."""
        return f"{self.name} => {self.child}"


@node
class SemiStructuredExtract(Unresolved):
    """child:path, a value inside a variant; `path` as variant_get takes it."""

    child: Expression
    path: str

    def to_string(self) -> str:
        """semistructuredextract(child, path)."""
        return f"semistructuredextract({self.child}, {self.path})"


@node
class NamedParameter(LeafExpression, Unresolved):
    """`:name` in the text, to be given from outside."""

    name: str

    def to_string(self) -> str:
        """namedparameter(name)."""
        return f"namedparameter({self.name})"


@node
class PositionalParameter(LeafExpression, Unresolved):
    """`?` in the text, at an offset."""

    position: int

    def to_string(self) -> str:
        """posparameter(offset)."""
        return f"posparameter({self.position})"


@node
class LazyOuter(UnaryExpression, Unresolved):
    """A column that a program says to be of the query around (DataFrame API: Column.outer)."""

    child: Expression

    def to_string(self) -> str:
        """lazyexpression(child)."""
        return f"lazyexpression({self.child})"


@node
class OuterReference(LeafExpression, NamedExpression):
    """A column of the query around a correlated subquery."""

    attribute: NamedExpression

    @property
    def name(self) -> str:  # type: ignore[override]
        """The column's."""
        return self.attribute.name

    @property
    def expr_id(self) -> int:  # type: ignore[override]
        """The column's."""
        return self.attribute.expr_id

    @property
    def data_type(self) -> DataType:
        """The column's."""
        return self.attribute.data_type

    children = always(())  # the outer column is no input of this plan

    def map_children(self, f: Callable[[Expression], Expression], mask: int = -1) -> OuterReference:
        """Itself."""
        return self

    @lazy
    def nullable(self) -> bool:
        """The column's."""
        return self.attribute.nullable

    foldable = always(False)

    @lazy
    def references(self) -> frozenset[int]:
        """None of this plan."""
        return frozenset()

    @lazy
    def resolved(self) -> bool:
        """When the column is."""
        return self.attribute.resolved

    def to_attribute(self) -> AttributeReference:
        """The column's."""
        return self.attribute.to_attribute()

    def to_string(self) -> str:
        """outer(a#1)."""
        return f"outer({self.attribute})"

    def render(self, r: Callable[[Expression], str]) -> str:
        """outer(a)."""
        return f"outer({r(self.attribute)})"

    def render_pretty(self) -> str:
        """The column keeps its qualifier: it is no column of this query."""
        return f"outer({self.attribute.sql})"


@node
class TempResolvedColumn(UnaryExpression):
    """A column found below an Aggregate for HAVING or ORDER BY, kept only inside an aggregate function."""

    child: Expression
    parts: tuple[str, ...]
    tried: bool = False

    @property
    def data_type(self) -> DataType:
        """The column's."""
        return self.child.data_type

    @lazy
    def canonicalized(self) -> Expression:
        """The column's."""
        return self.child.canonicalized

    @lazy
    def references(self) -> frozenset[int]:
        """None: the operator that holds this does not read the column itself."""
        return frozenset()

    def to_string(self) -> str:
        """tempresolvedcolumn(child, name, tried)."""
        return f"tempresolvedcolumn({self.child}, {', '.join(self.parts)}, {str(self.tried).lower()})"

    def render(self, r: Callable[[Expression], str]) -> str:
        """The column's."""
        return r(self.child)


@node
class LateralColumnAliasReference(LeafExpression, NamedExpression):
    """A reference to an alias defined earlier in the same select list, before it is pushed beneath."""

    target: Expression
    parts: tuple[str, ...]
    attribute: Attribute

    children = always(())

    def map_children(self, f: Callable[[Expression], Expression], mask: int = -1) -> LateralColumnAliasReference:
        """Itself."""
        return self

    @property
    def name(self) -> str:  # type: ignore[override]
        """The alias's name."""
        return name_text(self.parts)

    @property
    def data_type(self) -> DataType:
        """The alias's, or that of its field."""
        return self.target.data_type

    @lazy
    def nullable(self) -> bool:
        """The alias's."""
        return self.attribute.nullable

    @lazy
    def resolved(self) -> bool:
        """When the alias is."""
        return self.attribute.resolved

    def to_attribute(self) -> AttributeReference:
        """The alias's."""
        return self.attribute.to_attribute()

    def to_string(self) -> str:
        """lateralAliasReference(name)."""
        return f"lateralAliasReference({self.name})"

    def render(self, r: Callable[[Expression], str]) -> str:
        """lateralAliasReference(name)."""
        return f"lateralAliasReference({self.name})"


@node
class GroupingSets(Unresolved):
    """ROLLUP, CUBE or GROUPING SETS in GROUP BY. `kind` is rollup, cube or groupingsets.

    `sets` holds positions into `columns` (each rolled-up unit, or each grouping set); `user` are the plain GROUP BY
    expressions written before GROUPING SETS.
    """

    kind: str
    sets: tuple[tuple[int, ...], ...]
    columns: tuple[Expression, ...]
    user: tuple[Expression, ...] = ()
    NAME: ClassVar[str | None] = None

    def to_string(self) -> str:
        """rollup(Vector(0), Vector(1), 'a, 'b)."""
        vectors = [f"Vector({', '.join(map(str, s))})" for s in self.sets]
        return f"{self.kind}({', '.join([*vectors, *map(str, self.columns), *map(str, self.user)])})"
