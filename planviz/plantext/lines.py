"""Pasted text as clean lines: what surrounds a plan is taken off, line numbers are kept (inventory G-002, F-003).

Nothing is lost: the text itself stays with the document; a clean line only says what of a line is plan.
"""

from __future__ import annotations

import html
import re
from functools import cached_property

from planviz.plantext import unified
from planviz.plantext.log_prefixes import without_log_prefixes
from planviz.plantext.marks import MARKED, PLANISH
from planviz.plantext.outlines import with_marks_for_boxes, with_plus_signs
from planviz.plantext.quoted import without_quotes
from planviz.plantext.wrapped import join_continued, join_wrapped

_ANSI = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-Z\\-_]")
_ANSI_ESCAPED = re.compile(r"\\(?:u001[bB]|x1[bB]|033)\[[0-9;?]*[ -/]*[@-~]")
_ANSI_WITHOUT_ESCAPE = re.compile(r"\[\d{1,3}(?:;\d{1,3})*m|\[m(?=\s*$)")
_COMMENT_START = re.compile(r"^\s*/\*+(?= *['!*(]*(?:\d+\) )?[A-Z]\w)")
#: The end of a program's string on the line of a tree's last operator, and the calls behind it.
_STRING_END = re.compile(r"^([ \t|:]*[+:]- ['!*]*[A-Z(].*?)(?:\"{3}|'{3})(?:\.\w+(?:\(\))?)*[)\];,]*\s*$")
#: What stands before the first line of a Scala string with margins, which has one, too.
_MARGIN_START = re.compile(r"^(?:\s|[^|\s])*?\"{3}(?=\|)")
_ENTITY = re.compile(r"&(?:gt|lt|amp|quot|nbsp|apos|#\d+|#x[0-9a-fA-F]+);")
_DASH = re.compile(r"([+:])[–—−‒]\s?(?=[*'!~^(‘’=\w])")
_SMART_QUOTE = re.compile(r"(^\s*|[+:]- )[‘’](?=[A-Z])")
_TAG = re.compile(
    r"</?(?:a|b|code|div|em|font|i|li|p|pre|samp|span|strong|t[dtr]|ul)(?:\s[^<>]*)?/?>|<----(?=[ :]*[+:]- )|---->\s*$",
    re.IGNORECASE,
)
_BREAK = re.compile(r"<br\s*/?>(\s*$)?", re.IGNORECASE)
_TAGGED = re.compile(r"</(?:b|code|div|font|li|p|pre|samp|span|td)>|<br\s*/?>|<----[ :]*[+:]- ", re.IGNORECASE)
_OPENING_QUOTE = re.compile(r"^[^\"']*\"+(?=[*'!(]* ?(?:\(\d+\) )?[A-Z]\w)")
_ESCAPED_NAME = re.compile(r"\\_\w*#\d")
_ESCAPED_MARK = re.compile(r"(?m)^((?:[^\S\n]|:)*+)\\(?=[+:]- |\*(?:\(\d+\))? ?[A-Z])|(?<=[+:]- )\\(?=\*)")
_CLOSING_QUOTE = re.compile(r"\"[\s,;)\]}]*$")
_QUOTE = re.compile(r'(?<!\\)"')
_BOLD = re.compile(r"(^|[+:]- |\* |\) )\*\*([A-Z]\w*)\*\*(?!\w)")
_BOLD_LINE = re.compile(r"^([ :]*(?:[+:]- )?)\*\*((?:\*?\(\d+\) |\*)?[A-Z]\w*[^\w*:].*?)\*\*\s*$")
_HALF_HEADING = re.compile(r"^ {0,8}(?:= {0,8})?((?:(?:Parsed|Analyzed|Optimized) Logical|Physical) Plan) ==\s*$")
_SPACES = str.maketrans({"\xa0": " ", "\u2007": " ", "\u202f": " ", "\u3000": " ", "\u200b": None, "\ufeff": None})

#: How adaptive execution logs that a plan took another's place, before either.
_CHANGED = re.compile(r"^.*\bPlan changed from (?=['!*(]*[A-Z])|^ to (?=['!*(]*(?:\(?\d+\) )?[A-Z]\w+(?:[ (\[]|$))")

