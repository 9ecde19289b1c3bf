"""Expressions of typed Dataset operations: between rows and the objects that a user's function sees."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from planviz.expressions.core import (
    AttributeReference,
    Declared,
    Expression,
    LeafExpression,
    Typed,
    UnaryExpression,
    show,
)
from planviz.expressions.unresolved import Unresolved
from planviz.trees.node import always, lazy, node
from planviz.types import ArrayType, DataType


class ObjectExpression(Expression):
    """Base of what computes on objects: never folded, as the objects live in the JVM only."""

    foldable = always(False)


@node
class BoundReference(Declared, LeafExpression, ObjectExpression):
    """The object or column at a place of the input (Spark: BoundReference)."""

    ordinal: int
    type: DataType
    is_nullable: bool

    def to_string(self) -> str:
        """input[0, java.lang.Long, true]."""
        return f"input[{self.ordinal}, {self.type.simple_string}, {show(self.is_nullable)}]"


class Invocation(Declared, ObjectExpression):
    """Base of method calls; a null among what they read makes the value null."""

    type: DataType
    is_nullable: bool

    null_intolerant = always(True)


@node
class Invoke(Invocation):
    """A method of an object (Spark: Invoke)."""

    target: Expression
    method: str
    type: DataType
    arguments: tuple[Expression, ...] = ()
    is_nullable: bool = True

    def to_string(self) -> str:
        """invoke(target.method(arguments))."""
        return f"invoke({self.target}.{self.method}({', '.join(map(str, self.arguments))}))"


@node
class StaticInvoke(Invocation):
    """A static method (Spark: StaticInvoke). `takes_null`: it is called for nulls, too (propagateNull is false)."""

    owner: str
    method: str
    type: DataType
    arguments: tuple[Expression, ...]
    is_nullable: bool = True
    takes_null: bool = False

    @lazy
    def null_intolerant(self) -> bool:
        """Unless the method is called for nulls."""
        return not self.takes_null

    @lazy
    def foldable(self) -> bool:
        """Over constants."""
        return self.deterministic and all(a.foldable for a in self.arguments)

    def to_string(self) -> str:
        """static_invoke(owner.method(arguments))."""
        return f"static_invoke({self.owner}.{self.method}({', '.join(map(str, self.arguments))}))"


@node
class NewInstance(Typed, ObjectExpression):
    """A constructor's call (Spark: NewInstance, of which `toString` keeps the arguments to itself)."""

    class_name: str
    arguments: tuple[Expression, ...]
    type: DataType

    nullable = always(False)

    def to_string(self) -> str:
        """newInstance(class name)."""
        return f"newInstance(class {self.class_name})"


@node
class FunctionObject(Typed, LeafExpression, ObjectExpression):
    """A user's function as a value, known by what it prints."""

    label: str
    type: DataType

    nullable = always(False)

    def to_string(self) -> str:
        """The function."""
        return self.label


@node
class AssertNotNull(UnaryExpression, ObjectExpression):
    """The child, or an error when it is null (Spark: AssertNotNull)."""

    child: Expression

    @property
    def data_type(self) -> DataType:
        """The child's."""
        return self.child.data_type

    nullable = always(False)  # null is an error

    @lazy
    def foldable(self) -> bool:
        """As the child: over a constant that is not null there is nothing to check."""
        return self.child.foldable and not self.child.nullable


@node
class KnownNotNull(UnaryExpression, ObjectExpression):
    """The child, of which something above has made sure that it is not null (Spark: KnownNotNull)."""

    child: Expression

    @property
    def data_type(self) -> DataType:
        """The child's."""
        return self.child.data_type

    nullable = always(False)


@node
class KnownNotContainsNull(UnaryExpression):
    """An array of which something beneath has taken the nulls (Spark: KnownNotContainsNull)."""

    child: Expression

    @property
    def data_type(self) -> DataType:
        """The child's, without nulls in it."""
        t = self.child.data_type
        return ArrayType(t.element, False) if isinstance(t, ArrayType) else t


@node
class ValidateExternalType(UnaryExpression, ObjectExpression):
    """The child, or an error when it is of another class than said (Spark: ValidateExternalType)."""

    child: Expression
    expected: DataType
    external: DataType

    @property
    def data_type(self) -> DataType:
        """The class."""
        return self.external

    def to_string(self) -> str:
        """validateexternaltype(child, StringType, ObjectType(class java.lang.String))."""
        return f"validateexternaltype({self.child}, {self.expected.scala_name}, {self.external.scala_name})"


