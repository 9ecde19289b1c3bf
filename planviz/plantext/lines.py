"""Pasted text as clean lines: what surrounds a plan is taken off, line numbers are kept (inventory G-002, F-003).

Nothing is lost: the text itself stays with the document; a clean line only says what of a line is plan.
"""

from __future__ import annotations

import html
import re

_ANSI = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-Z\\-_]")
_ENTITY = re.compile(r"&(?:gt|lt|amp|quot|nbsp|#\d+|#x[0-9a-fA-F]+);")
_LOG = re.compile(
    r"^\s*\[?(?:\d{2,4}[-/]\d\d[-/]\d{2,4}[ T,])?\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?\]?\s+"
    r"(?:(?:stdout|stderr) [FP] )?(?:\[[^\]\n]*\]\s*)*"
    r"(?:(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR)\b[^\n]*?(?:: | - |\] )|(?=[ :]*(?:[+:]- |==)))"
)
_LEVEL_FIRST = re.compile(
    r"^\s*(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR):? [\w.$]+(?:\[[^\]]*\])?: (?=\s*(?:==|[+:]- |[ :*'!]))"
)
_LEVELS = ("INFO", "WARN", "DEBUG", "ERROR", "TRACE")
_QUOTE = re.compile(r"^\s*(?:> ?|// ?|-- |# (?=[ :*=+'!A-Z])|\* (?=[ :]*[+:]- |==))")
_BORDER = re.compile(r"^\s*[|│┃║](.*?)(?:[|│┃║]\s*)?$", re.DOTALL)
_RULE_OF_BOX = re.compile(r"^\s*[+┌└├╔╚╠┏┗┣|][-─═━+┬┴┼╦╩╬┳┻╋]{2,}[+┐┘┤╗╝╣┓┛┫|]?\s*$")
_PLANISH = re.compile(r"[+:]- \S|== \w[\w ]* ==|=== ")


class Lines:
    """Clean lines beside the physical line each came from.

    `text[k]` is the k-th clean line, `number[k]` its physical line counted from 1. Mostly they run in parallel; a line
    that holds escaped line breaks (`\\n` in a cell that `show()` printed) becomes several clean lines of one number.
    """

    __slots__ = ("number", "stripped", "text")

    def __init__(self, text: list[str], number: range | list[int], stripped: tuple[str, ...]) -> None:
        self.text = text
        self.number = number
        self.stripped = stripped

    def __len__(self) -> int:
        return len(self.text)


def clean(raw: str) -> Lines:
    """Split a text into clean lines; `stripped` of the result names what was taken off, for the user to see."""
    lines = raw.split("\n")
    stripped: list[str] = []
    if "\r" in raw:
        lines = _split_carriage_returns(lines)
    if "\x1b" in raw:
        lines = [_ANSI.sub("", line) for line in lines]
        stripped.append("terminal colours")
    if "\xa0" in raw or "\u2007" in raw or "\u202f" in raw or "\u200b" in raw or "\ufeff" in raw:
        table = str.maketrans({"\xa0": " ", "\u2007": " ", "\u202f": " ", "\u200b": "", "\ufeff": ""})
        lines = [line.translate(table) for line in lines]
        stripped.append("non-breaking spaces")
    if "&" in raw and _ENTITY.search(raw):
        lines = [html.unescape(line) if "&" in line else line for line in lines]
        stripped.append("HTML entities")
    if "\t" in raw:
        lines = [_tabs(line) if "\t" in line else line for line in lines]
    for name, take_off in (
        ("log prefixes", _without_log_prefixes),
        ("quote marks", _without_quotes),
        ("table borders", _without_borders),
    ):
        shorter = take_off(lines, raw)
        if shorter is not None:
            lines = shorter
            stripped.append(name)
    if "\\n" in raw:
        return _with_escaped_breaks(lines, stripped)
    return Lines(lines, range(1, len(lines) + 1), tuple(stripped))


def _split_carriage_returns(lines: list[str]) -> list[str]:
    # A lone carriage return inside a line is no line break: it would shift every number after it.
    return [line.rstrip("\r").replace("\r", " ") if "\r" in line else line for line in lines]


def _tabs(line: str) -> str:
    head = len(line) - len(line.lstrip(" \t:"))
    return line[:head].expandtabs(3) + line[head:].replace("\t", " ") if head else line.replace("\t", " ")


def _without_log_prefixes(lines: list[str], raw: str) -> list[str] | None:
    if not any(level in raw for level in _LEVELS) and not any(_LOG.match(line) for line in lines[:200]):
        return None
    changed, out = False, []
    for line in lines:
        match = _LOG.match(line) or _LEVEL_FIRST.match(line)
        if match:
            line, changed = line[match.end() :], True
        out.append(line)
    return out if changed else None


def _without_quotes(lines: list[str], raw: str) -> list[str] | None:
    if ">" not in raw[:200_000] and "//" not in raw and "# " not in raw and "-- " not in raw and "* " not in raw:
        return None
    full = [line for line in lines[:400] if line.strip()]
    quoted = sum(1 for line in full if _QUOTE.match(line))
    planish = [line for line in full if _PLANISH.search(line)]
    if not planish or quoted < 0.8 * len(full) or not all(_QUOTE.match(line) for line in planish):
        return None
    return [_QUOTE.sub("", line, count=1) for line in lines]


def _without_borders(lines: list[str], raw: str) -> list[str] | None:
    if "|" not in raw and "│" not in raw and "║" not in raw and "┃" not in raw:
        return None
    if not any(_RULE_OF_BOX.match(line) for line in lines) and not _all_bordered(lines):
        return None
    return [_without_border(line) for line in lines]


def _all_bordered(lines: list[str]) -> bool:
    full = [line for line in lines[:400] if line.strip()]
    bordered = sum(1 for line in full if line.lstrip()[0] in "|│┃║")
    return bordered >= 2 and bordered >= 0.6 * len(full)


def _without_border(line: str) -> str:
    if _RULE_OF_BOX.match(line):
        return ""
    match = _BORDER.match(line)
    if match:
        return match.group(1).rstrip()
    # The last line of a cell that holds raw line breaks ends in the border but does not begin with one.
    end = line.rstrip()
    return end[:-1].rstrip() if end.endswith(("|", "│")) and not end.endswith("||") else line


def _with_escaped_breaks(lines: list[str], stripped: list[str]) -> Lines:
    text: list[str] = []
    number: list[int] = []
    split = False
    for index, line in enumerate(lines, 1):
        if "\\n" in line and _escaped_plan(line):
            parts = line.replace("\\t", " ").split("\\n")
            text.extend(parts)
            number.extend([index] * len(parts))
            split = True
        else:
            text.append(line)
            number.append(index)
    return Lines(text, number, tuple([*stripped, "escaped line breaks"] if split else stripped))


def _escaped_plan(line: str) -> bool:
    return bool(re.search(r"==\s*\\n|\\n *(?::  | {3})*[+:]- |\\n==", line))
