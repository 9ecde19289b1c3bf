"""Nodes of tree-sitter's tree as Python's: texts, places, names and calls, which all of the translation makes."""

from __future__ import annotations

import ast
import keyword
from abc import ABC, abstractmethod
from typing import Any, TypeAlias

from planviz.programs.values import Value

#: A node of tree-sitter's tree. By its own types every child may be missing, also those that the grammar always gives.
Node: TypeAlias = Any


class Nodes(ABC):
    """One text's nodes. `passed` are lines, from 1, of what has no counterpart, with the reason."""

    def __init__(self, source: bytes) -> None:
        """`source` is the text in UTF-8, in which nodes count bytes."""
        self.source = source
        self.passed: list[tuple[int, str]] = []
        self.wildcards = 0
        #: Classes whose methods stand as functions, and the values that are objects of them.
        self.classes: set[str] = set()
        #: Objects of the text: their members stand beside one another.
        self.objects: set[str] = set()
        #: Functions without a list of parameters: their names stand for what they give.
        self.bare: set[str] = set()
        #: Methods of implicit classes.
        self.extensions: set[str] = set()

    def statements(self, nodes: list[Value]) -> list[ast.stmt]:
        """Python's statements for those of a text, by their turn and else in their order."""
        return [made for node in sorted(nodes, key=self.turn) for made in self.statement(node)]

    @abstractmethod
    def turn(self, node: Node) -> int:
        """Which statements go before others: those of the smallest number."""

    @abstractmethod
    def statement(self, node: Node) -> list[ast.stmt]:
        """Python's statements for one of Scala's."""

    @abstractmethod
    def value(self, node: Node) -> ast.expr:
        """Python's expression for one of Scala's."""

    @abstractmethod
    def _in_order(self, nodes: list[Value]) -> ast.expr:
        """The last value of statements, which are gone through in order."""

    @abstractmethod
    def _target(self, node: Node) -> Value:
        """What a pattern of a val or a for binds."""

    def _text(self, node: Node) -> str:
        return self.source[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def _at(self, made: Any, node: Node) -> Value:
        made.lineno, made.col_offset = node.start_point[0] + 1, node.start_point[1]
        made.end_lineno, made.end_col_offset = node.end_point[0] + 1, node.end_point[1]
        return made

    def _name(self, name: str, node: object) -> ast.expr:
        made: ast.expr = self._at(ast.Name(plain_name(name), ast.Load()), node)
        return made

    def _attribute(self, holder: ast.expr, name: str, node: object) -> ast.expr:
        made: ast.expr = self._at(ast.Attribute(holder, name, ast.Load()), node)
        return made

    def _function(self, name: str, arguments: ast.arguments, body: list[ast.stmt], node: Node) -> ast.stmt:
        made = ast.FunctionDef(name, arguments, body, [], None, None)
        made.__dict__["type_params"] = []
        placed: ast.stmt = self._at(made, node)
        return placed

    def _call(self, function: ast.expr, given: list[ast.expr], keywords: list[ast.keyword] | None = None) -> ast.expr:
        return ast.copy_location(ast.Call(function, given, keywords or []), function)


def declare(function: ast.Lambda, kind: str) -> None:
    """Let a function have the types that `val f: (A, B) => C` says."""
    given, arrow, returns = kind.partition("=>")
    names = [t.strip() for t in given.strip().removeprefix("(").removesuffix(")").split(",")]
    if not arrow or "=>" in returns or ("[" in given and len(names) > 1) or len(names) != len(function.args.args):
        return
    for a, name in zip(function.args.args, names, strict=True):
        a.annotation = a.annotation or ast.Constant(name)
    function.__dict__["returns"] = ast.Constant(returns.strip())


def plain_name(name: str) -> str:
    """A name as Python may have it: `in` and its like are none."""
    return "_" if not name.isidentifier() else f"{name}_" if keyword.iskeyword(name) else name


def arguments_of(names: list[str]) -> ast.arguments:
    """The arguments of a function by their names in Scala."""
    plain = [plain_name(n) for n in names]
    return ast.arguments([], [ast.arg(n, None) for n in plain], None, [], [], None, [])
