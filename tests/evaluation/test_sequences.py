"""sequence(): Spark prints the hash of what it packs; the hashes are those that Spark 4.3 printed."""

from __future__ import annotations

import pytest

from planviz.errors import AnalysisError
from planviz.execution import QueryExecution

PACKED = "org.apache.spark.sql.catalyst.expressions.UnsafeArrayData@"


def computed(expression):
    return QueryExecution(f"SELECT {expression} AS x").text("optimized").splitlines()[0]


@pytest.mark.parametrize(
    ("expression", "hash_"),
    [
        ("sequence(1, 3)", "9a6059cd"),
        ("sequence(1L, 3L)", "1372db4b"),
        ("sequence(5, 1, -2)", "93a4bb45"),
        ("sequence(DATE'2020-01-05', DATE'2020-01-01')", "3d2df68a"),
        ("sequence(DATE'2020-01-31', DATE'2020-05-03', INTERVAL 1 MONTH)", "bf49941c"),
        ("sequence(DATE'2020-01-01', DATE'2020-01-20', INTERVAL 1 WEEK)", "4fbdd8f6"),
        ("sequence(TIMESTAMP'2020-01-01', TIMESTAMP'2020-01-03', INTERVAL 12 HOURS)", "a9523c57"),
        ("sequence(TIMESTAMP'2020-01-01', TIMESTAMP'2020-04-01', INTERVAL 1 MONTH)", "5312415b"),
    ],
)
def test_a_sequence_is_packed(expression, hash_):
    assert computed(expression).startswith(f"Project [{PACKED}{hash_} AS x#")


def test_what_other_functions_make_of_it_is_not():
    assert computed("reverse(sequence(1, 3))").startswith("Project [[3,2,1] AS x#")
    assert computed("array(sequence(1, 3))").startswith(f"Project [[{PACKED}9a6059cd] AS x#")


def test_a_step_that_leads_away_fails_as_in_spark():
    with pytest.raises(AnalysisError, match="IllegalArgumentException"):
        computed("sequence(1, 3, -1)")