_PREFIX = re.compile(
    r"(?:((?://|#|--) ?MAGIC|//+|#>|#+|--+|\*)(?: |$)|"
    r"(//+|#+|--+)(?=(?:(?::[ :]*)?[+:]-|==) |\*?\(\d+\) ?[A-Z]|[*'(]*[A-Z])|"
    r"((?:> ?)*>|\||\+(?!-))|"
    r"(E)(?= {3}|$))"  # pytest, before every line of an error
)
_GLUED = re.compile(r"\s*\*[+:]- ")
_PREFIX_STARTS = frozenset("#/>-*|+E")
_NUMBER = re.compile(r"^ {0,40}(\d{1,6})[.:)]?(?: |$)")
_BORDER = re.compile(r"^\s*[|│┃║](.*?)(?:[|│┃║]\s*)?$", re.DOTALL)
_RULE_OF_BOX = re.compile(r"^\s*[+┌└├╔╚╠┏┗┣|][-─═━+┬┴┼╦╩╬┳┻╋]{2,}[+┐┘┤╗╝╣┓┛┫|]?\s*$")
#: A line of a plan of which nothing is left to take off, and how many layers there may be around one.
_SHOWN = re.compile(rf"{MARKED.pattern}|\s*={{2,3}} [A-Z]")
_LAYERS = 3


class Lines:
    """Clean lines beside the physical line each came from.

    `text[k]` is the k-th clean line, `number[k]` its physical line counted from 1. Mostly they run in parallel; a line
    that holds escaped line breaks (`\\n` in a cell that `show()` printed) becomes several clean lines of one number,
    and where lines were broken at a width, `end[k]` is the last physical line of the k-th clean one.
    """

    def __init__(
        self,
        text: list[str],
        number: range | list[int],
        stripped: tuple[str, ...],
        end: range | list[int] | None = None,
    ) -> None:
        self.text = text
        self.number = number
        self.stripped = stripped
        self.end = number if end is None else end

    def __len__(self) -> int:
        return len(self.text)

    @cached_property
    def builder_ends(self) -> dict[int, int]:
        """The last line by the first of caches that are printed with their plan (2.3, `explain formatted` to 3.5):
        `InMemoryRelation [a#1], CachedRDDBuilder(.., Project [a#1]`, the plan's other lines, `,None)`.
        """
        ends: dict[int, int] = {}
        end = None
        for at in range(len(self.text) - 1, -1, -1):
            line = self.text[at]
            if end is not None and "CachedRDDBuilder(" in line:
                ends[at] = end
            if line.startswith((",None)", ",Some(")):
                end = at
            elif not line.strip() or line.startswith("== "):
                end = None
        return ends


def clean(raw: str) -> Lines:
    """Split a text into clean lines; `stripped` of the result names what was taken off, for the user to see."""
    stripped: list[str] = []
    lines = _plain_characters(raw, stripped)
    number: range | list[int] = range(1, len(lines) + 1)
    if (sides := unified.both_sides(lines)) is not None:
        lines, number = sides
        stripped.append("the marks of a diff (the new side stands first)")
    if _double_spaced(lines, PLANISH):
        single = _single_spaced(lines, number, stripped)
        lines, number, stripped = single.text, single.number, list(single.stripped)
    seen = f"{raw}\"'`|" if "HTML entities" in stripped else raw
    for _ in range(_LAYERS):
        lines, taken = _without_layer(lines, seen)
        stripped += [name for name in taken if name not in stripped]
        if not taken or any(_SHOWN.match(line) for line in lines):
            break
    lines = [line.rstrip() for line in lines]
    if "\\n" in raw or "HTML tags" in stripped:
        return _without_wraps(_with_escaped_breaks(lines, number, stripped))
    if _double_spaced(lines, MARKED):
        return _without_wraps(_single_spaced(lines, number, stripped))
    return _without_wraps(Lines(lines, number, tuple(stripped)))


