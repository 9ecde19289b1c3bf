"""Estimates: how big a plan's result is.

sizes.py  bytes alone, from the sizes of tables: what Spark has without its cost-based optimizer
"""

from planviz.optimizer.statistics.sizes import can_broadcast, size_in_bytes

__all__ = ["can_broadcast", "size_in_bytes"]
