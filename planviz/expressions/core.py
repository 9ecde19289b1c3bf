"""What every expression is, and the leaves: literals, attributes, aliases, casts, orderings.

`str(e)` is Spark's `toString` (`cast(a#1 as bigint)`), `e.sql` its `sql` (`CAST(a AS BIGINT)`), `e.pretty` the text
that names an unnamed column. References are sets of expression ids: an id means one attribute, whatever its name.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from planviz.expressions.ids import next_id
from planviz.expressions.literals import literal_sql, literal_text
from planviz.trees.memo import Memo
from planviz.trees.node import TreeNode, always, lazy, node
from planviz.types import (
    BOOLEAN,
    INT,
    LONG,
    NULL,
    STRING,
    DataType,
    is_numeric,
    is_orderable,
    quote_if_needed,
    spaced,
)
from planviz.types.values import Value


@dataclass(frozen=True)
class TypeMismatch:
    """Why an expression's inputs do not fit: Spark's DATATYPE_MISMATCH subclass and its sentence."""

    subclass: str
    message: str


#: A remark about a column: how late its moments may come in a stream, in milliseconds.
DELAY = "spark.watermarkDelayMs="
NO_REFERENCES: frozenset[int] = frozenset()


def lateness(remarks: tuple[str, ...]) -> str:
    """How plans print the delay that a column's remarks tell, empty for none: -T600000ms."""
    return "".join([f"-T{m[len(DELAY) :]}ms" for m in remarks if m.startswith(DELAY)]) if remarks else ""


def show(value: Expression | bool | str) -> str:
    """A plain field as Scala prints it inside an expression."""
    if value is True:
        return "true"
    if value is False:
        return "false"
    if isinstance(value, tuple):
        return ", ".join(show(v) for v in value)
    return str(value)


class Expression(TreeNode["Expression"], root=True):
    """Something that gives one value per row."""

    #: Name of the function form; None means the class name in lower case.
    NAME: ClassVar[str | None] = None
    UNRESOLVED: ClassVar[bool] = False

    # -------------------------------------------------------------------------------------------- what it gives

    @property
    def data_type(self) -> DataType:
        """The type of the value; meaningful only once `resolved`."""
        raise TypeError(f"{type(self).__name__} has no data type before it is resolved")

    @lazy
    def nullable(self) -> bool:
        """Whether the value can be null."""
        return any([c.nullable for c in self.children])

    @lazy
    def foldable(self) -> bool:
        """Whether the value is the same for every row and known while planning."""
        return bool(self.children) and all(c.foldable for c in self.children)

    @lazy
    def deterministic(self) -> bool:
        """Whether the same inputs always give the same value."""
        return not self.bits & Nondeterministic.BIT and all([c.deterministic for c in self.children])

    @lazy
    def null_intolerant(self) -> bool:
        """Whether any null input makes the value null."""
        return False

    @lazy
    def references(self) -> frozenset[int]:
        """Ids of the attributes read."""
        children = self.children
        if len(children) == 1:
            only: frozenset[int] = children[0].references
            return only
        return NO_REFERENCES.union(*[c.references for c in children]) if children else NO_REFERENCES

    @lazy
    def attributes(self) -> tuple[AttributeReference, ...]:
        """The attributes read, in order of first appearance, each once."""
        found: dict[int, AttributeReference] = {}
        for a in self.collect(AttributeReference):
            found.setdefault(a.expr_id, a)
        return tuple(found.values())

    # -------------------------------------------------------------------------------------------- is it complete

    @lazy
    def children_resolved(self) -> bool:
        """Whether every child is resolved."""
        return all([c.resolved for c in self.children])

    @lazy
    def resolved(self) -> bool:
        """Whether names are bound and the types of the inputs fit."""
        return not self.UNRESOLVED and self.children_resolved and self.check_input_types() is None

    def check_input_types(self) -> TypeMismatch | None:
        """What is wrong with the types of the inputs, or None; called only with resolved children."""
        return None

    # -------------------------------------------------------------------------------------------- equality

    @lazy
    def canonicalized(self) -> Expression:
        """A form that is equal for expressions that always give the same value, however they are written."""
        new: Expression = self.map_children(lambda c: c.canonicalized)
        return new

    def semantic_equals(self, other: Expression) -> bool:
        """Whether both are deterministic and always give the same value."""
        if self is other:
            return self.deterministic
        return self.deterministic and other.deterministic and bool(self.canonicalized == other.canonicalized)

    def to_attribute(self) -> AttributeReference:
        """The attribute that refers to this expression's value; only named expressions have one."""
        raise TypeError(f"{self} has no attribute before it is resolved")

    # -------------------------------------------------------------------------------------------- text

    @property
    def pretty_name(self) -> str:
        """The function's name as plans print it."""
        return self.NAME or type(self).__name__.lower()

    def flat_arguments(self) -> list[str]:
        """The arguments that `str` prints: every field in order."""
        out: list[str] = []
        for f in self.FIELDS:
            value = getattr(self, f)
            if isinstance(value, tuple):
                out.extend(show(v) for v in value)
            else:
                out.append(show(value))
        return out

    @lazy
    def text(self) -> str:
        """`str(self)`, computed once."""
        return self.to_string()

    def to_string(self) -> str:
        """Spark's `toString`."""
        prime = "" if self.resolved or not self.UNRESOLVED else "'"
        return f"{prime}{self.pretty_name}({', '.join(self.flat_arguments())})"

    def __str__(self) -> str:
        return self.text

    @property
    def simple_string(self) -> str:
        """How an operator prints this expression when it stands alone among its arguments."""
        return self.text

    def render(self, r: Callable[[Expression], str]) -> str:
        """The SQL text, with `r` rendering the children."""
        return f"{self.pretty_name}({', '.join(r(c) for c in self.children)})"

    @lazy
    def sql(self) -> str:
        """Spark's `sql`."""
        return self.render(lambda e: e.sql)

    @lazy
    def pretty(self) -> str:
        """Spark's `toPrettySQL`: names without qualifiers, literals without quotes, only written casts."""
        return self.render_pretty()

    def render_pretty(self) -> str:
        """Compute `pretty`."""
        return self.render(lambda e: e.pretty)


