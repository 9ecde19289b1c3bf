"""Maps as keys: their entries in one order."""

from __future__ import annotations

from typing_extensions import override

from planviz.expressions.aggregates import AggregateExpression
from planviz.expressions.calls import FunctionCall
from planviz.expressions.complex import CreateNamedStruct, GetStructField
from planviz.expressions.conditional import If
from planviz.expressions.core import Alias, Expression, Literal, NamedExpression, alias
from planviz.expressions.ids import next_id
from planviz.expressions.lambdas import LambdaFunction, NamedLambdaVariable
from planviz.expressions.predicates import IsNull
from planviz.expressions.specs import FunctionSpec
from planviz.logical.operators import Aggregate, Project, RepartitionByExpression
from planviz.logical.plan import LogicalPlan
from planviz.optimizer.attributes import Substitution, function, map_list, substitute
from planviz.optimizer.context import OptimizerRule
from planviz.types import STRING, ArrayType, DataType, MapType, StructType

_SORT = FunctionSpec("mapsort", (), lambda args: args[0].data_type)


class InsertMapSortExpression(OptimizerRule):
    """Sort the entries of a map that rows are grouped or spread by.

    Aggregate [m], [count(1)]  =>  Aggregate [x], [count(1)] over Project [*, mapsort(m) AS x]

    Pays because maps can be compared as they lie in memory. Without it two maps of the same entries in another order,
    which are the same to SQL, would be two groups.
    """

    matches = (Aggregate, RepartitionByExpression)
    since = "spark-4.0"

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        if not any(_asks(p) for p in plan.walk()):
            return plan
        #: What the operators above read instead of a key that an aggregate gave as it was.
        new: dict[int, Expression] = {}

        def step(p: LogicalPlan) -> LogicalPlan:
            known: Substitution = dict(new)
            p = p.map_expressions(lambda e: substitute(e, known)) if known else p
            if isinstance(p, RepartitionByExpression):
                return p.replace(keys=tuple(sorted_maps(k) if holds_map(k.data_type) else k for k in p.keys))
            return self._aggregate(p, new) if isinstance(p, Aggregate) and _asks(p) else p

        return plan.transform_up(step)

    @staticmethod
    def _aggregate(plan: Aggregate, new: dict[int, Expression]) -> LogicalPlan:
        keys: dict[Expression, Alias] = {}
        for g in plan.grouping:
            if holds_map(g.data_type) and g.canonicalized not in keys:
                keys[g.canonicalized] = alias(sorted_maps(g), "_groupingmapsort")
        counted: dict[Expression, Alias] = {}
        for e in _distinct(plan):
            if holds_map(e.data_type) and e.canonicalized not in counted:
                counted[e.canonicalized] = alias(sorted_maps(e), "_distinctmapsort")

        def argument(e: Expression) -> Expression:
            return counted[e.canonicalized].to_attribute() if e.canonicalized in counted else e

        def inside(e: Expression) -> Expression:
            if isinstance(e, AggregateExpression) and e.distinct:
                return e.replace(function=e.function.map_children(argument))
            found = keys.get(e.canonicalized)
            return found.to_attribute() if found is not None else e

        def item(e: Expression) -> Expression:
            found = keys.get(e.canonicalized)
            if found is None or not isinstance(e, NamedExpression):
                return e.transform_up(inside)
            given = found.to_attribute().replace(name=e.name)
            new[e.expr_id] = given
            return given

        child = Project((*plan.child.output, *keys.values(), *counted.values()), plan.child)
        grouping = tuple(
            [keys[g.canonicalized].to_attribute() if g.canonicalized in keys else g for g in plan.grouping]
        )
        return Aggregate(grouping, map_list(plan.aggregates, item), child)


def _distinct(plan: Aggregate) -> list[Expression]:
    """What the functions of an aggregate are given without repetition."""
    found = [a for e in plan.aggregates for a in e.collect(AggregateExpression) if a.distinct]
    return [c for a in found for c in a.function.children if not c.foldable]


def _asks(plan: LogicalPlan) -> bool:
    if isinstance(plan, RepartitionByExpression):
        return any(holds_map(k.data_type) for k in plan.keys)
    return isinstance(plan, Aggregate) and any(holds_map(e.data_type) for e in (*plan.grouping, *_distinct(plan)))


def holds_map(t: DataType) -> bool:
    """Whether a value of the type is a map or holds one."""
    if isinstance(t, StructType):
        return any(holds_map(f.data_type) for f in t.fields)
    return isinstance(t, MapType) or (isinstance(t, ArrayType) and holds_map(t.element))


def sorted_maps(e: Expression) -> Expression:
    """The value with the entries of all maps in it sorted, those of maps as values of maps too."""
    t = e.data_type
    if not holds_map(t) or (isinstance(e, FunctionCall) and e.name == "mapsort"):
        return e
    if isinstance(t, StructType):
        parts: list[Expression] = []
        for i, f in enumerate(t.fields):
            parts += [Literal(f.name, STRING), sorted_maps(GetStructField(e, i))]
        made = CreateNamedStruct(tuple(parts))
        return If(IsNull(e), Literal(None, made.data_type), made) if e.nullable else made
    if isinstance(t, ArrayType):
        element = NamedLambdaVariable("x", t.element, t.contains_null, next_id())
        return function("transform", e, LambdaFunction(sorted_maps(element), (element,)))
    assert isinstance(t, MapType)
    if holds_map(t.value):
        key = NamedLambdaVariable("k", t.key, False, next_id())
        value = NamedLambdaVariable("v", t.value, t.value_contains_null, next_id())
        e = function("transform_values", e, LambdaFunction(sorted_maps(value), (key, value)))
    return FunctionCall("mapsort", (e,), _SORT)
