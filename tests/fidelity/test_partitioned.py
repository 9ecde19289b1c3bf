"""TPC-DS over partitioned tables: dynamic pruning, reused subqueries, CHAR columns."""

from __future__ import annotations

import pytest

from tests.fidelity.partitioned import FOLDER, MODES, measure

pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason=f"the captures are not at {FOLDER}")

#: A subquery that prunes two scans, unions of channels, outer joins, windows, CHAR columns that are compared.
QUERIES = ("q2", "q5", "q10", "q18", "q39a", "q44", "q49", "q58", "q72", "q80", "q93")


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
def test_every_stage_is_spark_s(mode: str) -> None:
    for stage, score in measure(mode, QUERIES).items():
        assert (score.total, score.text) == (11, 11), (stage, score.differences)
