"""Views as the versions before 3.2 mark and number them; the plans are those that Spark 3.1.3 and 3.0.3 printed."""

from __future__ import annotations

import re

import pytest

from planviz.config import OptimizerConfig
from planviz.execution import Session

_SETUP = (
    "CREATE TABLE q (a INT, b INT, c STRING) USING parquet;"
    "CREATE VIEW w AS SELECT a, c FROM q WHERE b > 1;"
    "CREATE VIEW named (x, y) AS SELECT a, c FROM w;"
    "CREATE VIEW counted AS SELECT c, count(*) AS n FROM q GROUP BY c;"
    "CREATE TEMPORARY VIEW t AS SELECT c, a + 1 AS p FROM q;"
)


def text(version: str, stage: str, sql: str) -> str:
    """A stage of a query, its ids numbered as they appear."""
    session = Session(config=OptimizerConfig.of(f"spark-{version}", **{"spark.sql.adaptive.enabled": False}))
    *_, outcome = session.run(f"{_SETUP} {sql}", "physical")
    assert outcome.execution is not None, outcome.error
    known: dict[str, str] = {}
    shown = outcome.execution.text(stage)
    return re.sub(r"(?<=#)\d+", lambda m: known.setdefault(m[0], str(len(known))), shown)


@pytest.mark.parametrize("version", ["3.0", "3.1"])
def test_a_view_has_columns_of_its_own_before_3_2(version):
    assert text(version, "analyzed", "SELECT x FROM named WHERE y = 'k'").splitlines() == [
        "Project [x#0]",
        "+- Filter (y#1 = k)",
        "   +- SubqueryAlias spark_catalog.default.named",
        "      +- View (`default`.`named`, [x#0,y#1])",
        "         +- Project [a#2, c#3]",
        "            +- SubqueryAlias spark_catalog.default.w",
        "               +- View (`default`.`w`, [a#2,c#3])",
        "                  +- Project [a#4, c#5]",
        "                     +- Filter (b#6 > 1)",
        "                        +- SubqueryAlias spark_catalog.default.q",
        "                           +- Relation[a#4,b#6,c#5] parquet",
    ]


@pytest.mark.parametrize("version", ["3.0", "3.1"])
def test_only_the_view_is_numbered_anew_where_it_is_read_twice_before_3_2(version):
    shown = text(version, "analyzed", "SELECT r.c FROM counted r JOIN counted s ON r.n = s.n")

    views = re.findall(r"View \(`default`.`counted`, \[(.*)\]\)", shown)
    queries = re.findall(r"\+- Aggregate (.*)", shown)
    assert len(set(views)) == len(views) == 2
    assert len(set(queries)) == 1
    assert len(queries) == 2


@pytest.mark.parametrize("version", ["3.0", "3.1"])
def test_the_optimizer_knows_a_view_by_its_query(version):
    assert text(version, "optimized", "SELECT x FROM named WHERE y = 'k'").splitlines()[0].startswith("Project [a#0")
    assert "View" not in text(version, "optimized", "SELECT * FROM counted WHERE n > 1")


@pytest.mark.parametrize(("version", "marked"), [("3.0", False), ("3.1", True)])
def test_temporary_views_are_marked_from_3_1_on(version, marked):
    shown = text(version, "analyzed", "SELECT p FROM t WHERE c = 'k'")

    assert ("+- View (`t`, [c#" in shown) is marked
    assert "+- SubqueryAlias t\n" in shown
