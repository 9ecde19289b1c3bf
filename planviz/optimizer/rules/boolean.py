"""Logic: AND, OR and NOT made smaller."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

from typing_extensions import override

from planviz.expressions.arithmetic import operands
from planviz.expressions.conditional import CaseWhen, If
from planviz.expressions.core import Expression, Literal
from planviz.expressions.predicates import (
    And,
    BinaryComparison,
    Connective,
    EqualNullSafe,
    EqualTo,
    GreaterThan,
    GreaterThanOrEqual,
    In,
    InSet,
    IsNotNull,
    IsNull,
    LessThan,
    LessThanOrEqual,
    Not,
    Or,
)
from planviz.expressions.predicates import split_conjunction as split
from planviz.expressions.subqueries import SubqueryExpression
from planviz.logical.combining import Join
from planviz.logical.operators import Filter
from planviz.logical.plan import LogicalPlan
from planviz.optimizer.context import OptimizerRule
from planviz.optimizer.expression_set import ExpressionSet
from planviz.trees.depth import deep
from planviz.trees.memo import Memo
from planviz.trees.node import Settled, TreeNode
from planviz.types import BOOLEAN, NULL

TRUE, FALSE, UNKNOWN_TRUTH = Literal(True, BOOLEAN), Literal(False, BOOLEAN), Literal(None, BOOLEAN)
_NEGATED: dict[type[Expression], Callable[[Expression, Expression], BinaryComparison]] = {
    GreaterThan: LessThanOrEqual,
    GreaterThanOrEqual: LessThan,
    LessThan: GreaterThanOrEqual,
    LessThanOrEqual: GreaterThan,
}


def is_true(e: Expression) -> bool:
    """Whether the expression is the literal true."""
    return isinstance(e, Literal) and e.value is True


def is_false(e: Expression) -> bool:
    """Whether the expression is the literal false."""
    return isinstance(e, Literal) and e.value is False


def is_null(e: Expression) -> bool:
    """Whether the expression is a null literal."""
    return isinstance(e, Literal) and e.value is None


def opposite(a: Expression, b: Expression) -> bool:
    """Whether one is the other's negation."""
    if a.references != b.references:
        return False
    for x, y in ((a, b), (b, a)):
        if isinstance(x, Connective):
            return isinstance(y, Not) and same(x, y.child)
    return Not(a).semantic_equals(b) or a.semantic_equals(Not(b))


def same(a: Expression, b: Expression) -> bool:
    """Whether both always give the same value; a chain of AND or OR is only compared with another one."""
    if isinstance(a, Connective) or isinstance(b, Connective):
        return type(a) is type(b) and a.semantic_equals(b)
    return bool(a.references == b.references and a.semantic_equals(b))


class BooleanSimplification(OptimizerRule):
    """Shorten logic: constants, repeated and contradicting operands, common factors, NOT moved inwards.

    (a OR b) AND (a OR c)  =>  a OR (b AND c)

    Pays because common parts can be pushed down alone. A rule of two values only would be wrong: `a AND NOT a` is null
    for a null a, so `SELECT (b > 1) AND NOT (b > 1)` becomes if (isnull(b > 1)) null else false.
    """

    matches = (And, Or, Not)

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return self.on_expressions(plan, simplify)


def simplified_conditions(plan: LogicalPlan) -> LogicalPlan:
    """The whole plan after BooleanSimplification."""
    mask = BooleanSimplification.mask
    return plan.transform_down(lambda p: p.transform_expressions_up(simplify, mask), mask)


def simplify(e: Expression) -> Expression:
    """One node's simplification, its operands being simple already."""
    if isinstance(e, And):
        return _and(e)
    if isinstance(e, Or):
        return _or(e)
    return _not(e) if isinstance(e, Not) else e


def _and(e: And) -> Expression:
    a, b = e.left, e.right
    if is_true(a):
        return b
    if is_true(b):
        return a
    if is_false(a) or is_false(b):
        return FALSE
    if opposite(a, b):
        plain = a if Not(a).semantic_equals(b) else b
        return If(IsNull(plain), UNKNOWN_TRUTH, FALSE)
    if same(a, b):
        return a
    absorbed = _absorbed(a, b, Or, And)
    return absorbed if absorbed is not None else _factored(e, Or, And)


