"""`planviz rules` as a user calls it."""

from __future__ import annotations

import pytest

from planviz.cli.main import run


def shown(capfdbinary: pytest.CaptureFixture[bytes], *arguments: str) -> str:
    assert run(["rules", *arguments]) == 0
    return capfdbinary.readouterr().out.decode()


def test_the_table(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    table = shown(capfdbinary)
    assert "pushdown " in table
    assert " PushDownPredicates " in table


def test_a_card_has_everything_about_a_rule(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    card = shown(capfdbinary, "optimizein")
    for part in (
        "org.apache.spark.sql.catalyst.optimizer.OptimizeIn",
        "=>  a IN (1, 2)",
        "Pays because",
        "spark-3.0: Operator Optimization",
        "spark.sql.optimizer.inSetConversionThreshold (default 10)",
        "A-072, A-073",
        "SELECT a FROM t1 WHERE a IN (1, 2, 2, 1)",
        "++- Filter a#1 IN (1,2)\n",
    ):
        assert part in card


def test_a_misspelt_rule(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert run(["rules", "ColumnPrunin"]) == 2
    assert "Did you mean ColumnPruning" in capfdbinary.readouterr().err.decode()
