"""Why a join was not chosen, in words."""

from __future__ import annotations

from planviz.estimation.leaves import UNKNOWN_SIZE
from planviz.physical.strategies.join_words import LEFT, RIGHT, no_local_map, too_large


def test_a_size_that_nobody_knows_is_no_number() -> None:
    sizes = {LEFT: UNKNOWN_SIZE, RIGHT: 20 << 20}
    said = too_large(sizes, (LEFT, RIGHT), 10 << 20, "Inner", ())
    assert said == "left of unknown size > 10 MiB; right 20 MiB > 10 MiB"
    assert no_local_map(sizes, (LEFT,), 1 << 30, 200).startswith("left of unknown size ≥ ")
