"""What people paste around a plan, one case each: the plan inside is always the same."""

from __future__ import annotations

import html
import re
from collections.abc import Callable

import pytest

from planviz.document import Document, open_text

PLAN = """\
== Physical Plan ==
*(5) SortMergeJoin [k#1L], [id#7L], Inner
:- *(2) Sort [k#1L ASC NULLS FIRST], false, 0
:  +- Exchange hashpartitioning(k#1L, 200), ENSURE_REQUIREMENTS, [plan_id=31]
:     +- *(1) Filter (isnotnull(k#1L) AND (k#1L > 5))
:        +- *(1) Range (0, 1000, step=1, splits=2)
+- *(4) Sort [id#7L ASC NULLS FIRST], false, 0
   +- Exchange hashpartitioning(id#7L, 200), ENSURE_REQUIREMENTS, [plan_id=37]
      +- *(3) Range (0, 10, step=1, splits=2)
"""
OPERATORS = [
    (0, "SortMergeJoin"),
    (1, "Sort"),
    (2, "Exchange"),
    (3, "Filter"),
    (4, "Range"),
    (1, "Sort"),
    (2, "Exchange"),
    (3, "Range"),
]


def each_line(prefix: str) -> Callable[[str], str]:
    return lambda text: "".join(prefix + line for line in text.splitlines(keepends=True))


def boxed(text: str) -> str:
    width = max(map(len, text.splitlines()), default=0)
    rule = "+" + "-" * (width + 2) + "+\n"
    return rule + "".join(f"| {line.ljust(width)} |\n" for line in ["plan", *text.splitlines()]) + rule


DISGUISES: dict[str, Callable[[str], str]] = {
    "as printed": lambda text: text,
    "CRLF": lambda text: text.replace("\n", "\r\n"),
    "byte order mark": lambda text: "\ufeff" + text,
    "indented by four": each_line("    "),
    "indented by a tab": each_line("\t"),
    "tabs for eight": lambda text: re.sub(
        r"^((?:        )+)", lambda m: "\t" * (len(m.group()) // 8), text, flags=re.M
    ),
    "non-breaking spaces": lambda text: text.replace("   ", "\xa0\xa0\xa0"),
    "trailing spaces": lambda text: text.replace("\n", "   \n"),
    "quoted mail": each_line("> "),
    "quoted without space": each_line(">"),
    "Python comment": each_line("# "),
    "Scala comment": each_line("// "),
    "SQL comment": each_line("-- "),
    "Scaladoc": each_line(" * "),
    "notebook source": each_line("// MAGIC "),
    "Scala margin": each_line("    |"),
    "line numbers": lambda text: "".join(f"{n:3d} {line}\n" for n, line in enumerate(text.splitlines(), 1)),
    "log4j on every line": each_line("24/05/26 20:17:11 INFO MyApp: "),
    "log4j with thread": each_line("2024-05-26 20:17:11,123 INFO  [main] c.x.MyApp - "),
    "containerd": each_line("2024-05-26T20:17:11.123456789Z stdout F "),
    "ANSI colours": lambda text: text.replace("+- ", "\x1b[32m+- \x1b[0m"),
    "Markdown fence": lambda text: f"My plan:\n\n```\n{text}```\nWhy?\n",
    "PySpark prompt": lambda text: f">>> df.explain()\n{text}>>> \n",
    "Scala prompt": lambda text: f"scala> df.explain\n{text}\nscala> \n",
    "prose on both sides": lambda text: f"Hello,\n{text}Any idea?\n",
    "Python constant": lambda text: f'PLAN = """\n{text}"""\n',
    "HTML": lambda text: f"<pre><code>{html.escape(text)}</code></pre>",
    "beeline": boxed,
    "show, raw breaks": lambda text: f"+----+\n|plan|\n+----+\n|{text}|\n+----+\n",
    "show, escaped breaks": lambda text: "+----+\n|plan|\n+----+\n|" + text.replace("\n", "\\n") + "|\n+----+\n",
    "doubled breaks": lambda text: text.replace("\n", "\n\n"),
    "en dashes": lambda text: text.replace("+- ", "+– ").replace(":- ", ":– "),
    "breaks lost": lambda text: text.replace("\n", ""),
    "one line": lambda text: re.sub(r"\s+", " ", text),
    "left-trimmed": lambda text: "".join(line.lstrip(" ") for line in text.splitlines(keepends=True)),
}


def operators(document: Document) -> list[tuple[int, str]]:
    (plan,) = document.plans
    return [(node.depth, node.op) for node in plan]


@pytest.mark.parametrize("name", DISGUISES)
def test_the_plan_inside(name: str) -> None:
    text = DISGUISES[name](PLAN)
    document = open_text(text)
    assert operators(document) == OPERATORS
    assert document.plans[0][3].arguments["condition"] == "isnotnull(k#1L) AND (k#1L > 5)"
    assert document.plans[0].stage == "physical"
    assert document.text == text


def test_source_lines_are_those_of_the_input() -> None:
    plan = open_text("Hello,\n\n" + PLAN).plans[0]
    assert [node.source for node in plan] == [(n, n) for n in range(4, 12)]


def test_what_is_no_plan_stays_visible_as_it_was() -> None:
    document = open_text("24/05/26 20:17:11 INFO MyApp: hello\n" + PLAN + "\nthe | end\n")
    assert document.unparsed == ((1, "24/05/26 20:17:11 INFO MyApp: hello"), (12, "the | end"))


def test_numbered_trees() -> None:
    document = open_text("00 Project [a#1]\n01 +- Filter (a#1 > 5)\n02    +- Range (0, 5, step=1, splits=Some(2))\n")
    assert operators(document) == [(0, "Project"), (1, "Filter"), (2, "Range")]


def test_a_literal_that_only_looks_like_terminal_colours_is_kept() -> None:
    document = open_text("== Physical Plan ==\nProject [max[0m AS [mx#1]\n+- Range (0, 1, step=1, splits=2)\n")
    assert document.plans[0][0].text == "Project [max[0m AS [mx#1]"
