"""Expressions of plan.toJSON as text, the way Spark prints them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TypeGuard

from planviz.jsontypes import JsonObject
from planviz.plantext.operators.aggregates import functions
from planviz.plantext.operators.pieces import whole

_BINARY = {
    "EqualTo": "=",
    "EqualNullSafe": "<=>",
    "GreaterThan": ">",
    "GreaterThanOrEqual": ">=",
    "LessThan": "<",
    "LessThanOrEqual": "<=",
    "And": "AND",
    "Or": "OR",
    "Add": "+",
    "Subtract": "-",
    "Multiply": "*",
    "Divide": "/",
    "Remainder": "%",
    "Like": "LIKE",
}
_HIDDEN = {
    "dataType",
    "resultId",
    "exprId",
    "metadata",
    "nullable",
    "qualifier",
    "evalMode",
    "timeZoneId",
    "sameOrderExpressions",
    "evalContext",
    "failOnError",
    "nonInheritableMetadataKeys",
    "explicitMetadata",
    "mode",
    "isDistinct",
}
_PREFIXES = {"Partial": "partial_", "PartialMerge": "merge_"}
# In a logical aggregate whatever is more than a column has been computed.
_COMPUTED = re.compile(r"\(|^(?!.*#\d+L?$)")
_NAMES = {
    "projectList": "project_list",
    "condition": "condition",
    "groupingExpressions": "keys",
    "aggregateExpressions": "functions",
    "order": "sort_order",
    "sortOrder": "sort_order",
    "global": "global",
    "limitExpr": "limit",
    "limit": "limit",
    "joinType": "join_type",
    "leftKeys": "left_keys",
    "rightKeys": "right_keys",
    "buildSide": "build_side",
    "output": "output",
    "outputPartitioning": "partitioning",
    "resultExpressions": "results",
    "aggregateAttributes": "aggregate_attributes",
    "requiredChildOutput": "carried",
    "windowExpression": "window_expressions",
    "partitionSpec": "partition_spec",
    "orderSpec": "sort_order",
}


#: Parts that are lists of texts, texts, and numbers, whatever a document has in their place.
_LISTS = {
    "output", "input", "left_output", "right_output", "project_list", "left_keys", "right_keys", "keys", "results",
    "aggregate_attributes", "grouping_sets", "partition_keys", "sort_order", "pushed_filters", "partition_filters",
    "data_filters", "filters", "window_expressions", "partition_spec", "carried", "columns", "partition_columns",
    "static_partition", "details", "read", "names", "build_keys",
}  # fmt: skip
_TEXTS = {
    "condition", "join_type", "build_side", "partitioning", "partitioning_kind", "origin", "table", "format",
    "location", "alias", "generator", "function", "subquery", "command", "hints", "read_schema", "bucketed",
    "selected_buckets", "mode",
}  # fmt: skip
_NUMBERS = {"partitions", "partition_count", "num_partitions", "plan_id", "stage", "number_by_user"}


def is_expression(value: object) -> TypeGuard[list[JsonObject]]:
    """Whether a field's value is an expression: an array of nodes in pre-order."""
    return isinstance(value, list) and bool(value) and all(isinstance(one, dict) and "class" in one for one in value)


