"""A name behind OVER means the nearest WINDOW clause around it."""

from __future__ import annotations

import pytest

from planviz.errors import AnalysisError
from planviz.execution import QueryExecution
from tests.plans import plan_text

INNER = "SELECT a, b, sum(a) OVER w AS s FROM t1 WINDOW w AS (ORDER BY a)"


def test_a_subquery_keeps_its_own_definition():
    text = plan_text(f"SELECT sum(s) OVER w FROM ({INNER}) WINDOW w AS (PARTITION BY b)")

    assert "sum(s#" in text.split("windowspecdefinition(b#")[0]
    assert "sum(a#" in text.split("windowspecdefinition(a#")[0]


def test_a_name_that_only_the_subquery_defines_is_none_outside():
    with pytest.raises(AnalysisError) as error:
        plan_text(f"SELECT sum(s) OVER w FROM ({INNER}) WINDOW v AS (PARTITION BY b)")
    assert error.value.error_class == "MISSING_WINDOW_SPECIFICATION"


def test_a_subquery_with_names_of_its_own_needs_none_outside():
    assert "windowspecdefinition(a#" in plan_text(f"SELECT sum(s) OVER v FROM ({INNER}) WINDOW v AS (PARTITION BY b)")


@pytest.mark.parametrize("bounds", ["1.5 preceding and 2 following", "1 preceding and 2L following"])
def test_bounds_of_two_types_take_that_of_the_order(bounds):
    sql = f"select max(k) over (order by f range between {bounds}) from values (1, 1D) as t(k, f)"
    text = QueryExecution(sql).text("analyzed")

    assert text.count("as double)") == 2


def test_bounds_of_two_types_that_rows_cannot_have_are_refused():
    sql = "select max(k) over (order by k rows between 1.5 preceding and 2 following) from values (1) as t(k)"
    with pytest.raises(AnalysisError, match="SPECIFIED_WINDOW_FRAME"):
        QueryExecution(sql).text("analyzed")
