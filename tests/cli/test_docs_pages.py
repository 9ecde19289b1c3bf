"""The documentation's command reference has every command; what the site names is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from planviz.cli.main import parser

ROOT = Path(__file__).parents[2]


def test_every_page_of_the_site_is_there() -> None:
    named = re.findall(r"^ +- (?:[^:\n]+: )?([\w/.-]+\.md)$", (ROOT / "mkdocs.yml").read_text("utf-8"), re.MULTILINE)
    made = {"reference/cli.md", "reference/changes.md"}
    assert len(named) > 20
    assert [page for page in named if page not in made and not (ROOT / "docs" / page).is_file()] == []
    pictures = re.findall(r"\]\((images/[^)]+)\)", (ROOT / "docs" / "tour.md").read_text("utf-8"))
    assert all((ROOT / "docs" / picture).is_file() for picture in pictures)


def test_the_reference_has_every_command() -> None:
    pytest.importorskip("mkdocs", reason="the extra “docs” is not installed")
    from tools.docs_pages import command_line

    text = command_line()
    commands = re.findall(r"^    (\w+) ", parser().format_help(), re.MULTILINE)
    assert len(commands) > 20
    assert all(f"## planviz {command}\n" in text for command in commands)
