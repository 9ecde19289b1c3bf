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


_VIEWS = (
    "CREATE TABLE parts (id INT, brand CHAR(10), note VARCHAR(9)) USING parquet;"
    "CREATE VIEW seen AS SELECT id, brand, note, upper(note) AS loud FROM parts;"
    "CREATE VIEW twice AS SELECT brand AS b, note AS n, loud FROM seen;"
)


@pytest.mark.parametrize("version", ["3.2", "3.5", "4.3"])
@pytest.mark.parametrize(
    ("condition", "padded"),
    [
        ("b = 'x'", "(b#N = rpad(x, 10,  ))"),
        ("b IN ('x', 'yz')", "b#N IN (rpad(x, 10,  ),rpad(yz, 10,  ))"),
        ("n = 'x'", "(n#N = x)"),
    ],
)
def test_what_a_view_shows_of_a_char_column_is_compared_padded(version, condition, padded):
    shown = text(version, "analyzed", f"{_VIEWS} SELECT n FROM twice WHERE {condition}")

    assert f"+- Filter {padded}\n" in re.sub(r"#\d+", "#N", shown)


@pytest.mark.parametrize(("version", "stays"), [("4.0", False), ("4.1", True), ("4.3", True)])
def test_the_cast_of_a_declared_text_stays_from_4_1_on(version, stays):
    sql = "SELECT n, loud FROM twice WHERE n = 'x'"
    shown = re.sub(r"#\d+", "#N", text(version, "optimized", f"{_VIEWS} {sql}"))

    assert ("(cast(note#N as string) = x)" in shown) is stays
    # What a function makes of such a column is a plain text.
    assert "upper(note#N) AS loud#N" in shown


def test_the_cast_of_a_char_column_stays_above_its_padding():
    shown = text("4.3", "optimized", "SELECT CAST(brand AS STRING), id, brand || 'x' FROM part")
    assert "cast(brand#" in shown
