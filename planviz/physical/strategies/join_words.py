"""Why JoinSelection did not take a candidate, in words with the numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from planviz.estimation.leaves import OF_UNKNOWN_SIZE
from planviz.units import byte_size

LEFT, RIGHT = "BuildLeft", "BuildRight"
SIDES = {LEFT: "left", RIGHT: "right"}
#: The types of joins as Spark's warnings name them.
KINDS = {
    "LeftOuter": "left outer", "RightOuter": "right outer", "FullOuter": "full outer", "LeftSemi": "left semi",
    "LeftAnti": "left anti", "LeftSingle": "left single", "ExistenceJoin": "existence",
    "Inner": "inner", "Cross": "cross",
}  # fmt: skip


def _a(kind: str) -> str:
    word = KINDS.get(kind, kind)
    return f"an {word}" if word[0] in "aei" else f"a {word}"


def _size(size: int) -> str:
    """A side's size; where nobody knows it, Spark takes it for more than any limit."""
    return "of unknown size" if size >= OF_UNKNOWN_SIZE else byte_size(size)


def too_large(sizes: Mapping[str, int], allowed: Sequence[str], limit: int, kind: str, barred: Sequence[str]) -> str:
    """Why no side is broadcast for its size."""
    if not allowed:
        return f"{_a(kind)} join can broadcast neither side"
    if limit < 0:
        return "the threshold is negative: nothing is broadcast for its size"
    parts = [f"{SIDES[s]} {_size(sizes[s])} > {byte_size(limit)}" for s in allowed if sizes[s] > limit]
    parts += [f"a hint forbids to broadcast {SIDES[s]}" for s in allowed if s in barred and sizes[s] <= limit]
    parts += [
        f"{SIDES[s]} {byte_size(z)} is small enough, but {_a(kind)} join cannot build it"
        for s, z in sizes.items()
        if s not in allowed and z <= limit
    ]
    return "; ".join(parts)


def no_local_map(sizes: Mapping[str, int], allowed: Sequence[str], limit: int, partitions: int) -> str:
    """Why no side fits in a hash map per partition."""
    over = [f"{SIDES[s]} {_size(sizes[s])}" for s in allowed]
    return f"{' and '.join(over)} ≥ threshold × {partitions} partitions = {byte_size(limit)}"


def not_much_smaller(sizes: Mapping[str, int], fit: Sequence[str], factor: int) -> str:
    """Why a side that fits is not small enough beside the other."""
    other = {LEFT: RIGHT, RIGHT: LEFT}
    return "; ".join(
        f"{SIDES[s]} {byte_size(sizes[s])} × {factor} > {SIDES[other[s]]} {byte_size(sizes[other[s]])}" for s in fit
    )


def cannot_build(side: str, kind: str) -> str:
    """Spark's words for a hint on a side that the join cannot build."""
    return f"build {SIDES[side]} for {KINDS.get(kind, kind)} join"


def keeps_rows(kind: str) -> str:
    """Why a product does not do."""
    return f"{_a(kind)} join is no inner join"
