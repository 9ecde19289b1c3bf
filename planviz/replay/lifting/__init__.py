"""A physical plan read back to the logical plan that it was planned from.

lines.py        one physical operator, in the one-line form of the simple mode, whatever form the text had
vendors.py      lines of other engines' operators in Spark's form
steps.py        the tree of those lines, without what only says how the work is run
lifter.py       the tree to logical operators: subqueries by their numbers, a reused exchange as its target once more
joins.py        join operators to joins, and what they say of the planner's choice
aggregates.py   the stages of an aggregate to one Aggregate; which column holds what where the text does not say
open_columns.py which aggregate or range gives a column that only the lines above mention
sources.py      scans, cached rows, local rows and the like
"""
