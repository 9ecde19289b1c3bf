"""Expressions of a program: what they stand for, without running anything but arithmetic on known values."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from planviz.dataframe import Column, DataFrame
from planviz.programs import attributes, type_objects
from planviz.programs.core import LONGEST, PLAIN
from planviz.programs.frames import Values
from planviz.programs.operators import Operators, is_narrow
from planviz.programs.signals import LimitReached, Raised, raised
from planviz.programs.values import (
    Class,
    Function,
    Instance,
    Method,
    Native,
    OpenDict,
    Scope,
    Unknown,
    UnknownList,
    Value,
)
from planviz.types import DataType

if TYPE_CHECKING:
    from planviz.expressions.core import AttributeReference


class Expressions(Operators):
    """Gives the value of expressions in a scope. What is around it is Interpreter's."""

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
        if spec and isinstance(value, PLAIN) and is_narrow(spec):
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
        made = self.python(lambda: dict(pairs))
        names = [n.id for n in ast.walk(node.generators[0].target) if isinstance(n, ast.Name)]
        untold = len(node.generators) == 1 and len(made) == 1 and isinstance(next(iter(made)), Unknown)
        if not untold or not isinstance(node.key, ast.Name) or node.key.id not in names:
            return made
        if isinstance(node.value, ast.Name):
            return made  # a value as the text has it is called by its key alone
        around = next(iter(made)).what.removesuffix("[0]").removesuffix("[...]").removesuffix(".items(...)")
        key = node.key.id

        def of(wanted: Value) -> Value:
            """The value under a key that later lines name."""
            inner = Scope(outer=scope)
            for n in names:
                inner.set(n, wanted if n == key else Unknown(f"{around}[{wanted}]"))
            return self.value(node.value, inner)

        return OpenDict(made, of)

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


def _several(value: Unknown) -> UnknownList:
    return UnknownList(value.what if value.what.endswith("[...]") else f"{value.what}[...]")


def _of_api(function: object) -> bool:
    """Whether something is a method or function of the DataFrame API, which has something for unknown arguments."""
    if isinstance(function, Native):
        return function.name.startswith(("functions.", "DataFrame."))
    return callable(function) and getattr(function, "__module__", "").startswith("planviz.dataframe")


def _bounded(value: Value) -> object:
    if len(value) > LONGEST:
        raise LimitReached("a value grows too large")
    return value
