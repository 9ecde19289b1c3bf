"""Subqueries that ask something of every row, IN and EXISTS: joins."""

from __future__ import annotations

from typing_extensions import override

from planviz.decisions.branches import logic
from planviz.errors import AnalysisError
from planviz.expressions.aggregates import AggregateExpression, FirstLast
from planviz.expressions.core import AttributeReference, Expression, alias
from planviz.expressions.ids import next_id
from planviz.expressions.predicates import EqualTo, IsNull, Not, Or, conjunction
from planviz.expressions.predicates import split_conjunction as split
from planviz.expressions.subqueries import Exists, InSubquery, ListQuery, SubqueryExpression
from planviz.logical.combining import Join
from planviz.logical.operators import Aggregate, Filter, Project
from planviz.logical.plan import LogicalPlan, UnaryNode
from planviz.optimizer.context import OptimizerContext, OptimizerRule
from planviz.optimizer.decorrelation import without_domains
from planviz.optimizer.rules.subqueries import in_place_of
from planviz.optimizer.rules.with_expression import over_functions
from planviz.trees.memo import place
from planviz.types import BOOLEAN


def has_predicate_subquery(e: Expression) -> bool:
    """Whether IN (query) or a correlated EXISTS occurs in the expression."""
    if not e.bits & (InSubquery.BIT | Exists.BIT | ListQuery.BIT):
        return False
    return bool(e.find(lambda x: isinstance(x, ListQuery) or (isinstance(x, Exists) and bool(x.outer))))


def _asks_of_a_group(e: Expression) -> bool:
    """Whether an aggregate function stands before an IN (query) in the expression."""
    return any(v.bits & AggregateExpression.BIT for asked in e.collect(InSubquery) for v in asked.values)


