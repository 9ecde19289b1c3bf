"""How tests are dealt out to several processes."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

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
