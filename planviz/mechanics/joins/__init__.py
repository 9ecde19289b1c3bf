"""Executable models of the join operators."""

from planviz.mechanics.joins.hash_joins import BroadcastHashJoin, ShuffledHashJoin
from planviz.mechanics.joins.loop_joins import BroadcastNestedLoopJoin, CartesianProduct
from planviz.mechanics.joins.merge_join import SortMergeJoin

__all__ = ["BroadcastHashJoin", "BroadcastNestedLoopJoin", "CartesianProduct", "ShuffledHashJoin", "SortMergeJoin"]
