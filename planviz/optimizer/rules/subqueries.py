"""Subqueries: correlated predicates pulled out, plans optimized, and the expressions turned into joins."""

from __future__ import annotations

from typing_extensions import override

from planviz.evaluation import Evaluator
from planviz.expressions.aggregates import Count
from planviz.expressions.conditional import If
from planviz.expressions.core import Alias, AttributeReference, Expression, Literal, alias, id_of, lit
from planviz.expressions.ids import next_id
from planviz.expressions.predicates import IsNotNull, IsNull, conjunction
from planviz.expressions.predicates import split_conjunction as split
from planviz.expressions.subqueries import Exists, LateralSubquery, ListQuery, ScalarSubquery
from planviz.expressions.subqueries import SubqueryExpression as AnySubquery
from planviz.expressions.unresolved import OuterReference
from planviz.logical.combining import Join, LateralJoin
from planviz.logical.operators import (
    Aggregate,
    Distinct,
    Filter,
    Generate,
    GlobalLimit,
    LocalLimit,
    Project,
    Sort,
    Subquery,
    SubqueryAlias,
)
from planviz.logical.plan import LogicalPlan, UnaryNode
from planviz.logical.relations import OneRowRelation
from planviz.optimizer.attributes import map_list, same_output, substitute
from planviz.optimizer.context import OptimizerRule
from planviz.optimizer.decorrelation import (
    Decorrelation,
    equivalences,
    without_correlated_filters,
    without_domains,
    zero_rows_value,
)
from planviz.optimizer.rules.boolean import simplified_conditions
from planviz.optimizer.rules.projections import CollapseProject
from planviz.trees.memo import place
from planviz.types import BOOLEAN


def _strip(e: Expression) -> Expression:
    return e.transform_up(lambda x: x.attribute if isinstance(x, OuterReference) else x, OuterReference.BIT)


class OptimizeOneRowRelationSubquery(OptimizerRule):
    """A subquery without FROM is its expressions: a scalar one its value, a lateral one a projection or generator.

    (SELECT f(outer a))  =>  f(a)        LateralJoin(p, (SELECT outer a + 1 AS x))  =>  Project [*, a + 1 AS x] over p

    Pays because a join goes. Wrong with a table: `(SELECT a FROM t)` may have no row, or many.
    """

    matches = (ScalarSubquery, LateralJoin)
    settings = ("spark.sql.optimizer.optimizeOneRowRelationSubquery",)

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return plan.transform_up(self._operator, self.mask) if self.context.on(self.settings[0]) else plan

    def _operator(self, plan: LogicalPlan) -> LogicalPlan:
        match plan:
            case LateralJoin(child, LateralSubquery(sub, _, _, ()), _, None) if not _has_subqueries(sub):
                return _beside(child, self._bare(sub)) or plan
        return plan.transform_expressions_up(self._scalar, ScalarSubquery.BIT)

    def _scalar(self, e: Expression) -> Expression:
        match e:
            case ScalarSubquery(sub, _, _, ()) if not _has_subqueries(sub):
                match self._bare(sub):
                    case Project((item,), OneRowRelation()):
                        return _strip(item.child if isinstance(item, Alias) else item)
        return e

    def _bare(self, plan: LogicalPlan) -> LogicalPlan:
        """The plan without what one row does not need, its projections merged."""
        while isinstance(plan, Sort | Subquery):
            plan = plan.child
        merged: LogicalPlan = CollapseProject(self.context, always=True).apply(plan)
        return merged


def _has_subqueries(plan: LogicalPlan) -> bool:
    """Whether a plan holds correlated subqueries."""
    if not plan.bits & AnySubquery.BIT:
        return False
    return any(s.outer for p in plan.walk() for e in p.expressions for s in e.collect(AnySubquery))


def _beside(child: LogicalPlan, plan: LogicalPlan) -> LogicalPlan | None:
    """The outer plan with the columns of a lateral subquery without FROM, or None."""
    match plan:
        case Project(items, OneRowRelation()):
            return Project((*child.output, *map(_strip, items)), child)
        case Generate(child=OneRowRelation()):
            return plan.map_expressions(_strip).with_new_children((child,))
        case Project(items, Generate(child=OneRowRelation()) as g):
            below = g.map_expressions(_strip).with_new_children((child,))
            return Project((*child.output, *map(_strip, items)), below)
    return None


