"""Which coercion applies to which expression, and the pass that applies them."""

from __future__ import annotations

from functools import cache
from types import UnionType

from planviz.analysis.coercion import common_type, inputs, legacy, operators
from planviz.analysis.coercion.collations import one_collation
from planviz.analysis.coercion.lattice import ANSI, Rule, TypeCoercion
from planviz.expressions.aggregates import Average, Sum
from planviz.expressions.arithmetic import Abs, BinaryOperator, Shift, UnaryMinus, UnaryPositive
from planviz.expressions.calls import Concat, RegexpForm, ReplaceableCall, StringForm, TemporalOperation
from planviz.expressions.casts import Cast
from planviz.expressions.common_expressions import With
from planviz.expressions.complex import CreateArray, CreateMap, GetMapValue
from planviz.expressions.conditional import CaseWhen, Coalesce, Extremum, If
from planviz.expressions.core import BEYOND_LEAVES, Expression, Literal
from planviz.expressions.objects import ScalaUDF
from planviz.expressions.patterns import Like, MultiLike, RLike, StringPredicate
from planviz.expressions.predicates import In, IsNaN, Not
from planviz.expressions.specs import SignatureCall
from planviz.expressions.subqueries import InSubquery
from planviz.expressions.windows import LagLead, SpecifiedWindowFrame, WindowSpec
from planviz.trees.depth import deep
from planviz.trees.memo import Memo
from planviz.types.collations import COLLATED

#: What -1 of null hangs on a setting for.
_SIZES = ("size", "cardinality")
#: By whom an expression got its casts.
_COERCED: Memo[TypeCoercion] = Memo("coerced")


@deep
def coerced_tree(e: Expression, c: TypeCoercion) -> Expression:
    """An expression with the casts it needs; what was done before is remembered on the node."""
    if _COERCED.get(e) is c:
        return e
    new = e.map_children(lambda child: coerced_tree(child, c), BEYOND_LEAVES)
    if c.mode != ANSI.mode:
        new = in_mode(new, c)
    if (new.children_resolved or _waits_for_its_bounds(new)) and not isinstance(new, Literal):
        result = coerce(new, c)
        if result is not new and c.mode != ANSI.mode:
            # The casts that were put in just now: HAVING is compared with the select list before the next pass.
            result = in_mode(result.map_children(lambda x: in_mode(x, c), BEYOND_LEAVES), c)
        if c.finish is not None:
            result = c.finish(result)
        if result is not new:
            new.rebuilt(result)
            for made in result.children:
                # A cast that nobody wrote stands where what asks for it does: errors of its value are told of there.
                if isinstance(made, Cast):
                    new.rebuilt(made)
            # The casts may need a second look one level up only: their children are settled.
            new = result
    if new.resolved:
        _COERCED.set(new, c)
    return new


def _waits_for_its_bounds(e: Expression) -> bool:
    """Whether a window's frame alone is not resolved: its bounds get one type with the order."""
    if not isinstance(e, WindowSpec) or not all(x.resolved for x in (*e.partition, *e.order)):
        return False
    return isinstance(e.frame, SpecifiedWindowFrame) and e.frame.children_resolved


def in_mode(e: Expression, c: TypeCoercion) -> Expression:
    """A node with ANSI off: of a call that another expression replaces, that one, too."""
    if getattr(e, "mode", "") == ANSI.mode:
        return e.rebuilt(e.replace(mode=c.mode))
    if not isinstance(e, SignatureCall) or (e.name in _SIZES and not c.null_has_a_size):
        return e
    new = e.without_failures()
    if new is not e and isinstance(e, ReplaceableCall) and e.made is not None:
        made = e.made
        return new.replace(made=lambda a: made(a).transform_up(lambda x: in_mode(x, c)))
    return new


def coerce(e: Expression, c: TypeCoercion) -> Expression:
    """One node with its inputs cast; itself when they fit."""
    if COLLATED:
        e = one_collation(e)
    # mypy takes the hash of a class for that of its instances.
    kind: type = e.__class__
    rule = _rule_for(kind, c.mode)
    return e if rule is None else rule(e, c)


@cache
def _rule_for(kind: type, mode: str) -> Rule | None:
    return next((rule for cls, rule in _RULES[mode] if issubclass(kind, cls)), None)


_ANSI_RULES: list[tuple[type | UnionType, Rule]] = [
    (BinaryOperator, operators.binary),
    (CaseWhen, common_type.case),
    (If, common_type.conditional),
    (Coalesce, common_type.all_of("arguments")),
    (Extremum, common_type.extremum),
    (CreateArray, common_type.all_of("items")),
    (CreateMap, common_type.map_entries),
    (In, common_type.in_list),
    (InSubquery, common_type.in_subquery),
    (Concat, common_type.concat),
    (SignatureCall, inputs.function),
    (StringForm, inputs.string_form),
    (ScalaUDF, inputs.user_defined),
    (Like | RLike | StringPredicate | MultiLike | RegexpForm, inputs.texts),
    (Sum | Average, inputs.child_to("SUM")),
    (Abs | UnaryMinus | UnaryPositive, inputs.child_to("N")),
    (Not, inputs.child_to("B")),
    (IsNaN, inputs.child_to("D")),
    (Shift, operators.shift),
    (LagLead, inputs.lag_lead),
    (WindowSpec, inputs.window_spec),
    (With, inputs.shared),
    (GetMapValue, inputs.map_value),
    (TemporalOperation, inputs.temporal),
]


#: The first row that fits counts.
_RULES: dict[str, list[tuple[type | UnionType, Rule]]] = {
    "ANSI": _ANSI_RULES,
    "LEGACY": [
        (BinaryOperator, legacy.binary),
        (Concat, legacy.concat),
        (Abs | UnaryMinus | UnaryPositive, legacy.sign),
        *_ANSI_RULES,
    ],
}