class Nondeterministic(Expression):
    """Marks expressions whose value changes from row to row or call to call (rand, uuid ...)."""

    foldable = always(False)


class Typed(Expression):
    """An expression whose data type is its field `type`."""

    type: DataType

    @property
    def data_type(self) -> DataType:
        """See Expression."""
        return self.type


class Declared(Typed):
    """An expression whose type and nullability are its fields `type` and `is_nullable`."""

    is_nullable: bool

    @lazy
    def nullable(self) -> bool:
        """See Expression."""
        return self.is_nullable


class LeafExpression(Expression):
    """An expression without children."""


class UnaryExpression(Expression):
    """An expression over one child, its last field named `child`."""

    child: Expression


class BinaryExpression(Expression):
    """An expression over `left` and `right`."""

    left: Expression
    right: Expression


class NamedExpression(Expression):
    """An expression with a name and an id: what a projection may give."""

    name: str
    expr_id: int
    qualifier: tuple[str, ...]

    @property
    def delay(self) -> tuple[str, ...]:
        """The remarks on how late the rows of a stream may come by this column."""
        remarks = self.metadata if isinstance(self, AttributeReference | Alias) else ()
        return tuple(m for m in remarks if m.startswith(DELAY))

    @property
    def qualified_name(self) -> str:
        """Qualifier and name, dots between, parts quoted where needed."""
        return ".".join(quote_if_needed(p) for p in (*self.qualifier, self.name))


def occurs(e: Expression, mask: int) -> bool:
    """Whether a node of the mask stands in the expression itself, not merely in the plan of a subquery inside it."""
    if not e.bits & mask:
        return False
    stack: list[Expression] = [e]
    while stack:
        top = stack.pop()
        if top.BITS & mask:
            return True
        stack.extend(c for c in top.children if c.bits & mask)
    return False


def type_suffix(t: DataType) -> str:
    """What follows an id in plan texts: L for bigint."""
    return "L" if t == LONG else ""


