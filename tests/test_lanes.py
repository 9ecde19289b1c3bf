"""How tests are dealt out to several processes."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.conftest import ROOT

GROUPED = """
import pytest

@pytest.mark.{0}
@pytest.mark.parametrize("n", range(6))
def test_one(n):
    pass
"""
PLUGIN = """
import pytest
from tests import lanes

def pytest_configure(config):
    for name in ("slow", *lanes.GROUPS):
        config.addinivalue_line("markers", name)

@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    lanes.group(items)

def pytest_xdist_make_scheduler(config, log):
    return lanes.scheduler(config, log)
"""


def _processes(folder: Path) -> list[tuple[str, str]]:
    """Which process ran which test, in the order of their reports."""
    (folder / "conftest.py").write_text(PLUGIN)
    command = [sys.executable, "-m", "pytest", "-n", "2", "--dist", "loadgroup", "-v", "-p", "no:cacheprovider", "."]
    around = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=folder, env=around, capture_output=True, text=True, timeout=120, check=False)
    found = re.findall(r"\[(gw\d)\].* PASSED (\S+)", done.stdout)
    assert found, done.stdout + done.stderr
    return found


def test_one_process_has_all_tests_of_a_group_or_a_file(tmp_path: Path) -> None:
    """Without it every process starts a Spark and a browser, which pytest 9.2 with pytest-xdist 3.8 did unseen."""
    for name in ("spark", "browser"):
        for number in (1, 2):
            (tmp_path / f"test_{name}_{number}.py").write_text(GROUPED.format(name))
    (tmp_path / "test_file.py").write_text(GROUPED.format("usefixtures"))
    found = _processes(tmp_path)
    assert len(found) == 30
    for name in ("spark", "browser", "file"):
        assert len({process for process, test in found if f"test_{name}" in test}) == 1


def test_slow_tests_are_dealt_out_one_by_one_and_first(tmp_path: Path) -> None:
    """A long test that begins last leaves the other cores idle. What several processes report comes in any order."""
    (tmp_path / "test_file.py").write_text(GROUPED.format("usefixtures"))
    (tmp_path / "test_slow.py").write_text(GROUPED.format("slow"))
    found = _processes(tmp_path)
    assert len({process for process, test in found if "test_slow" in test}) == 2
    for process in {process for process, _ in found}:
        order = ["test_slow" in test for other, test in found if other == process]
        assert order == sorted(order, reverse=True)


def _marked(nodes: list[ast.expr]) -> bool:
    return any("mark.spark" in ast.unparse(node) for node in nodes)


def _unmarked(module: ast.Module) -> Iterator[str]:
    """Tests that ask for a Spark and are not marked so."""
    if _marked(
        [s.value for s in module.body if isinstance(s, ast.Assign) and ast.unparse(s.targets[0]) == "pytestmark"]
    ):
        return
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test") and not _marked(node.decorator_list):
            called = {ast.unparse(call.func) for call in ast.walk(node) if isinstance(call, ast.Call)}
            if called & {"real_spark", "skip_without_java"}:
                yield node.name


def test_whoever_asks_for_a_spark_is_marked_so() -> None:
    """Unmarked it starts another Spark in a process of its own, and `make quick` needs Java."""
    assert list(_unmarked(ast.parse("def test_x():\n    real_spark().spark.sql('SELECT 1')"))) == ["test_x"]
    for path in (ROOT / "tests").rglob("test_*.py"):
        assert list(_unmarked(ast.parse(path.read_text("utf-8")))) == [], path
