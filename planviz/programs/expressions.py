"""Expressions of a program: what they stand for, without running anything but arithmetic on known values."""

from __future__ import annotations

import ast
import operator
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from planviz.dataframe import Column, DataFrame
from planviz.dataframe.unplanned import FUNCTIONS, is_unplanned
from planviz.errors import PlanvizError
from planviz.expressions.objects import Placeholder
from planviz.programs import attributes, type_objects
from planviz.programs.frames import PandasFrame, Values
from planviz.programs.scala_text import scala_text
from planviz.programs.schema_json import of_struct_class
from planviz.programs.signals import LimitReached, Raised, raised
from planviz.programs.type_objects import TypeObject, found_by_class, same_class
from planviz.programs.values import (
    Class,
    Described,
    ErrorClass,
    ErrorValue,
    Function,
    Instance,
    Method,
    Module,
    NamedValues,
    Native,
    NumberMember,
    Place,
    Scope,
    Super,
    TextMember,
    Unknown,
    UnknownList,
    UnknownRows,
    Value,
    named_values,
)
from planviz.types import BOOLEAN, DOUBLE, INT, STRING, DataType

if TYPE_CHECKING:
    from planviz.expressions.core import AttributeReference

#: How long a text or list may become, and how large a number (bits).
LONGEST, WIDEST = 1_000_000, 4_000
_BINARY: dict[type, Callable[[Value, Value], Value]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: operator.pow, ast.LShift: operator.lshift,
    ast.RShift: operator.rshift, ast.BitOr: operator.or_, ast.BitAnd: operator.and_, ast.BitXor: operator.xor,
}  # fmt: skip
_COMPARE: dict[type, Callable[[Value, Value], Value]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}  # fmt: skip
_UNARY: dict[type, Callable[[Value], Value]] = {
    ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Invert: operator.invert
}  # fmt: skip
_SPECIAL = {
    ast.Add: "__add__", ast.Sub: "__sub__", ast.Mult: "__mul__", ast.BitOr: "__or__", ast.RShift: "__rshift__",
    ast.Div: "__truediv__", ast.BitAnd: "__and__", ast.Mod: "__mod__", ast.LShift: "__lshift__",
}  # fmt: skip
#: The types of literals by the classes of their values.
_LITERALS: dict[type | None, DataType] = {int: INT, float: DOUBLE, bool: BOOLEAN}
PLAIN = (int, float, str, bytes, bool, type(None), complex)


