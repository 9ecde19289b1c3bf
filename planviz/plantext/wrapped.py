"""A plan whose lines were broken at a width, by a terminal, a mail or a page: the rests are put back in place."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from planviz.graph.kinds import is_known
from planviz.plantext import formatted
from planviz.plantext.brackets import balance_of

_MARKED = re.compile(r"[ :!]*[+:]- \S")
_HEADING = re.compile(r"\s*={2,3} \S")
_COLUMNS_FOLLOW = re.compile(r"\s*== Analyzed")
_OPERATOR = re.compile(r"['!]*([A-Z]\w+)(?=$| [\[(\w`'!]|\[)")
_NUMBERED = re.compile(r"(?:\* )?\w+(?: .*)? \(\d+\)$|.* Plan ==$")
_RAILS = re.compile(r"[ :]*(?:[+:]-?)?")
#: What no line of a plan begins with: fences, prompts, what a shell prints behind its answer, batches of a log.
_FENCE = re.compile(
    r"\s*(?:`{3}|~{3}|\{code|\{noformat|</\w|scala>|>>>|spark-sql\b.*>|Time taken:|only showing|Batch .*\.$)"
)
_ID = re.compile(r"#\d")
_SECTION = re.compile(r"[ :]*[+:]- == \w+ Plan ==$")
_KEY = re.compile(r"[ ,](?:DataFilters|PartitionFilters|PushedFilters|ReadSchema|Location|Format):$")
_NARROWEST = 40  # characters: narrower breaks are those of values that hold line breaks
_BLANKS = 3  # that may have stood where a line was cut
_FEWEST = 2  # breaks that show a width
_CUSTOMARY = frozenset({72, 76, 78, 79, 80, 100, 120, 132, 140, 160, 180, 200})  # of these, one break is enough
_BEGINS = "==", "(", "-", "#", "*", "..."


@dataclass(frozen=True)
class _Break:
    """A line of a tree that begins no operator, or of a detail block that begins no entry: more of the one before,
    when that was broken."""

    line: int
    before: int
    last: bool  # no line with a mark follows in this tree
    below: bool  # it stands below the name of its operator
    entry: bool = False  # of a detail block, whose values may hold line breaks


def join_continued(text: Sequence[str]) -> list[str | None] | None:
    """The lines, where a program's string goes on behind a backslash at the end of an operator's line, each with its
    rests and None in place of them; None where none does."""
    found: list[str | None] | None = None
    at = 0
    while at < len(text):
        end = at
        if text[at].endswith("\\") and _MARKED.match(text[at]):
            while end + 1 < len(text) and text[end].endswith("\\") and _is_rest(text[end + 1]):
                end += 1
        if end > at:
            found = [*text] if found is None else found
            found[at] = "".join(line.removesuffix("\\") for line in text[at:end]) + text[end]
            found[at + 1 : end + 1] = [None] * (end - at)
        at = end + 1
    return found


def _is_rest(line: str) -> bool:
    return bool(line.strip()) and _MARKED.match(line) is None and _HEADING.match(line) is None


def join_wrapped(text: Sequence[str]) -> list[str | None] | None:
    """The lines, each with its rests and None in place of them; None where no line was broken.

    Broken at a width are all lines that are longer, so nearly all rests show it: cut within words, the lines before
    them are equally long, but for blanks at their ends; cut between words, none had room for the word that follows, and
    only a word that is longer itself is. One that ends in a comma goes on
    in any case, for a plan has no line break there; where one did, those with open brackets or a colon at their end go
    on, too. A value may hold line breaks, and keeps those, and arguments below their operator are no rests.
    """
    breaks = _breaks(text)
    width = max((len(text[b.before]) for b in breaks), default=0)
    # A word that is longer than the width stands on a line of its own.
    words = max((len(line) for line in text if " " in line.strip()), default=0)
    breaks = list(_without_comments(text, breaks, min(width, words)))
    cut = [b for b in breaks if not _goes_on(text, b)]
    longest = max(map(len, text), default=0)
    enough = len(breaks) >= _FEWEST or (
        width in _CUSTOMARY and all(b.entry or balance_of(text[b.before]) > 0 for b in breaks)
    )
    narrow = width >= _NARROWEST and enough and longest <= width
    full = sum(len(text[b.before]) == width for b in breaks)
    short = (b for b in breaks if len(text[b.before]) < width - _BLANKS)
    within_words = narrow and 2 * full >= len(breaks) and all(_RAILS.fullmatch(text[b.before]) for b in short)
    # `fold` counts the blank behind a word, too.
    between_words = (
        words >= _NARROWEST and len(breaks) >= _FEWEST and not any(_had_room(text, b, words - 1) for b in cut)
    )
    reflowed = len(cut) < len(breaks)
    parts: dict[int, list[str]] = {}  # by the line that takes the rests in
    gone: set[int] = set()
    start, depth = -1, 0
    for b in breaks:
        if b.before not in gone:
            start, depth = b.before, balance_of(text[b.before])
        unfinished = reflowed and not b.below and (depth > 0 or text[b.before].endswith(":"))
        if not (within_words or between_words or unfinished or _goes_on(text, b)):
            continue
        rest = text[b.line]
        # Blanks at the end of a line are gone.
        blanks = " " * (width - len(text[b.before]))
        whole = blanks + rest if within_words else _rest(text[b.before], rest, (words, longest))
        parts.setdefault(start, [text[start]]).append(whole)
        gone.add(b.line)
        depth += balance_of(rest)
    if not gone:
        return None
    return [None if k in gone else "".join(parts.get(k, (line,))) for k, line in enumerate(text)]


def _rest(before: str, rest: str, widths: tuple[int, int]) -> str:
    """What goes on behind a line that was broken between words; a word that no line had room for was cut where the line
    was full, if words were cut: of lines with several words, or of all."""
    head, tail = before[before.rfind(" ") + 1 :], rest.lstrip().partition(" ")[0]
    paths = tail.startswith("paths)")  # of `InMemoryFileIndex(1 paths)[..]`
    whole = paths or len(tail) > widths[0] or (head[-1:] in "])" and balance_of(head) == 0 and tail[:1].isalpha())
    cut = len(before) in widths and len(head) + len(tail) > len(before) and not whole
    return rest if cut else f" {rest.lstrip()}"


def _breaks(text: Sequence[str]) -> list[_Break]:
    """The lines without a mark in trees: up to an empty line or a heading, from a heading or a line with a mark on."""
    found: list[_Break] = []
    at = 0
    while at < len(text):
        if at > 0 and _COLUMNS_FOLLOW.match(text[at - 1]):
            root = _root_below(text, at)
            found.extend(_breaks_of_tree(text, at, root))
            at = root
            headed = at < len(text)
        else:
            headed = at > 0 and bool(_HEADING.match(text[at - 1]))
        if at == len(text):
            break
        if formatted.HOST.match(text[at]):
            end = at + 1
            while end < len(text) and text[end].strip() and not _NUMBERED.match(text[end]):
                found.append(_Break(end, end - 1, False, False, entry=True))
                end += 1
            at = end
            continue
        if _is_head(text[at]):
            end = at + 1
            while end < len(text) and text[end].strip() and not (_is_head(text[end]) or _FENCE.match(text[end])):
                end += 1
            found.extend(_breaks_of_block(text, at, end))
            at = end
            continue
        begins = headed or _MARKED.match(text[at])
        if not begins or not text[at].strip() or _HEADING.match(text[at]) or _FENCE.match(text[at]):
            at += 1
            continue
        end = at + 1
        while end < len(text) and text[end].strip() and not _HEADING.match(text[end]) and not _FENCE.match(text[end]):
            end += 1
        found.extend(_breaks_of_tree(text, at, end))
        at = end
    return found


def _root_below(text: Sequence[str], start: int) -> int:
    """Where the tree begins below the columns of an analyzed plan: one line, broken into several, or empty."""
    for k in range(start + 1, len(text)):
        if not text[k].strip() or _HEADING.match(text[k]) or _MARKED.match(text[k]):
            return k
        name = _OPERATOR.match(text[k])
        if name is not None and is_known(name[1]) and not text[k - 1].endswith(","):
            return k
    return len(text)


def _breaks_of_tree(text: Sequence[str], start: int, end: int) -> Iterator[_Break]:
    marks = [k for k in range(start, end) if _MARKED.match(text[k]) or _is_rails(text[k])]
    column = 0
    for k in range(start, end):
        if k > start and _is_rails(text[k - 1]):
            yield _Break(k, k - 1, not marks or k >= marks[-1], False)
        elif mark := _MARKED.match(text[k]):
            column = mark.end() - 1
        elif _is_rails(text[k]):
            column = 0
        elif k > start and not _SECTION.match(text[k - 1]):
            indented = len(text[k]) - len(text[k].lstrip())
            yield _Break(k, k - 1, not marks or k > marks[-1], bool(column) and indented >= column)


def _breaks_of_block(text: Sequence[str], start: int, end: int) -> Iterator[_Break]:
    """The lines of a detail block that begin no entry, behind one that does; a cached plan's tree is no part of it."""
    for k in range(start + 1, end):
        if _MARKED.match(text[k]):
            yield from _breaks_of_tree(text, k, end)
            return
        if not formatted.is_entry(text[k]):
            yield _Break(k, k - 1, False, False, entry=True)


