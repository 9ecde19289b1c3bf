"""Pages of the documentation that are made from the code when the site is built (mkdocs.yml names this as its hook)."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Iterator
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from planviz.cli.main import parser
from planviz.samples.tours import tours

ROOT = Path(__file__).resolve().parent.parent


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add what is made: the command line from argparse, the tours from their data, the changes."""
    made = {"reference/cli.md": command_line(), "reference/changes.md": _read("CHANGELOG.md")}
    for name, text in made.items():
        files.append(File.generated(config, name, content=text))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Links to what is no page of the site become plain words: the site stands by itself."""
    folder = Path(page.file.src_uri).parent

    def kept(link: re.Match[str]) -> str:
        target = os.path.normpath(folder / link[2].partition("#")[0])
        known = "://" in link[2] or link[2].startswith("#") or files.get_file_from_path(target.replace(os.sep, "/"))
        return link[0] if known else link[1]

    text = re.sub(r"(?<!!)\[([^\]]+)\]\(([^)\s]+)\)", kept, markdown)
    return text.replace("<!-- tours -->", "\n".join(_tours()))


def command_line() -> str:
    """Every command with its options, as `planviz COMMAND --help` prints them."""
    os.environ["COLUMNS"] = "100"
    top = parser()
    parts = ["# Command line", "Generated from the commands themselves; `planviz COMMAND --help` prints the same."]
    for name, command in _commands(top):
        parts.append(f"## {name}\n\n```text\n{command.format_help().strip()}\n```")
    return "\n\n".join(parts) + "\n"


def _commands(command: argparse.ArgumentParser) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    yield command.prog, command
    for action in command._actions:
        if isinstance(action, argparse._SubParsersAction):
            for part in dict.fromkeys(action.choices.values()):
                yield from _commands(part)


def _tours() -> Iterator[str]:
    for tour in tours().values():
        yield f"### {tour.title}\n\n{tour.about} `planviz tour {tour.name}`\n"
        yield from (f"{number}. **{step.title}.** {step.see}" for number, step in enumerate(tour.steps, 1))
        yield ""


def _read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")
