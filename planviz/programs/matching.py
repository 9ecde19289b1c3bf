"""The statement `match`: which case fits a value, and the names that its pattern binds."""

from __future__ import annotations

import ast
from abc import abstractmethod

from planviz.programs.definitions import Definitions
from planviz.programs.signals import Raised
from planviz.programs.values import Class, Instance, NamedValues, Scope, Unknown, Value

#: Classes of Python of which `str(x)` binds the value itself.
_WHOLE = frozenset(["bool", "bytearray", "bytes", "dict", "float", "frozenset", "int", "list", "set", "str", "tuple"])


class Matching(Definitions):
    """Reads `match`; of a value that nobody knows every case is read."""

    @abstractmethod
    def both_ways(self, node: ast.stmt, ways: list[list[ast.stmt]], condition: str, scope: Scope) -> None:
        """Ways of which nobody can know which is taken."""

    def _do_Match(self, node: ast.Match, scope: Scope) -> None:
        subject = self.value(node.subject, scope)
        if isinstance(subject, Unknown):
            self.both_ways(node, [c.body for c in node.cases], f"{ast.unparse(node.subject)} matches", scope)
            return
        for case in node.cases:
            bound: dict[str, Value] = {}
            if not self._matches(case.pattern, subject, bound, scope):
                continue
            for name, value in bound.items():
                scope.set(name, value)
            if case.guard is None or self.truth(self.value(case.guard, scope)) is not False:
                self.run(case.body, scope)
                return

    def _matches(self, pattern: ast.pattern, value: object, bound: dict[str, object], scope: Scope) -> bool:
        match pattern:
            case ast.MatchValue(value=node):
                return self.truth(self.compare(ast.Eq(), value, self.value(node, scope))) is True
            case ast.MatchSingleton(value=constant):
                return value is constant
            case ast.MatchAs(pattern=inner, name=name):
                if inner is not None and not self._matches(inner, value, bound, scope):
                    return False
                if name is not None:
                    bound[name] = value
                return True
            case ast.MatchOr(patterns=ways):
                return any(self._matches(p, value, bound, scope) for p in ways)
            case ast.MatchSequence(patterns=parts):
                return isinstance(value, list | tuple) and self._matches_all(parts, list(value), bound, scope)
            case ast.MatchMapping():
                return isinstance(value, dict) and self._matches_items(pattern, value, bound, scope)
            case ast.MatchClass():
                return self._matches_object(pattern, value, bound, scope)
        return False

    def _matches_all(
        self, parts: list[ast.pattern], values: list[object], bound: dict[str, object], scope: Scope
    ) -> bool:
        """[first, *rest]: each pattern its value, a star those that are left."""
        star = next((i for i, p in enumerate(parts) if isinstance(p, ast.MatchStar)), None)
        if star is not None and len(values) >= len(parts) - 1:
            end = len(values) - (len(parts) - star - 1)
            named = parts[star]
            if isinstance(named, ast.MatchStar) and named.name is not None:
                bound[named.name] = values[star:end]
            parts, values = [*parts[:star], *parts[star + 1 :]], [*values[:star], *values[end:]]
        return len(values) == len(parts) and all(
            self._matches(p, v, bound, scope) for p, v in zip(parts, values, strict=True)
        )

    def _matches_items(
        self, pattern: ast.MatchMapping, value: dict[object, object], bound: dict[str, object], scope: Scope
    ) -> bool:
        """{"key": pattern, **rest}: the keys that are named, the others in a dict of their own."""
        names = [self.value(k, scope) for k in pattern.keys]
        if not all(k in value for k in names):
            return False
        if pattern.rest is not None:
            bound[pattern.rest] = {k: v for k, v in value.items() if k not in names}
        return all(self._matches(p, value[k], bound, scope) for k, p in zip(names, pattern.patterns, strict=True))

    def _matches_object(self, pattern: ast.MatchClass, value: object, bound: dict[str, object], scope: Scope) -> bool:
        """Class(first, name=second): what its fields hold in order, and what its attributes hold."""
        if self.is_instance(value, self.value(pattern.cls, scope)) is not True:
            return False
        parts = list(zip(pattern.kwd_attrs, pattern.kwd_patterns, strict=True))
        given = pattern.patterns
        if given and ast.unparse(pattern.cls) in _WHOLE:
            return len(given) == 1 and not parts and self._matches(given[0], value, bound, scope)
        if given:
            fields = self._fields_in_order(value)
            if len(given) > len(fields):
                return False
            parts = [*zip(fields, given, strict=False), *parts]
        for name, part in parts:
            try:
                held = self.attribute(value, name)
            except Raised:
                return False
            if not self._matches(part, held, bound, scope):
                return False
        return True

    def _fields_in_order(self, value: object) -> list[str]:
        """What an object's class says of the order of its fields: `__match_args__`, or that of a dataclass."""
        cls: Class | None = value.of if isinstance(value, Instance | NamedValues) else None
        if cls is None:
            return []
        try:
            told = cls.find("__match_args__")
        except KeyError:
            return list(cls.fields or ())
        return [name for name in told if isinstance(name, str)] if isinstance(told, tuple | list) else []
