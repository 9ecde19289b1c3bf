"""Tables that no catalogue has, guessed from the queries that read them.

guesses.py  what is known of a column's type, and the type that follows from it
tables.py   guessed tables, the relations in scope, and which table a name belongs to
values.py   expressions: what the use of a column says of its type
plans.py    operators: which columns are in scope where
"""

from planviz.analysis.inference.plans import Defined, infer

__all__ = ["Defined", "infer"]