def _or(e: Or) -> Expression:
    a, b = e.left, e.right
    if is_false(a):
        return b
    if is_false(b):
        return a
    if is_true(a) or is_true(b):
        return TRUE
    if opposite(a, b):
        plain = a if Not(a).semantic_equals(b) else b
        return If(IsNull(plain), UNKNOWN_TRUTH, TRUE)
    if same(a, b):
        return a
    absorbed = _absorbed(a, b, And, Or)
    return absorbed if absorbed is not None else _factored(e, And, Or)


def _absorbed(a: Expression, b: Expression, inner: type[And | Or], outer: type[And | Or]) -> Expression | None:
    """a AND (NOT a OR c) is a AND c where a is never null; the same with AND and OR exchanged."""
    for x, y, first in ((a, b, True), (b, a, False)):
        if isinstance(y, inner) and not x.nullable:
            for gone, kept in ((y.left, y.right), (y.right, y.left)):
                if Not(x).semantic_equals(gone):
                    return outer(x, kept) if first else outer(kept, x)
    return None


def _factored(e: And | Or, inner: type[And | Or], outer: type[And | Or]) -> Expression:
    """Common operands of the two sides, taken out once."""
    left, right = operands(e.left, inner), operands(e.right, inner)
    common = [x for x in left if any(same(x, y) for y in right)]
    if common:
        a = [x for x in left if not any(same(x, y) for y in common)]
        b = [x for x in right if not any(same(x, y) for y in common)]
        if not a or not b:
            return _joined(common, inner)
        return _joined([*common, outer(_joined(a, inner), _joined(b, inner))], inner)
    return balanced(list(ExpressionSet(operands(e, outer))), outer) if _repeats(e, outer) else e


#: The canonical forms of the operands of a chain.
_FORMS: Memo[set[Expression]] = Memo("operand_forms")


def _repeats(e: And | Or, cls: type) -> bool:
    """Whether an operand occurs twice in the chain."""
    # Operands come before their chain: the forms that were seen go up with it, or a chain of n would take n * n steps.
    forms = _FORMS.pop(e.left) if type(e.left) is cls else None
    fresh = operands(e, cls) if forms is None else operands(e.right, cls)
    forms = set() if forms is None else forms
    for p in fresh:
        if p.deterministic:
            if p.canonicalized in forms:
                return True
            forms.add(p.canonicalized)
    _FORMS.set(e, forms)
    return False


def _joined(parts: list[Expression], cls: type) -> Expression:
    result = parts[0]
    for p in parts[1:]:
        result = cls(result, p)
    return result


def balanced(parts: Sequence[Expression], cls: type[And | Or]) -> Expression:
    """The operands under a tree of the least depth (Spark: buildBalancedPredicate)."""
    level = list(parts)
    while len(level) > 1:
        pairs = [cls(level[i], level[i + 1]) for i in range(0, len(level) - 1, 2)]
        level = pairs + level[len(pairs) * 2 :]
    return level[0]


def _not(e: Not) -> Expression:
    child = e.child
    if is_true(child):
        return FALSE
    if is_false(child):
        return TRUE
    if isinstance(child, BinaryComparison) and type(child) in _NEGATED:
        return _NEGATED[type(child)](child.left, child.right)
    match child:
        case Or(a, b):
            return And(simplify(Not(a)), simplify(Not(b)))
        case And(a, b):
            return Or(simplify(Not(a)), simplify(Not(b)))
        case Not(x):
            return x
        case IsNull(x):
            return IsNotNull(x)
        case IsNotNull(x):
            return IsNull(x)
    return e


class ReplaceNullWithFalseInPredicate(OptimizerRule):
    """A null where only true counts is false.

    Filter(if(a > 1, null, b > 1))  =>  Filter(if(a > 1, false, b > 1))

    Pays because false folds further. Not below NOT: `WHERE NOT (null)` gives no row, `WHERE NOT false` gives all.
    """

    matches = (Filter, Join, If, CaseWhen)

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return plan.transform_down(self._operator, self.mask, self.settled)

    def _operator(self, plan: LogicalPlan) -> LogicalPlan:
        if not _has_truths(plan):
            return plan
        condition = plan.condition if isinstance(plan, Filter | Join) else None
        if condition is not None:
            new = _false_for_null(condition)
            plan = plan if new is condition else plan.replace(condition=new)
        mask = If.BIT | CaseWhen.BIT
        return plan.transform_expressions_up(self._conditional, mask)

    @staticmethod
    def _conditional(e: Expression) -> Expression:
        match e:
            case If(p, _, _):
                new = _false_for_null(p)
                return e if new is p else e.replace(predicate=new)
            case CaseWhen(branches, _):
                items = tuple(_false_for_null(b) if i % 2 == 0 else b for i, b in enumerate(branches))
                return e if all(a is b for a, b in zip(items, branches, strict=True)) else e.replace(branches=items)
        return e


