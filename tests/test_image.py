"""The container image has every file that planviz reads; it is not built, what the Dockerfile copies is looked at."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from fnmatch import fnmatch
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ASKED = """
import planviz
from planviz.ui import front
names = set(front.elements())
assert front.index(home=True)
print(planviz.__file__, *sorted(names), sep="\\n")
"""


def copied() -> list[tuple[str, str]]:
    """What the Dockerfile copies, file or folder: where it lies in the project, and where in the image's folder."""
    found = []
    for line in re.findall(r"^COPY (?!--)(.+)$", (ROOT / "Dockerfile").read_text("utf-8"), re.MULTILINE):
        *sources, target = line.split()
        found += [(name, f"{target}/{Path(name).name}" if target.endswith("/") else target) for name in sources]
    return found


def left_out(name: str) -> bool:
    """Whether `.dockerignore` leaves out a file or folder: the last pattern that fits it decides."""
    decided = False
    for pattern in (ROOT / ".dockerignore").read_text("utf-8").split():
        kept, bare = pattern.startswith("!"), pattern.removeprefix("!")
        if any(fnmatch(part, bare) for part in (name, *map(str, Path(name).parents[:-1]))):
            decided = not kept
    return decided


@pytest.fixture
def image(tmp_path: Path) -> Path:
    for source, target in copied():
        assert not left_out(source), source
        place = tmp_path / target
        if (ROOT / source).is_dir():
            shutil.copytree(ROOT / source, place, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / source, place)
    return tmp_path


def test_no_link_leads_out_of_the_image(image: Path) -> None:
    links = [path for path in image.rglob("*") if path.is_symlink()]
    assert links
    for path in links:
        assert path.exists(), path
        assert path.resolve().is_relative_to(image.resolve()), path


def test_the_app_puts_its_first_page_and_scripts_together(image: Path) -> None:
    done = subprocess.run([sys.executable, "-c", ASKED], cwd=image, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2_000:]
    place, *names = done.stdout.splitlines()
    assert place.startswith(str(image.resolve()))
    assert {"ahead.js", "language.js", "workbench.js", "workbench.css"} <= set(names)
