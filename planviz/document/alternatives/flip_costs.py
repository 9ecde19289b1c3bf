"""What a change of a join's operator would cost, and where it would fail: what ranks the flips (inventory B-049).

Nothing here chooses a join: the limits are those that Spark asks while the query runs, the costs are said in the
sizes that the planner sees.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log2

from planviz.config import OptimizerConfig
from planviz.decisions.join_tree import PARTITIONS, THRESHOLD
from planviz.estimation import OF_UNKNOWN_SIZE, Estimator
from planviz.logical.combining import Join
from planviz.physical.broadcast_limits import MAP_CAPACITY
from planviz.physical.strategies.keys import equi_join
from planviz.types import LONG
from planviz.units import byte_size, short

_SIZE = "spark.sql.maxBroadcastTableSize"
_ROWS = 512_000_000  # Spark: BroadcastExchangeExec.MAX_BROADCAST_TABLE_ROWS
#: The default of spark.driver.maxResultSize, which collected rows of a broadcast count against; compressed, so a
#: side somewhat larger may still pass. No setting of a session: nobody's plan shows another value.
_RESULT = 1 << 30
#: From here on a product keeps a cluster busy for hours, and a hash table no longer fits into a task's memory.
_MANY_PAIRS = 10**9
_LARGE_SIDE = 10 << 20
_LARGE_TABLE = 1 << 30


@dataclass(frozen=True)
class Cost:
    """`words` say what the operator would cost or why it would fail, `unsafe` that nobody should try it unseen.

    `weight` is by how many powers of two the sizes are beyond what Spark itself would choose; it ranks flips.
    """

    words: str = ""
    unsafe: bool = False
    weight: float = 0.0


def cost_of(operator: str, build: str, join: Join, config: OptimizerConfig) -> Cost:
    """What `operator`, building the side `build` (BuildLeft, BuildRight, ""), would cost for a join of these sides."""
    size_in_bytes = Estimator(config).size_in_bytes
    sizes = {"BuildLeft": size_in_bytes(join.left), "BuildRight": size_in_bytes(join.right)}
    built = sizes.get(build, max(sizes.values()))
    if operator == "CartesianProduct":
        return _product(join, config, *sizes.values())
    if operator.startswith("Broadcast"):
        return _broadcast(operator, build, join, config, built)
    if operator == "ShuffledHashJoin":
        return _hash_tables(built, config.number(PARTITIONS))
    if operator == "SortMergeJoin" and max(sizes.values()) < OF_UNKNOWN_SIZE:
        return Cost(f"both sides are shuffled and sorted: {' and '.join(map(byte_size, sizes.values()))}")
    return Cost()


def _broadcast(operator: str, build: str, join: Join, config: OptimizerConfig, built: int) -> Cost:
    limit, rows, most = config.number(_SIZE), _rows(join, build, config), _most_rows(operator, join)
    if built >= OF_UNKNOWN_SIZE:
        words = f"nobody knows the size of this side; above {byte_size(limit)} Spark fails"
        return Cost(words, True, 64.0)
    if built > limit:
        words = f"Spark fails: this side has {byte_size(built)}, a broadcast may have {byte_size(limit)} ({_SIZE})"
        return Cost(words, True, log2(built / limit))
    if rows is not None and rows > most:
        return Cost(f"Spark fails: this side has {short(rows)} rows, a broadcast may have {short(most)}", True)
    threshold = max(config.number(THRESHOLD), 10 << 20)
    words = f"the driver collects {byte_size(built)} and sends it to every executor"
    if built > _RESULT:
        words += f"; spark.driver.maxResultSize ends the query above {byte_size(_RESULT)} unless it is raised"
        return Cost(words, True, log2(built / threshold))
    return Cost(words, False, max(0.0, log2(max(built, 1) / threshold)))


def _most_rows(operator: str, join: Join) -> int:
    keys = equi_join(join)
    if operator == "BroadcastNestedLoopJoin" or keys is None or [k.data_type for k in keys.left] == [LONG]:
        return _ROWS
    return int(MAP_CAPACITY / 1.5)


def _product(join: Join, config: OptimizerConfig, *sizes: int) -> Cost:
    left, right = _rows(join, "BuildLeft", config), _rows(join, "BuildRight", config)
    if left is not None and right is not None:
        pairs = left * right
        shown = f"= {short(pairs)}" if short(pairs)[0].isdigit() else short(pairs)
        words = f"every row meets every other: {short(left)} × {short(right)} {shown} pairs"
        return Cost(words, pairs > _MANY_PAIRS, log2(max(pairs, 1)))
    large = min(sizes) > _LARGE_SIDE
    shown = " and ".join("unknown" if size >= OF_UNKNOWN_SIZE else byte_size(size) for size in sizes)
    return Cost(f"every row of one side meets every row of the other: {shown}", large, 32.0 if large else 0)


def _hash_tables(built: int, partitions: int) -> Cost:
    if built >= OF_UNKNOWN_SIZE:
        return Cost("every task holds a hash table in memory; nobody knows the size of this side", True, 64.0)
    share = -(-built // max(partitions, 1))
    words = f"every task holds a hash table of about {byte_size(share)} in memory; it cannot spill"
    return Cost(words, share > _LARGE_TABLE, max(0.0, log2(max(share, 1) / (64 << 20))))


def _rows(join: Join, build: str, config: OptimizerConfig) -> int | None:
    """The rows of a side as Spark's formulas give them, also where it estimates in bytes alone."""
    side = join.left if build == "BuildLeft" else join.right
    return Estimator.with_rows(config).estimate(side).rows