_TRUTHS = Literal.BIT | InSet.BIT
_HAS_TRUTHS: Memo[bool] = Memo("has_truths")


@deep
def _has_truths(node: TreeNode) -> bool:
    """Whether null, true, false or a set of values occurs in the tree; remembered per node (Spark: tree patterns)."""
    found = _HAS_TRUTHS.get(node)
    if found is None:
        found = isinstance(node, InSet) or (
            isinstance(node, Literal) and any(node.value is v for v in (None, True, False))
        )
        if not found and node.bits & _TRUTHS:
            inner = [node.plan] if isinstance(node, SubqueryExpression) else []
            held = (*node.expressions, *node.children, *inner)
            found = any([_has_truths(n) for n in held if n.bits & _TRUTHS])
        _HAS_TRUTHS.set(node, found)
    return bool(found)


@deep
def _false_for_null(e: Expression) -> Expression:
    match e:
        case Literal(None, t) if t in (BOOLEAN, NULL):
            return FALSE
        case Not(In(_, items)) | Not(InSet(_, items)) if any(map(is_null, items)):
            return FALSE
        case And() | Or():
            return e.map_children(_false_for_null)
        case CaseWhen(branches, otherwise) if e.data_type == BOOLEAN:
            items = tuple(_false_for_null(b) for b in branches)
            last = FALSE if otherwise is None else _false_for_null(otherwise)
            same = all(a is b for a, b in zip(items, branches, strict=True)) and last is otherwise
            return e if same else CaseWhen(items, last)
        case If(p, a, b) if e.data_type == BOOLEAN:
            return e.replace(predicate=_false_for_null(p), then=_false_for_null(a), otherwise=_false_for_null(b))
    return e


#: Nothing is known not to be null.
_NONE = ExpressionSet()


class SimplifyBinaryComparison(OptimizerRule):
    """Comparisons of a value with itself, and with true and false.

    a <=> a  =>  true        a = a  =>  true, where a is never null

    Pays because the filter goes. For a nullable a `WHERE a = a` drops nulls and must stay, unless isnotnull(a) stands
    in the same filter.
    """

    matches = (BinaryComparison,)

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return plan.transform_down(self._operator, self.mask, self.settled)

    def _operator(self, plan: LogicalPlan) -> LogicalPlan:
        if not isinstance(plan, Filter):
            return plan.transform_expressions_up(lambda e: self._compare(e, _NONE), self.mask, self.settled)
        condition = plan.condition
        if id(condition) in self._settled_conditions:
            return plan
        known = ExpressionSet(c.child for c in split(condition) if isinstance(c, IsNotNull))
        new = condition.transform_up(lambda e: self._compare(e, known), self.mask)
        if new is condition:
            self._settled_conditions[id(condition)] = condition
        return plan.replace(condition=new)

    @cached_property
    def _settled_conditions(self) -> Settled:
        """Conditions of filters that were left alone, though some columns were known not to be null."""
        return {}

    def _compare(self, e: Expression, known: ExpressionSet) -> Expression:
        if not isinstance(e, BinaryComparison):
            return e
        a, b = e.left, e.right
        never_null = not a.nullable or a in known
        truth = a.data_type == BOOLEAN and self.context.config.behaviour.truth_is_not_compared
        if truth and isinstance(e, EqualTo | EqualNullSafe):
            safe = isinstance(e, EqualTo) or (not a.nullable and not b.nullable)
            if safe and is_true(b):
                return a
            if safe and is_true(a):
                return b
            if safe and is_false(b):
                return Not(a)
            if safe and is_false(a):
                return Not(b)
        if not a.semantic_equals(b):
            return e
        if isinstance(e, EqualNullSafe):
            return TRUE
        if never_null:
            return FALSE if isinstance(e, LessThan | GreaterThan) else TRUE
        return e