class RewritePredicateSubquery(OptimizerRule):
    """IN and EXISTS over a query become joins.

    Filter(EXISTS(q, c), p)  =>  Join(p, q, LeftSemi, c)
    Filter(a NOT IN (q), p)  =>  Join(p, q, LeftAnti, a = b OR isnull(a = b))

    Pays because joins can be planned. Inside an OR an ExistenceJoin gives the truth as a column. NOT IN counts a null
    as a match: with a plain anti join `SELECT * FROM t WHERE a NOT IN (SELECT null)` would give rows.
    """

    matches = (InSubquery, Exists)
    logic = logic(
        "for each conjunct of a Filter that asks a subquery:",
        ("EXISTS", "    EXISTS (q): LeftSemi join with q on what they share"),
        ("NOT EXISTS", "    NOT EXISTS (q): LeftAnti join with q on what they share"),
        ("IN", "    a IN (q): LeftSemi join with q on a = b"),
        ("NOT IN", "    a NOT IN (q): LeftAnti join with q on a = b OR isnull(a = b)"),
        ("inside", "    within OR and the like: ExistenceJoin, and a Filter on its column"),
        ("column", "for other operators: ExistenceJoin, and its column in place of the subquery"),
    )
    excludable = False

    def __init__(self, context: OptimizerContext) -> None:
        super().__init__(context)
        if context.config.behaviour.conjuncts_stand_in_a_row:
            self.mask = self.mask | Filter.BIT  # type: ignore[misc]

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return plan.transform_down(self._operator, self.mask)

    def _operator(self, plan: LogicalPlan) -> LogicalPlan:
        known = self.context.config.behaviour
        in_a_row = known.conjuncts_stand_in_a_row
        if isinstance(plan, Filter) and (in_a_row or has_predicate_subquery(plan.condition)):
            return self._filter(plan)
        if isinstance(plan, Join) and not known.join_conditions_ask_subqueries:
            return plan
        if isinstance(plan, Join) and plan.condition is not None and has_predicate_subquery(plan.condition):
            self.take(plan, "column", _REASONS["column"])
            return self._in_condition(plan)
        if isinstance(plan, Aggregate) and known.groups_ask_subqueries and any(map(_asks_of_a_group, plan.aggregates)):
            self.take(plan, "column", _REASONS["column"])
            return self._operator(over_functions(plan))
        if isinstance(plan, UnaryNode) and any(has_predicate_subquery(e) for e in plan.expressions):
            child = plan.child
            self.take(plan, "column", _REASONS["column"])

            def rewritten(e: Expression) -> Expression:
                nonlocal child
                new, child = existential(e, child)
                return new

            new = plan.map_expressions(rewritten).with_new_children((child,))
            if isinstance(new, Aggregate) and known.aggregates_take_the_first_answer:
                new = _with_first_answers(new, child.output_set - plan.child.output_set)
            return Project(plan.output, new)
        return plan

    def _filter(self, plan: Filter) -> LogicalPlan:
        parts = split(plan.condition)
        plain = [p for p in parts if not has_predicate_subquery(p)]
        result = Filter(conjunction(plain), plan.child) if plain else plan.child
        for p in parts:
            if has_predicate_subquery(p):
                branch = _branch_of(p)
                self.take(plan, branch, _REASONS[branch], [(p, "asks a subquery")])
                result = Project(result.output, self._one(p, result))
        return result

    @staticmethod
    def _in_condition(join: Join) -> LogicalPlan:
        """A join whose condition asks: the side that the subquery reads gives the answer as a column."""
        sides = {"left": join.left, "right": join.right}

        def step(e: Expression) -> Expression:
            if not isinstance(e, InSubquery | Exists):
                return e
            read = [n for n in sides if e.references & getattr(join, n).output_set]
            asked = e.query if isinstance(e, InSubquery) else e
            assert isinstance(asked, SubqueryExpression)
            if len(read) > 1 and asked.outer:
                raise AnalysisError(
                    "UNSUPPORTED_SUBQUERY_EXPRESSION_CATEGORY.UNSUPPORTED_CORRELATED_EXPRESSION_IN_JOIN_CONDITION",
                    "Unsupported subquery expression: Correlated subqueries in the join predicate cannot reference "
                    f"both join inputs: {e.pretty}. Join without it, and ask the subquery in WHERE.",
                )
            name = next((n for n in sides if e.references <= getattr(join, n).output_set), None)
            if name is None:
                return e
            new, sides[name] = existential(e, sides[name])
            return new

        assert join.condition is not None
        condition = join.condition.transform_down(step, InSubquery.BIT | Exists.BIT)
        new = join.replace(**sides, condition=condition)
        return join if sides["left"] is join.left and sides["right"] is join.right else Project(join.output, new)

    @staticmethod
    def _one(predicate: Expression, p: LogicalPlan) -> LogicalPlan:
        match predicate:
            case (Exists(sub, _, _, conditions) as query) | Not(Exists(sub, _, _, conditions) as query):
                sub = without_domains(p, sub, conditions)
                kind = "LeftAnti" if isinstance(predicate, Not) else "LeftSemi"
                condition, outer = _conjoined(list(conditions), p)
                return in_place_of(predicate, query, Join(outer, _apart(outer, sub, ()), kind, condition))
            case InSubquery(values, ListQuery(sub, _, _, conditions) as query):
                new = _apart(p, without_domains(p, sub, conditions), values)
                equal = [EqualTo(v, a) for v, a in zip(values, new.output, strict=False)]
                condition, outer = _conjoined([*equal, *conditions], p)
                return in_place_of(predicate, query, Join(outer, new, "LeftSemi", condition))
            case Not(InSubquery(values, ListQuery(sub, _, _, conditions) as query)):
                new = _apart(p, without_domains(p, sub, conditions), values)
                equal = [EqualTo(v, a) for v, a in zip(values, new.output, strict=False)]
                condition, outer = _conjoined(list(equal), p)
                aware = [Or(c, IsNull(c)) for c in split(condition)] if condition is not None else []
                anti = Join(outer, new, "LeftAnti", conjunction([*aware, *conditions]))
                return in_place_of(predicate, query, anti)
        rest, outer = existential(predicate, p)
        return Filter(rest, outer)


