"""What has to be replaced before a plan can be optimized: names, views, hints, functions that stand for others."""

from __future__ import annotations

from typing import ClassVar

from typing_extensions import override

from planviz.evaluation.instants import now_by
from planviz.expressions.aggregates import AggregateExpression
from planviz.expressions.arithmetic import UnaryMinus, UnaryPositive
from planviz.expressions.calls import DatetimePlus, FunctionCall, RuntimeReplaceable
from planviz.expressions.common_expressions import written_out
from planviz.expressions.core import Expression, Literal, alias
from planviz.expressions.earlier import as_called_then, stored
from planviz.expressions.subqueries import Exists, ListQuery, ScalarSubquery, SubqueryExpression
from planviz.logical.combining import Except, Intersect, Join
from planviz.logical.operators import (
    Aggregate,
    Project,
    ResolvedHint,
    SQLFunctionNode,
    Subquery,
    SubqueryAlias,
    View,
    ViewColumns,
)
from planviz.logical.plan import LogicalPlan, UnaryNode
from planviz.logical.relations import LocalRelation, OneRowRelation, ResolvedInlineTable, cell
from planviz.logical.unresolved import PipeOperator
from planviz.optimizer.attributes import map_list
from planviz.optimizer.context import OptimizerContext, OptimizerRule
from planviz.optimizer.rules.collations import RewriteCollationJoin
from planviz.optimizer.rules.maps import InsertMapSortExpression
from planviz.optimizer.rules.nearest import RewriteNearestByJoin
from planviz.optimizer.rules.replacements import REPLACEABLE, REPLACED_LATER, replacement
from planviz.optimizer.rules.subqueries import RewriteNonCorrelatedExists
from planviz.types import DATE, STRING, TIMESTAMP, TIMESTAMP_NTZ


class FinishAnalysis(OptimizerRule):
    """Run the rules that finish analysis once, then on the plan of every subquery.

    analyzed plan  =>  plan without aliases, views, hints and functions that stand for others

    Pays because no later rule has to look through them. Logged as one rule, as in Spark. Cannot be excluded: with
    `SELECT now() = now()` two different instants would be compared.
    """

    package = "org.apache.spark.sql.catalyst.optimizer.Optimizer$"
    excludable = False

    def __init__(self, context: OptimizerContext) -> None:
        super().__init__(context)
        pulled_out = context.config.behaviour.grouping_expressions_are_pulled_out
        self.parts: list[OptimizerRule] = [
            EliminateResolvedHint(context),
            EliminateSubqueryAliases(context),
            EliminatePipeOperators(context),
            EliminateView(context),
            EliminateSQLFunctionNode(context),
            # Before functions are replaced: what ranks the rows moves into other operators first.
            RewriteNearestByJoin(context),
            ReplaceExpressions(context),
            RewriteNonCorrelatedExists(context),
            *([PullOutGroupingExpressions(context)] if pulled_out else []),
            # After expressions of GROUP BY are columns: a map among them is one to be sorted, too.
            *([InsertMapSortExpression(context)] if context.config.behaviour.maps_are_grouped else []),
            ComputeCurrentTime(context),
            ReplaceCurrentLike(context),
            EvalInlineTables(context),
            RewriteCollationJoin(context),
        ]

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        for rule in self.parts:
            if plan.bits & rule.mask:
                plan = rule.effect(plan, rule.apply(plan))

        def inner(e: SubqueryExpression) -> Expression:
            # The root stays: no rule of these knows it.
            return e.with_plan(self.apply(Subquery(e.plan, e.correlated)).children[0])

        return plan.transform_all_expressions(
            lambda e: inner(e) if isinstance(e, SubqueryExpression) else e, SubqueryExpression.BIT
        )


