"""Rows that a script outside makes."""

from __future__ import annotations

from planviz.expressions.core import AttributeReference
from planviz.logical.plan import LogicalPlan, UnaryNode, bracketed
from planviz.trees.node import always, lazy, node


@node
class ScriptTransformation(UnaryNode):
    """SELECT TRANSFORM(...) USING 'script' AS (columns): what the script writes for the child's rows.

    `input_format` and `output_format` are the delimiters of ROW FORMAT as (token, text); `schema_less` tells that no
    columns were named, so that the script gives key and value.
    """

    script: str
    columns: tuple[AttributeReference, ...]
    input_format: tuple[tuple[str, str], ...]
    output_format: tuple[tuple[str, str], ...]
    schema_less: bool
    child: LogicalPlan

    expressions = always(())  # the script's columns are made here, not read

    @lazy
    def output(self) -> tuple[AttributeReference, ...]:
        """The script's columns."""
        return self.columns

    @lazy
    def references(self) -> frozenset[int]:
        """All of the child's columns: the script reads whole rows."""
        return frozenset(a.expr_id for a in self.child.output)

    @lazy
    def produced(self) -> frozenset[int]:
        """The script's columns."""
        return frozenset(a.expr_id for a in self.columns)

    def arguments(self) -> list[str]:
        """script, [columns], how rows are written and read."""
        formats = [", ".join(f"({token},{text})" for token, text in f) for f in (self.input_format, self.output_format)]
        schema = (
            f"ScriptInputOutputSchema(List({formats[0]}),List({formats[1]}),None,None,List(),List(),None,None,"
            f"{str(self.schema_less).lower()})"
        )
        return [self.script, bracketed(self.columns), schema]