def _branch_of(predicate: Expression) -> str:
    """The branch of `RewritePredicateSubquery.logic` that a conjunct goes by."""
    match predicate:
        case Exists():
            return "EXISTS"
        case Not(Exists()):
            return "NOT EXISTS"
        case InSubquery(_, ListQuery()):
            return "IN"
        case Not(InSubquery(_, ListQuery())):
            return "NOT IN"
    return "inside"


_REASONS = {
    "EXISTS": "A semi join keeps the rows that match something, each once, as EXISTS asks.",
    "NOT EXISTS": "An anti join keeps the rows that match nothing, as NOT EXISTS asks.",
    "IN": "A row passes when some row of the subquery is equal; null is equal to nothing.",
    "NOT IN": "One null among the values leaves NOT IN null for every row, so an unknown comparison counts as a match.",
    "column": "Every row stays; the operator needs the answer as a value.",
    "inside": "The row may pass although the subquery says no, so the answer is needed as a column.",
}


def _conjoined(parts: list[Expression], plan: LogicalPlan) -> tuple[Expression | None, LogicalPlan]:
    new = []
    for p in parts:
        e, plan = existential(p, plan)
        new.append(e)
    return (conjunction(new) if new else None), plan


def _with_first_answers(plan: Aggregate, answers: frozenset[int]) -> Aggregate:
    """The aggregate with answers of subqueries that it neither groups by nor aggregates as the first of their group."""
    grouped = frozenset[int]().union(*[g.references for g in plan.grouping])

    def first(e: Expression) -> Expression:
        if isinstance(e, AggregateExpression):
            return e
        if isinstance(e, AttributeReference) and e.expr_id in answers and e.expr_id not in grouped:
            return AggregateExpression(FirstLast(e, "first", False), "Complete", False, None, next_id())
        return e.map_children(first)

    return plan.replace(aggregates=tuple(map(first, plan.aggregates)))


def existential(e: Expression, plan: LogicalPlan) -> tuple[Expression, LogicalPlan]:
    """The expression with every IN and EXISTS replaced by a column, and the plan that gives those columns."""
    if not e.bits & (InSubquery.BIT | Exists.BIT):
        return e, plan
    current = plan

    def joined(asked: Expression, sub: LogicalPlan, conditions: list[Expression], hint: str | None) -> Expression:
        nonlocal current
        exists = AttributeReference("exists", BOOLEAN, False, next_id())
        condition = conjunction(conditions) if conditions else None
        current = Join(current, sub, "ExistenceJoin", condition, None, None, hint, exists)
        place(current, asked.origin)
        return exists

    def step(x: Expression) -> Expression:
        match x:
            case Exists(sub, _, _, conditions, hint):
                return joined(x, without_domains(current, sub, conditions), list(conditions), hint)
            case Not(InSubquery(values, ListQuery(sub, _, _, conditions, _, hint))):
                new = _apart(current, without_domains(current, sub, conditions), values)
                equal = [EqualTo(v, a) for v, a in zip(values, new.output, strict=False)]
                return Not(joined(x, new, [*[Or(c, IsNull(c)) for c in equal], *conditions], hint))
            case InSubquery(values, ListQuery(sub, _, _, conditions, _, hint)):
                new = _apart(current, without_domains(current, sub, conditions), values)
                equal = [EqualTo(v, a) for v, a in zip(values, new.output, strict=False)]
                return joined(x, new, [*equal, *conditions], hint)
        return x

    return e.transform_down(step, InSubquery.BIT | Exists.BIT), current


def _apart(outer: LogicalPlan, sub: LogicalPlan, values: tuple[Expression, ...]) -> LogicalPlan:
    """The subquery's plan with columns of its own where it shares ids with the outer plan."""
    taken = outer.output_set.union(*[v.references for v in values])
    shared = {a.expr_id for a in sub.output} & taken
    if not shared:
        return sub
    items = tuple(alias(a, str(a)) if a.expr_id in shared else a for a in sub.output)
    return Project(items, sub)