class Expressions(ABC):
    """Gives the value of expressions in a scope. What is around it is Interpreter's."""

    # What Interpreter has, and the expressions need.
    module: Scope
    handling: list[Raised]
    variant: str
    applies: bool
    ended: bool
    open_star: bool

    @abstractmethod
    def step(self) -> None:
        """Count one step of the program. Raises where it takes too many."""

    @abstractmethod
    def place(self, node: ast.AST) -> Place:
        """Where a node stands in the text."""

    @abstractmethod
    def pass_over(self, node: ast.AST, why: str) -> None:
        """Note what is not understood, and go on."""

    @abstractmethod
    def tell_error(self, error: Raised) -> None:
        """Note an error of the program."""

    @abstractmethod
    def call(self, function: object, arguments: list[object], named: dict[str, object], node: ast.AST | None) -> Value:
        """The value of a call."""

    @abstractmethod
    def function(self, node: object, scope: Scope) -> Function:
        """The function that a definition makes."""

    @abstractmethod
    def missing_name(self, node: ast.Name) -> object:
        """What a name stands for that the program does not define."""

    @abstractmethod
    def importing(self, name: str) -> Value:
        """The module of this name."""

    def value(self, node: ast.expr, scope: Scope) -> Value:
        """What an expression stands for. An error of the program comes as Raised."""
        self.step()
        # Long chains (a.b().c().d()) are walked from their beginning, not by recursion.
        links: list[Any] = []
        at: ast.expr = node
        while isinstance(at, ast.Call | ast.Attribute | ast.Subscript):
            links.append(at)
            at = at.func if isinstance(at, ast.Call) else at.value
        found = self._plain(at, scope)
        while links:
            link = links.pop()
            self.step()
            try:
                if isinstance(link, ast.Attribute):
                    found = self.attribute(found, link.attr, link)
                elif isinstance(link, ast.Subscript):
                    found = self.item(found, self.value(link.slice, scope), link)
                else:
                    found = self._called(found, link, scope)
            except Raised as e:
                if e.place is None:
                    e.place = self.place(link)
                raise
        return found

    def _plain(self, node: ast.expr, scope: Scope) -> object:
        match node:
            case ast.Constant(value=constant):
                return constant
            case ast.Name(id=name):
                try:
                    return scope.find(name)
                except KeyError:
                    return self.missing_name(node)
        method: Callable[[Any, Scope], Any] | None = getattr(self, f"_of_{type(node).__name__}", None)
        if method is None:
            return Unknown(ast.unparse(node))
        return method(node, scope)

    def _called(self, function: object, node: ast.Call, scope: Scope) -> Value:
        arguments: list[Value] = []
        unknown = False
        for a in node.args:
            if not isinstance(a, ast.Starred):
                arguments.append(self.value(a, scope))
                continue
            several = self.value(a.value, scope)
            listed = isinstance(several, Values) or not isinstance(several, Unknown)
            unknown |= not listed
            arguments += list(self.iterate(several)) if listed else [_several(several)]
        named: dict[str, Value] = {}
        for k in node.keywords:
            given = self.value(k.value, scope)
            if k.arg is not None:
                named[k.arg] = given
            elif isinstance(given, dict):
                named.update({str(n): v for n, v in given.items()})
            else:
                unknown = True
        if unknown and not isinstance(function, Function | Class | Method) and not _of_api(function):
            return Unknown(ast.unparse(node))
        return self.call(function, arguments, named, node)

    # ---------------------------------------------------------------------------------------- displays

    def _of_JoinedStr(self, node: ast.JoinedStr, scope: Scope) -> object:
        parts = [self.value(v, scope) for v in node.values]
        return self.checked("".join(str(p) for p in parts))

    def _of_FormattedValue(self, node: ast.FormattedValue, scope: Scope) -> object:
        value = self.value(node.value, scope)
        spec = "" if node.format_spec is None else str(self.value(node.format_spec, scope))
        shown = {ord("r"): repr, ord("a"): ascii, ord("s"): self.text}.get(node.conversion)
        if shown is not None and isinstance(value, PLAIN):
            value = shown(value)
        if spec and isinstance(value, PLAIN) and _narrow(spec):
            return self.python(lambda: format(value, spec))
        if spec and attributes.is_moment(value) and len(spec) < 100:
            return self.python(lambda: format(value, spec))
        return self.text(value)

    def text(self, value: object) -> str:
        """What str() gives; of objects of the program what their __str__ gives."""
        if isinstance(value, Instance):
            try:
                return str(self.call_method(value, "__str__", [], f"<{value.of.name} object>"))
            except Raised:
                return f"<{value.of.name} object>"
        if isinstance(value, list | tuple | dict | set):
            attributes.check_spelled(value)
            shown = self.python(lambda: str(_bounded(value)))
            return str(shown)
        if isinstance(value, DataType):
            return attributes.type_text(value)
        return self.python(lambda: str(value)) if isinstance(value, Column) else str(value)

    def _of_List(self, node: ast.List, scope: Scope) -> object:
        return self._items(node.elts, scope)

    def _of_Tuple(self, node: ast.Tuple, scope: Scope) -> object:
        return tuple(self._items(node.elts, scope))

    def _of_Set(self, node: ast.Set, scope: Scope) -> object:
        items = self._items(node.elts, scope)
        attributes.check_spelled(*items)
        return self.python(lambda: set(items))

    def _items(self, nodes: list[ast.expr], scope: Scope) -> list[Value]:
        made: list[AttributeReference] = []
        for n in nodes:
            if isinstance(n, ast.Starred):
                made += self.rounds(self.value(n.value, scope))
            else:
                made.append(self.value(n, scope))
        return made

    def _of_Dict(self, node: ast.Dict, scope: Scope) -> object:
        made: dict[Value, Value] = {}
        for k, v in zip(node.keys, node.values, strict=True):
            value = self.value(v, scope)
            if k is None:
                if isinstance(value, dict):
                    made.update(value)
                continue
            key = self.value(k, scope)
            attributes.check_spelled(key)
            self.python(partial(made.__setitem__, key, value))
        return made

    def _of_Lambda(self, node: ast.Lambda, scope: Scope) -> Function:
        return self.function(node, scope)

    def _of_NamedExpr(self, node: ast.NamedExpr, scope: Scope) -> object:
        value = self.value(node.value, scope)
        scope.set(node.target.id, value)
        return value

    def _of_Await(self, node: ast.Await, scope: Scope) -> object:
        return self.value(node.value, scope)

    def _of_Slice(self, node: ast.Slice, scope: Scope) -> object:
        parts = [None if n is None else self.value(n, scope) for n in (node.lower, node.upper, node.step)]
        return Unknown("slice") if any(isinstance(p, Unknown) for p in parts) else slice(*parts)

    def _of_Starred(self, node: ast.Starred, scope: Scope) -> object:
        return self.value(node.value, scope)

    # ---------------------------------------------------------------------------------------- comprehensions

    def _of_ListComp(self, node: ast.ListComp, scope: Scope) -> object:
        return list(self._comprehended(node, lambda s: self.value(node.elt, s), scope))

    def _of_GeneratorExp(self, node: ast.GeneratorExp, scope: Scope) -> object:
        return list(self._comprehended(node, lambda s: self.value(node.elt, s), scope))

    def _of_SetComp(self, node: ast.SetComp, scope: Scope) -> object:
        return self.python(lambda: set(self._comprehended(node, lambda s: self.value(node.elt, s), scope)))

    def _of_DictComp(self, node: ast.DictComp, scope: Scope) -> object:
        pairs = self._comprehended(node, lambda s: (self.value(node.key, s), self.value(node.value, s)), scope)
        return self.python(lambda: dict(pairs))

    def _comprehended(self, node: Any, element: Callable[[Scope], object], scope: Scope) -> Iterator[Value]:
        def rounds(at: int, inner: Scope) -> Iterator[object]:
            if at == len(node.generators):
                yield element(inner)
                return
            g = node.generators[at]
            for item in self.rounds(self.value(g.iter, inner if at else scope)):
                self.step()
                self.assign(g.target, item, inner)  # type: ignore[attr-defined]
                if all(self.truth(self.value(c, inner)) is not False for c in g.ifs):
                    yield from rounds(at + 1, inner)

        return rounds(0, Scope(outer=scope))

    def rounds(self, value: object) -> Iterator[Value]:
        """The elements of a value, as far as they are known: one that stands for all where they are not."""
        if isinstance(value, Unknown) and not isinstance(value, Values):
            yield Unknown(f"{value.what}[...]")
        else:
            yield from self.iterate(value)

    def iterate(self, value: object) -> Iterator[Value]:
        """The elements of a known value. Raises TypeError's like."""
        if isinstance(value, list | tuple | dict | set | frozenset | str | bytes | range):
            # A copy: the loop's body may change it.
            for count, item in enumerate(list(value) if not isinstance(value, range) else value):
                if count > LONGEST:
                    raise LimitReached("a loop goes on for too long")
                yield item
            return
        if isinstance(value, Values):
            yield from value.elements
            return
        if isinstance(value, DataFrame):
            # Python asks for frame[0], frame[1] and so on, which are the columns.
            yield from (value[i] for i in range(len(value.columns)))
            return
        made = attributes.elements(value)
        if made is not None:
            yield from made
            return
        if isinstance(value, Class) and value.members:
            yield from value.members.values()
            return
        if isinstance(value, Instance):
            inner = self.call_method(value, "__iter__", [], None)
            if inner is not None and inner is not value:
                yield from self.iterate(inner)
                return
        if isinstance(value, Column):
            raise raised("PySparkTypeError", "Column is not iterable.", "NOT_ITERABLE")
        raise raised("TypeError", f"'{type_objects.type_name(value)}' object is not iterable")

    # ---------------------------------------------------------------------------------------- operators

    def _of_BoolOp(self, node: ast.BoolOp, scope: Scope) -> object:
        stops_at = isinstance(node.op, ast.Or)
        value: Value = None
        unknown: Value = None
        for part in node.values:
            value = self.value(part, scope)
            known = self.truth(value)
            if known is None:
                unknown = value if unknown is None else unknown
            elif known == stops_at:
                return value if unknown is None or not stops_at else unknown
        return value if unknown is None else unknown

    def _of_UnaryOp(self, node: ast.UnaryOp, scope: Scope) -> object:
        value = self.value(node.operand, scope)
        if isinstance(node.op, ast.Not):
            known = self.truth(value)
            return Unknown(f"not {value}") if known is None else not known
        if isinstance(value, Unknown):
            return Unknown(value.what) if isinstance(value, Values) else value
        if isinstance(value, Instance):
            return Unknown(value.of.name)
        apply = _UNARY[type(node.op)]
        return self.python(lambda: apply(value))

    def _of_BinOp(self, node: ast.BinOp, scope: Scope) -> object:
        # Long sums lean to the left: walked from their beginning, not by recursion.
        rest: list[ast.BinOp] = []
        at: ast.expr = node
        while isinstance(at, ast.BinOp):
            rest.append(at)
            at = at.left
        left = self.value(at, scope)
        while rest:
            n = rest.pop()
            right = self.value(n.right, scope)
            try:
                left = self.operate(n.op, left, right)
            except Raised as e:
                e.place = e.place or self.place(n)
                raise
        return left

    def operate(self, op: ast.operator, left: object, right: object) -> object:
        """left op right for known and unknown values, columns, objects of the program."""
        if isinstance(left, Unknown) or isinstance(right, Unknown):
            if isinstance(left, Column) or isinstance(right, Column):
                return self.python(lambda: _BINARY[type(op)](self.as_operand(left), self.as_operand(right)))
            if isinstance(left, str) and isinstance(op, ast.Mod):
                return self._percent(left, right)
            if isinstance(op, ast.Add) and (isinstance(left, str) or isinstance(right, str)):
                return f"{left}{right}"
            unknown = left if isinstance(left, Unknown) else right
            return Unknown(unknown.what) if isinstance(unknown, Values) else unknown
        if isinstance(left, Instance):
            name = _SPECIAL.get(type(op))
            return self.call_method(left, name, [right], Unknown(left.of.name)) if name else Unknown(left.of.name)
        if isinstance(left, str) and isinstance(op, ast.Mod):
            return self._percent(left, right)
        if self.applies and isinstance(op, ast.Add) and isinstance(left, str) != isinstance(right, str):
            # Scala adds anything to a text.
            left, right = scala_text(left), scala_text(right)
        attributes.check_size(type(op), left, right)
        if not attributes.may_operate(left) or not attributes.may_operate(right):
            return Unknown(type(op).__name__)
        return self.checked(self.python(lambda: _BINARY[type(op)](left, right)))

    def _percent(self, pattern: str, values: object) -> object:
        given = values if isinstance(values, tuple | dict) else (values,)
        plain = all(isinstance(v, PLAIN) for v in (given.values() if isinstance(given, dict) else given))
        if plain and _narrow(pattern):
            return self.checked(self.python(lambda: pattern % given))
        if not _narrow(pattern):
            return pattern
        # What nobody knows stands as a text, where a number is asked for, too.
        pattern = re.sub(r"%(\(\w+\))?[-+ #0-9.]*[diouxXfFeEgG]", r"%\1s", pattern)

        def shown(v: object) -> object:
            return v if isinstance(v, PLAIN) else self.text(v)

        texts = {k: shown(v) for k, v in given.items()} if isinstance(given, dict) else tuple(map(shown, given))
        try:
            return self.checked(pattern % texts)
        except (TypeError, ValueError):
            return Unknown(pattern)

    def _of_Compare(self, node: ast.Compare, scope: Scope) -> object:
        left = self.value(node.left, scope)
        result: Value = True
        for op, n in zip(node.ops, node.comparators, strict=True):
            right = self.value(n, scope)
            result = self.compare(op, left, right)
            if len(node.ops) > 1:
                known = self.truth(result)
                if known is False:
                    return False
            left = right
        return result

    def compare(self, op: ast.cmpop, left: object, right: object) -> Value:
        """left op right: a column where one of them is one, Unknown where it is not known."""
        if isinstance(left, TypeObject) or isinstance(right, TypeObject):
            known = self._compare_classes(op, left, right)
            if known is not None:
                return known
        if isinstance(op, ast.Is | ast.IsNot):
            if isinstance(left, Unknown) or isinstance(right, Unknown):
                return Unknown(f"{left} is {right}")
            return (left is right) == isinstance(op, ast.Is)
        looked_up = isinstance(op, ast.In | ast.NotIn) and isinstance(right, dict | set | frozenset)
        attributes.check_spelled(left, None if looked_up else right)
        if isinstance(op, ast.In | ast.NotIn):
            return self._within(op, left, right)
        if isinstance(left, Column) or isinstance(right, Column):
            return self.python(lambda: _COMPARE[type(op)](self.as_operand(left), self.as_operand(right)))
        if isinstance(left, Unknown) or isinstance(right, Unknown):
            return Unknown(f"{left} {_sign(op)} {right}")
        if isinstance(left, Instance) and isinstance(op, ast.Eq):
            return self.call_method(left, "__eq__", [right], left is right)
        if isinstance(left, Function | Instance | Class | Native | Module | ErrorClass | ErrorValue):
            return (left is right) == isinstance(op, ast.Eq) if isinstance(op, ast.Eq | ast.NotEq) else Unknown("order")
        return self.python(lambda: _COMPARE[type(op)](left, right))

    def _compare_classes(self, op: ast.cmpop, left: object, right: object) -> object:
        """type(x) == A, type(x) in (A, B); None for another comparison."""
        if isinstance(op, ast.Eq | ast.NotEq | ast.Is | ast.IsNot):
            same = same_class(left, right)
            return Unknown(f"{left} is {right}") if same is None else same == isinstance(op, ast.Eq | ast.Is)
        if isinstance(op, ast.In | ast.NotIn) and isinstance(right, list | tuple | dict | set | frozenset):
            answers = [same_class(left, key) for key in right]
            known = True if True in answers else None if None in answers else False
            return Unknown(f"{left} in ...") if known is None else known == isinstance(op, ast.In)
        return None

    def _within(self, op: ast.cmpop, left: object, right: object) -> object:
        wanted = isinstance(op, ast.In)
        if isinstance(left, Unknown) or isinstance(right, Unknown):
            return Unknown(f"{left} in {right}")
        if isinstance(right, Column):
            raise raised(
                "PySparkValueError",
                "Cannot apply 'in' operator against a column: please use 'contains' in a string column or "
                "'array_contains' function for an array column.",
                "CANNOT_APPLY_IN_FOR_COLUMN",
            )
        if isinstance(right, Instance):
            return self.call_method(right, "__contains__", [left], Unknown("in"))
        looked_through = isinstance(right, list | tuple | set | frozenset) and not hasattr(right, "_fields")
        if looked_through and any(isinstance(x, Unknown) for x in self.iterate(right)):
            return Unknown(f"{left} in ...") if left not in list(self.iterate(right)) else wanted
        # A row is asked for the names of its fields.
        items = right if isinstance(right, str | bytes | tuple | dict | set | frozenset) else list(self.iterate(right))
        return self.python(lambda: (left in items) == wanted)

    def _of_IfExp(self, node: ast.IfExp, scope: Scope) -> object:
        known = self.truth(self.value(node.test, scope))
        if known is not None:
            return self.value(node.body if known else node.orelse, scope)
        try:
            return self.value(node.body, scope)
        except Raised:
            return self.value(node.orelse, scope)

    def truth(self, value: object) -> bool | None:
        """Whether a value counts as true; None: nobody can know."""
        if isinstance(value, Unknown):
            return None
        if isinstance(value, Column):
            raise raised(
                "PySparkValueError",
                f"Cannot convert column into bool (offending column: {value.expr}): please use '&' for 'and', '|' for "
                "'or', '~' for 'not' when building DataFrame boolean expressions.",
                "CANNOT_CONVERT_COLUMN_INTO_BOOL",
            )
        if isinstance(value, Instance):
            made = self.call_method(value, "__bool__", [], True)
            return made if isinstance(made, bool) else True
        if isinstance(value, (*PLAIN, list, tuple, dict, set, frozenset, range)):
            return bool(value)
        return True

    # ---------------------------------------------------------------------------------------- parts of values

    def attribute(self, value: object, name: str, node: ast.AST | None = None) -> Value:
        """value.name"""
        if isinstance(value, PandasFrame) and name not in PandasFrame.LOOKS:
            value.columns = None
        if isinstance(value, PandasFrame) and name == "columns" and value.columns is not None:
            return list(value.columns)
        match value:
            case Unknown():
                return attributes.of_unknown(value, name)
            case Described():
                return value.attribute(name)
            case Instance():
                return self._of_instance(value, name)
            case Class():
                try:
                    found = value.find(name)
                except KeyError:
                    if name == "__name__":
                        return value.name
                    if name in ("_fields", "_make") and value.of_tuples:
                        fields = tuple(value.fields or ())
                        made = Native(name, lambda values: named_values(value, self.iterate(values)), True)
                        return fields if name == "_fields" else made
                    return Unknown(f"{value.name}.{name}")
                if isinstance(found, Function) and found.decorated == "classmethod":
                    return Method(found, value)
                return found
            case Super():
                for base in value.owner.bases:
                    if isinstance(base, Class):
                        try:
                            found = base.find(name)
                        except KeyError:
                            continue
                        return Method(found, value.receiver) if isinstance(found, Function) else found
                return Native(f"super().{name}", lambda *_, **__: None, True)
            case Module():
                try:
                    return self.module_attribute(value, name)  # type: ignore[attr-defined]
                except KeyError:
                    if name in FUNCTIONS and value.name.endswith("functions"):
                        self.unplanned(f"functions.{name}", node)
                        return Unknown(name)
                    raise raised("AttributeError", f"module '{value.name}' has no attribute '{name}'") from None
            case TextMember() | NumberMember():
                return self._of_member(value, name)
            case NamedValues():
                return self._of_named(value, name)
            case ErrorValue():
                return value.arguments if name == "args" else Unknown(f"{value.name}.{name}")
            case Native(name="str" | "dict" | "list" | "chain" as kind):
                return self._unbound(kind, name)
            case Native(name="StructType") if name in ("fromJson", "fromDDL"):
                return of_struct_class(name)
            case ErrorClass() | Function() | Method() | Native():
                shown = getattr(value, "name", getattr(value, "__name__", "function"))
                return shown.rpartition(".")[2] if name in ("__name__", "__qualname__") else Unknown(f"{shown}.{name}")
        if is_unplanned(value, name):
            self.unplanned(f"{type(value).__name__}.{name}", node)
            return Unknown(name)
        return attributes.of_object(self, value, name)

    def _unbound(self, kind: str, name: str) -> Value:
        """A method by its class: `str.lower` to be mapped, `dict.fromkeys`."""
        if (kind, name) == ("dict", "fromkeys"):
            return Native("dict.fromkeys", lambda keys, value=None: dict.fromkeys(self.iterate(keys), value))
        if (kind, name) == ("chain", "from_iterable"):
            return Native(name, lambda several: [x for s in self.iterate(several) for x in self.iterate(s)])
        if kind == "chain" or name.startswith("_"):
            return kind if name in ("__name__", "__qualname__") else Unknown(f"{kind}.{name}")
        return Native(f"{kind}.{name}", lambda value, *a: self.call(self.attribute(value, name), [*a], {}, None))

    def _of_instance(self, value: Instance, name: str) -> Value:
        if name in value.names:
            return value.names[name]
        if name == "__class__":
            return value.of
        if name == "__dict__":
            return value.names
        try:
            found = value.of.find(name)
        except KeyError:
            own = self.call_method(value, "__getattr__", [name], None)
            return Unknown(f"{value.of.name}.{name}") if own is None else own
        if isinstance(found, Function):
            if found.decorated == "staticmethod":
                return found
            if found.decorated == "property":
                return found(value)
            return Method(found, value.of if found.decorated == "classmethod" else value)
        return found

    def _of_member(self, value: TextMember | NumberMember, name: str) -> object:
        if name in ("value", "_value_"):
            return str(value) if isinstance(value, TextMember) else int(value)
        if name == "name":
            return value.member
        try:
            found = value.of.find(name)
        except KeyError:
            return attributes.of_object(self, value, name)
        if isinstance(found, Function):
            return found(value) if found.decorated == "property" else Method(found, value)
        return found

    def _of_named(self, value: NamedValues, name: str) -> object:
        if name == "_fields":
            return value._fields
        if name == "__class__":
            return value.of
        if name == "_replace":
            kept = dict(zip(value._fields, value, strict=True))
            return Native(name, lambda **new: named_values(value.of, {**kept, **new}.values()), True)
        try:
            found = None if name in value._fields else value.of.find(name)
        except KeyError:
            found = None
        if isinstance(found, Function):
            return found(value) if found.decorated == "property" else Method(found, value)
        return attributes.of_object(self, value, name) if found is None else found

    def call_method(self, value: Instance, name: str, arguments: list[object], otherwise: object) -> object:
        """A method of an object of the program, or `otherwise` where its class has none of that name."""
        try:
            found = value.of.find(name)
        except KeyError:
            return otherwise
        return found(value, *arguments) if isinstance(found, Function) else otherwise

    def unplanned(self, name: str, node: ast.AST | None) -> None:
        """Note that PySpark has something that no plan here is made of."""
        raise NotImplementedError

    def set_attribute(self, value: object, name: str, given: object) -> None:
        """value.name = given"""
        if isinstance(value, PandasFrame):
            value.columns = None
        if isinstance(value, Instance | Class) or (isinstance(value, Module) and not value.closed):
            value.names[name] = given
        # An attribute set on anything else (df.createdBy = ...) changes no plan.

    def item(self, value: Value, key: Value, node: ast.AST | None = None) -> Value:
        """value[key]"""
        if isinstance(key, TypeObject):
            key = found_by_class(value, key)
        if isinstance(value, PandasFrame) and (part := value.part(key)) is not None:
            return part
        if isinstance(value, Values) and isinstance(key, int):
            return self.python(lambda: value.elements[key])
        if isinstance(value, Unknown):
            return UnknownRows(f"{value.what}[...]") if isinstance(key, slice) else Unknown(f"{value.what}[{key}]")
        if isinstance(value, Instance):
            return self.call_method(value, "__getitem__", [key], Unknown(value.of.name))
        if isinstance(key, Unknown):
            return attributes.item_unknown(self, value, key)
        if isinstance(value, Class) and value.members:
            return self.python(lambda: value.members[key])
        if isinstance(value, str | bytes | list | tuple | dict | range):
            return self.python(lambda: value[key])
        return attributes.item_of_object(self, value, key)

    def set_item(self, value: object, key: Value, given: object) -> None:
        """value[key] = given"""
        if isinstance(value, PandasFrame):
            value.columns = None
        if isinstance(value, Instance):
            self.call_method(value, "__setitem__", [key, given], None)
        elif isinstance(value, list | dict) and not isinstance(key, Unknown):
            attributes.check_spelled(key)
            self.python(lambda: value.__setitem__(key, given))
        elif not isinstance(value, Unknown | list | dict):
            attributes.set_item_of_object(self, value, key, given)

    # ---------------------------------------------------------------------------------------- errors of Python

    def as_operand(self, value: object) -> object:
        """An operand of a column: an unknown value as one that is named."""
        return placeholder(value) if isinstance(value, Unknown) else value

    def checked(self, value: object) -> object:
        """A value that did not grow too large."""
        if isinstance(value, str | bytes | list | tuple) and len(value) > LONGEST:
            raise LimitReached("a value grows too large")
        return value

    def python(self, work: Callable[[], object]) -> Value:
        """What Python makes of known values; its errors become those of the program."""
        try:
            return work()
        except Raised:
            raise
        except PlanvizError as e:
            raise from_planviz(e) from None
        except KeyError as e:
            raise raised("KeyError", str(e)) from None
        except StopIteration:
            raise raised("StopIteration", "") from None
        except (TypeError, ValueError, ArithmeticError, LookupError, AttributeError, MemoryError) as e:
            raise raised(type(e).__name__, str(e)) from None

    def is_error_of(self, error: ErrorValue, cls: object) -> bool:
        """Whether `except cls` takes the error."""
        if isinstance(cls, Class):
            return isinstance(error.of, Class) and error.of.comes_from(cls.name)
        if not isinstance(cls, ErrorClass):
            return False
        names = type_objects.ancestors(error.name)
        if isinstance(error.of, Class):
            names = {*names, *(c for c in (cls.name,) if error.of.comes_from(c)), "Exception", "BaseException"}
        return cls.name in names

    def is_instance(self, value: object, cls: object) -> bool | None:
        """isinstance(value, cls); None: nobody can know."""
        if isinstance(cls, tuple | list):
            answers = [self.is_instance(value, c) for c in cls]
            return True if True in answers else None if None in answers else False
        if isinstance(value, Unknown) or isinstance(cls, Unknown):
            return None
        if isinstance(cls, Class):
            return isinstance(value, Instance | NamedValues) and value.of.comes_from(cls.name)
        return type_objects.is_of(value, cls)


