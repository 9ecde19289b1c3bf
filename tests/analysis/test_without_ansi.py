"""What may be null without ANSI mode, as real Spark 3.5.9 plans it."""

from __future__ import annotations

import pytest

from planviz.config import OptimizerConfig
from planviz.execution import Session

TABLE = "CREATE TABLE c (s STRING, xs ARRAY<INT>) USING csv"


@pytest.mark.parametrize("profile", ["spark-3.5", "spark-4.3"])
@pytest.mark.parametrize(
    ("call", "null"),
    [
        ("to_timestamp(s, 'yyyy')", True),
        ("to_date(s, 'yyyy')", True),
        ("unix_timestamp(s, 'yyyy')", True),
        ("size(xs)", False),
    ],
)
def test_what_cannot_be_read_is_null_but_a_size_is_not(profile, call, null):
    session = Session(config=OptimizerConfig.of(profile, **{"spark.sql.ansi.enabled": False}))
    done = list(session.run(f"{TABLE}; SELECT {call} IS NULL AS x FROM c"))[-1]
    assert done.execution.text("optimized").startswith("Project [isnull(" if null else "Project [false AS x")
