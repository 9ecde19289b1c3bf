"""A join with the nearest rows, written out with what the planner has operators for."""

from __future__ import annotations

import random

from typing_extensions import override

from planviz.expressions.aggregates import AggregateExpression, AggregateFunction, FirstLast
from planviz.expressions.calls import FunctionCall
from planviz.expressions.complex import CreateNamedStruct
from planviz.expressions.core import Alias, Expression, alias, lit
from planviz.expressions.ids import next_id
from planviz.functions.registry import build
from planviz.logical.combining import Join, NearestByJoin
from planviz.logical.operators import Aggregate, Generate, Project
from planviz.logical.plan import LogicalPlan
from planviz.optimizer.context import OptimizerRule


class RewriteNearestByJoin(OptimizerRule[NearestByJoin]):
    """Join every row with all of the other side, and keep the best of them.

    NearestByJoin(l, r, n, distance)  =>  Generate inline(m) over Aggregate [id], [l.*, min_by(r.*, distance, n) AS m]
    over Join(Project [l.*, uuid() AS id] over l, r)

    Pays because nothing plans a NearestByJoin itself. The id tells equal rows of the left side apart: grouped by their
    values, two of them would be one. Not a rule of its own in a log: it runs with those that finish analysis.
    """

    matches = (NearestByJoin,)
    since = "spark-4.3"

    @override
    def rewrite(self, node: NearestByJoin) -> LogicalPlan:
        left, right = node.left.output, node.right.output
        row = _called("uuid")
        assert isinstance(row, FunctionCall)
        number = alias(row.replace(tail=(f"Some({random.randrange(10**17, 9 * 10**17)})",)), "__qid")
        join: LogicalPlan = Join(Project((*left, number), node.left), node.right, node.kind)
        ranking = node.ranking
        if not ranking.deterministic:
            # An aggregate function takes no argument that changes from call to call.
            ranked = alias(ranking, "__ranking__")
            join, ranking = Project((*join.output, ranked), join), ranked.to_attribute()
        pairs = [part for a in right for part in (lit(a.name), a)]
        best = "min_by" if node.direction == "NearestByDistance" else "max_by"
        chosen = _called(best, CreateNamedStruct(tuple(pairs)), ranking, lit(node.count))
        kept = [Alias(_complete(FirstLast(a)), a.name, a.expr_id) for a in left]
        assert isinstance(chosen, AggregateFunction)
        matches = alias(_complete(chosen), "__nearest_matches__")
        grouped = Aggregate((number.to_attribute(),), (*kept, matches), join)
        taken = matches.to_attribute()
        outer = node.kind == "LeftOuter"
        rows = Generate(_called("inline", taken), (len(left),), outer, None, node.output[len(left) :], grouped)
        return Project(node.output, rows)


def _called(name: str, *arguments: Expression) -> Expression:
    made = build((name,), arguments, None)
    assert made is not None
    return made


def _complete(function: AggregateFunction) -> AggregateExpression:
    return AggregateExpression(function, "Complete", False, None, next_id())
