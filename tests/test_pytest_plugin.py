"""The fixture `assert_plan`, as a project's own suite uses it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SUITE = """
SQL = "SELECT c_name FROM customer JOIN orders ON c_custkey = o_custkey"

def test_plan(assert_plan):
    assert_plan(SQL, catalog="tpch", conf={{"spark.sql.autoBroadcastJoinThreshold": {threshold}}}, fail_on={kinds})
    assert_plan(SQL, catalog="tpch", stage="optimized", name="optimized")
"""


def ran(folder: Path, *options: str, threshold: int = -1, kinds: tuple[str, ...] = ()) -> tuple[int, str]:
    (folder / "test_plans.py").write_text(SUITE.format(threshold=threshold, kinds=kinds))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "planviz.pytest_plugin", *options]
    done = subprocess.run([*command, str(folder)], capture_output=True, text=True, cwd=Path.cwd())
    return done.returncode, done.stdout


@pytest.mark.slow
def test_a_plan_is_stored_compared_and_told(tmp_path: Path) -> None:
    status, out = ran(tmp_path)
    assert status == 1
    assert "No plan is stored" in out
    assert ran(tmp_path, "--planviz-update")[0] == 0
    stored = sorted(path.name for path in (tmp_path / "plans").iterdir())
    assert stored == ["test_plans.test_plan.optimized.plan", "test_plans.test_plan.plan"]
    assert ran(tmp_path)[0] == 0
    status, out = ran(tmp_path, threshold=10**15)
    assert status == 1
    assert "SortMergeJoin → BroadcastHashJoin" in out
    assert "Traceback" not in out
    assert ran(tmp_path, threshold=10**15, kinds=("exchange-added",))[0] == 0
