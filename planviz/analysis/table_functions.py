"""Functions in FROM: range gives a Range, generators a Generate over one row."""

from __future__ import annotations

from planviz.analysis.context import sql_text
from planviz.evaluation import DEFAULT_EVALUATOR
from planviz.expressions.casts import Cast
from planviz.expressions.core import AttributeReference, GeneratorMark, alias
from planviz.expressions.generators import Explode, GeneratorCall
from planviz.expressions.ids import next_id
from planviz.expressions.unresolved import NamedArgument
from planviz.frontend.errors import analysis_error
from planviz.functions.registry import build
from planviz.logical.operators import Generate, Project
from planviz.logical.plan import LogicalPlan
from planviz.logical.relations import OneRowRelation, Range
from planviz.logical.unresolved import UnresolvedTableValuedFunction, UnresolvedTVFAliases
from planviz.types import LONG, is_numeric, is_string

#: Functions that give tables and are called in FROM alone.
TABLE_FUNCTIONS = frozenset(("range", "collations", "sql_keywords", "variant_explode", "variant_explode_outer"))


def table_function(node: UnresolvedTableValuedFunction) -> LogicalPlan:
    """What a call in FROM whose arguments are bound gives. Raises AnalysisError.

    range(10)  =>  Range (0, 10, step=1)          explode(xs)  =>  Generate explode(xs), [col] over OneRowRelation
    """
    name = node.parts[-1].lower()
    if name == "range" and len(node.parts) == 1:
        return _range(node)
    made = build((name,), node.args, node) if len(node.parts) == 1 else None
    if made is not None and not isinstance(made, GeneratorMark):
        raise analysis_error("NOT_A_TABLE_FUNCTION", f"{sql_text(node.parts)} is a function, but gives no table.", node)
    if made is None:
        raise analysis_error(
            "UNRESOLVABLE_TABLE_VALUED_FUNCTION",
            f"Could not resolve {sql_text(node.parts)} to a table function.",
            node,
        )
    outer = isinstance(made, Explode | GeneratorCall) and made.outer
    return Generate(made, (), outer, None, (), OneRowRelation())


def with_aliases(node: UnresolvedTVFAliases) -> LogicalPlan:
    """The columns of a call in FROM under the names that the query gives them. Raises AnalysisError.

    t(x)  =>  Project [col AS x]
    """
    child = node.child
    if len(child.output) != len(node.names):
        raise analysis_error(
            "NUM_TABLE_VALUE_ALIASES_MISMATCH",
            f"{sql_text(node.parts)} gives {len(child.output)} columns, and {len(node.names)} names are given to them.",
            node,
        )
    return Project(tuple(alias(a, n) for a, n in zip(child.output, node.names, strict=True)), child)


def _range(node: UnresolvedTableValuedFunction) -> LogicalPlan:
    values = []
    for a in node.args:
        if isinstance(a, NamedArgument):
            # Spark takes the name with its value for an expression that is no constant.
            told = f"The function `range` takes constants without names: write {a.child.pretty}, not {a.name} => ..."
            raise analysis_error("NON_FOLDABLE_ARGUMENT", told, node)
        number = a if a.data_type == LONG else Cast(a, LONG)
        counts = is_numeric(a.data_type) or is_string(a.data_type)
        value = DEFAULT_EVALUATOR.value_of(number) if counts else None
        if value is None or not isinstance(value.value, int):
            failed = DEFAULT_EVALUATOR.failure(number) if counts else None
            refused = failed is not None and failed.error_class == "CAST_INVALID_INPUT"
            name = "CAST_INVALID_INPUT" if refused else "UNEXPECTED_INPUT_TYPE"
            raise analysis_error(name, "The arguments of range must be whole numbers.", node)
        values.append(value.value)
    if not 1 <= len(values) <= 4:
        raise analysis_error("WRONG_NUM_ARGS.WITHOUT_SUGGESTION", "The `range` requires 1 to 4 parameters.", node)
    start, end = (0, values[0]) if len(values) == 1 else (values[0], values[1])
    step = values[2] if len(values) > 2 else 1
    if step == 0:
        raise analysis_error("FAILED_FUNCTION_CALL", "The step of `range` must not be 0.", node)
    slices = values[3] if len(values) > 3 else None
    return Range(start, end, step, slices, AttributeReference("id", LONG, False, next_id()))