@node
class Literal(Typed, LeafExpression):
    """A constant. `value` is None, bool, int, float, Decimal, str, bytes, date, datetime, or for intervals an int of
    months or microseconds (CalendarInterval: a tuple of months, days, microseconds); arrays are tuples, maps tuples of
    pairs, structs tuples.
    """

    # Constants of the class: most nodes of a plan are literals and attributes.
    resolved = True
    children_resolved = True
    deterministic = True
    foldable = True
    null_intolerant = False

    value: Value
    type: DataType

    @lazy
    def nullable(self) -> bool:
        """Only the null literal is."""
        return self.value is None

    def to_string(self) -> str:
        """The bare value, without quotes."""
        return literal_text(self.value, self.type)

    def render(self, r: Callable[[Expression], str]) -> str:
        """With quotes and suffixes."""
        return literal_sql(self.value, self.type)

    def render_pretty(self) -> str:
        """Strings, numbers and nulls bare, the rest as SQL."""
        if self.value is None:
            return "NULL"
        if self.type == STRING or is_numeric(self.type):
            return literal_text(self.value, self.type)
        return literal_sql(self.value, self.type)


@node
class ZonedLiteral(Literal):
    """A constant array, map or struct with moments in it: these are shown as they are stored, and are here the wall
    clock of a time zone.
    """

    zone: str

    def to_string(self) -> str:
        """Its moments as microseconds since 1970 in UTC."""
        return literal_text(self.value, self.type, self.zone)


def lit(value: bool | int | str | None) -> Literal:
    """A literal of the obvious type: boolean, int, string or void."""
    if value is None:
        return Literal(None, NULL)
    return Literal(value, BOOLEAN if isinstance(value, bool) else INT if isinstance(value, int) else STRING)


class Attribute(NamedExpression):
    """A column of a child's output, resolved or not."""


@node
class AttributeReference(Declared, LeafExpression, Attribute):
    """A column known by its id; `metadata` are the keys of what is remarked about it (Spark: Metadata)."""

    UNCOMPARED = ("metadata",)

    resolved = True
    children_resolved = True
    deterministic = True
    foldable = False
    null_intolerant = False

    name: str
    type: DataType
    is_nullable: bool
    expr_id: int
    qualifier: tuple[str, ...] = ()
    metadata: tuple[str, ...] = ()

    @lazy
    def references(self) -> frozenset[int]:
        """Itself."""
        return frozenset((self.expr_id,))

    @lazy
    def canonicalized(self) -> Expression:
        """Only the id and the type count."""
        return AttributeReference("none", self.type, True, self.expr_id)

    def to_attribute(self) -> AttributeReference:
        """Itself."""
        return self

    def with_id(self, expr_id: int) -> AttributeReference:
        """The same column under another id."""
        return AttributeReference(self.name, self.type, self.is_nullable, expr_id, self.qualifier, self.metadata)

    def new_instance(self) -> AttributeReference:
        """The same column under a fresh id."""
        return self.with_id(next_id())

    def with_qualifier(self, qualifier: tuple[str, ...]) -> AttributeReference:
        """The same column under another qualifier; itself when it has it already."""
        if qualifier == self.qualifier:
            return self
        return AttributeReference(self.name, self.type, self.is_nullable, self.expr_id, qualifier, self.metadata)

    def with_nullability(self, nullable: bool) -> AttributeReference:
        """The same column with another nullability; itself when it has it already."""
        if nullable == self.is_nullable:
            return self
        return AttributeReference(self.name, self.type, nullable, self.expr_id, self.qualifier, self.metadata)

    def to_string(self) -> str:
        """name#id, with L for bigint, and with how late the rows of a stream may come by it."""
        return f"{self.name}#{self.expr_id}{type_suffix(self.type)}{lateness(self.metadata)}"

    @property
    def simple_string(self) -> str:
        """With the type: what an operator prints when the attribute stands alone."""
        return f"{self.name}#{self.expr_id}: {spaced(self.type)}"

    def render(self, r: Callable[[Expression], str]) -> str:
        """Qualified and quoted where needed."""
        return self.qualified_name

    def render_pretty(self) -> str:
        """The bare name."""
        return self.name


