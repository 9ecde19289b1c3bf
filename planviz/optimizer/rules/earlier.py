"""Rules that Spark 3.0 had under names of their own; only the profile spark-3.0 runs them."""

from __future__ import annotations

from typing_extensions import override

from planviz.expressions.arithmetic import UnaryPositive
from planviz.expressions.core import Expression, Literal
from planviz.expressions.subqueries import SubqueryExpression
from planviz.logical.operators import GlobalLimit, LocalLimit
from planviz.logical.plan import LogicalPlan
from planviz.logical.relations import LocalRelation
from planviz.optimizer.context import OptimizerContext, OptimizerRule
from planviz.optimizer.rules.finish_analysis import (
    EliminateResolvedHint,
    EliminateSubqueryAliases,
    EliminateView,
    ReplaceCurrentLike,
    ReplaceExpressions,
)


class OptimizeLimitZero(OptimizerRule[LocalLimit | GlobalLimit]):
    """A limit of 0 is no rows (since 3.1 a part of EliminateLimits).

    GlobalLimit 0 over anything  =>  LocalRelation <empty>

    Pays because nothing below is read. A limit of 1 is another matter: `SELECT a FROM t LIMIT 1` needs a row.
    """

    matches = (LocalLimit, GlobalLimit)

    @override
    def rewrite(self, node: LocalLimit | GlobalLimit) -> LogicalPlan:
        match node.limit:
            case Literal(0, _):
                return LocalRelation(node.output)
        return node


class CombineLimits(OptimizerRule[LocalLimit | GlobalLimit]):
    """Of two adjacent limits the lesser counts (since 3.1 a part of EliminateLimits).

    GlobalLimit 3 over GlobalLimit 10  =>  GlobalLimit 3

    Pays because rows are counted once. A sort between the two keeps both: it needs the rows of the inner one.
    """

    matches = (LocalLimit, GlobalLimit)
    order = "up"

    @override
    def rewrite(self, node: LocalLimit | GlobalLimit) -> LogicalPlan:
        match node:
            case GlobalLimit(Literal(int() as n, t), LocalLimit(Literal(int() as m, _), child)) if n == m:
                match child:
                    case GlobalLimit(Literal(int() as i, _), LocalLimit(Literal(int() as j, _), below)) if i == j:
                        least = Literal(min(n, i), t)
                        return GlobalLimit(least, LocalLimit(least, below))
        return node


class RemoveDispensableExpressions(OptimizerRule):
    """Drop a plus sign.

    +a  =>  a

    Pays because less is computed per row. Always right: a plus sign changes no number.
    """

    matches = (UnaryPositive,)

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return plan.transform_all_expressions(lambda e: e.child if isinstance(e, UnaryPositive) else e, self.mask)


class GetCurrentDatabase(ReplaceCurrentLike):
    """Put in the name of the current database (ReplaceCurrentLike since 3.1).

    current_database()  =>  'default'

    Pays because the name folds into filters. Wrong before the query runs: `USE db` may still change it.
    """

    looks_for = ("CurrentDatabase",)


class FinishSubqueries(OptimizerRule):
    """Finish the analysis of subqueries' plans, which 3.0's Finish Analysis left to the subqueries' own optimization.

    EXISTS (plan with aliases and stand-ins)  =>  EXISTS (plan without)

    Pays because conditions can then be pulled up. No rule of Spark's: 3.0 had no stand-ins in its plans, and pulled up
    as it is, `WHERE EXISTS (SELECT 1 FROM t2 WHERE t1.a BETWEEN b AND 9)` would keep a BETWEEN that no rule knows.
    """

    matches = (SubqueryExpression,)

    def __init__(self, context: OptimizerContext) -> None:
        super().__init__(context)
        self.parts = [
            part(context)
            for part in (EliminateResolvedHint, EliminateSubqueryAliases, EliminateView, ReplaceExpressions)
        ]

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return plan.transform_all_expressions(self._inside, SubqueryExpression.BIT, self.settled)

    def _inside(self, e: Expression) -> Expression:
        if not isinstance(e, SubqueryExpression):
            return e
        plan: LogicalPlan = e.plan
        for part in self.parts:
            plan = part.effect(plan, part.apply(plan))
        return e.with_plan(self.apply(plan))
