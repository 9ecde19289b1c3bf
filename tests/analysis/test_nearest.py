"""Joins with the nearest rows: JOIN ... NEAREST n BY, which Spark 4.3 reads."""

from __future__ import annotations

import pytest

from planviz.errors import PlanvizError
from planviz.execution import explain
from planviz.logical.combining import NearestByJoin

BOTH = "FROM VALUES (1, 2) a(x, y) {} (VALUES (3, 4)) b(z, w) {}"


def test_the_best_rows_are_chosen_by_an_aggregate_over_all_pairs():
    query = explain("SELECT x, z " + BOTH.format("LEFT JOIN", "APPROX NEAREST 2 BY DISTANCE a.y - b.w"))
    assert "NearestByJoin LeftOuter, true, 2, (y#" in query.text("analyzed")
    (join,) = query.analyzed.collect(NearestByJoin)
    assert all(a.nullable for a in join.output)
    lines = [line.lstrip("+- :") for line in query.text("optimized").splitlines()]
    assert [line.split(" ")[0] for line in lines[:4]] == ["Project", "Generate", "Aggregate", "Join"]
    assert "inline(__nearest_matches__#" in lines[1]
    assert "min_by(named_struct(z, z#" in lines[2]
    assert ", 2, true, 0, 0)" in lines[2]
    assert lines[3] == "Join LeftOuter"


def test_what_changes_from_call_to_call_is_computed_below_the_aggregate():
    text = explain("SELECT x, z " + BOTH.format("JOIN", "EXACT NEAREST BY SIMILARITY rand(1) + b.w")).text("optimized")
    assert "AS __ranking__#" in text
    assert "max_by(named_struct(z, z#" in text
    assert ", 1, false, 0, 0)" in text


def test_a_filter_on_the_left_side_goes_below_the_generator():
    query = "SELECT a.id FROM range(9) a JOIN range(3) b EXACT NEAREST BY DISTANCE b.id - a.id WHERE a.id > 1"
    text = explain(query).text("optimized")
    assert text.index("Generate") < text.index("Join") < text.index("> 1)")


@pytest.mark.parametrize(
    "names", ["facts approx JOIN range(3) exact ON approx.id = exact.id", "facts JOIN range(3) exact"]
)
def test_its_words_are_names_elsewhere(names):
    assert "Join" in explain(f"WITH facts AS (SELECT id FROM range(2)) SELECT * FROM {names}").text("analyzed")


@pytest.mark.parametrize(
    ("join", "clause", "error"),
    [
        ("FULL JOIN", "APPROX NEAREST 1 BY DISTANCE x", "NEAREST_BY_JOIN.UNSUPPORTED_JOIN_TYPE"),
        ("JOIN", "APPROX NEAREST 100001 BY DISTANCE x", "NEAREST_BY_JOIN.NUM_RESULTS_OUT_OF_RANGE"),
        ("JOIN", "APPROX NEAREST 1 BY DISTANCE map(x, z)", "NEAREST_BY_JOIN.NON_ORDERABLE_RANKING_EXPRESSION"),
        ("JOIN", "APPROX NEAREST 1 BY DISTANCE sum(x)", "UNSUPPORTED_EXPR_FOR_OPERATOR"),
        ("JOIN", "APPROX NEAREST 1 BY x", "PARSE_SYNTAX_ERROR"),
        ("JOIN", "NEAREST 1 BY DISTANCE x", "PARSE_SYNTAX_ERROR"),
        ("JOIN LATERAL", "APPROX NEAREST 1 BY DISTANCE x", "UNSUPPORTED_FEATURE.LATERAL_JOIN_NEAREST_BY"),
    ],
)
def test_what_spark_refuses_is_refused(join, clause, error):
    with pytest.raises(PlanvizError, match=error):
        explain("SELECT x, z " + BOTH.format(join, clause)).text("analyzed")
