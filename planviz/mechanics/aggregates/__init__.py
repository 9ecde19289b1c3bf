"""Executable models of the aggregate operators."""

from planviz.mechanics.aggregates.hash_aggregate import HashAggregate
from planviz.mechanics.aggregates.object_hash_aggregate import ObjectHashAggregate
from planviz.mechanics.aggregates.sort_aggregate import SortAggregate

__all__ = ["HashAggregate", "ObjectHashAggregate", "SortAggregate"]
