"""Rules that make a plan faster without changing what it gives, in Spark 4.3's batches.

batches.py     the only place with order
profiles/      the batches of other versions of Spark, as data
context.py     what rules know beside the plan
optimizer.py   runs the batches, subqueries on their own
evaluation.py  the value of an expression of constants
constraints.py what holds for every row of a plan
attributes.py  putting expressions in the place of attributes
rules/         the rules, by family
"""

from planviz.optimizer.optimizer import Optimizer

__all__ = ["Optimizer"]