class EliminateResolvedHint(OptimizerRule):
    """Move join hints from the relations into the joins above them.

    Join(ResolvedHint(h, a), b)  =>  Join(a, b, leftHint=h)

    Pays because strategies look at joins only. A hint above no join says nothing and goes. The hint written first wins:
    reading the last in `SELECT /*+ MERGE(t2), BROADCAST(t2) */ * FROM t1 JOIN t2` would broadcast.
    """

    matches = (ResolvedHint,)

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        moved = plan.transform_up(self._join, ResolvedHint.BIT)
        moved = moved.transform_all_expressions(self._subquery, SubqueryExpression.BIT)
        return moved.transform_up(self._without_join, ResolvedHint.BIT)

    def _without_join(self, plan: LogicalPlan) -> LogicalPlan:
        if not isinstance(plan, ResolvedHint):
            return plan
        hint = f"(strategy={plan.strategy})"
        self.context.warn(f"A join hint {hint} is specified but it is not part of a join relation.")
        return plan.child

    def _subquery(self, e: Expression) -> Expression:
        """A subquery that becomes a join keeps what its plan's hints say."""
        if not isinstance(e, Exists | ListQuery | ScalarSubquery) or not e.plan.bits & ResolvedHint.BIT:
            return e
        below, hints = self._extract(e.plan)
        if not hints:
            return e
        if self.context.config.behaviour.subqueries_keep_hints:
            return e.replace(plan=below, hint=self._first(hints))
        for strategy in hints:
            hint = f"(strategy={strategy})"
            self.context.warn(f"A join hint {hint} is specified but it is not part of a join relation.")
        return e.replace(plan=below)

    def _join(self, plan: LogicalPlan) -> LogicalPlan:
        if not isinstance(plan, Join) or plan.left_hint or plan.right_hint:
            return plan
        left, left_hints = self._extract(plan.left)
        right, right_hints = self._extract(plan.right)
        return plan.replace(
            left=left, right=right, left_hint=self._first(left_hints), right_hint=self._first(right_hints)
        )

    def _first(self, hints: list[str]) -> str | None:
        for overridden in hints[1:]:
            if overridden != hints[0]:
                self.context.warn(
                    f"Hint (strategy={overridden}) is overridden by another hint and will not take effect."
                )
        return hints[0] if hints else None

    def _extract(self, plan: LogicalPlan) -> tuple[LogicalPlan, list[str]]:
        if isinstance(plan, ResolvedHint):
            below, hints = self._extract(plan.child)
            return below, [plan.strategy, *hints]
        if isinstance(plan, UnaryNode):
            below, hints = self._extract(plan.child)
            return plan.with_new_children((below,)), hints
        if isinstance(plan, Intersect | Except):
            below, hints = self._extract(plan.left)
            return plan.replace(left=below), hints
        return plan, []


class EliminateSubqueryAliases(OptimizerRule):
    """Drop the names of relations.

    SubqueryAlias(name, child)  =>  child

    Pays because names only served resolution; columns have ids. Wrong before analysis: `t.a` would not be found.
    """

    matches = (SubqueryAlias,)

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return plan.transform_up(lambda p: p.child if isinstance(p, SubqueryAlias) else p, SubqueryAlias.BIT)


class EliminatePipeOperators(OptimizerRule):
    """Drop the marks of SQL pipes.

    PipeOperator(child)  =>  child

    Pays because they only limited what names could see. Wrong before analysis: in `FROM t |> SELECT a |> ORDER BY b`
    the ORDER BY would find the b of t.
    """

    matches = (PipeOperator,)
    since = "spark-4.0"

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return plan.transform_up(lambda p: p.child if isinstance(p, PipeOperator) else p, PipeOperator.BIT)


class EliminateView(OptimizerRule):
    """Drop the marks of views.

    View(name, child)  =>  child

    Pays because filters then move into the view's query. Wrong before analysis: `SELECT * FROM v` needs the name.
    """

    matches = (View,)

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return plan.transform_up(_of_view, View.BIT)


def _of_view(plan: LogicalPlan) -> LogicalPlan:
    if not isinstance(plan, View):
        return plan
    below = plan.child
    return Project(below.projects, below.child) if isinstance(below, ViewColumns) else below


class EliminateSQLFunctionNode(OptimizerRule):
    """Drop the marks of SQL functions that give tables.

    SQLFunctionNode(f, child)  =>  child

    Pays because filters then move into the function's query. Wrong before analysis: the query's names are its own.
    """

    matches = (SQLFunctionNode,)
    since = "spark-4.0"

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return plan.transform_up(lambda p: p.child if isinstance(p, SQLFunctionNode) else p, SQLFunctionNode.BIT)


class ReplaceExpressions(OptimizerRule):
    """Put in what a function stands for.

    nvl(a, b)  =>  coalesce(a, b)        every(a)  =>  min(a)

    Pays because later rules know fewer expressions. Always right: the function is defined by its replacement; done in
    the analyzer it would lose the name, and `SELECT nvl(a, 0) FROM t` would call its column coalesce(a, 0).
    """

    matches = (RuntimeReplaceable, UnaryPositive, *REPLACEABLE)
    looks_for = ("RuntimeReplaceable",)

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return plan.transform_up(lambda p: p.map_expressions(self._replaced), self.mask)

    def _replaced(self, e: Expression) -> Expression:
        if not e.bits & self.mask:
            return e
        known = self.context.config.behaviour
        if isinstance(e, RuntimeReplaceable):
            made = as_called_then(e.replacement, known)
            # What fails in it is told at the place of the function.
            made = e.rebuilt(made)
            return self._replaced(made if known.expressions_are_shared else written_out(made))
        new = e.map_children(self._replaced)
        # Before 4.0 the plus sign has a rule of its own, RemoveDispensableExpressions, and what is taken away is added.
        if isinstance(new, UnaryPositive | DatetimePlus) and not known.plus_signs_are_replaced:
            if isinstance(new, DatetimePlus) and new.sign == "-" and known.intervals_are_subtracted:
                return DatetimePlus(new.left, UnaryMinus(new.right), "+", new.type)
            return new
        if isinstance(new, UnaryPositive):
            return new.child
        if isinstance(new, FunctionCall) and new.name in REPLACED_LATER and not known.more_functions_are_replaced:
            return new
        if isinstance(new, FunctionCall) and new.name == "base64" and not known.base64_is_replaced:
            return new
        found: Expression = replacement(new)
        if found is new:
            return new
        # What is tried holds other functions.
        made = as_called_then(found.map_children(self._replaced), known)
        return e.rebuilt(made) if known.expressions_are_shared else written_out(made)


