"""Positions in ORDER BY beside columns that the select list does not have."""

from __future__ import annotations

import pytest

from planviz.config import OptimizerConfig
from planviz.errors import AnalysisError
from planviz.execution import QueryExecution
from tests.plans import canonical, small_catalog

LATER = OptimizerConfig.of(**{"spark.sql.prioritizeOrdinalResolutionInSort.enabled": False})


@pytest.mark.parametrize("order", ["2, b", "b, 2"])
def test_a_column_that_is_added_has_a_position_where_names_come_first(order):
    query = f"SELECT a FROM t1 ORDER BY {order}"

    text = canonical(QueryExecution(query, small_catalog(), LATER).text("analyzed"))
    assert "Sort [b#2 ASC NULLS FIRST, b#2 ASC NULLS FIRST], true" in text
    with pytest.raises(AnalysisError) as error:
        QueryExecution(query, small_catalog()).text("analyzed")
    assert error.value.error_class == "ORDER_BY_POS_OUT_OF_RANGE"


@pytest.mark.parametrize("order", ["NULL", "true", "'x'", "INTERVAL '1' DAY", "date'2024-01-31'"])
def test_a_constant_orders_groups_that_are_not_resolved_yet(order):
    query = QueryExecution(f"SELECT count(*) FROM t1 GROUP BY b ORDER BY {order}", small_catalog())

    assert query.text("analyzed").splitlines()[1].startswith("+- Aggregate [b#")
    assert "Sort" not in query.text("optimized")
