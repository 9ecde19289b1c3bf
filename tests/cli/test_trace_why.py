"""`planviz trace --format why` as a user calls it."""

from __future__ import annotations

from pathlib import Path

import pytest

from planviz.cli.main import run

SQL = """CREATE TABLE l (k int, x int) USING parquet;
CREATE TABLE r (k int, y int) USING parquet;
SELECT * FROM l LEFT JOIN r ON l.k = r.k WHERE y > 1"""


def test_it_marks_the_branch_taken(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    file = tmp_path / "q.sql"
    file.write_text(SQL, encoding="utf-8")
    assert run(["trace", str(file), "--format", "why", "--rule", "EliminateOuterJoin"]) == 0
    shown = capfdbinary.readouterr().out.decode()
    assert ">     if LeftOuter and R: Inner\n" in shown
    assert shown.count("\n>") == 1
    assert "reads the right side; on a row of nulls it is null" in shown
    assert "PushPredicateThroughJoin" not in shown


def test_a_physical_plan_alone_has_the_planner_s_steps(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    file = tmp_path / "pasted.txt"
    file.write_text("== Physical Plan ==\n*(1) Filter (a#1 > 3)\n+- *(1) Scan ExistingRDD[a#1]\n", encoding="utf-8")
    assert run(["trace", str(file)]) == 0
    shown = capfdbinary.readouterr().out.decode()
    assert "=== Applying Rule org.apache.spark.sql.execution.SparkStrategies$BasicOperators ===" in shown
    assert "=== Applying Rule org.apache.spark.sql.execution.CollapseCodegenStages ===" in shown


def test_a_physical_plan_that_comes_out_otherwise_has_no_steps_and_is_told_so(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    file = tmp_path / "pasted.txt"
    aggregate = "+- HashAggregate(keys=[a#1], functions=[])\n   +- Scan ExistingRDD[a#1]"
    plan = f"== Physical Plan ==\nFilter (a#1 > 3)\n{aggregate}\n"  # without the exchange that Spark would add
    file.write_text(plan, encoding="utf-8")
    assert run(["trace", str(file)]) == 2
    said = capfdbinary.readouterr().err.decode()
    assert "no steps" in said
    assert "planviz replay" in said


def test_plans_within_a_program_are_no_sql(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    file = tmp_path / "plans.py"
    file.write_text(
        'PLANS = {\n  "a": (\n    "== Physical Plan ==\\n"\n    "*(1) Filter (a#1 > 3)\\n"\n'
        '    "+- *(1) ColumnarToRow\\n"\n  ),\n}\n',
        encoding="utf-8",
    )
    assert run(["trace", str(file)]) == 0
    shown = capfdbinary.readouterr()
    assert "CollapseCodegenStages" in shown.out.decode()
    assert "PARSE_SYNTAX_ERROR" not in shown.err.decode()