class PullupCorrelatedPredicates(OptimizerRule):
    """Take predicates that read the outer query out of a subquery and keep them beside it.

    EXISTS(Filter(b > 5 AND x = outer(y), t))  =>  EXISTS(Filter(b > 5, t)), condition x = y

    Pays because a plan without outer references can be optimized and joined. An aggregate gets the inner columns of
    equality predicates as keys; `(SELECT count(*) FROM t2 WHERE t2.a < t1.a)` has none that would do, so there the
    outer values themselves are joined in below.
    """

    matches = (AnySubquery,)
    excludable = False

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return plan.transform_up(self._operator, AnySubquery.BIT, self.settled)

    def _operator(self, plan: LogicalPlan) -> LogicalPlan:
        if not isinstance(plan, UnaryNode | Join | LateralJoin):
            return plan
        if isinstance(plan, Join) and not self.context.config.behaviour.join_conditions_ask_subqueries:
            return plan
        new = plan.transform_expressions_down(lambda e: self._subquery(e, plan), AnySubquery.BIT)
        if isinstance(plan, LateralJoin) and new.output != plan.output:
            return Project(plan.output, new)
        return new

    def _subquery(self, e: Expression, outer: LogicalPlan) -> Expression:
        if not isinstance(e, AnySubquery) or not e.outer:
            return e
        inner: LogicalPlan = e.plan
        if not inner.bits & OuterReference.BIT:
            return e
        counts = not isinstance(e, ScalarSubquery) or not _counts_at_top(inner)
        simple = simplified_conditions(inner)
        if isinstance(e, Exists | ListQuery) and not self.context.config.behaviour.existence_is_decorrelated:
            part = without_correlated_filters(simple)
        else:
            part = Decorrelation(counts, self.context.evaluator).part(simple, {})
        plan, conditions = part.plan, part.conditions
        taken = outer.input_set if isinstance(outer, LateralJoin) else outer.input_set | outer.output_set
        ids = {a.expr_id for a in plan.output} & taken
        if ids:
            # What EXISTS and IN give is named by RewritePredicateSubquery, with the old id.
            pretty = self.context.config.behaviour.renamed_columns_keep_their_names
            pretty = pretty and not isinstance(e, Exists | ListQuery)
            clash = [a for a in plan.output if a.expr_id in ids]
            fresh = {a.expr_id: Alias(a, a.name if pretty else str(a), next_id()) for a in clash}
            plan = Project(tuple(fresh.get(a.expr_id, a) for a in plan.output), plan)
            mapping = {i: a.to_attribute() for i, a in fresh.items()}
            conditions = [substitute(c, mapping) for c in conditions]
        stripped = tuple(_strip(c) for c in conditions)
        new: Expression = e.replace(plan=plan, conditions=stripped or e.conditions)
        if isinstance(e, ScalarSubquery):
            single = not _one_row(inner)
            grouped = isinstance(inner, Aggregate) and bool(inner.grouping)
            return new.replace(zero_rows=not counts and not grouped, single=single)
        return new


def _one_row(plan: LogicalPlan) -> bool:
    """Whether a subquery gives at most one row for every row around it."""
    while isinstance(plan, Project | SubqueryAlias):
        plan = plan.child
    if not isinstance(plan, Aggregate):
        return plan.max_rows in (0, 1)
    filters = [f.condition for f in plan.child.collect(Filter)]
    bound = {a.expr_id for c in filters for a in equivalences(split(c)).values()}
    return all(isinstance(g, AttributeReference) and g.expr_id in bound for g in plan.grouping)


def _counts_at_top(plan: LogicalPlan) -> bool:
    """Whether an aggregate is the plan's top and none without keys stands below: its row for no rows is then put in
    by the join that the subquery becomes."""
    return isinstance(plan, Aggregate) and not any(
        not a.grouping and any(i.bits & Count.BIT for i in a.aggregates) for a in plan.child.collect(Aggregate)
    )


