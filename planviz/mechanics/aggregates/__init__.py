"""Executable models of the aggregate operators."""

from planviz.mechanics.aggregates.hash_aggregate import HashAggregate

__all__ = ["HashAggregate"]
