"""Functions that the DataFrame API has and SQL has not."""

from __future__ import annotations

import pytest

from planviz.catalog import Catalog
from planviz.config import OptimizerConfig
from planviz.dataframe import functions as F  # noqa: N812  PySpark programs call it so
from planviz.dataframe import session
from planviz.errors import PlanvizError
from planviz.execution import explain


def test_a_product_is_called_by_the_api_alone():
    execution = session().range(5).agg(F.product("id")).execution
    assert execution.text("optimized").startswith("Aggregate [product(cast(id#1L as double)) AS product(id)#3]\n")

    config = OptimizerConfig().with_settings({"planviz.unknownFunctions": "refuse"})
    with pytest.raises(PlanvizError, match=r"Cannot resolve routine `?product"):
        _ = explain("SELECT product(1)", Catalog(), config).optimized
