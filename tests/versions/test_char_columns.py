"""CHAR columns as the versions read, compare and number them."""

from __future__ import annotations

import re

import pytest

from planviz.config import OptimizerConfig
from planviz.execution import Session

_TABLES = (
    "CREATE TABLE part (id INT, brand CHAR(10)) USING parquet; CREATE TABLE line (part INT, mode CHAR(5)) USING parquet"
)


def text(version: str, stage: str, sql: str) -> str:
    """A stage of a query as a version plans it, ids and all."""
    session = Session(config=OptimizerConfig.of(f"spark-{version}", **{"spark.sql.adaptive.enabled": False}))
    *_, outcome = session.run(f"{_TABLES}; {sql}", "physical")
    assert outcome.execution is not None, outcome.error
    return outcome.execution.text(stage)


@pytest.mark.parametrize("version", ["3.4", "3.5"])
def test_the_padding_is_shown_with_its_class_before_4_0(version):
    shown = text(version, "analyzed", "SELECT brand FROM part")

    assert re.search(
        r"staticinvoke\(class org\.apache\.spark\.sql\.catalyst\.util\.CharVarcharCodegenUtils, StringType, "
        r"readSidePadding, brand#\d+, 10, true, false, true\) AS brand#",
        shown,
    )


@pytest.mark.parametrize(("version", "tested"), [("3.4", False), ("3.5", False), ("4.0", True)])
def test_no_test_for_null_comes_from_a_padded_column_before_4_0(version, tested):
    shown = text(version, "optimized", "SELECT id FROM part WHERE brand = 'x'")

    assert ("isnotnull(brand#" in shown) is tested


@pytest.mark.parametrize(
    ("version", "filtered"), [("3.1", "(brand#N = rpad(x, 10,  ))"), ("3.3", "(brand#N = rpad(x, 10,  ))")]
)
def test_a_column_is_compared_as_it_stands_before_3_4(version, filtered):
    shown = text(version, "analyzed", "SELECT id FROM part WHERE brand = 'x'")

    assert filtered in re.sub(r"#\d+", "#N", shown)
    assert "readSidePadding" not in shown


def test_a_subquery_reads_a_padded_table_under_the_ids_of_the_query_around_it_in_3_4():
    sql = "SELECT id FROM part JOIN line ON id = part WHERE id > (SELECT avg(l.part) FROM line l)"
    ids = {
        version: re.findall(r"default\.line\[part#(\d+)", text(version, "analyzed", sql)) for version in ("3.4", "3.5")
    }

    assert len(ids["3.4"]) == len(ids["3.5"]) == 2
    assert len(set(ids["3.4"])) == 1
    assert len(set(ids["3.5"])) == 2


def test_what_a_subquery_pads_keeps_its_own_columns_in_3_4():
    shown = text("3.4", "analyzed", "SELECT mode FROM line WHERE part IN (SELECT part FROM line WHERE mode = 'x')")

    assert "!" not in shown