class PullOutGroupingExpressions(OptimizerRule[Aggregate]):
    """Compute a grouping expression once below the aggregate.

    Aggregate [f(a)], [f(a) + 1]  =>  Aggregate [x], [x + 1] over Project [*, f(a) AS x]

    Pays because both places then surely mean the same value. Without it, folding one of two places would break
    `SELECT not(a IS NULL) FROM t GROUP BY a IS NULL`: the select list would no longer be found among the keys.
    """

    matches = (Aggregate,)
    since = "spark-3.2"

    @override
    def rewrite(self, node: Aggregate) -> LogicalPlan:
        pulled = {}
        for g in node.grouping:
            if not g.foldable and g.children and g.canonicalized not in pulled:
                pulled[g.canonicalized] = alias(g, "_groupingexpression")
        if not pulled:
            return node

        def key(g: Expression) -> Expression:
            found = pulled.get(g.canonicalized) if g.children and not g.foldable else None
            return found.to_attribute() if found is not None else g

        def replaced(e: Expression) -> Expression:
            if isinstance(e, AggregateExpression) or e.foldable:
                return e
            found = pulled.get(e.canonicalized)
            return found.to_attribute() if found is not None else e.map_children(replaced)

        child = Project((*node.child.output, *pulled.values()), node.child)
        return Aggregate(tuple(key(g) for g in node.grouping), map_list(node.aggregates, replaced), child)


class ComputeCurrentTime(OptimizerRule):
    """Fix the instant and the day that the query calls now.

    now(), now()  =>  one literal for both

    Pays because the value folds into filters. Computed per row, `WHERE ts BETWEEN now() - INTERVAL 1 DAY AND now()`
    would test a moving window.
    """

    matches = (FunctionCall,)
    looks_for = ("CurrentTimestampLike", "CurrentDate", "CurrentTime", "LocalTimestamp")
    settings = ("planviz.now", "spark.sql.session.timeZone")

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        now = now_by(self.context.config)
        zone = Literal(self.context.config.text("spark.sql.session.timeZone"), STRING)
        fixed: dict[str, Expression] = dict.fromkeys(("current_timestamp", "now"), Literal(now, TIMESTAMP))
        fixed |= dict.fromkeys(("current_date", "curdate"), Literal(now.date(), DATE))
        if self.context.config.behaviour.values_are_shown_as_stored:
            fixed = {name: stored(value, self.context.evaluator.zone) for name, value in fixed.items()}
        fixed |= {"localtimestamp": Literal(now, TIMESTAMP_NTZ), "current_timezone": zone}
        return plan.transform_all_expressions(
            lambda e: fixed.get(e.name, e) if isinstance(e, FunctionCall) else e, FunctionCall.BIT
        )


class ReplaceCurrentLike(OptimizerRule):
    """Put in the names of the current catalogue, database and user.

    current_database()  =>  'default'

    Pays because the name folds into filters. Wrong before the query runs: `USE db` may still change it.
    """

    matches = (FunctionCall,)
    looks_for: ClassVar[tuple[str, ...]] = ("CurrentDatabase", "CurrentCatalog", "CurrentUser")

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return plan.transform_all_expressions(self._literal, FunctionCall.BIT)

    def _literal(self, e: Expression) -> Expression:
        if not isinstance(e, FunctionCall):
            return e
        names = {
            "current_database": self.context.database,
            "current_schema": self.context.database,
            "current_catalog": "spark_catalog",
            "current_path": f"system.builtin,system.session,spark_catalog.{self.context.database}",
            "current_user": self.context.user,
            "user": self.context.user,
            "session_user": self.context.user,
        }
        return Literal(names[e.name], STRING) if e.name in names else e


class EvalInlineTables(OptimizerRule):
    """Make rows of VALUES that ask for the moment or the user.

    ResolvedInlineTable [[current_date()]]  =>  LocalRelation [day]

    Pays because rows that are known are filtered and projected while planning. Wrong before the moment is fixed: two
    cells could tell different ones.
    """

    matches = (ResolvedInlineTable,)
    since = "spark-4.0"

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return plan.transform_up(self._rows, ResolvedInlineTable.BIT)

    def _rows(self, plan: LogicalPlan) -> LogicalPlan:
        if not isinstance(plan, ResolvedInlineTable):
            return plan
        fix = (ReplaceExpressions(self.context), ComputeCurrentTime(self.context), ReplaceCurrentLike(self.context))
        rows = []
        for row in plan.rows:
            made: LogicalPlan = Project(tuple(alias(c, "cell") for c in row), OneRowRelation())
            for rule in fix:
                made = rule.apply(made)
            assert isinstance(made, Project)
            rows.append(tuple(cell(c, a.type) for c, a in zip(made.projects, plan.attributes, strict=True)))
        return LocalRelation(plan.attributes, tuple(rows))
