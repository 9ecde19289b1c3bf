"""Estimates: how many rows and bytes a plan's result has.

model.py       one estimate, and the number arithmetic that all share
estimator.py   `Estimator`, the door: which way of estimating an operator takes, with rows or without
sizes.py       bytes alone, from the sizes of tables: what Spark has without its cost-based optimizer
leaves.py      tables, local rows, ranges
filters.py     the share of rows that a condition keeps
intervals.py   ranges of values and histograms
joins.py       the rows of joins
aggregates.py  the rows of groups, projections and unions
formulas.py    the ways of estimating by name, with what they take for granted
bounds.py      the most rows that a plan gives where no formula gives any
explained.py   estimates as records that say how they came about
cost.py        what an order of joins costs, and the search for the cheapest one
star_schema.py tables around a fact table, which are joined first
"""

from planviz.estimation.bounds import RowBounds
from planviz.estimation.estimator import Estimator, take_estimate
from planviz.estimation.explained import explain_estimate, explain_estimates
from planviz.estimation.leaves import OF_UNKNOWN_SIZE, UNKNOWN_SIZE
from planviz.estimation.model import Estimate, Part, cost_string

__all__ = [
    "OF_UNKNOWN_SIZE",
    "UNKNOWN_SIZE",
    "Estimate",
    "Estimator",
    "Part",
    "RowBounds",
    "cost_string",
    "explain_estimate",
    "explain_estimates",
    "take_estimate",
]
