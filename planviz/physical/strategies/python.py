"""What Python computes (Spark: PythonEvals, and the Python branches of Aggregation and Window)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from planviz.decisions.choices import Recorder
from planviz.errors import AnalysisError
from planviz.expressions.aggregates import AggregateExpression
from planviz.expressions.python import WINDOWED, PythonEvalType, PythonUDAF
from planviz.logical.operators import Window
from planviz.logical.plan import LogicalPlan
from planviz.logical.python import (
    ArrowEvalPython,
    ArrowEvalPythonUDTF,
    BatchEvalPython,
    BatchEvalPythonUDTF,
    FlatMapCoGroupsInPython,
    FlatMapGroupsInPython,
    MapInPython,
)
from planviz.physical import python as o
from planviz.physical.strategies.context import PlanningContext

if TYPE_CHECKING:
    from planviz.physical.aggregates import GroupingExec
    from planviz.physical.plan import SparkPlan
    from planviz.physical.strategies.aggregation import PhysicalAggregation


def evaluation(plan: LogicalPlan, context: PlanningContext) -> SparkPlan | None:
    """The operator for a logical one that evaluates Python functions, or None."""
    match plan:
        case BatchEvalPython(udfs, results, child):
            return o.BatchEvalPythonExec(udfs, results, context.plan(child))
        case ArrowEvalPython(udfs, results, kind, child):
            return o.ArrowEvalPythonExec(udfs, results, kind, context.plan(child))
        case BatchEvalPythonUDTF(udtf, kept, columns, child):
            return o.BatchEvalPythonUDTFExec(udtf, kept, columns, context.plan(child))
        case ArrowEvalPythonUDTF(udtf, kept, columns, kind, child):
            return o.ArrowEvalPythonUDTFExec(udtf, kept, columns, kind, context.plan(child))
        case MapInPython(name, udf, columns, barrier, child):
            return o.MapInPythonExec(name, udf, columns, barrier, context.plan(child))
        case FlatMapGroupsInPython(name, keys, udf, columns, child):
            return o.FlatMapGroupsInPythonExec(name, keys, udf, columns, context.plan(child))
        case FlatMapCoGroupsInPython(name, left_keys, right_keys, udf, columns, left, right):
            sides = context.plan(left), context.plan(right)
            return o.FlatMapCoGroupsInPythonExec(name, left_keys, right_keys, udf, columns, *sides)
    return None


def python_functions(functions: Sequence[AggregateExpression]) -> list[PythonUDAF]:
    """Those of the aggregate functions that are written in Python."""
    return [f.function for f in functions if isinstance(f.function, PythonUDAF)]


def aggregate(parts: PhysicalAggregation, recorder: Recorder, context: PlanningContext) -> GroupingExec:
    """The one stage of an aggregate of Python functions (`parts`: a PhysicalAggregation).

    Raises AnalysisError where they stand beside others, or are of several kinds.
    """
    mine = python_functions(parts.functions)
    names = ", ".join(dict.fromkeys(f"`{f.name}`" for f in mine))
    alone = len(mine) == len(parts.functions)
    others = tuple([str(f) for f in parts.functions if not isinstance(f.function, PythonUDAF)])
    if not recorder.ask("python alone", "every function is written in Python", alone, others=others):
        raise AnalysisError(
            "INVALID_PANDAS_UDF_PLACEMENT",
            f"The group aggregate pandas UDF {names} cannot be invoked together with as other, non-pandas aggregate "
            "functions.",
        )
    kind = _one_kind([f.eval_type for f in mine], names)
    recorder.reject("HashAggregate", "a Python function has no buffer that a hash map could keep")
    recorder.reject("ObjectHashAggregate", "a Python function has no buffer, not even an object")
    recorder.reject("SortAggregate", "a Python function takes the rows of a group at once, not one by one")
    keys = tuple(parts.key_attributes)
    fields = (keys, tuple(parts.keys), tuple(parts.functions), (), tuple(parts.results))
    child = context.plan(parts.child)
    if not context.config.behaviour.arrow_in_aggregates:
        return o.AggregateInPandasExec(*fields, child)
    return o.ArrowAggregatePythonExec(*fields, int(kind), child)


def in_python(plan: Window) -> bool:
    """Whether the functions of a window operator are written in Python; one operator has functions of one kind."""
    return any(e.bits & PythonUDAF.BIT for e in plan.functions)


def window(plan: Window, context: PlanningContext) -> SparkPlan:
    """The operator for windows of Python functions. Raises AnalysisError where they are of several kinds."""
    found = [f for e in plan.functions for f in e.collect(PythonUDAF)]
    kind = _one_kind([f.eval_type for f in found], ", ".join(dict.fromkeys(f"`{f.name}`" for f in found)))
    child = context.plan(plan.child)
    if not context.config.behaviour.arrow_in_aggregates:
        return o.WindowInPandasExec(plan.functions, plan.partition, plan.order, child)
    return o.ArrowWindowPythonExec(plan.functions, plan.partition, plan.order, int(WINDOWED.get(kind, kind)), child)


def _one_kind(kinds: Sequence[PythonEvalType], names: str) -> PythonEvalType:
    """The kind of functions that one operator computes together; Spark fails with an internal error on several."""
    if len(set(kinds)) > 1:
        shown = " and ".join(k.name for k in dict.fromkeys(kinds))
        raise AnalysisError(
            "INTERNAL_ERROR",
            f"The Python functions {names} are of several kinds ({shown}), and one operator computes one kind.",
        )
    return kinds[0]
