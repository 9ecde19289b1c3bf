"""Scala Spark read as the Python that means the same: tree-sitter's tree becomes Python's, at the same places.

Chains, vals, definitions, lambdas and the column syntax ($"x", 'x, ===) have their counterpart in PySpark; the reader
of programs goes over the result as over any program. What has none is passed over.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from typing import Any

from planviz.programs.scala_expressions import Expressions, enumerators_of
from planviz.programs.scala_nodes import Node, declare, plain_name
from planviz.programs.values import Value

_PRELUDE = """from pyspark.sql.functions import *
from pyspark.sql.functions import countDistinct, sumDistinct, approxCountDistinct, toDegrees, toRadians, bitwiseNOT
from pyspark.sql.functions import shiftLeft, shiftRight, shiftRightUnsigned
from pyspark.sql.types import *
from pyspark.sql import SparkSession, Window, Row
from functools import reduce
"""
_LOOKS = re.compile(
    r"^[^\S\n]*(?:scala>|import\s+org\.apache\.spark\b|import\s+spark\.implicits"
    r"|(?:val|var)\s+\w+(?:\s*:\s*[\w\[\]]+)?\s*=|object\s+\w+|case\s+class\s|package\s+\w)|===|=!=|\$\"\w",
    re.MULTILINE,
)
_PROMPT = re.compile(r"^\s*scala>\s?")
_PIPE = re.compile(r"^\s*\|\s?")


def looks_like_scala(text: str) -> bool:
    """Whether a text is Scala that uses Spark."""
    spark = re.search(
        r"\bspark\b|\bsqlContext\b|\bsc\.|DataFrame|Dataset|\.toD[FS]\b|\$\"|===|:\s*_\*"
        r"|\.(?:select|withColumn|groupBy|filter|where|agg|join|orderBy)\(",
        text,
    )
    return (
        spark is not None
        and _LOOKS.search(text) is not None
        and not re.search(r"^[^\S\n]*+(?:from\s+\w|def\s.*:[^\S\n]*+$)", text, re.M)
    )


def without_prompts(text: str) -> str:
    """The lines behind spark-shell's prompts; what it printed is left out."""
    lines = text.replace("\r\n", "\n").split("\n")
    if not any(_PROMPT.match(s) for s in lines):
        return text
    made, going_on = [], False
    for line in lines:
        found = _PROMPT.match(line) or (_PIPE.match(line) if going_on else None)
        going_on = found is not None
        made.append(line[found.end() :] if found else "")
    return "\n".join(made)


def scala_tree(text: str) -> tuple[ast.Module, list[tuple[int, str]]]:
    """Python's tree of a Scala text, and the lines that were passed over with the reason."""
    import tree_sitter
    import tree_sitter_scala

    parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_scala.language()))
    # Half a character, as of a file that is no UTF-8, is a question mark to the parser.
    source = text.encode("utf-8", "replace")
    made = Translation(source)
    made.objects = set(re.findall(r"^[^\S\n]*(?:\w+\s+)?object\s+(\w+)", text, re.MULTILINE))
    body = prelude()
    made.bare = _bare(text)
    body += made.statements(parser.parse(source).root_node.named_children)
    return ast.fix_missing_locations(ast.Module(body, [])), made.passed


def prelude() -> list[ast.stmt]:
    """What a program may name without importing it: Spark's functions, types and classes, at its first line."""
    body = ast.parse(_PRELUDE).body
    for n in ast.walk(ast.Module(body, [])):
        if hasattr(n, "lineno"):
            n.lineno = n.end_lineno = 1  # type: ignore[attr-defined]
    return body


def _bare(text: str) -> set[str]:
    """Names of functions that are defined without a list of parameters, and of nothing else."""
    found = set(re.findall(r"\bdef\s+(\w+)\s*(?::[^=({\n]*)?=(?!=)", text))
    others = set(
        re.findall(r"\bdef\s+(\w+)\s*[\[(]|\b(?:val|var)\s+(\w+)|[(,]\s*(?:va[lr]\s+)?(\w+)\s*:|\b(\w+)\s*=>", text)
    )
    return found - {"main"} - {name for names in others for name in names}