@node
class PrettyAttribute(Typed, LeafExpression, Attribute):
    """A piece of text in the place of an expression, while a name is made of the expressions around it."""

    name: str
    type: DataType

    def to_string(self) -> str:
        """The text."""
        return self.name

    def render(self, r: Callable[[Expression], str]) -> str:
        """The text."""
        return self.name


#: For walks that attributes and literals mean nothing to: `node.bits & BEYOND_LEAVES` is 0 for both.
BEYOND_LEAVES = ~(AttributeReference.BITS | Literal.BITS)


#: What is remarked about a column that has its name from its expression (Spark: __autoGeneratedAlias).
AUTO_GENERATED = "__autoGeneratedAlias"


#: What is remarked about an alias's column (Spark: explicitMetadata).
REMARKS: Memo[tuple[str, ...]] = Memo("remarks")


@node
class Alias(NamedExpression, UnaryExpression):
    """A child under a name and an id of its own."""

    child: Expression
    name: str
    expr_id: int
    qualifier: tuple[str, ...] = ()
    TAGS = (REMARKS.key,)

    @property
    def data_type(self) -> DataType:
        """The child's."""
        return self.child.data_type

    foldable = always(False)  # an alias must stay (Spark: folding would lose the id)

    @lazy
    def resolved(self) -> bool:
        """When the child is, and no generator is left in it; one in the plan of a subquery has its place there."""
        return bool(self.child.resolved) and not occurs(self.child, GeneratorMark.BIT)

    @lazy
    def attribute(self) -> AttributeReference:
        """The attribute that refers to this alias."""
        name, metadata = self.name, self.metadata
        return AttributeReference(name, self.data_type, self.nullable, self.expr_id, self.qualifier, metadata)

    @property
    def metadata(self) -> tuple[str, ...]:
        """What is remarked about the column: of itself, or of a column that it gives another name."""
        child, own = self.child, REMARKS.get(self)
        return own or (child.metadata if isinstance(child, AttributeReference | Alias) else ())

    def remarked(self, *keys: str) -> Alias:
        """The same alias with remarks about its column (Spark: explicitMetadata)."""
        new = Alias(self.child, self.name, self.expr_id, self.qualifier)
        REMARKS.set(new, keys)
        return new

    def to_attribute(self) -> AttributeReference:
        """See NamedExpression; for an unresolved child an attribute of unknown type is not given."""
        return self.attribute

    def to_string(self) -> str:
        """child AS name#id."""
        suffix = type_suffix(self.data_type) + lateness(self.metadata) if self.resolved else ""
        return f"{self.child} AS {self.name}#{self.expr_id}{suffix}"

    def render(self, r: Callable[[Expression], str]) -> str:
        """child AS qualified name."""
        return f"{r(self.child)} AS {self.qualified_name}"


class GeneratorMark(Expression):
    """Base of generators (explode ...): expressions that give several rows."""


def alias(child: Expression, name: str) -> Alias:
    """`child` under `name` with a fresh id."""
    return Alias(child, name, next_id())


def id_of(e: Expression) -> int:
    """The id of a named expression. Raises TypeError for another one."""
    if not isinstance(e, NamedExpression):
        raise TypeError(f"{e} has no id")
    return e.expr_id


@node
class SortOrder(UnaryExpression):
    """A sort key: `direction` ASC or DESC, `null_order` NULLS FIRST or NULLS LAST."""

    child: Expression
    direction: str = "ASC"
    null_order: str = "NULLS FIRST"

    @property
    def data_type(self) -> DataType:
        """The key's."""
        return self.child.data_type

    foldable = always(False)

    def check_input_types(self) -> TypeMismatch | None:
        """Keys must be orderable."""
        if is_orderable(self.data_type):
            return None
        return TypeMismatch(
            "INVALID_ORDERING_TYPE", f'The `sortorder` does not support ordering on type "{self.data_type.sql}"'
        )

    def to_string(self) -> str:
        """child ASC NULLS FIRST."""
        return f"{self.child} {self.direction} {self.null_order}"

    def render(self, r: Callable[[Expression], str]) -> str:
        """The same with the child's SQL."""
        return f"{r(self.child)} {self.direction} {self.null_order}"
