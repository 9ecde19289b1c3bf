"""Plans back to SQL text: an equivalent query of an analyzed or optimized plan (inventory A-026, A-087, F-009).

    blocks.py        a SELECT under construction and its text
    expressions.py   expressions, with the names of the block they stand in
    plans.py         operators to blocks

The text is what a person would have to write to get this plan's rows, not a copy of the user's query.
"""

from planviz.frontend.writing.plans import SqlText, sql_of

__all__ = ["SqlText", "sql_of"]