def _without_layer(lines: list[str], raw: str) -> tuple[list[str], list[str]]:
    """Lines without what surrounds a plan, and what was taken off.

    Of what stands within something else only the outer layer may be seen: a plan in a comment that a mail quotes.
    """
    taken = []
    for name, take_off in (
        ("log prefixes", without_log_prefixes),
        ("string quotes", without_quotes),
        ("comment marks", _without_prefixes),
        ("line numbers", _without_numbers),
        ("drawn lines", with_marks_for_boxes),
        ("spaces in place of plus signs", with_plus_signs),
        ("table borders", _without_borders),
    ):
        shorter = take_off(lines, raw)
        if shorter is not None:
            lines = shorter
            taken.append(name)
            if name == "comment marks":  # a log that somebody quoted
                lines = without_log_prefixes(lines, raw) or lines
    return lines, taken


def _without_wraps(lines: Lines) -> Lines:
    continued = join_continued(lines.text)
    if continued is not None:
        lines = _with_joined(lines, continued)
    joined = join_wrapped(lines.text)
    return lines if joined is None else _with_joined(lines, joined)


def _with_joined(lines: Lines, joined: list[str | None]) -> Lines:
    """Lines of which those that are None went into the one before."""
    text: list[str] = []
    number: list[int] = []
    end: list[int] = []
    for line, at, last in zip(joined, lines.number, lines.end, strict=True):
        if line is None:
            end[-1] = last
        else:
            text.append(line)
            number.append(at)
            end.append(last)
    told = "line breaks within operators"
    return Lines(text, number, lines.stripped if told in lines.stripped else (*lines.stripped, told), end)


# -- characters


def _plain_characters(raw: str, stripped: list[str]) -> list[str]:
    """Physical lines without terminal colours, odd spaces and dashes, HTML entities and tabs."""
    lines = raw.split("\n")
    if "\r" in raw:
        # A lone carriage return inside a line is no line break: it would shift every number after it.
        lines = [line.rstrip("\r").replace("\r", " ") for line in lines]
    if "\\u001b[" in raw or "\\x1b[" in raw or "\\033[" in raw:
        lines = [_ANSI_ESCAPED.sub("", line) for line in lines]
    if "\x1b" in raw:
        lines = [_ANSI.sub("", line) for line in lines]
        stripped.append("terminal colours")
    elif raw.count("[0m") > 1:
        lines = [_ANSI_WITHOUT_ESCAPE.sub("", line) for line in lines]
        stripped.append("remains of terminal colours")
    if not raw.isascii():
        lines = [
            line if line.isascii() else _SMART_QUOTE.sub(r"\1'", _DASH.sub(r"\1- ", line.translate(_SPACES)))
            for line in lines
        ]
    if " Plan ==" in raw:  # the first characters of a text are easily not selected
        lines = [_HALF_HEADING.sub(r"== \1 ==", line) if " Plan ==" in line else line for line in lines]
    if "\\_" in raw and _ESCAPED_NAME.search(raw):
        lines = [line.replace("\\_", "_") for line in lines]
    if ("\\*" in raw or "\\+- " in raw) and _ESCAPED_MARK.search(raw):
        lines = [_ESCAPED_MARK.sub(r"\1", line) for line in lines]
    if "Plan changed from " in raw:
        lines = [_CHANGED.sub("", line) for line in lines]
    if "/*" in raw:
        lines = _without_comment_around(lines)
    if '"""' in raw or "'''" in raw:
        lines = [_STRING_END.sub(r"\1", line) if '"""' in line or "'''" in line else line for line in lines]
    if "**" in raw:
        lines = [_without_bold(line) if "**" in line else line for line in lines]
    if "<" in raw and _TAGGED.search(raw):
        lines = [_without_tags(line) if "<" in line or "---->" in line else line for line in lines]
        stripped.append("HTML tags")
    if "&" in raw and _ENTITY.search(raw):
        lines = [html.unescape(line).replace("\xa0", " ") if "&" in line else line for line in lines]
        stripped.append("HTML entities")
    if "\t" in raw:
        size = _tab_size(lines)
        lines = [_without_tabs(line, size) if "\t" in line else line for line in lines]
    return lines


