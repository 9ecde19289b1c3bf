"""Scala's patterns: match, functions of cases, and what they bind."""

from __future__ import annotations

import ast
from collections.abc import Callable

from planviz.programs.scala_nodes import Node, Nodes, arguments_of, plain_name
from planviz.programs.values import Value


class Matching(Nodes):
    """Expressions that take values apart, as what `scala_match` takes."""

    def _lambda_of_cases(self, node: Node) -> ast.expr:
        """{ case (a, (b, c)) => value }: a function that takes its argument, or its arguments, apart."""
        clauses = [c for c in node.named_children if c.type == "case_clause"]
        pattern, body = [clauses[0].child_by_field_name(n) if clauses else None for n in ("pattern", "body")]
        if len(clauses) > 1 or (clauses and any(c.type == "guard" for c in clauses[0].named_children)):
            whole = ast.parse("_given[0] if _given[1:] == () else _given", mode="eval").body
            several = ast.arguments([], [], ast.arg("_given", None), [], [], None, [])
            return ast.Lambda(several, self._match(whole, clauses, node))
        if len(clauses) != 1 or pattern is None or body is None:
            return self._name("partial_function", node)
        # One argument is taken apart itself, of several each; `len` is a function of Spark here.
        given = ast.parse("_given[0] if _given[1:] == () else _given", mode="eval").body
        places: dict[str, ast.expr] = {}

        def take_apart(part: Node, place: ast.expr) -> None:
            if part.type in ("tuple_pattern", "case_class_pattern"):
                inner = [c for c in part.named_children if c.type not in ("type_identifier", "stable_type_identifier")]
                for i, c in enumerate(inner):
                    take_apart(c, ast.Subscript(place, ast.Constant(i), ast.Load()))
            else:
                found = part.child_by_field_name("pattern") or part
                places[self._text(found).split(":")[0].strip()] = place

        take_apart(pattern, given)
        result = self._in_order(body.named_children) if body.type == "block" else self.value(body)
        inside = self._at(ast.Lambda(arguments_of(list(places)), result), node)
        arguments = ast.arguments([], [], ast.arg("_given", None), [], [], None, [])
        made: ast.expr = self._at(ast.Lambda(arguments, self._call(inside, list(places.values()))), node)
        for n in ast.walk(made):
            if isinstance(n, ast.expr) and not hasattr(n, "end_lineno"):
                self._at(n, node)
        return made

    def _of_match_expression(self, node: Node) -> ast.expr:
        subject, body = node.child_by_field_name("value"), node.child_by_field_name("body")
        return self._match(self.value(subject), [] if body is None else body.named_children, node)

    def _match(self, subject: ast.expr, clauses: list[Value], node: Node) -> ast.expr:
        """Clauses as functions of the names that their patterns bind."""
        made: list[ast.expr] = []
        for clause in clauses:
            pattern, written = clause.child_by_field_name("pattern"), clause.children_by_field_name("body")
            if clause.type != "case_clause" or pattern is None:
                continue
            names: list[str] = []
            spec = self._pattern(pattern, names)
            guard = next((g.child_by_field_name("condition") for g in clause.named_children if g.type == "guard"), None)
            test = ast.Constant(None) if guard is None else ast.Lambda(arguments_of(names), self.value(guard))
            result = self._in_order(written) if written else ast.Constant(None)
            inside = ast.Lambda(arguments_of(names), result)
            shown = ast.Constant(self._text(pattern)[:60])
            made.append(self._at(ast.Tuple([spec, test, inside, shown], ast.Load()), clause))
        found: ast.expr = self._call(self._name("scala_match", node), [subject, ast.List(made, ast.Load())])
        return ast.copy_location(found, subject) if not hasattr(found, "lineno") else found

    def _pattern(self, node: Node, names: list[str]) -> ast.expr:
        """A pattern as `scala_match` takes it; `names` gets those that it binds."""

        def spec(kind: str, *parts: ast.expr) -> ast.expr:
            made: ast.expr = self._at(ast.Tuple([ast.Constant(kind), *parts], ast.Load()), node)
            return made

        def several(nodes: list[Value]) -> ast.expr:
            return ast.List([self._pattern(n, names) for n in nodes], ast.Load())

        text = self._text(node)
        match node.type:
            case "wildcard":
                return spec("any")
            case "identifier" if text == "Nil":
                return spec("nil")
            case "identifier" if text[:1].islower():
                names.append(plain_name(text))
                return spec("bind", ast.Constant(names[-1]))
            case "typed_pattern":
                kind = node.child_by_field_name("type")
                named = ast.Constant(self._text(kind).split("[")[0].split(".")[-1])
                inner = self._pattern(node.child_by_field_name("pattern"), names)
                return spec("typed", named, inner)
            case "case_class_pattern":
                kind = node.child_by_field_name("type")
                inner_nodes = [c for c in node.named_children if c != kind and "type" not in c.type]
                return spec("class", ast.Constant(self._text(kind).split(".")[-1]), several(inner_nodes))
            case "tuple_pattern":
                return spec("tuple", several(node.named_children))
            case "alternative_pattern":
                return spec("or", several(node.named_children))
            case "infix_pattern":
                left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
                return self._cons(left, self._pattern(right, names), names, spec)
            case "capture_pattern":
                inner_nodes = node.named_children
                names.append(plain_name(self._text(inner_nodes[0])))
                return spec("bind", ast.Constant(names[-1]))
        return spec("is", self.value(node))

    def _cons(self, node: Node, rest: ast.expr, names: list[str], spec: Callable[..., ast.expr]) -> ast.expr:
        """a :: b :: rest, of which tree-sitter takes the first two together."""
        if node.type != "infix_pattern":
            return spec("cons", self._pattern(node, names), rest)
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        return self._cons(left, spec("cons", self._pattern(right, names), rest), names, spec)
