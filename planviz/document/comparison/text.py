"""A difference of two plans as text for a terminal and as Markdown for a pull request."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import unified_diff

from planviz.document.comparison.plans import SURE, Difference
from planviz.graph import title
from planviz.graph.alignment import without_expression_ids, without_plan_ids
from planviz.graph.cells import Cell, number_words
from planviz.graph.diff import Match
from planviz.graph.literals import literal_words
from planviz.graph.plan_graph import PlanGraph
from planviz.render.text import markdown, one_line

_WORSE = {True: "worse", False: "better", None: ""}
_LINE = 240
#: Lines of the plans' texts that a Markdown text holds, and operators with numbers.
_MOST_LINES, _MOST_OPERATORS = 400, 30
_TOP_METRICS = 6


def difference_text(told: Difference) -> str:
    """The effects, the numbers, the operators that are not sure, the notes: lines for a terminal."""
    lines = [f"{told.names[0]} → {told.names[1]}: {told.headline}", ""]
    lines += [f"  {_sign(effect.worse)} {one_line(effect.words, _LINE)}{_guess(effect.confidence)}"
              for effect in told.effects]  # fmt: skip
    if told.effects:
        lines.append("")
    shown = [cell for cell in told.cells if cell.difference != 0]
    if shown:
        lines += [*table_lines(("", *told.names, "difference", "", ""), [_cells(cell) for cell in shown]), ""]
    measured = moved_operators(told)
    for match, words, cells in measured:
        heads = (one_line(words, 60), *told.names, "difference", "", "")
        lines += [*table_lines(heads, [_cells(cell) for cell in cells]), _unsure(match), ""]
    if told.unsure:
        some = [f"{title(told.before[m.before])} ({m.confidence:.0%})" for m in told.unsure[:8]]
        more = f" and {len(told.unsure) - 8} more" if len(told.unsure) > 8 else ""
        lines += [f"Rather guessed than known to be the same: {', '.join(some)}{more}.", ""]
    lines += [f"Note: {note}" for note in told.notes]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).rstrip() + "\n"


def _unsure(match: Match) -> str:
    return f"  (match {match.confidence:.0%} sure)" if match.confidence < SURE else ""


def moved_operators(told: Difference) -> list[tuple[Match, str, list[Cell]]]:
    """The operators that effects tell numbers of, with the measured and expected cells that differ."""
    wanted = {
        effect.before[0]
        for effect in told.effects
        if effect.kind in ("time-moved", "bytes-moved", "rows-moved") and effect.before
    }
    found = []
    for match, words, cells in told.operator_cells():
        if match.before in wanted:
            differ = sorted((c for c in cells if c.difference), key=lambda cell: -cell.factor)[:_TOP_METRICS]
            found.append((match, words, differ))
    return found[:_MOST_OPERATORS]


def _sign(worse: bool | None) -> str:
    return "▲" if worse else "▼" if worse is False else "·"


def _guess(confidence: float) -> str:
    return "" if confidence >= SURE else f" ({confidence:.0%} sure)"


def _cells(cell: Cell) -> tuple[str, ...]:
    percent = "" if cell.percent is None else f"{cell.percent:+,.0f} %"
    better = _WORSE[None if cell.better is None else not cell.better]
    numbers = (number_words(number, cell.unit) for number in (cell.before, cell.after))
    return cell.name, *numbers, number_words(cell.difference, cell.unit, signed=True), percent, better


def table_lines(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Lines of a table: the first column and the sixth, which is words, to the left, numbers to the right."""
    every = [[one_line(head, 40) for head in heads], *rows]
    widths = [max(len(row[at]) for row in every) for at in range(len(heads))]
    lines = []
    for row in every:
        cells = [f"{cell:<{width}}" if at in (0, 5) else f"{cell:>{width}}"
                 for at, (cell, width) in enumerate(zip(row, widths, strict=True))]  # fmt: skip
        lines.append("  " + "  ".join(cells).rstrip())
    return lines


# -- Markdown


def difference_markdown(told: Difference) -> str:
    """The same for a pull request: a heading, the effects, a table of numbers, the plans' texts as a folded diff."""
    one, two = map(markdown, told.names)
    lines = [f"### Query plan: {one} → {two}", "", f"**{markdown(told.headline)}**", ""]
    words = {True: "🔺 ", False: "🔽 ", None: ""}
    lines += [f"- {words[effect.worse]}`{effect.kind}` {markdown(effect.words, _LINE)}"
              f"{_guess(effect.confidence)}" for effect in told.effects]  # fmt: skip
    if told.effects:
        lines.append("")
    shown = [cell for cell in told.cells if cell.difference != 0]
    if shown:
        lines += [f"| | {one} | {two} | difference | | |", "|:--|--:|--:|--:|--:|:--|"]
        lines += [f"| {' | '.join(map(markdown, _cells(cell)))} |" for cell in shown] + [""]
    lines += [f"> {markdown(note)}" for note in told.notes]
    texts = unified(told.before, told.after, told.names)
    if texts:
        cut = [*texts[:_MOST_LINES], *(["…"] if len(texts) > _MOST_LINES else [])]
        fence = "`" * max(3, 1 + max((len(run) for line in cut for run in re.findall("`+", line)), default=0))
        lines += [
            "",
            "<details><summary>The plans as text</summary>",
            "",
            f"{fence}diff",
            *cut,
            fence,
            "",
            "</details>",
        ]
    return "\n".join(lines).rstrip() + "\n"


def unified(before: PlanGraph, after: PlanGraph, names: tuple[str, str]) -> list[str]:
    """The plans' texts without ids as lines of a unified diff; empty when they are the same."""
    one, two = map(_plain_lines, (before, after))
    first, second = (one_line(name, 80) for name in names)
    return [line.rstrip("\n") for line in unified_diff(one, two, first, second, lineterm="")]


def _plain_lines(plan: PlanGraph) -> list[str]:
    literals = literal_words(plan)
    texts = ((node.depth, without_expression_ids(without_plan_ids(node.text), literals)) for node in plan.walk())
    return ["  " * depth + one_line(text, _LINE) for depth, text in texts]
