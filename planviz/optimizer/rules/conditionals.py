"""CASE, IF, casts, comparisons of casts, LIKE."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from typing_extensions import override

from planviz.expressions.arithmetic import Abs, BinaryArithmetic, UnaryMinus
from planviz.expressions.calls import DatetimePlus, FunctionCall
from planviz.expressions.casts import Cast
from planviz.expressions.complex import (
    CreateArray,
    CreateMap,
    CreateNamedStruct,
    ExtractValue,
    GetArrayItem,
    GetArrayStructFields,
    GetMapValue,
    GetStructField,
)
from planviz.expressions.conditional import CaseWhen, If
from planviz.expressions.core import Expression, Literal, lit
from planviz.expressions.patterns import Like, MultiLike, RLike, StringPredicate
from planviz.expressions.predicates import (
    And,
    BinaryComparison,
    EqualNullSafe,
    EqualTo,
    GreaterThanOrEqual,
    IsNotNull,
    IsNull,
    Not,
    Or,
)
from planviz.expressions.updates import UpdateFields
from planviz.logical.operators import Aggregate
from planviz.logical.plan import LogicalPlan
from planviz.optimizer.attributes import function
from planviz.optimizer.context import OptimizerRule
from planviz.optimizer.rules.boolean import balanced, is_false, is_null, is_true
from planviz.optimizer.rules.with_expression import is_cheap
from planviz.types import BOOLEAN, STRING, StringType


class SimplifyConditionals(OptimizerRule):
    """Take the branches out of CASE and IF that can never, or always, be taken.

    CASE WHEN false THEN 2 WHEN a > 1 THEN 1 ELSE 3 END  =>  CASE WHEN a > 1 THEN 1 ELSE 3 END

    Pays because conditions need no test. Conditions that draw are kept in their order even if all values are equal.
    """

    matches = (If, CaseWhen)

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return self.on_expressions(plan, self._one)

    def _one(self, e: Expression) -> Expression:
        to_conditions = self.context.config.behaviour.branches_become_conditions
        if isinstance(e, If):
            return _if(e, to_conditions)
        return _case(e, to_conditions) if isinstance(e, CaseWhen) else e


def _truth(condition: Expression) -> Expression:
    return EqualNullSafe(condition, Literal(True, BOOLEAN)) if condition.nullable else condition


def _if(e: If, to_conditions: bool) -> Expression:
    p, a, b = e.predicate, e.then, e.otherwise
    if is_true(p):
        return a
    if is_false(p) or is_null(p):
        return b
    if to_conditions and is_true(a) and is_false(b):
        return _truth(p)
    if to_conditions and is_false(a) and is_true(b):
        return Not(_truth(p))
    if p.deterministic and a.semantic_equals(b):
        return a
    if not p.nullable and e.data_type == BOOLEAN:
        if is_null(a) and is_false(b):
            return And(p, a)
        if is_null(a) and is_true(b):
            return Or(Not(p), a)
        if is_false(a) and is_null(b):
            return And(Not(p), b)
        if is_true(a) and is_null(b):
            return Or(p, b)
    return e


def _case(e: CaseWhen, to_conditions: bool) -> Expression:
    pairs = list(zip(e.conditions, e.values, strict=True))
    otherwise = e.otherwise
    if to_conditions and len(pairs) == 1 and otherwise is not None:
        (condition, value), last = pairs[0], otherwise
        if is_true(value) and is_false(last):
            return _truth(condition)
        if is_false(value) and is_true(last):
            return Not(_truth(condition))
    live = [(c, v) for c, v in pairs if not is_false(c) and not is_null(c)]
    if len(live) < len(pairs):
        if not live:
            return otherwise if otherwise is not None else Literal(None, e.data_type)
        return CaseWhen(_flat(live), otherwise)
    if is_true(pairs[0][0]):
        return pairs[0][1]
    first = next((i for i, (c, _) in enumerate(pairs) if is_true(c)), None)
    if first is not None and (first < len(pairs) - 1 or otherwise is not None):
        return CaseWhen(_flat(pairs[:first]), pairs[first][1])
    if otherwise is None and not to_conditions:
        return e
    last = otherwise if otherwise is not None else Literal(None, e.data_type)
    if all(v.semantic_equals(last) for _, v in pairs):
        keep = len(pairs)
        while keep and pairs[keep - 1][0].deterministic:
            keep -= 1
        return last if keep == 0 else CaseWhen(_flat([(c, last) for c, _ in pairs[:keep]]), otherwise)
    if to_conditions and otherwise is not None and is_null(otherwise):
        return CaseWhen(e.branches, None)
    return e


def _flat(pairs: Sequence[tuple[Expression, Expression]]) -> tuple[Expression, ...]:
    return tuple(x for p in pairs for x in p)


class PushFoldableIntoBranches(OptimizerRule):
    """Compute with a constant inside the branches when all but one of them are constants.

    CASE WHEN c THEN 1 ELSE 2 END = 1  =>  CASE WHEN c THEN 1 = 1 ELSE 2 = 1 END

    Pays because the branches fold. With two branches that are no constants the expression would be there twice.
    """

    matches = (If, CaseWhen)

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return self.on_expressions(plan, self._one)

    @staticmethod
    def _one(e: Expression) -> Expression:
        if isinstance(e, _UNARY) and len(e.children) == 1:
            return _pushed(e, e.children[0], lambda b: e.with_new_children((b,)))
        if len(e.children) == 2 and (isinstance(e, _BINARY) or (isinstance(e, FunctionCall) and e.name in _FUNCTIONS)):
            a, b = e.children
            if b.foldable and isinstance(a, If | CaseWhen):
                return _pushed(e, a, lambda x: e.with_new_children((x, b)))
            if a.foldable and isinstance(b, If | CaseWhen):
                return _pushed(e, b, lambda x: e.with_new_children((a, x)))
        return e


_UNARY = (IsNull, IsNotNull, Abs, UnaryMinus, Cast, ExtractValue, FunctionCall)
#: Functions of two arguments that Spark computes in branches, too: roundings, mathematics, dates.
_FUNCTIONS = frozenset((
    "add_months", "atan2", "bround", "ceil", "date_add", "date_sub", "datediff", "find_in_set", "floor", "hypot", "log",
    "pow", "power", "round",
))  # fmt: skip
_BINARY = (BinaryComparison, BinaryArithmetic, And, Or, Like, RLike, StringPredicate, DatetimePlus)


def _pushed(e: Expression, choice: Expression, f: Callable[[Expression], Expression]) -> Expression:
    match choice:
        case If(p, a, b) if _foldable_enough([a, b]):
            return If(p, f(a), f(b))
        case CaseWhen(branches, otherwise):
            last = otherwise if otherwise is not None else Literal(None, choice.data_type)
            if not _foldable_enough([*choice.values, last]):
                return e
            new = tuple(f(b) if i % 2 else b for i, b in enumerate(branches))
            return CaseWhen(new, f(last))
    return e


def _foldable_enough(values: list[Expression]) -> bool:
    fixed = [v for v in values if v.foldable]
    return bool(fixed) and len(values) - len(fixed) < 2


class LikeSimplification(OptimizerRule):
    """Patterns with % only at their ends are plain text searches.

    c LIKE 'abc%'  =>  startswith(c, 'abc')        c LIKE 'a%c'  =>  length(c) >= 2 AND startswith AND endswith

    Pays because no pattern is matched and the scan may use it. `_` and escapes need the pattern: `a_c` stays.
    """

    matches = (Like, MultiLike)

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return self.on_expressions(plan, self._one, "down")

    @staticmethod
    def _one(e: Expression) -> Expression:
        match e:
            case Like(text, Literal(None, _), _):
                return Literal(None, BOOLEAN)
            case Like(text, Literal(str() as pattern, _), escape):
                new = _like(text, pattern, escape)
                return e if new is None else new
            case MultiLike(child, patterns, name) if is_cheap(child):
                return _multi_like(e, child, patterns, name)
        return e


def _like(text: Expression, pattern: str, escape: str) -> And | EqualTo | StringPredicate | None:
    if escape in pattern or "_" in pattern:
        return None
    parts = re.split("%+", pattern)
    # A pattern is text, also where the value that it is compared with is binary.
    kind = text.data_type if isinstance(text.data_type, StringType) else STRING
    match parts:
        case [whole]:
            return EqualTo(text, Literal(whole, kind))
        case [head, ""] if head:
            return StringPredicate(text, Literal(head, kind), "StartsWith")
        case ["", tail] if tail:
            return StringPredicate(text, Literal(tail, kind), "EndsWith")
        case ["", middle, ""] if middle:
            return StringPredicate(text, Literal(middle, kind), "Contains")
        case [head, tail] if head and tail:
            length = function("length", text)
            start = StringPredicate(text, Literal(head, kind), "StartsWith")
            end = StringPredicate(text, Literal(tail, kind), "EndsWith")
            return And(GreaterThanOrEqual(length, lit(len(head) + len(tail))), And(start, end))
    return None


def _multi_like(e: Expression, child: Expression, patterns: tuple[Literal, ...], name: str) -> Expression:
    simple, rest = [], []
    for p in patterns:
        new = _like(child, p.value, "\\") if isinstance(p.value, str) else None
        if new is None:
            rest.append(p)
        else:
            simple.append(Not(new) if name.startswith("not") else new)
    if not simple:
        return e
    join = And if name.endswith("all") else Or
    together = balanced(simple, join)
    return join(together, MultiLike(child, tuple(rest), name)) if rest else together


class SimplifyCaseConversionExpressions(OptimizerRule):
    """Of two nested case conversions the outer one wins.

    upper(lower(c))  =>  upper(c)

    Pays because no text is built twice. Other functions between them stay: upper(reverse(lower(c))).
    """

    matches = (FunctionCall,)
    looks_for = ("Upper", "Lower")

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        names = ("upper", "lower", "ucase", "lcase")

        def step(e: Expression) -> Expression:
            if isinstance(e, FunctionCall) and e.name in names:
                inner = e.arguments[0]
                if isinstance(inner, FunctionCall) and inner.name in names:
                    return e.replace(arguments=inner.arguments)
            return e

        return plan.transform_all_expressions(step, FunctionCall.BIT, self.settled)


class SimplifyExtractValueOps(OptimizerRule):
    """Take a part of what is just being put together.

    named_struct('x', a, 'y', b).y  =>  b        array(a, b)[1]  =>  b        map('k', a)['k']  =>  a

    Pays because the rest is never built. Keys of a map are compared: map(a, 1)[b] needs a CASE.
    """

    matches = (ExtractValue,)

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        # An item of an aggregate may be one of its keys, unless keys that are computed were made columns before.
        keys_are_columns = self.context.config.behaviour.grouping_expressions_are_pulled_out

        def operator(p: LogicalPlan) -> LogicalPlan:
            if isinstance(p, Aggregate) and not keys_are_columns:
                return p
            return p.transform_expressions_up(self._one, ExtractValue.BIT)

        return plan.transform_down(operator, ExtractValue.BIT, self.settled)

    @staticmethod
    def _one(e: Expression) -> Expression:
        match e:
            case GetStructField(CreateNamedStruct() as s, i):
                return s.values[i]
            case GetStructField(UpdateFields() as u, i):
                return _from_update(u, i)
            case GetArrayStructFields(CreateArray(items), i):
                return CreateArray(tuple(GetStructField(x, i) for x in items))
            case GetArrayItem(CreateArray(items), Literal(int() as i, _)):
                return items[i] if 0 <= i < len(items) else e
            case GetMapValue(CreateMap(parts), key):
                return _from_map(e, parts, key)
        return e


def _from_update(changed: UpdateFields, position: int) -> Expression:
    """A field of a changed struct: the struct's own, or the new one where the struct is not null."""
    _, value = changed.fields[position]
    if isinstance(value, GetStructField) and value.child.semantic_equals(changed.struct):
        return value
    return changed.unless_null(value)


def _from_map(e: Expression, parts: tuple[Expression, ...], key: Expression) -> Expression:
    pairs = list(zip(parts[::2], parts[1::2], strict=True))
    if not pairs:
        return Literal(None, e.data_type)
    return CaseWhen(_flat([(EqualTo(key, k), v) for k, v in pairs]))
