"""Inputs of a union that have one column twice are told apart before anything reads the union."""

from __future__ import annotations

import pytest

from planviz.config import OptimizerConfig
from planviz.execution import QueryExecution
from tests.plans import canonical, plan_text, small_catalog

TWICE = "SELECT a, a FROM t1 UNION ALL SELECT b, b FROM t1"


@pytest.mark.parametrize("query", [f"SELECT * FROM ({TWICE})", f"WITH q AS ({TWICE}) SELECT * FROM q"])
def test_what_reads_the_union_has_two_columns(query):
    lines = plan_text(query).splitlines()
    outer = next(line for line in lines if line.lstrip("+- ").startswith("Project [a#"))
    first, second = outer.partition("[")[2].removesuffix("]").split(", ")

    assert first != second


def test_a_name_means_the_first_of_the_two():
    assert "[a#1]" in plan_text(f"WITH q AS ({TWICE}) SELECT a FROM q").splitlines()[-3]


def test_spark_3_1_leaves_them_the_same():
    old = QueryExecution(f"SELECT * FROM ({TWICE})", small_catalog(), OptimizerConfig.of("spark-3.1")).text("analyzed")

    assert canonical(old).splitlines()[0] == "Project [a#1, a#1]"
