"""Errors at the place in the text where they arose."""

from __future__ import annotations

from planviz.errors import AnalysisError
from planviz.frontend.lexer import line_and_column
from planviz.trees.node import TreeNode


def analysis_error(error_class: str, message: str, node: TreeNode | None = None) -> AnalysisError:
    """An AnalysisError at the place that a node came from."""
    origin = node.origin if node is not None else None
    if origin is None and node is not None:
        found = next((n for n in node.walk() if n.origin is not None), None)
        origin = found.origin if found is not None else None
    if origin is None:
        return AnalysisError(error_class, message)
    line, column = line_and_column(*origin[:2])
    return AnalysisError(error_class, message, line=line, column=column)


def moved(error: AnalysisError, node: TreeNode | None) -> AnalysisError:
    """The same error at the place that a node came from; itself where that is not known."""
    if node is None or node.origin is None:
        return error
    line, column = line_and_column(*node.origin[:2])
    told = str(error).removeprefix(f"[{error.error_class}] ")
    if error.line is not None:
        told = told.removesuffix(f" (line {error.line}, column {error.column})")
    return AnalysisError(error.error_class, told, line=line, column=column)
