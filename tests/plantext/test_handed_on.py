"""Plan texts as they are handed on: wrapped, quoted, escaped, numbered ... give the tree of the text itself."""

from __future__ import annotations

import html
import json
import re
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from planviz.document import open_text
from tests.conftest import read_plan_text

_EVERY = 8  # of the corpus's texts
_LONGEST = 40_000  # characters
_MARK = re.compile(r"^[ :]*[+:]- ")

Shape = list[tuple[str | None, list[tuple[int, str]]]]


def lines(change: Callable[[str], str]) -> Callable[[str], str]:
    return lambda text: "\n".join(change(line) for line in text.split("\n"))


def cut_at(width: int) -> Callable[[str], str]:
    return lines(lambda line: "\n".join(line[k : k + width] for k in range(0, max(1, len(line)), width)))


def cut_between_words(line: str) -> str:
    return "\n".join(textwrap.wrap(line, 110, break_long_words=False, break_on_hyphens=False) or [""])


def without_indentation(line: str) -> str:
    return re.sub(r"^ +", "", _MARK.sub(lambda mark: re.sub(r" +", " ", mark[0]).lstrip(), line))


#: How a text was changed, and the share of texts that must come out the same: nested adaptive plans need their
#: indentation, and a value may hold what looks like a mark.
CHANGES: dict[str, tuple[Callable[[str], str], float]] = {
    "cut after 80 characters": (cut_at(80), 0.97),
    "cut after 120 characters": (cut_at(120), 0.98),
    "cut between words": (lines(cut_between_words), 0.95),
    "without its indentation": (lines(without_indentation), 0.93),
    "with one space for several": (lines(lambda line: re.sub(r" +", " ", line)), 0.93),
    "with spaces for plus signs": (lambda text: text.replace("+", " "), 0.97),
    "with tabs": (lines(lambda line: re.sub(r"^( {3})+", lambda found: "\t" * (len(found[0]) // 3), line)), 1),
    "quoted in a mail": (lines(lambda line: f"> {line}"), 1),
    "as a JSON string": (json.dumps, 1),
    "in a cell of CSV": (lambda text: 'plan\n"' + text.replace('"', '""') + '"\n', 1),
    "as HTML": (lambda text: f"<pre>{html.escape(text)}</pre>", 1),
    "with typographic dashes": (lambda text: text.replace("+- ", "+– ").replace(":- ", ":– "), 1),
    "with line numbers": (lambda text: "\n".join(f"{k:>4} {line}" for k, line in enumerate(text.split("\n"), 1)), 1),
    "double spaced": (lambda text: text.replace("\n", "\n\n"), 0.99),
    "in a log": (lines(lambda line: f"24/05/01 10:11:12 INFO Main: {line}"), 1),
    "with the time of a build server": (lines(lambda line: f"2024-05-01T10:11:12.123Z {line}"), 1),
    "in a table": (lines(lambda line: f"| {line.ljust(300)} |"), 1),
    "with carriage returns": (lambda text: text.replace("\n", "\r\n"), 1),
    "indented": (lines(lambda line: " " * 8 + line), 1),
    "in a shell": (lambda text: f">>> df.explain()\n{text}\n>>> ", 1),
    "in a question": (lambda text: f"I have a slow query:\n\n{text}\n\nWhy is it slow?\nThanks", 1),
    "in Markdown": (lambda text: f"```\n{text}\n```", 1),
}

COMMENTS = lines(lambda line: f"# {line}")
LITERALS = lines(lambda line: f"    {json.dumps(line)},")
#: What stands within something else: the inner layer first, the outer one behind it.
LAYERS: dict[str, tuple[Callable[[str], str], ...]] = {
    "a comment in a mail": (COMMENTS, CHANGES["quoted in a mail"][0]),
    "a log in a notebook": (CHANGES["in a log"][0], LITERALS),
    "literals in a comment": (LITERALS, COMMENTS),
    "a comment in a container's log": (COMMENTS, lines(lambda line: f"driver-1  | {line}")),
    "line numbers in the lines of an error": (CHANGES["with line numbers"][0], lines(lambda line: f"E       {line}")),
    "literals in HTML": (LITERALS, html.escape),
    "a comment, double spaced": (COMMENTS, CHANGES["double spaced"][0]),
    "a table in a mail": (CHANGES["in a table"][0], CHANGES["quoted in a mail"][0]),
    "a comment in a mail that was numbered": (
        COMMENTS,
        CHANGES["quoted in a mail"][0],
        CHANGES["with line numbers"][0],
    ),
}


def shape(text: str) -> Shape:
    return [(plan.stage, [(node.depth, node.op) for node in plan]) for plan in open_text(text).plans]


@pytest.fixture(scope="module")
def texts(corpus: Path) -> list[tuple[str, Shape]]:
    found = [read_plan_text(path) for path in sorted(corpus.glob("weird/*/*.txt"))[::_EVERY]]
    return [(text, shape(text)) for text in found if "== " in text and len(text) <= _LONGEST]


@pytest.mark.parametrize("how", CHANGES)
def test_a_text_gives_the_same_tree(how: str, texts: list[tuple[str, Shape]]) -> None:
    change, share = CHANGES[how]
    same = sum(1 for text, plain in texts if shape(change(text)) == plain)
    assert len(texts) > 30
    assert same >= share * len(texts), f"{same} of {len(texts)}"


@pytest.mark.parametrize("how", LAYERS)
def test_a_text_within_something_else_gives_the_same_tree(how: str, texts: list[tuple[str, Shape]]) -> None:
    same = 0
    for text, plain in texts:
        changed = text
        for change in LAYERS[how]:
            changed = change(changed)
        same += shape(changed) == plain
    assert same >= 0.97 * len(texts), f"{same} of {len(texts)}"
