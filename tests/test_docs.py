"""What the code says of the documents is so."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_DOCUMENT = re.compile(r"(?<![\w/.-])[\w./-]+\.md\b")


def _documents(path: Path) -> list[str]:
    """Documents named in a module's docstrings and comments; what stands in its strings may be a user's file."""
    text = path.read_text(encoding="utf-8")
    docstrings = re.findall(r'^[ ]*"""(.*?)"""', text, re.DOTALL | re.MULTILINE)
    comments = re.findall(r"^\s*#.*$", text, re.MULTILINE)
    return [name for told in (*docstrings, *comments) for name in _DOCUMENT.findall(told)]


def test_documents_that_the_code_names_are_there() -> None:
    named = [(path, name) for room in ("planviz", "pages", "tools") for path in sorted((ROOT / room).rglob("*.py"))
             for name in _documents(path)]  # fmt: skip

    assert len(named) > 10
    assert not [f"{path.relative_to(ROOT)}: {name}" for path, name in named if not (ROOT / name).is_file()]
