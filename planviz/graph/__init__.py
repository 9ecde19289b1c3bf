"""PlanGraph: the neutral form in which our own plans and Spark's texts meet, and which everything draws."""

from planviz.graph.facts import facts
from planviz.graph.kinds import KINDS, is_known, kind_of
from planviz.graph.node import Estimate, Link, PlanNode
from planviz.graph.plan_graph import PlanGraph
from planviz.graph.words import subtitle, title

__all__ = ["KINDS", "Estimate", "Link", "PlanGraph", "PlanNode", "facts", "is_known", "kind_of", "subtitle", "title"]
