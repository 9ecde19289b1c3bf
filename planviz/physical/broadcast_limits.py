"""What a broadcast may not exceed while it runs (inventory B-049, B-062, B-063); none of it chooses a join."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from planviz.config import OptimizerConfig
from planviz.physical.codegen import InputAdapter
from planviz.physical.distribution import BroadcastMode
from planviz.physical.exchanges import BroadcastExchangeExec, ReusedExchangeExec
from planviz.types import LONG

if TYPE_CHECKING:
    from planviz.physical.plan import SparkPlan

#: Keys that Spark's hash map can hold (BytesToBytesMap.MAX_CAPACITY).
MAP_CAPACITY = 1 << 29
_SIZE, _TIMEOUT = "spark.sql.maxBroadcastTableSize", "spark.sql.broadcastTimeout"


@dataclass(frozen=True)
class Limit:
    """A number that a broadcast may not exceed: `unit` is rows, bytes or seconds, `setting` the key that sets it.

    `about` says why it is that number.
    """

    name: str
    value: int
    unit: str
    setting: str | None
    about: str


def max_rows(mode: BroadcastMode) -> int:
    """The most rows of a broadcast (Spark: BroadcastExchangeExec.maxBroadcastRows)."""
    if mode.identity or (len(mode.keys) == 1 and mode.keys[0].data_type == LONG):
        return 512_000_000
    return int(MAP_CAPACITY / 1.5)


def broadcast_limits(exchange: BroadcastExchangeExec, config: OptimizerConfig) -> tuple[Limit, ...]:
    """The limits of a broadcast, asked when the query runs: an error comes of exceeding one."""
    rows = max_rows(exchange.mode)
    why = (
        "a hash map of 2^29 slots, filled by two thirds at most"
        if rows < 512_000_000
        else "rows as they are"
        if exchange.mode.identity
        else "keys that are one 64-bit number have a map of their own"
    )

    return (
        Limit("rows", rows, "rows", None, why),
        Limit("size", config.number(_SIZE), "bytes", _SIZE, "measured once the rows are collected"),
        Limit("time", config.number(_TIMEOUT), "seconds", _TIMEOUT, "from the start of collecting"),
    )


def broadcast_of(join: SparkPlan) -> BroadcastExchangeExec | None:
    """The broadcast that a join of an executed plan reads, also one that it shares; None where it has none."""
    for child in join.children:
        found = child.child if isinstance(child, InputAdapter) else child
        found = found.exchange if isinstance(found, ReusedExchangeExec) else found
        if isinstance(found, BroadcastExchangeExec):
            return found
    return None