def _several(value: Unknown) -> UnknownList:
    return UnknownList(value.what if value.what.endswith("[...]") else f"{value.what}[...]")


def _of_api(function: object) -> bool:
    """Whether something is a method or function of the DataFrame API, which has something for unknown arguments."""
    if isinstance(function, Native):
        return function.name.startswith(("functions.", "DataFrame."))
    return callable(function) and getattr(function, "__module__", "").startswith("planviz.dataframe")


def placeholder(value: Unknown) -> Column:
    """An unknown value as a column: of its class, else a text, which is converted to what it is compared with."""
    return Column(Placeholder(value.what, _LITERALS.get(value.kind, STRING)))


def from_planviz(error: PlanvizError) -> Raised:
    """An error of planning as the exception that PySpark would raise."""
    condition = getattr(error, "error_class", "")
    name = "ParseException" if type(error).__name__ == "ParseError" else "AnalysisException"
    name = getattr(error, "python_type", name)
    return Raised(ErrorValue(name, (str(error),)), condition or name, error)


def _sign(op: ast.cmpop) -> str:
    return {"Eq": "==", "NotEq": "!=", "Lt": "<", "LtE": "<=", "Gt": ">", "GtE": ">="}.get(type(op).__name__, "?")


def _narrow(spec: str) -> bool:
    """Whether a format asks for no width of millions."""
    digits = "".join(c if c.isdigit() else " " for c in spec).split()
    return re.search(r"%[^a-zA-Z%\s]*\*", spec) is None and all(len(d) < 5 for d in digits)


def _bounded(value: Value) -> object:
    if len(value) > LONGEST:
        raise LimitReached("a value grows too large")
    return value
