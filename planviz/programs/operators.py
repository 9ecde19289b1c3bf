"""Operators of a program over known and unknown values, columns, and objects of its own."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from planviz.dataframe import Column
from planviz.programs import attributes
from planviz.programs.core import PLAIN
from planviz.programs.frames import Values
from planviz.programs.members import Members
from planviz.programs.scala_text import scala_text
from planviz.programs.signals import Raised, raised
from planviz.programs.type_objects import TypeObject, same_class
from planviz.programs.values import (
    Class,
    ErrorClass,
    ErrorValue,
    Function,
    Instance,
    Module,
    Native,
    Scope,
    Unknown,
    Value,
)

if TYPE_CHECKING:
    pass


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
_SPECIAL_UNARY: dict[type, str] = {ast.USub: "__neg__", ast.UAdd: "__pos__", ast.Invert: "__invert__"}
_SPECIAL_ORDER: dict[type, str] = {ast.Lt: "__lt__", ast.LtE: "__le__", ast.Gt: "__gt__", ast.GtE: "__ge__"}
_SPECIAL = {
    ast.Add: "__add__", ast.Sub: "__sub__", ast.Mult: "__mul__", ast.BitOr: "__or__", ast.RShift: "__rshift__",
    ast.Div: "__truediv__", ast.BitAnd: "__and__", ast.Mod: "__mod__", ast.LShift: "__lshift__",
}  # fmt: skip


class Operators(Members):
    """Gives the value of operators."""

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
            return self.call_method(value, _SPECIAL_UNARY[type(node.op)], [], Unknown(value.of.name))
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
        if plain and is_narrow(pattern):
            return self.checked(self.python(lambda: pattern % given))
        if not is_narrow(pattern):
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
        if isinstance(left, Instance) and type(op) in _SPECIAL_ORDER:
            return self.call_method(left, _SPECIAL_ORDER[type(op)], [right], Unknown("order"))
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
            known = self.truth(self.call_method(right, "__contains__", [left], Unknown("in")))
            return Unknown("in") if known is None else known == wanted
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


def _sign(op: ast.cmpop) -> str:
    return {"Eq": "==", "NotEq": "!=", "Lt": "<", "LtE": "<=", "Gt": ">", "GtE": ">="}.get(type(op).__name__, "?")


def is_narrow(spec: str) -> bool:
    """Whether a format asks for no width of millions."""
    digits = "".join(c if c.isdigit() else " " for c in spec).split()
    return re.search(r"%[^a-zA-Z%\s]*\*", spec) is None and all(len(d) < 5 for d in digits)
