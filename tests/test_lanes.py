"""How tests are dealt out to several processes."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.conftest import ROOT

GROUPED = """
import pytest

pytestmark = pytest.mark.xdist_group("one")

@pytest.mark.parametrize("n", range(6))
def test_one(n):
    pass
"""


def test_one_process_has_all_tests_of_a_group(tmp_path: Path) -> None:
    """Without it every process starts a Spark and a browser, which pytest 9.2 with pytest-xdist 3.8 did unseen."""
    (tmp_path / "test_grouped.py").write_text(GROUPED)
    command = [sys.executable, "-m", "pytest", "-n", "2", "--dist", "loadgroup", "-v", "-p", "no:cacheprovider", "."]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert len(re.findall("PASSED", done.stdout)) == 6, done.stdout + done.stderr
    assert len(set(re.findall(r"\[(gw\d)\].*PASSED", done.stdout))) == 1


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
