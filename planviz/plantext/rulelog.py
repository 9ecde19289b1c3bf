"""The optimizer's rule log -> steps with the tree before and after (Spark's PlanChangeLogger; inventory F-001, F-002).

A block pairs the lines of two trees by position: ` ` or `!`, the left line padded to the widest left line plus three
spaces, the right line. The marks say only whether the lines at one position are equal, so they are no evidence of what
changed; both trees are taken apart and read on their own.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from planviz.graph import PlanGraph
from planviz.graph.trace import BatchRecord, RuleStep, RuleTrace, RunMetrics, TracedPlan
from planviz.plantext.lines import Lines

_APPLYING = re.compile(r"=== Applying Rule (\S+) ===\s*$")
_RESULT = re.compile(r"=== Result of Batch ((?:(?! ===).)+) ===\s*$")
_NO_EFFECT = re.compile(r"Batch ((?:(?! has no effect|Batch ).)+) has no effect\.\s*$")
_METRICS = re.compile(r"=== Metrics of Executed Rules ?(\S*) ===\s*$")
_METRIC = re.compile(
    r"(Total number of runs|Total time|Total number of effective runs|Total time of effective runs): "
    r"(\d+(?:\.\d+)?(?:E-?\d+)?)(?![\w.])"
)
_AFTER = re.compile(r"\s*(?:\*+/|```|\{code\}|\{noformat\}|\"\"\"|\w+> )\s*$")
_OUTPUT = "Output Information:"


def starts(line: str) -> bool:
    """Whether a clean line opens a block of the rule log."""
    if "===" in line:
        return bool(_APPLYING.search(line) or _RESULT.search(line) or _METRICS.search(line))
    return line[:40].lstrip().startswith("Batch ") and bool(_NO_EFFECT.search(line))


def read_block(
    lines: Lines, index: int, stop: int, trace: RuleTrace, notes: list[str], graph_of: Callable[[str], PlanGraph]
) -> int:
    """Read the block that starts at clean line `index` into `trace`; returns the first line after it.

    `graph_of` reads the text of one side when somebody looks.
    """
    line = lines.text[index]
    if match := _NO_EFFECT.search(line):
        _close_batch(trace, match.group(1), lines.number[index])
        return index + 1
    if match := _METRICS.search(line):
        return _read_metrics(lines, index, stop, trace, match.group(1) or None)
    rows, end = _rows(lines, index + 1, stop)
    indent = len(line) - len(line.lstrip())
    rows = [row[indent:] if not row[:indent].strip() else row for row in rows]
    if match := _RESULT.search(line):
        output_end = _output(lines, end, stop)[1]
        sides = split_columns(rows)
        plans = (_plan(sides[0], graph_of), _plan(sides[1], graph_of)) if sides else (None, None)
        _close_batch(trace, match.group(1), lines.number[index], plans)
        return output_end
    match = _APPLYING.search(line)
    assert match is not None
    rule = match.group(1)
    sides = split_columns(rows)
    (output, end) = _output(lines, end, stop)
    source = (lines.number[index], lines.number[end - 1])
    if sides is None:
        notes.append(
            f"Line {source[0]}: the two trees of {rule} stand too close to be told apart; the block is kept as text."
        )
        return index + 1 if not rows else end
    last = trace.steps[-1].after_plan if trace.steps else None
    before, after = (_plan(side, graph_of) for side in sides)
    step = RuleStep(rule, last if last is not None and last.text == sides[0] else before, after, source)
    if output is not None:
        step.output_before, step.output_after = output
    trace.steps.append(step)
    return end


def _plan(text: str, graph_of: Callable[[str], PlanGraph]) -> TracedPlan:
    return TracedPlan(lambda: text, lambda: graph_of(text))


def _close_batch(
    trace: RuleTrace, name: str, line: int, plans: tuple[TracedPlan | None, TracedPlan | None] | None = None
) -> None:
    """Note that a batch ended; `plans` are before and after of one that had an effect."""
    before, after = plans or (None, None)
    trace.batches.append(
        BatchRecord(name, plans is not None, len(trace.steps), line, before_plan=before, after_plan=after)
    )
    if plans is None:
        return
    # Runs for subqueries end within the batch that started them; its own steps begin where the batch began.
    first = None if before is None else before.text
    for step in reversed(trace.steps):
        if step.batch is None:
            step.batch = name
            if step.before == first:
                break
        elif first is None:
            break


def _rows(lines: Lines, index: int, stop: int) -> tuple[list[str], int]:
    text, start = lines.text, index
    while index < stop and text[index].strip() and not text[index].startswith(_OUTPUT):
        if starts(text[index]) or text[index].startswith("=====") or _AFTER.match(text[index]):
            break
        index += 1
    return text[start:index], index


def _output(lines: Lines, index: int, stop: int) -> tuple[tuple[str, str] | None, int]:
    """The "Output Information:" block that may follow after a blank line: its two sides and the line after it."""
    at = index
    while at < stop and at < index + 2 and not lines.text[at].strip():
        at += 1
    if at < stop and lines.text[at].strip() == _OUTPUT:
        rows, end = _rows(lines, at + 1, stop)
        return split_columns(rows), end
    return None, index


def _read_metrics(lines: Lines, index: int, stop: int, trace: RuleTrace, executor: str | None) -> int:
    found: dict[str, float] = {}
    at = index + 1
    while at < stop and (match := _METRIC.match(lines.text[at].strip())):
        found[match.group(1)] = float(match.group(2))
        at += 1

    def count(name: str) -> int | None:
        return int(found[name]) if name in found else None

    trace.metrics.append(
        RunMetrics(
            executor,
            count("Total number of runs"),
            found.get("Total time"),
            count("Total number of effective runs"),
            found.get("Total time of effective runs"),
            len(trace.batches),
        )
    )
    return at


def split_columns(rows: list[str], *, last: bool = False) -> tuple[str, str] | None:
    """The left and the right text of side-by-side rows, or None when no column parts them.

    The right column starts three spaces after the widest left line. Rows that start with a space carry the same line
    twice, which fixes the column; without such rows the leftmost column that satisfies all rows is taken. `last` tells
    that the row at the end, which may be cut off, was left out already.
    """
    if not rows:
        return None
    if any(row[:1] not in (" ", "!") for row in rows):
        rows = [row if row[:1] == "!" else " " + row for row in rows]
    contents = [row[1:].rstrip() for row in rows]
    same = [content for row, content in zip(rows, contents, strict=True) if row[0] == " "]
    candidates = _candidates(contents, same)
    exact = [width for width in candidates if _fits(contents, same, width)]
    # A block that was cut off has lost its widest line: then the gap is wider everywhere.
    for width in exact or [width for width in candidates if _fits(contents, same, width, cut=True)]:
        left = [content[:width].rstrip() for content in contents]
        right = [content[width:] for content in contents]
        return _joined(left), _joined(right)
    return None if last or len(rows) < 3 else split_columns(rows[:-1], last=True)  # its last line may be cut off


def _candidates(contents: list[str], same: list[str]) -> list[int]:
    if same:
        longest = max(same, key=len)
        found = []
        for size in range(len(longest) // 2, 0, -1):
            if longest[0] == longest[-size] and longest[:size] == longest[-size:]:
                gap = longest[size : len(longest) - size]
                if len(gap) >= 3 and not gap.strip():
                    found.append(len(longest) - size)
        return found
    first = contents[0]
    return [match.end() for match in re.finditer(r" {3,}(?=\S)", first)]


def _fits(contents: list[str], same: list[str], width: int, *, cut: bool = False) -> bool:
    if any(content[width - 3 : width].strip() for content in contents):
        return False
    if any(content[width:] != content[:width].rstrip() for content in same):
        return False
    return cut or max(len(content[:width].rstrip()) for content in contents) == width - 3


def _joined(side: list[str]) -> str:
    while side and not side[-1]:
        side.pop()
    return "\n".join(side)