class OptimizeSubqueries(OptimizerRule):
    """Run the whole optimizer on the plan of every subquery; a sort at its top goes.

    IN (SELECT a FROM t WHERE 1 = 1 ORDER BY b)  =>  IN (SELECT a FROM t)

    Pays because subqueries become as good as queries. A sort below a limit stays: `IN (SELECT a FROM t ORDER BY b
    LIMIT 3)` means three certain rows.
    """

    matches = (AnySubquery,)
    package = "org.apache.spark.sql.catalyst.optimizer.Optimizer$"
    excludable = False

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return plan.transform_down(lambda p: p.transform_expressions_down(self._one, AnySubquery.BIT), AnySubquery.BIT)

    def _one(self, e: Expression) -> Expression:
        match e:
            case ScalarSubquery(Aggregate(_, _, child) as top, outer, _, conditions) if outer and conditions:
                # The aggregate has to stay to tell what no rows give, so only its input is optimized.
                read = {a.expr_id: a for x in top.expressions for a in x.attributes}
                needed = tuple(sorted(read.values(), key=lambda a: (a.name, a.expr_id)))
                below = _unprojected(self._optimized(Project(needed, child), True))
                if {a.expr_id for a in needed} <= below.output_set:
                    return e.with_plan(top.replace(child=below))
                items = tuple(
                    b if a.expr_id == b.expr_id else Alias(b, a.name, a.expr_id)
                    for a, b in zip(needed, below.output, strict=True)
                )
                return e.with_plan(top.replace(child=below if items == below.output else Project(items, below)))
            case Exists(plan, outer, _, conditions) if outer and conditions:
                # Only the columns of its conditions count.
                keys = frozenset[int]().union(*[c.references for c in conditions])
                # SELECT * goes before Spark prunes: what is left are the table's columns, which have no qualifiers.
                bare = isinstance(plan, Project) and same_output(plan.output, plan.child.output)
                columns = tuple(a.replace(qualifier=()) if bare else a for a in plan.output if a.expr_id in keys)
                narrow = Project(columns, plan)
                return e.with_plan(_without_top_sort(self._optimized(narrow, True)))
            case Exists(plan, outer) if not outer:
                # Only whether there is a row counts.
                return e.with_plan(_unprojected(self._optimized(Project((), plan), False)))
            case AnySubquery():
                return e.with_plan(_without_top_sort(self._optimized(e.plan, bool(e.outer))))
        return e

    def _optimized(self, plan: LogicalPlan, correlated: bool) -> LogicalPlan:
        done: LogicalPlan = self.context.optimize(Subquery(plan, correlated)).children[0]
        return done


def _unprojected(plan: LogicalPlan) -> LogicalPlan:
    """The plan without a projection at its top that only selects columns."""
    if isinstance(plan, Project) and all(isinstance(i, AttributeReference) for i in plan.projects):
        return plan.child
    return plan


def _without_top_sort(plan: LogicalPlan) -> LogicalPlan:
    match plan:
        case Sort(_, _, child):
            return child
        case Project(items, child):
            below = _without_top_sort(child)
            return plan if below is child else Project(items, below)
    return plan


class RewriteNonCorrelatedExists(OptimizerRule):
    """EXISTS over a plan that does not read the outer query is a scalar subquery with one row.

    EXISTS(p)  =>  (SELECT 1 FROM p LIMIT 1) IS NOT NULL

    Pays because it is computed once. Wrong when correlated: `EXISTS (SELECT 1 FROM t2 WHERE t2.a = t1.a)` differs by
    row.
    """

    matches = (Exists,)

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return plan.transform_all_expressions(self._one, Exists.BIT, self.settled)

    @staticmethod
    def _one(e: Expression) -> Expression:
        if not isinstance(e, Exists) or e.outer:
            return e
        one = Project((alias(lit(1), "col"),), e.plan)
        return IsNotNull(ScalarSubquery(GlobalLimit(lit(1), LocalLimit(lit(1), one)), (), e.expr_id))


class RewriteCorrelatedScalarSubquery(OptimizerRule):
    """A correlated scalar subquery becomes a left outer join.

    Project [(SELECT max(x) FROM t WHERE k = a)]  =>  Project [m] over Join(p, Aggregate [k], [max(x) AS m, k])

    Pays because it runs once for all rows. A count over no rows is 0, not null: without its correction
    `SELECT (SELECT count(*) FROM t2 WHERE t2.a = t1.a) FROM t1` would give null where nothing matches.
    """

    matches = (ScalarSubquery,)
    order = "up"
    excludable = False

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return plan.transform_up(self._operator, ScalarSubquery.BIT, self.settled)

    def _operator(self, plan: LogicalPlan) -> LogicalPlan:
        if not isinstance(plan, Aggregate | Project | Filter):
            return plan
        found: list[ScalarSubquery] = []

        def take(e: Expression) -> Expression:
            if isinstance(e, ScalarSubquery) and e.outer:
                found.append(e)
                first: Expression = e.plan.output[0]
                return first
            return e

        def taken(e: Expression) -> Expression:
            return e.transform_down(take, ScalarSubquery.BIT)

        match plan:
            case Aggregate(grouping, items, child):
                new = map_list(items, taken)
                if not found:
                    return plan
                keys = map_list(grouping, taken)
                below, mapping = _left_joins(child, _once(found), self.context.evaluator)
                return Aggregate(keys, map_list(new, lambda e: substitute(e, mapping)), below)
            case Project(items, child):
                new = map_list(items, taken)
                if not found:
                    return plan
                below, mapping = _left_joins(child, found, self.context.evaluator)
                return Project(map_list(new, lambda e: substitute(e, mapping)), below)
            case Filter(condition, child):
                rewritten = taken(condition)
                if not found:
                    return plan
                below, mapping = _left_joins(child, found, self.context.evaluator)
                return Project(plan.output, Filter(substitute(rewritten, mapping), below))
        return plan


