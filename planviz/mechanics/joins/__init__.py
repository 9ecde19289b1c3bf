"""Executable models of the join operators."""

from planviz.mechanics.joins.hash_joins import BroadcastHashJoin, ShuffledHashJoin

__all__ = ["BroadcastHashJoin", "ShuffledHashJoin"]
