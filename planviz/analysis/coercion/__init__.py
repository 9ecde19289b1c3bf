"""Implicit casts, by ANSI rules and by those of spark.sql.ansi.enabled=false."""

from planviz.analysis.coercion.rules import (
    AnsiCombinedTypeCoercionRule,
    CombinedTypeCoercionRule,
    UnpivotCoercion,
    WidenSetOperationTypes,
    coercion_of,
    combined_rule,
)

__all__ = [
    "AnsiCombinedTypeCoercionRule",
    "CombinedTypeCoercionRule",
    "UnpivotCoercion",
    "WidenSetOperationTypes",
    "coercion_of",
    "combined_rule",
]