def _blanks(match: re.Match[str]) -> str:
    return " " * len(match[0])


def _without_bold(line: str) -> str:
    """A line without the stars of Markdown around an operator's name, or around all that is said of it."""
    whole = _BOLD_LINE.match(line)
    if whole is not None and ("#" in whole[2] or MARKED.match(line)):
        return whole[1] + whole[2]
    return _BOLD.sub(r"\1\2", line)


def _without_comment_around(lines: list[str]) -> list[str]:
    """Lines without a comment's marks that share a line with a plan: `/* Project [a#1]` above one with a tree mark,
    and that tree's last line where it ends in `*/`."""
    out = lines[:]
    for at, line in enumerate(lines):
        if "/*" in line and at + 1 < len(lines) and MARKED.match(lines[at + 1]):
            out[at] = _COMMENT_START.sub(_blanks, line)
        elif line.rstrip()[-2:] == "*/" and MARKED.match(line):
            out[at] = line.rstrip()[:-2]
    return out


def _without_tags(line: str) -> str:
    return _TAG.sub("", _BREAK.sub(lambda match: "" if match[1] is not None else "\\n", line))


def _without_tabs(line: str, size: int) -> str:
    head = len(line) - len(line.lstrip(" \t:"))
    return line[:head].expandtabs(size) + line[head:].replace("\t", " ")


def _tab_size(lines: list[str]) -> int:
    """The tab width in columns that puts most tree marks where Spark prints them, at multiples of three."""
    marked = [line for line in lines if "\t" in line and MARKED.match(line)][:500]

    def fitting(size: int) -> int:
        heads = (_without_tabs(line, size) for line in marked)
        return sum(
            1 for line in heads if (len(line) - len(line.lstrip(" :")) - (line.lstrip(" :")[:1] == "-")) % 3 == 0
        )

    return max((3, 8, 4, 2), key=fitting)


# -- prefixes


def _with_space_behind_stars(lines: list[str], raw: str) -> list[str]:
    """Lines of a comment whose stars stand right before a tree's marks (` *+- Filter (2)`), with a space between; no
    operator's star stands before a mark."""
    if "*+- " not in raw and "*:- " not in raw:
        return lines
    out = lines[:]
    at = 0
    while at < len(lines):
        end = at
        while end < len(lines) and lines[end].lstrip()[:1] == "*":
            end += 1
        if any(_GLUED.match(line) for line in lines[at:end]):
            for k in range(at, end):
                star = lines[k].index("*") + 1
                out[k] = f"{lines[k][:star]} {lines[k][star:].removeprefix('|').removeprefix(' ')}"
        at = max(end, at + 1)
    return out


def _without_prefixes(lines: list[str], raw: str) -> list[str] | None:
    """Takes `# `, `// `, `> `, ` * `, `|`, `// MAGIC `, pytest's `E   ` ... off every run
    of lines that share it and hold a plan."""
    lines = _with_space_behind_stars(lines, raw)
    if '"""|' in raw:
        lines = [
            line if '"""|' not in line or _prefix(line) is not None else _MARGIN_START.sub(_blanks, line)
            for line in lines
        ]
    out: list[str] | None = None
    at = 0
    while at < len(lines):
        prefix = _prefix(lines[at])
        if prefix is None:
            at += 1
            continue
        end = at + 1
        while end < len(lines) and (_prefix(lines[end]) == prefix or _is_rest(lines, end, prefix)):
            end += 1
        cut = [line[line.index(prefix) + len(prefix) :] for line in lines[at:end]]
        if prefix not in "|+" and all(not line or line[0] == " " for line in cut):
            cut = [line[1:] for line in cut]
        if prefix == "|" and all(line.rstrip().endswith("|") for line in cut if line.strip()):
            cut = [line.rstrip()[:-1] for line in cut]
        # A single `* Project (3)` is an operator of `explain formatted`, not a line of a comment.
        if (
            (end - at > 1 or prefix not in "*+")
            and any(PLANISH.search(line) for line in cut)
            and not _is_table(lines, at, end)
        ):
            out = lines[:] if out is None else out
            out[at:end] = cut
        at = end
    return out