def _is_head(line: str) -> bool:
    """Whether a line begins a detail block; what was cut before `(1) AS n#12` has a column's id."""
    return formatted.head(line) is not None and _ID.search(line) is None


def _is_rails(line: str) -> bool:
    """Whether a line was cut in front of its operator, for its rails alone are as wide as the lines may be."""
    return len(line) >= _NARROWEST and line[-1] in " :+-" and _RAILS.fullmatch(line) is not None


def _without_comments(text: Sequence[str], breaks: Sequence[_Break], width: int) -> Iterator[_Break]:
    """The breaks without the lines behind a tree that are none of it: its last line had room for them."""
    behind = -1
    for b in breaks:
        if b.last and (b.before == behind or (_had_room(text, b, width) and not _goes_on(text, b))):
            behind = b.line
        else:
            yield b


def _had_room(text: Sequence[str], b: _Break, width: int) -> bool:
    return len(text[b.before]) + 1 + len(text[b.line].split(maxsplit=1)[0]) <= width


def _goes_on(text: Sequence[str], b: _Break) -> bool:
    """Whether the line before ends in a comma, and the rest is nothing that begins anew; or in a scan's key, or the
    class of its location, and the rest is its value."""
    before, rest = text[b.before], text[b.line].lstrip()
    if _KEY.search(before):
        return rest[:1] not in ("", "+", ":", "=")
    if before.endswith("FileIndex") and rest.startswith("["):
        return True
    return before.endswith(",") and not b.below and not rest.startswith(_BEGINS)