def field_parts(op: str, fields: dict[str, object]) -> dict[str, object]:
    """A node's fields as named parts (docs/arguments.md); expressions become text."""
    parts: dict[str, object] = {}
    for key, value in fields.items():
        name = _NAMES.get(key, re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", key).lower())
        shown = _shown(value)
        if shown in (None, "", [], {}):
            continue
        if name == "functions" and isinstance(shown, list):
            shown = [str(one) for one in shown]
            if op == "Aggregate":  # logical: keys and functions in one list
                parts["results"] = shown
                shown = [text for text in shown if _COMPUTED.search(text)]
            shown = functions(shown, None if op == "Aggregate" else "final")
        elif name == "condition":
            shown = whole(str(shown))
        elif name == "build_side":
            shown = {"BuildLeft": "left", "BuildRight": "right"}.get(str(shown), shown)
        fitting = _fitting(name, shown)
        if fitting is not None:
            parts[name] = fitting
    return parts


def _fitting(name: str, value: object) -> object:
    """A part in the form that its name promises (docs/arguments.md), None where it has none."""
    if name in _LISTS:
        return [str(one) for one in value] if isinstance(value, list) else [str(value)]
    if name in _TEXTS:
        return str(value)
    if name in _NUMBERS:
        return value if isinstance(value, int) else None
    if name == "projections":
        return [_fitting("output", one) for one in value] if isinstance(value, list) else None
    if name == "functions":
        return value if isinstance(value, list) else None
    return value


def _shown(value: object) -> object:
    if is_expression(value):
        return expression_text(value)
    if isinstance(value, list):
        return [_shown(entry) for entry in value]
    if isinstance(value, dict):
        if "object" in value:
            return str(value["object"]).rsplit(".", 1)[-1].rstrip("$")
        if "product-class" in value:
            name = str(value["product-class"]).rsplit(".", 1)[-1]
            rest = [str(_shown(inner)) for key, inner in value.items() if key not in ("product-class", "jvmId")]
            return f"{name}({', '.join(rest)})"
        return {key: _shown(inner) for key, inner in value.items()} or None
    return value


def children_count(entry: Mapping[str, object]) -> int:
    """How many children an entry says it has; 0 where what it says is no count."""
    count = entry.get("num-children", 0)
    return count if isinstance(count, int) and count > 0 else 0


def expression_text(entries: list[JsonObject]) -> str:
    """Text of one expression given as nodes in pre-order: `(a#1 > 5)`, `sum(b#2) AS c#3L`."""
    values: list[tuple[dict[str, object], int]] = [(entry, children_count(entry)) for entry in entries]
    stack: list[str] = []
    # Children stand after their parent, so reading from the end has every child ready when its parent comes.
    for entry, count in reversed(values):
        children = [stack.pop() for _ in range(min(count, len(stack)))]
        stack.append(_one(entry, children))
    return stack[-1] if stack else ""


def _one(entry: JsonObject, children: list[str]) -> str:
    name = str(entry["class"]).rsplit(".", 1)[-1]
    number = entry.get("exprId", {}).get("id") if isinstance(entry.get("exprId"), dict) else None
    if name == "AttributeReference":
        suffix = "L" if entry.get("dataType") == "long" else ""
        return f"{entry.get('name')}#{number}{suffix}"
    if name == "Literal":
        return "null" if entry.get("value") is None else str(entry["value"])
    if name == "Alias" and children:
        return f"{children[0]} AS {entry.get('name')}#{number}"
    if name == "SortOrder" and children:
        direction = "DESC" if "Descending" in str(entry.get("direction")) else "ASC"
        nulls = "LAST" if "NullsLast" in str(entry.get("nullOrdering")) else "FIRST"
        return f"{children[0]} {direction} NULLS {nulls}"
    if name == "Cast" and children:
        return f"cast({children[0]} as {entry.get('dataType')})"
    if name in _BINARY and len(children) == 2:
        return f"({children[0]} {_BINARY[name]} {children[1]})"
    if name == "Not" and children:
        return f"NOT {children[0]}"
    if name == "AggregateExpression" and children:
        distinct = "(distinct " if entry.get("isDistinct") is True else "("
        return _PREFIXES.get(str(_shown(entry.get("mode"))), "") + children[0].replace("(", distinct, 1)
    if name.startswith("Unresolved") and "nameParts" in entry:
        return "'" + str(entry["nameParts"]).strip("[]").replace(", ", ".")
    plain = [
        str(value)
        for key, value in entry.items()
        if key not in _HIDDEN
        and key not in ("class", "num-children")
        and isinstance(value, str | int | float)
        and not isinstance(value, bool)
        and not children
    ]
    return f"{name.lower()}({', '.join(children or plain)})" if name else ""