def _is_rest(lines: list[str], at: int, prefix: str) -> bool:
    """Whether a quoted line between lines with one quote mark begins with one of its own, for it is the rest of a line
    that was broken there: `> >= 5)`, or `> >` of `struct<a:int>`."""
    deeper = _prefix(lines[at])
    if prefix != ">" or deeper is None or deeper[:1] != ">":
        return False
    return _prefix(lines[at - 1]) == prefix and (at + 1 == len(lines) or _prefix(lines[at + 1]) == prefix)


def _prefix(line: str) -> str | None:
    bare = line.lstrip()
    # Matched without the indentation: a pattern that begins with spaces tries every number of them.
    match = _PREFIX.match(bare) if bare[:1] in _PREFIX_STARTS and bare[:2] != "+-" else None
    return None if match is None else match[match.lastindex or 0]


def _is_table(lines: list[str], start: int, end: int) -> bool:
    return any(_RULE_OF_BOX.match(line) for line in (*lines[max(0, start - 1) : start], *lines[end : end + 1]))


def _without_numbers(lines: list[str], raw: str) -> list[str] | None:
    """Takes numbers that count up off the lines (`numberedTreeString`, listings)."""
    out: list[str] | None = None
    at = 0
    while at < len(lines):
        match = _NUMBER.match(lines[at]) if lines[at][:41].strip()[:1].isdigit() else None
        if match is None:
            at += 1
            continue
        end, expected = at, int(match.group(1))
        while end < len(lines) and (match := _NUMBER.match(lines[end])) and int(match.group(1)) == expected:
            end += 1
            expected += 1
        cut = [_NUMBER.sub("", line, count=1) for line in lines[at:end]]
        if end - at > 1 and any(PLANISH.search(line) for line in cut):
            out = lines[:] if out is None else out
            out[at:end] = cut
        at = max(end, at + 1)
    return out


# -- tables


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
        return match.group(1)
    # The last line of a cell that holds raw line breaks ends in the border but does not begin with one.
    end = line.rstrip()
    return end[:-1] if end.endswith(("|", "│")) and not end.endswith("||") else line


# -- line breaks


def _with_escaped_breaks(lines: list[str], numbers: range | list[int], stripped: list[str]) -> Lines:
    text: list[str] = []
    number: list[int] = []
    split = False
    for index, line in zip(numbers, lines, strict=True):
        if "\\n" in line and _escaped_plan(line):
            parts = [part.rstrip() for part in line.replace("\\t", " ").split("\\n")]
            if MARKED.match(parts[1]):
                parts[0] = _OPENING_QUOTE.sub("", parts[0])
                if parts[-1].count('"') % 2:
                    parts[-1] = _CLOSING_QUOTE.sub("", parts[-1])
            elif len(_QUOTE.findall(parts[0])) % 2 and (closing := _QUOTE.search(parts[-1])):
                parts[-1] = parts[-1][: closing.start()]  # a program's string, and the program behind it
            text.extend(parts)
            number.extend([index] * len(parts))
            split = True
        else:
            text.append(line)
            number.append(index)
    return Lines(text, number, tuple([*stripped, "escaped line breaks"] if split else stripped))


def _escaped_plan(line: str) -> bool:
    return bool(re.search(r"==\s*\\n|\\n *(?::  | {3})*[+:]- |\\n==", line))


def _double_spaced(lines: list[str], plan: re.Pattern[str]) -> bool:
    full = [at for at, line in enumerate(lines[:2000]) if line]
    if len(full) < 4 or not any(plan.search(lines[at]) for at in full[:200]):
        return False
    followed = sum(1 for at in full[:-1] if not lines[at + 1])
    return followed >= 0.95 * (len(full) - 1)


def _single_spaced(lines: list[str], numbers: range | list[int], stripped: list[str]) -> Lines:
    text: list[str] = []
    number: list[int] = []
    after_text = False
    for index, line in zip(numbers, lines, strict=True):
        if line or not after_text:
            text.append(line)
            number.append(index)
        after_text = bool(line)
    return Lines(text, number, (*stripped, "doubled line breaks"))
