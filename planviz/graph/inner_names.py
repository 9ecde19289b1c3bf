"""What stands behind names that Spark makes up within a plan: `_aggregateexpression#102` may be `sum(credit#93)`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from planviz.graph.node import PlanNode

_NAME = re.compile(r"\b_(?:aggregateexpression|groupingexpression|common_expr_\d{1,9}|we?\d{1,9})#\d{1,19}L?")
_BEGINS = ("_aggregateexpression#", "_groupingexpression#", "_common_expr_", "_w")
#: Characters of an expression that is shorter to read than its name is.
_LONGEST = 80
#: Names within names.
_DEEPEST = 6


def inner_names(nodes: Iterable[PlanNode]) -> dict[str, str]:
    """The expression behind every name that a rule gave within a plan of these nodes, by the name with its id.

    Sources: the aliases of Project and Aggregate (PullOutGroupingExpressions, RewriteWithExpression,
    ExtractWindowExpressions); a physical aggregate prints its functions and, where the text has them, its columns.
    """
    names: dict[str, str] = {}
    for node in nodes:
        for name, expression in _defined(node):
            names.setdefault(name, expression)
    return {name: spelled(expression, names) for name, expression in names.items()}


def _defined(node: PlanNode) -> Iterator[tuple[str, str]]:
    arguments = node.arguments
    results = arguments.get("results", ())
    for column in (*arguments.get("project_list", ()), *results):
        expression, _, name = str(column).rpartition(" AS ")
        if name.startswith(_BEGINS) and _NAME.fullmatch(name):
            yield name, expression
    functions = arguments.get("functions", ())
    if not functions or results:
        return
    made = [str(column) for column in arguments.get("output", ()) if str(column).startswith(_BEGINS[0])]
    if len(made) == len(functions):
        for name, function in zip(made, functions, strict=True):
            if isinstance(function, Mapping):
                yield name, str(function.get("text", name))


def spelled(text: str, names: Mapping[str, str]) -> str:
    """A text with the expressions for their names, where they are short."""
    for _ in range(_DEEPEST):
        before = text
        text = _NAME.sub(lambda found: _short(names.get(found[0]), found[0]), text)
        if text == before or len(text) > _LONGEST * _DEEPEST:
            break
    return text


def _short(expression: str | None, name: str) -> str:
    return name if expression is None or len(expression) > _LONGEST or name in expression else expression
