"""A name behind OVER means the nearest WINDOW clause around it."""

from __future__ import annotations

import pytest

from planviz.errors import AnalysisError
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
