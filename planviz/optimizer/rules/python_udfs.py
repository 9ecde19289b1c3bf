"""Functions written in Python leave the expressions: operators of their own compute them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from typing_extensions import override

from planviz.decisions.branches import logic
from planviz.errors import AnalysisError
from planviz.expressions.aggregates import AggregateExpression
from planviz.expressions.core import Alias, AttributeReference, Expression, NamedExpression, alias
from planviz.expressions.ids import next_id
from planviz.expressions.predicates import conjunction, split_conjunction
from planviz.expressions.python import PythonEvalType, PythonUDF, PythonUDTF
from planviz.logical.combining import Join
from planviz.logical.operators import Aggregate, Filter, Generate, Project, Subquery
from planviz.logical.plan import LogicalPlan
from planviz.logical.python import (
    ArrowEvalPython,
    ArrowEvalPythonUDTF,
    BaseEvalPython,
    BatchEvalPython,
    BatchEvalPythonUDTF,
)
from planviz.optimizer.context import OptimizerRule

_KINDS = {
    "LeftOuter": "LEFT OUTER", "RightOuter": "RIGHT OUTER", "FullOuter": "FULL OUTER", "LeftSemi": "LEFT SEMI",
    "LeftAnti": "LEFT ANTI",
}  # fmt: skip
_PYTHON = "org.apache.spark.sql.execution.python"


def _calls(e: Expression) -> Iterator[Expression]:
    """The Python functions in an expression, outermost first."""
    return (x for x in e.walk() if isinstance(x, PythonUDF)) if e.bits & PythonUDF.BIT else iter(())


class ExtractPythonUDFFromJoinCondition(OptimizerRule[Join]):
    """A Python function of columns of both sides is no join condition: a filter above the join asks it.

    Join(l, r, Inner, l.a = r.a AND f(l.b, r.b))  =>  Filter(f(l.b, r.b), Join(l, r, Inner, l.a = r.a))

    Pays because the function can be computed at all: the join's operator cannot. With nothing left in the condition the
    join is a product. Of `l LEFT JOIN r ON f(l.b, r.b)` a filter above would drop the rows without a match: refused.
    """

    matches = (Join,)
    order = "up"
    excludable = False

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return super().apply(plan) if plan.bits & PythonUDF.BIT else plan

    @override
    def rewrite(self, node: Join) -> LogicalPlan:
        if node.condition is None or not node.condition.bits & PythonUDF.BIT:
            return node
        parts = split_conjunction(node.condition)
        above = [p for p in parts if _reads_both(p, node)]
        if not above:
            return self.refuse(node, "each Python function reads one side alone, and can be computed there")
        if node.kind not in ("Inner", "Cross"):
            kind = _KINDS.get(node.kind, node.kind)
            raise AnalysisError(
                "UNSUPPORTED_FEATURE.PYTHON_UDF_IN_ON_CLAUSE",
                f"The feature is not supported: Python UDF in the ON clause of a {kind} JOIN. In case of an INNER JOIN "
                "consider rewriting to a CROSS JOIN with a WHERE clause.",
            )
        rest = [p for p in parts if p not in above]
        if not rest:
            self.context.warn(
                f"The join condition {node.condition} holds Python functions only: the join has become a product."
            )
        return Filter(conjunction(above), node.replace(condition=conjunction(rest) if rest else None))


def _reads_both(predicate: Expression, join: Join) -> bool:
    """Whether a Python function in it cannot be computed with one side of the join."""
    left, right = join.left.output_set, join.right.output_set
    return any(not (u.references <= left or u.references <= right) for u in _calls(predicate))


class ExtractPythonUDFFromAggregate(OptimizerRule[Aggregate]):
    """A Python function of what an aggregate gives is computed above it.

    Aggregate [k], [f(sum(a)) AS x]  =>  Project [f(agg) AS x] over Aggregate [k], [sum(a) AS agg]

    Pays because an aggregate's operator cannot call Python after its groups are done. `sum(f(a))` is another case:
    there the function is computed below, row by row.
    """

    matches = (Aggregate,)
    order = "up"
    excludable = False
    package = _PYTHON

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return super().apply(plan) if plan.bits & PythonUDF.BIT else plan

    @override
    def rewrite(self, node: Aggregate) -> LogicalPlan:
        if not any(_over_aggregate(e, node) for e in node.aggregates):
            return node
        below: list[Expression] = []
        above: list[Expression] = []

        def take(e: Expression) -> Expression:
            if not _belongs(e, node):
                return e
            below.append(e if isinstance(e, NamedExpression) else alias(e, "agg"))
            return below[-1].to_attribute()

        for e in node.aggregates:
            if _over_aggregate(e, node):
                above.append(e.transform_down(take))
            else:
                below.append(e)
                above.append(e.to_attribute())
        return Project(tuple(above), node.replace(aggregates=tuple(below)))


def _belongs(e: Expression, aggregate: Aggregate) -> bool:
    """Whether only the aggregate can compute it: an aggregate function or a key."""
    return isinstance(e, AggregateExpression) or any(g.semantic_equals(e) for g in aggregate.grouping)


def _over_aggregate(e: Expression, aggregate: Aggregate) -> bool:
    return any(not u.references or any(_belongs(x, aggregate) for x in u.walk()) for u in _calls(e))


class ExtractGroupingPythonUDFFromAggregate(OptimizerRule[Aggregate]):
    """A Python function that is a key is computed below the aggregate.

    Aggregate [f(a)], [f(a), count(1)]  =>  Aggregate [g], [g, count(1)] over Project [f(a) AS g, *]

    Pays because an aggregate's operator cannot call Python for its keys. Since 3.3 PullOutGroupingExpressions has done
    that for all expressions long before. A function that is not deterministic would put a row into another group each
    time it is asked: analysis computes such keys below.
    """

    matches = (Aggregate,)
    order = "up"
    excludable = False
    package = _PYTHON

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return super().apply(plan) if plan.bits & PythonUDF.BIT else plan

    @override
    def rewrite(self, node: Aggregate) -> LogicalPlan:
        if not any(g.bits & PythonUDF.BIT for g in node.grouping):
            return node
        made: dict[Expression, Alias] = {}

        def key(e: Expression) -> Expression:
            if not isinstance(e, PythonUDF):
                return e
            named = made.setdefault(e.canonicalized, alias(e, "groupingPythonUDF"))
            return named.to_attribute()

        def result(e: Expression) -> Expression:
            known = isinstance(e, PythonUDF) and e.udf_deterministic and made.get(e.canonicalized)
            return known.to_attribute() if known else e

        grouping = tuple(g.transform_down(key) for g in node.grouping)
        aggregates = tuple(e.transform_up(result, PythonUDF.BIT) for e in node.aggregates)
        below = Project((*made.values(), *node.child.output), node.child)
        return Aggregate(grouping, aggregates, below)


class ExtractPythonUDFs(OptimizerRule):
    """Python functions are computed below the operator that uses them, equal calls once.

    Project [f(a) AS x]  =>  Project [pythonUDF0 AS x] over ArrowEvalPython [f(a)], [pythonUDF0]

    Pays because rows go to Python together, in batches. A branch does not save a call: `CASE WHEN a > 0 THEN f(a) END`
    calls f for every row, so f must stand all of them.
    """

    excludable = False
    package = _PYTHON
    logic = logic(
        "for an operator with Python functions that can be computed:",
        "    of f(g(a)) with functions of one kind both in one pass; of f(g(a) + 1) g first",
        "    kind K: that of the first function found, with all others of K (an iterator's function alone)",
        ("batch", "    K = SQL_BATCHED_UDF: BatchEvalPython below"),
        ("arrow", "    any other K: ArrowEvalPython below"),
        "    then what is left, until nothing is; a Project on top keeps the columns",
    )

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        if isinstance(plan, Subquery) and plan.correlated:
            # It becomes a join, and is met again there.
            return self.refuse(plan, "a subquery that reads the query around becomes a join first")
        return plan.transform_up(self._operator, PythonUDF.BIT)

    def _operator(self, plan: LogicalPlan) -> LogicalPlan:
        if isinstance(plan, BaseEvalPython) or not plan.own_bits & PythonUDF.BIT:
            return plan
        return self._extracted(plan)

    def _extracted(self, plan: LogicalPlan) -> LogicalPlan:
        udfs = _distinct(u for u in _computable(plan.expressions) if u.references <= plan.input_set)
        if not udfs:
            return plan
        columns: dict[Expression, AttributeReference] = {}
        children = tuple(self._below(plan, child, udfs, columns) for child in plan.children)
        for u in udfs:
            if _form(u) not in columns:
                raise AnalysisError(
                    "INTERNAL_ERROR", f"The Python function {u.name} reads columns of more than one input here."
                )

        def use(e: Expression) -> Expression:
            return columns.get(_form(e), e) if isinstance(e, PythonUDF) else e

        new = plan.with_new_children(children).transform_expressions_down(use, PythonUDF.BIT)
        done = self._extracted(new)
        return Project(plan.output, done) if done.output != plan.output else done

    def _below(
        self,
        plan: LogicalPlan,
        child: LogicalPlan,
        udfs: list[PythonUDF],
        columns: dict[Expression, AttributeReference],
    ) -> LogicalPlan:
        """The child with those functions computed that it has the columns for; their columns go to `columns`."""
        own = [u for u in udfs if u.references <= child.output_set]
        if not own:
            return child
        results = tuple([AttributeReference(f"pythonUDF{i}", u.data_type, True, next_id()) for i, u in enumerate(own)])
        columns.update(zip(map(_form, own), results, strict=True))
        kind = own[0].eval_type
        seen = [(u, "is computed once for all equal calls") for u in own]
        if kind == PythonEvalType.SQL_BATCHED_UDF:
            self.take(plan, "batch", "The functions take rows one by one.", seen)
            return BatchEvalPython(tuple(own), results, child)
        self.take(plan, "arrow", f"The functions take batches of columns ({kind.name}).", seen)
        return ArrowEvalPython(tuple(own), results, int(kind), child)


class ExtractPythonUDTFs(OptimizerRule[Generate]):
    """A class written in Python that gives rows has an operator of its own.

    Generate f(a), [b], [x]  =>  ArrowEvalPythonUDTF f(a), [b], [x]

    Pays because the operator of generators evaluates what is Spark's alone.
    """

    matches = (Generate,)
    order = "up"
    excludable = False
    package = _PYTHON

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return super().apply(plan) if plan.bits & PythonUDTF.BIT else plan

    @override
    def rewrite(self, node: Generate) -> LogicalPlan:
        udtf = node.generator
        if not isinstance(udtf, PythonUDTF):
            return node
        kept = tuple(a for i, a in enumerate(node.child.output) if i not in node.needless)
        if udtf.eval_type == PythonEvalType.SQL_TABLE_UDF:
            return BatchEvalPythonUDTF(udtf, kept, node.generator_output, node.child)
        return ArrowEvalPythonUDTF(udtf, kept, node.generator_output, int(udtf.eval_type), node.child)


def _form(u: Expression) -> Expression:
    """What two calls that share a column have in common: of one that may vary, its id, too."""
    return u.canonicalized if u.deterministic else u


def _distinct(udfs: Iterable[PythonUDF]) -> list[PythonUDF]:
    return list({_form(u): u for u in reversed(list(udfs))}.values())[::-1]


def _computable(expressions: Iterable[Expression]) -> list[PythonUDF]:
    """The functions that one operator can compute: of the kind of the first that is found."""
    found: list[PythonUDF] = []

    def visit(e: Expression) -> None:
        if not e.bits & PythonUDF.BIT:
            return
        if isinstance(e, PythonUDF) and _in_python(e) and (not found or _same_pass(found[0], e)):
            found.append(e)
            return
        for c in e.children:
            visit(c)

    for e in expressions:
        visit(e)
    return found


def _same_pass(first: PythonUDF, other: PythonUDF) -> bool:
    return bool(first.eval_type == other.eval_type and not other.eval_type.iterates)


def _in_python(u: PythonUDF) -> bool:
    """Whether a call can be computed as it is: its arguments need no Python, or are one call of the same kind."""
    while len(u.arguments) == 1 and isinstance(u.arguments[0], PythonUDF):
        inner = u.arguments[0]
        if not _same_pass(u, inner):
            return False
        u = inner
    return not any(a.bits & PythonUDF.BIT for a in u.arguments)
