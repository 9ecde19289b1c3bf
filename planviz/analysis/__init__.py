"""From names to columns and types: what must be done before a plan means anything.

analyzer.py   Analyzer: Spark's batches in order
context.py    what the rules know beside the plan; errors with their place
names.py      looking a column up
check.py      what is still wrong at the end, as one error
the rest      rules by family
"""

from planviz.analysis.analyzer import Analyzer

__all__ = ["Analyzer"]