def _once(found: list[ScalarSubquery]) -> list[ScalarSubquery]:
    return list({s.expr_id: s for s in found}.values())


def _left_joins(
    child: LogicalPlan, found: list[ScalarSubquery], evaluator: Evaluator
) -> tuple[LogicalPlan, dict[int, Expression]]:
    mapping: dict[int, Expression] = {}
    for s in found:
        query: LogicalPlan = s.plan
        first = query.output[0]
        condition = conjunction(list(s.conditions)) if s.conditions else None
        zero = _on_zero_rows(query, evaluator) if s.zero_rows else None
        query = without_domains(child, query, s.conditions)
        kind = "LeftSingle" if s.single else "LeftOuter"
        if zero is None:
            if not first.nullable:
                # No row may match.
                mapping[first.expr_id] = first.with_nullability(True)
            child = Project((*child.output, first), in_place_of(s, s, Join(child, query, kind, condition)))
            continue
        mark = Alias(Literal(True, BOOLEAN), "alwaysTrue", next_id())
        result = alias(If(IsNull(mark.to_attribute().with_nullability(True)), zero, first), first.name)
        mapping[first.expr_id] = result.to_attribute()
        marked = Project((*query.output, mark), query)
        child = Project((*child.output, result), in_place_of(s, s, Join(child, marked, "LeftOuter", condition)))
    return child, mapping


def _on_zero_rows(plan: LogicalPlan, evaluator: Evaluator) -> Expression | None:
    """The literal that the subquery gives when no row matches, None for null or unknown."""
    first = plan.output[0].expr_id
    values = _zero_values(plan, evaluator)
    found = values.get(first)
    return None if found is None or found.value is None else found


def _zero_values(plan: LogicalPlan, evaluator: Evaluator) -> dict[int, Literal]:
    match plan:
        case Aggregate(_, items, _):
            return {id_of(i): v for i in items if (v := zero_rows_value(i, evaluator)) is not None}
        case Project(items, child):
            below = _zero_values(child, evaluator)
            out = {}
            for i in items:
                if i.references <= below.keys():
                    v = evaluator.value_of(substitute(i.child if isinstance(i, Alias) else i, below))
                    if v is not None:
                        out[id_of(i)] = v
            return out
        case Distinct(child) | SubqueryAlias(_, child) | Sort(_, _, child):
            return _zero_values(child, evaluator)
    return {}


class RewriteLateralSubquery(OptimizerRule[LateralJoin]):
    """A lateral join whose right side was decorrelated is a join.

    LateralJoin(left, LateralSubquery(right, conditions))  =>  Join(left, right, conditions)

    Pays because joins can be planned. Wrong before the predicates were pulled out: the right side would read columns
    that it has not.
    """

    matches = (LateralJoin,)
    order = "up"

    @override
    def rewrite(self, node: LateralJoin) -> LogicalPlan:
        right = node.right
        if not isinstance(right, LateralSubquery) or right.plan.bits & OuterReference.BIT:
            return node
        parts = [*([node.condition] if node.condition is not None else []), *right.conditions]
        plan = without_domains(node.child, right.plan, right.conditions)
        return Join(node.child, plan, node.kind, conjunction(parts) if parts else None)


def in_place_of(asked: Expression, query: Expression, join: Join) -> Join:
    """The join that takes the place of what asks a subquery: with the subquery's hint, and from where it was written.

    Raises AssertionError where `query` is no subquery.
    """
    assert isinstance(query, ScalarSubquery | ListQuery | Exists)
    hinted = join if query.hint is None else join.replace(right_hint=query.hint)
    place(hinted, asked.origin or query.origin)
    return hinted