@node
class CheckOverflow(Typed, UnaryExpression, ObjectExpression):
    """The child as a decimal of these digits, or an error when it has more (Spark: CheckOverflow)."""

    child: Expression
    type: DataType

    def to_string(self) -> str:
        """CheckOverflow(child, DecimalType(38,18))."""
        return f"CheckOverflow({self.child}, {self.type.scala_name})"


@node
class LambdaVariable(Declared, LeafExpression, ObjectExpression):
    """The element that a MapObjects is at (Spark: LambdaVariable)."""

    name: str
    type: DataType
    is_nullable: bool
    variable_id: int

    def to_string(self) -> str:
        """lambdavariable(MapObject, IntegerType, false, 1)."""
        return f"lambdavariable({self.name}, {self.type.scala_name}, {show(self.is_nullable)}, {self.variable_id})"


@node
class MapObjects(Typed, ObjectExpression):
    """A function over every element of an array (Spark: MapObjects)."""

    variable: Expression
    function: Expression
    source: Expression
    type: DataType

    @lazy
    def nullable(self) -> bool:
        """As the array it reads."""
        return self.source.nullable

    def to_string(self) -> str:
        """mapobjects(variable, function, source, None)."""
        return f"mapobjects({self.variable}, {self.function}, {self.source}, None)"


# ------------------------------------------------------------------------------------------- before analysis


@node
class GetColumnByOrdinal(LeafExpression, Unresolved):
    """A column by its place (Spark: GetColumnByOrdinal)."""

    ordinal: int
    type: DataType

    def to_string(self) -> str:
        """getcolumnbyordinal(0, LongType)."""
        return f"getcolumnbyordinal({self.ordinal}, {self.type.scala_name})"


@node
class UpCast(UnaryExpression, Unresolved):
    """A cast that must not lose anything (Spark: UpCast); `path` says what is read, for the error."""

    child: Expression
    target: DataType
    path: str

    def to_string(self) -> str:
        """upcast(child, LongType, - root class: "java.lang.Long")."""
        return f'upcast({self.child}, {self.target.scala_name}, - root class: "{self.path}")'


@node
class UnresolvedDeserializer(UnaryExpression, Unresolved):
    """A deserializer whose columns are not bound yet; `inputs` are the columns it reads, all when empty."""

    child: Expression
    inputs: tuple[AttributeReference, ...] = ()
    NAME: ClassVar[str | None] = "unresolveddeserializer"

    def to_string(self) -> str:
        """unresolveddeserializer(child)."""
        more = "".join(f", {i}" for i in self.inputs)
        return f"unresolveddeserializer({self.child}{more})"


@node
class UnresolvedMapObjects(Unresolved):
    """A MapObjects before the array's element type is known; `function` makes the body of the element."""

    source: Expression
    function: Callable[[Expression], Expression]
    result: DataType

    def to_string(self) -> str:
        """unresolvedmapobjects(source, None)."""
        return f"unresolvedmapobjects({self.source}, None)"


@node
class ScalaUDF(Declared, ObjectExpression):
    """A function of the JVM, of which nothing but its type and its name is known (Spark: ScalaUDF)."""

    arguments: tuple[Expression, ...]
    type: DataType
    name: str = "UDF"
    is_nullable: bool = True
    #: The types of its parameters where they are known, and which of them can hold no null.
    inputs: tuple[DataType, ...] = ()
    primitive: tuple[bool, ...] = ()
    udf_deterministic: bool = True

    UNCOMPARED = ("inputs", "primitive")

    @lazy
    def deterministic(self) -> bool:
        """When the function is said to be, and the arguments are."""
        return self.udf_deterministic and all(a.deterministic for a in self.arguments)

    @property
    def pretty_name(self) -> str:
        """The name that it was given."""
        return self.name

    def to_string(self) -> str:
        """UDF(arguments)."""
        return f"{self.name}({', '.join(map(str, self.arguments))})"


@node
class Placeholder(Declared, LeafExpression, ObjectExpression):
    """A value that a program's text does not tell: known when the program runs, so that nothing is folded."""

    name: str
    type: DataType
    is_nullable: bool = True

    def to_string(self) -> str:
        """<name>."""
        return f"<{self.name}>"
