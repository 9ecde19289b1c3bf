"""What the operators of a plan do with rows, on rows small enough to be shown.

rows.py         the rows of a logical plan whose tables' rows are known
buffers.py      aggregate functions by their buffers
stages.py       rows through the stages of an aggregate
play.py         a played operator as data: panels, steps, limits
hashing.py      Murmur3 and partition ids, as Spark has them
exchange.py     shuffles
joins/          the join operators, step by step
aggregates/     the aggregate operators, step by step
naming.py       what to call the rows of a plan
flow.py         the rows that flow through a physical plan
sample.py       rows made from types and statistics
choice.py       `of`: the model for a physical operator, with its rows
"""

from planviz.mechanics.choice import given, of, playable
from planviz.mechanics.flow import Options
from planviz.mechanics.naming import relation_names
from planviz.mechanics.play import CannotPlay, Play

__all__ = ["CannotPlay", "Options", "Play", "given", "of", "playable", "relation_names"]