class Translation(Expressions):
    """One text's way from tree-sitter's nodes to Python's: its statements."""

    def turn(self, node: Node) -> int:
        """Definitions count in all of the text around them, before they stand in it; a program begins with main."""
        if node.type != "function_definition":
            return 0 if node.type == "class_definition" else 1
        name = node.child_by_field_name("name")
        return 2 if name is not None and self._text(name) == "main" else 0

    def statement(self, node: Node) -> list[ast.stmt]:
        """Python's statements for one of Scala's."""
        method: Callable[[Any], list[ast.stmt]] | None = getattr(self, f"_do_{node.type}", None)
        if method is not None:
            return method(node)
        if node.type in (
            "import_declaration",
            "comment",
            "block_comment",
            "package_clause",
            ";",
            "type_definition",
            "trait_definition",
            # What a class leaves to those that come from it.
            "function_declaration",
            "val_declaration",
            "var_declaration",
        ):
            return []
        return [self._at(ast.Expr(self.value(node)), node)]

    def _do_val_definition(self, node: Node) -> list[ast.stmt]:
        value = node.child_by_field_name("value")
        if value is None:
            return []
        target, given = self._target(node.child_by_field_name("pattern")), self.value(value)
        kind = node.child_by_field_name("type")
        if isinstance(given, ast.Lambda) and kind is not None:
            declare(given, self._text(kind))
        if isinstance(target, ast.Name) and self._is_object(given):
            self.classes.add(target.id)
            return []
        return [self._at(ast.Assign([target], given), node)]

    _do_var_definition = _do_val_definition
    _do_lazy_val_definition = _do_val_definition

    def _target(self, node: Node) -> Value:
        if node.type in ("case_class_pattern", "tuple_pattern"):
            parts = [
                self._target(c)
                for c in node.named_children
                if c.type not in ("type_identifier", "stable_type_identifier")
            ]
            return self._at(ast.Tuple(parts, ast.Store()), node)
        name = self._text((node.child_by_field_name("pattern") or node) if node.type == "typed_pattern" else node)
        return self._at(ast.Name(plain_name(name), ast.Store()), node)

    def _do_assignment_expression(self, node: Node) -> list[ast.stmt]:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        return [self._at(ast.Assign([self._target(left)], self.value(right)), node)]

    def _do_function_definition(self, node: Node) -> list[ast.stmt]:
        written = node.child_by_field_name("body")
        if written is None:
            return []
        name = self._text(node.child_by_field_name("name"))
        statements = self._returning(written)
        if name == "main":
            # The program's own beginning, with arguments that nobody knows.
            groups = [c for c in node.named_children if c.type == "parameters"]
            given = [a.arg for a in self._parameters(groups).args] if groups else []
            for arg in given[:1]:
                told = self._call(self._name("scala_unknown", node), [ast.Constant("args")])
                statements.insert(0, self._at(ast.Assign([ast.Name(arg, ast.Store())], told), node))
            return [*statements[:-1], self._last_as_expression(statements[-1])] if statements else []
        groups = [c for c in node.named_children if c.type == "parameters"]
        # What is given implicitly is found under its name.
        groups = [g for g in groups if not re.match(r"\(\s*(?:implicit|using)\b", self._text(g))]
        first, rest = groups[:1], groups[1:]
        body = statements or [ast.Pass()]
        for group in reversed(rest):
            # def f(a)(b): called with a it is a function of b.
            body = [
                self._function("_curried", self._parameters([group]), body, node),
                self._at(ast.Return(self._name("_curried", node)), node),
            ]
        return [self._function(name, self._parameters(first), body, node)]

    def _last_as_expression(self, node: ast.stmt) -> ast.stmt:
        if isinstance(node, ast.Return) and node.value is not None:
            return ast.copy_location(ast.Expr(node.value), node)
        return node

    def _returning(self, body: Node) -> list[ast.stmt]:
        made = self.statements(body.named_children) if body.type in ("block", "template_body") else self.statement(body)
        if made and isinstance(made[-1], ast.Try):
            ways = [made[-1].body, *[h.body for h in made[-1].handlers]]
        else:
            ways = [made]
        for way in ways:
            if way and isinstance(way[-1], ast.Expr):
                way[-1] = ast.copy_location(ast.Return(way[-1].value), way[-1])
        return made

    def _parameters(self, groups: list[Value]) -> ast.arguments:
        args, defaults = [], []
        several: ast.arg | None = None
        for group in groups:
            for p in group.named_children:
                if p.type not in ("parameter", "class_parameter", "binding"):
                    continue
                name = p.child_by_field_name("name")
                kind = p.child_by_field_name("type")
                shown = self._text(kind) if kind is not None else ""
                note = ast.Name("DataFrame", ast.Load()) if re.match(r"DataFrame|Dataset\b", shown) else None
                if shown == "SparkSession":
                    note = ast.Name("SparkSession", ast.Load())
                made = self._at(ast.arg(plain_name(self._text(name)) if name is not None else "_", note), p)
                if kind is not None and kind.type == "repeated_parameter_type":
                    several = made
                    continue
                args.append(made)
                default = p.child_by_field_name("default_value")
                if default is not None:
                    defaults.append(self.value(default))
        return ast.arguments([], args, several, [], [], None, defaults)

    def _do_object_definition(self, node: Node) -> list[ast.stmt]:
        body, name = node.child_by_field_name("body"), node.child_by_field_name("name")
        if body is None or name is None or not any(c.type == "case" for c in node.children):
            return [] if body is None else self.statements(body.named_children)
        # A value with members of its own, as an object of a class of cases.
        shown = self._text(name)
        self.objects.discard(shown)
        inner = self.statements(body.named_children)
        holder = self._function(
            f"_members_of_{shown}", self._parameters([]), [*inner, ast.Return(self._members(inner))], node
        )
        more = [
            ast.keyword("kind", ast.Constant(shown)),
            ast.keyword("members", self._name(f"_members_of_{shown}", node)),
        ]
        made = self._call(self._call(self._name("scala_record", node), [], more), [])
        return [holder, self._at(ast.Assign([ast.Name(shown, ast.Store())], made), node)]

    _do_package_object = _do_object_definition

    def _do_class_definition(self, node: Node) -> list[ast.stmt]:
        body = node.child_by_field_name("body")
        inner = [] if body is None else self.statements(body.named_children)
        name, given = node.child_by_field_name("name"), node.child_by_field_name("class_parameters")
        if given is not None and "implicit" in [self._text(c) for c in node.children if c.type == "modifiers"]:
            return self._extensions(given, inner)
        if name is None or not any(c.type == "case" for c in node.children):
            return inner if name is None else self._plain_class(self._text(name), given) + inner
        if given is None:
            return inner
        fields = [c.child_by_field_name("name") for c in given.named_children if c.type == "class_parameter"]
        # Its objects are rows, whose class is made of the names of the columns.
        columns: list[ast.expr] = []
        for f in fields:
            kind = None if f is None or f.parent is None else f.parent.child_by_field_name("type")
            if f is not None:
                columns += [ast.Constant(self._text(f)), ast.Constant("" if kind is None else self._text(kind))]
        pairs = [(f, None if f is None or f.parent is None else f.parent.child_by_field_name("default_value"))
                 for f in fields]  # fmt: skip
        given_by = [(self._text(f), self.value(d)) for f, d in pairs if f is not None and d is not None]
        defaults = ast.Dict([ast.Constant(n) for n, _ in given_by], [v for _, v in given_by])
        more = [ast.keyword("kind", ast.Constant(self._text(name))), ast.keyword("defaults", defaults)]
        before: list[ast.stmt] = []
        if inner:
            # What stands in the class is made anew of an object's fields where it is asked for.
            holder = f"_members_of_{self._text(name)}"
            told = self._members(inner)
            before = [self._function(holder, self._parameters([given]), [*inner, ast.Return(told)], node)]
            more.append(ast.keyword("members", self._name(holder, node)))
        record = self._call(self._name("scala_record", node), columns, more)
        made = ast.Assign([ast.Name(self._text(name), ast.Store())], record)
        return [*before, self._at(made, node)]

    def _members(self, inner: list[ast.stmt]) -> ast.Dict:
        """What a class has by name; functions without a list of parameters in tuples."""
        found: dict[str, ast.expr] = {}
        for s in inner:
            if isinstance(s, ast.FunctionDef):
                named = ast.Name(s.name, ast.Load())
                found[s.name] = ast.Tuple([named], ast.Load()) if s.name in self.bare else named
            elif isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Name):
                found[s.targets[0].id] = ast.Name(s.targets[0].id, ast.Load())
        return ast.Dict([ast.Constant(n) for n in found], list(found.values()))

    def _extensions(self, given: Node, inner: list[ast.stmt]) -> list[ast.stmt]:
        """The methods of an implicit class, as functions of what it is made of."""
        own = self._parameters([given]).args[:1]
        for s in inner:
            if isinstance(s, ast.FunctionDef):
                s.args.args[:0] = own
                self.extensions.add(s.name)
        return inner

    def _plain_class(self, name: str, given: Node | None) -> list[ast.stmt]:
        """What a class is made with, as values that nobody knows; its methods stand beside it as functions."""
        self.classes.add(name)
        made: list[ast.stmt] = []
        for p in [] if given is None else given.named_children:
            own, kind = p.child_by_field_name("name"), p.child_by_field_name("type")
            shown = "" if kind is None else self._text(kind)
            if own is None or re.match(r"DataFrame|Dataset\b", shown):
                continue
            told = self._call(self._name("scala_unknown", p), [ast.Constant(f"{name}.{self._text(own)}")])
            value = self._name("spark", p) if shown == "SparkSession" else self._at(told, p)
            made.append(self._at(ast.Assign([self._target(own)], value), p))
        return made

    def _do_if_expression(self, node: Node) -> list[ast.stmt]:
        parts = [node.child_by_field_name(n) for n in ("condition", "consequence", "alternative")]
        if parts[1] is None:
            return []
        other = [] if parts[2] is None else self._block(parts[2])
        return [self._at(ast.If(self.value(parts[0]), self._block(parts[1]) or [ast.Pass()], other), node)]

    def _block(self, node: Node) -> list[ast.stmt]:
        return self.statements(node.named_children) if node.type == "block" else self.statement(node)

    _do_block = _block

    def _do_for_expression(self, node: Node) -> list[ast.stmt]:
        body = node.child_by_field_name("body")
        made = self._block(body) if body is not None else []
        enumerators = enumerators_of(node)
        for e in reversed(
            [c for c in (enumerators.named_children if enumerators is not None else []) if c.type == "enumerator"]
        ):
            parts = e.named_children
            if len(parts) >= 2:
                made = [self._at(ast.For(self._target(parts[0]), self.value(parts[1]), made or [ast.Pass()], []), node)]
        return made

    def _do_try_expression(self, node: Node) -> list[ast.stmt]:
        body = node.child_by_field_name("body")
        made = [] if body is None else self._block(body)
        clauses = {c.type: c for c in node.named_children}
        caught, last = clauses.get("catch_clause"), clauses.get("finally_clause")
        behind = [] if last is None else [s for c in last.named_children for s in self._block(c)]
        # What is caught and thrown again ends the program all the same.
        if caught is None or "throw" in self._text(caught):
            return [*made, *behind]
        return [self._at(ast.Try(made or [ast.Pass()], [self._handler(caught)], [], behind), node)]

    def _handler(self, caught: Node) -> ast.ExceptHandler:
        """What is done with an error: the first case stands for all."""
        cases = [c for block in caught.named_children for c in block.named_children if c.type == "case_clause"]
        pattern = cases[0].child_by_field_name("pattern") if cases else None
        name = (
            pattern.child_by_field_name("pattern") if pattern is not None and pattern.type == "typed_pattern" else None
        )
        inner = [] if not cases else cases[0].child_by_field_name("body")
        body = self._block(inner) if inner else []
        called = None if name is None or self._text(name) == "_" else plain_name(self._text(name))
        handler: ast.ExceptHandler = self._at(
            ast.ExceptHandler(ast.Name("Exception", ast.Load()), called, body or [ast.Pass()]), caught
        )
        return handler
