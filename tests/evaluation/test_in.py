"""IN over constants looks at its items one after the other."""

from __future__ import annotations

import pytest

from planviz.errors import AnalysisError
from tests.plans import plan_text


@pytest.mark.parametrize(
    ("condition", "value"),
    [
        ("1 IN (1, cast('x' AS int))", "true"),
        ("2 IN (1, null)", "null"),
        ("2 IN (null, 2)", "true"),
        ("2 IN (1, 3)", "false"),
    ],
)
def test_an_item_behind_the_equal_one_is_not_computed(condition, value):
    assert plan_text(f"SELECT {condition} AS x", "optimized").startswith(f"Project [{value} AS x#")


def test_an_item_before_the_equal_one_is():
    with pytest.raises(AnalysisError) as error:
        plan_text("SELECT 1 IN (cast('x' AS int), 1)", "optimized")
    assert error.value.error_class == "CAST_INVALID_INPUT"
