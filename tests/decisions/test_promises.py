"""A flip is a promise: applied, it gives the plan that it names. The whole of TPC-DS: `python -m tests.decisions`."""

from __future__ import annotations

import pytest

from tests.decisions.promises import TPCDS, tpcds

#: Queries with all kinds of joins: outer, anti, existence, self joins, common table expressions.
SAMPLE = ("q3", "q37", "q42", "q52", "q93", "q97")


def test_every_flip_of_a_sample_of_tpcds_is_kept():
    if not TPCDS.exists():
        pytest.skip("the captures of TPC-DS are not beside this checkout")
    tally = tpcds(SAMPLE)

    assert not tally.broken
    assert sum(tally.offered.values()) > 50
