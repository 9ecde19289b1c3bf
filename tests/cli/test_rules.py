"""`planviz rules` as a user calls it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from planviz.cli.main import run

NUMBER = re.compile(r"\b[A-G]-\d{3}\b")


def shown(capfdbinary: pytest.CaptureFixture[bytes], *arguments: str) -> str:
    assert run(["rules", *arguments]) == 0
    return capfdbinary.readouterr().out.decode()


def test_the_table(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    table = shown(capfdbinary)
    assert "pushdown " in table
    assert " PushDownPredicates " in table
    # Numbers of a list that only its makers have say nothing to a reader.
    assert NUMBER.search(table) is None


def test_a_card_has_everything_about_a_rule(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    card = shown(capfdbinary, "optimizein")
    assert not NUMBER.search(card)
    for part in (
        "org.apache.spark.sql.catalyst.optimizer.OptimizeIn",
        "=>  a IN (1, 2)",
        "Pays because",
        "spark-3.0: Operator Optimization",
        "spark.sql.optimizer.inSetConversionThreshold (default 10)",
        "SELECT a FROM t1 WHERE a IN (1, 2, 2, 1)",
        "++- Filter a#1 IN (1,2)\n",
    ):
        assert part in card


def test_a_card_says_in_which_versions_a_rule_is_not(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    card = shown(capfdbinary, "InferWindowGroupLimit")
    assert "spark-3.5: Infer window group limit\n" in card
    assert "spark-3.4: not there\n" in card
    assert "spark-3.4: within PushDownPredicates\n" not in card
    assert "within PushDownPredicates\n" in shown(capfdbinary, "CombineFilters")


def test_a_misspelt_rule(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert run(["rules", "ColumnPrunin"]) == 2
    assert "Did you mean ColumnPruning" in capfdbinary.readouterr().err.decode()


def test_why_a_rule_did_not_fire(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    path = tmp_path / "q.sql"
    path.write_text("create table t (a int);\nselect a from t where a in (1, 2);\nselect a from t", encoding="utf-8")
    assert shown(capfdbinary, "OptimizeIn", "--why-not", str(path)) == (
        "OptimizeIn, query in line 2: refused. Its guard said no.\n"
        "  a#1 IN (1,2)\n"
        "      the values differ and are no more than 10, above which they become a set; it saw: 2 values\n"
        "\n"
        "OptimizeIn, query in line 3: no pattern. Whenever it ran, there was no In in the plan.\n"
    )
    assert run(["rules", "--why-not", str(path)]) == 2
    assert "name it" in capfdbinary.readouterr().err.decode()


def test_a_preparation_of_physical_plans_has_a_card_too(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    card = shown(capfdbinary, "EnsureRequirements")
    assert "org.apache.spark.sql.execution.exchange.EnsureRequirements" in card
    assert "++- Exchange hashpartitioning(a#" in card
    assert NUMBER.search(card) is None
    assert "preparations          EnsureRequirements " in shown(capfdbinary)


def test_the_steps_to_the_physical_plan(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    query = tmp_path / "query.sql"
    query.write_text("SELECT a, count(*) FROM t1 GROUP BY a")
    assert run(["trace", str(query), "--catalog", "documents", "--stage", "physical"]) == 0
    log = capfdbinary.readouterr().out.decode()
    assert "=== Applying Rule org.apache.spark.sql.execution.exchange.EnsureRequirements ===" in log
    assert "=== Applying Rule org.apache.spark.sql.execution.adaptive.InsertAdaptiveSparkPlan ===" in log
    assert "catalyst.optimizer" not in log


def test_a_card_says_where_the_documents_are_wrong(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    card = shown(capfdbinary, "RewriteIntersectAll")
    assert "Documents     say “rows that occur on both sides are those with counts > 1”; Spark: counts ≥ 1" in card
