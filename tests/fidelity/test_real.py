"""The golden statements beside a real Spark; skipped where PLANVIZ_REAL_SPARK names no Python with one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fidelity.real import STAGES, VARIABLE, Counted, _count, definitions, measure, pythons, run_in, tables
from tests.plans import small_catalog


def test_the_tables_are_defined_as_the_small_catalogue_has_them() -> None:
    defined = definitions()
    assert len(defined) == len(small_catalog().tables)
    assert "CREATE TABLE t1 (a INT, b INT, c STRING) USING parquet" in defined
    assert any(d.endswith("PARTITIONED BY (p)") for d in defined)
    assert {t.size_in_bytes for t in tables().tables.values()} == {0}


def test_equal_texts_and_refusals_are_counted_stage_by_stage() -> None:
    from planviz.config import OptimizerConfig
    from planviz.execution import QueryExecution

    config = OptimizerConfig.of("spark-3.5", **{"spark.sql.adaptive.enabled": False})
    execution = QueryExecution("select a from t1", tables(), config)
    printed = {stage: execution.text(stage) for stage in STAGES}
    counted = Counted("3.5.9")
    _count(counted, "select a from t1", printed, config)
    _count(counted, "select a from t1", printed | {"physical": "Scan t1"}, config)
    _count(counted, "select", {"error": "PARSE_SYNTAX_ERROR"}, config)
    _count(counted, "select a from t1", {"error": "PARSE_SYNTAX_ERROR"}, config)
    assert (counted.statements, counted.planned, counted.refused) == (4, 2, 1)
    assert counted.equal == {"analyzed": 2, "optimized": 2, "physical": 1}
    assert [stage for stage, *_ in counted.differences] == ["physical"]
    assert len(counted.only_one_refused) == 1


def test_the_python_may_be_named_by_a_relative_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in = tmp_path / "environment" / "bin" / "python"
    stand_in.parent.mkdir(parents=True)
    stand_in.write_text('#!/bin/sh\necho \'{"version": "3.5.9"}\'\n', encoding="utf-8")
    stand_in.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    assert run_in("environment/bin/python", []) == {"version": "3.5.9"}


@pytest.mark.slow
@pytest.mark.spark
@pytest.mark.skipif(not pythons(), reason=f"{VARIABLE} names no Python of an environment with a real Spark")
@pytest.mark.parametrize("python", pythons())
def test_most_golden_statements_come_out_as_that_spark_prints_them(python: str) -> None:
    counted = measure(python, every=10)
    assert counted.planned > 30
    for stage in STAGES:
        assert counted.equal[stage] >= 0.8 * counted.planned, (stage, counted.differences)
