"""A plan that lost its line breaks: they are put back where operators begin (inventory F-003).

Copying from some tools turns every line break and every run of spaces into one space. What is left of the tree are the
marks: `:- ` opens a child that has a later sibling, `+- ` the last child, each behind one rail `: ` for every operator
above that still waits for a child. Read in order they still determine the tree.
"""

from __future__ import annotations

import re
from itertools import pairwise

from planviz.graph import is_known, kind_of
from planviz.plantext.lines import Lines

_HEADINGS = re.compile(
    r"(={2,3} (?:(?:Parsed|Analyzed|Optimized) Logical Plan|Physical Plan|Applying Rule \S+|Result of Batch [^=]+?|"
    r"Metrics of Executed Rules[^=]*?) ={2,3})"
)
_OPERATOR = r"[*'!~^(]*\s?\(?\d*\)? ?[A-Z=]"
#: Rails before a mark, never begun in their midst: `: : : ...` would take the square of its length.
_RAILS = r"(?<!: )(?<!:  )(?<!:   )(?:: {1,99}){0,300}+"
_MARK = re.compile(rf"(?:(?<=[\s\])])|^)(!?{_RAILS}[+:]- )(?={_OPERATOR})")
#: Where a line began whose break is gone, or was turned into one space, with its indentation still there.
_KEPT = re.compile(
    rf"(?<=\S)(?=(?: {{3}}|:  )+[+:]- {_OPERATOR})|(?<=[\])\w}}])(?=[+:]- {_OPERATOR})"
    rf"|(?<=\S) (?=(?: {{3}}|:  )*[+:]- {_OPERATOR})"
)
_FLAT = re.compile(rf"{_RAILS}[+:]- ")
_LINE_START = re.compile(r"^[ :!]*[+:]- ", re.MULTILINE)
_NAME = re.compile(r"[*'!~^]*+(?:\(\d+\) )?[!'~]*+([A-Z]\w*)")
_SECTION = re.compile(r"== (Final|Current|Initial) Plan ==")
_SECTION_ROOT = re.compile(r"(?:(?<=- == Final Plan ==)|(?<=- == Current Plan ==)|(?<=- == Initial Plan ==))(?=\s*\S)")
_WHOLE_SECTION = re.compile(_SECTION.pattern + "$")
_COLUMNS = re.compile(r"\s*((?:[^\s,]+: [a-z][a-z_\d]*(?:\([^)]*\)|<\S*>)?(?:, |(?= |['!~]*[A-Z])))+) ?(?=['!~]*[A-Z])")
_MOST = 5_000  # operators put back in one text: what is larger was not copied by hand
_DEEPEST = 1_000


def restore_lines(lines: Lines) -> Lines | None:
    """Clean lines with the breaks put back, or None when the text did not lose its breaks.

    Every new line keeps the number of the physical line it came from.
    """
    marked = any(_LINE_START.match(line) for line in lines.text)
    if not any(_lost(line, marked) for line in lines.text):
        return None
    text: list[str] = []
    number: list[int] = []
    end: list[int] = []
    for line, at, last in zip(lines.text, lines.number, lines.end, strict=True):
        restored = _restore(line) if _lost(line, marked) or (not marked and _MARK.search(line)) else [line]
        if len(restored) > 1:  # behind the last operator stands the border of a table that the plan stood in
            restored = [part.removesuffix(" |").rstrip() for part in restored]
        text.extend(restored)
        number.extend([at] * len(restored))
        end.extend([last] * len(restored))
    return Lines(text, number, lines.stripped, end)


def _is_lost(lines: Lines) -> bool:
    """Whether two marks follow each other in the first column; a plan within a cache's builder stands there anyway."""
    builder = 0  # its last line
    for at, (before, line) in enumerate(pairwise(lines.text), 1):
        builder = max(builder, lines.builder_ends.get(at - 1, 0))
        if at > builder and before.startswith("+- ") and line.startswith("+- "):
            return True
    return False


def restore_indentation(lines: Lines) -> Lines | None:
    """Clean lines with the indentation put back, or None when it was not lost.

    Lost it is where two marks `+- ` follow each other in the first column: no operator has two last children.
    """
    text = lines.text
    if not _is_lost(lines):
        return None
    out: list[str] = []
    came_from: list[int] = []
    at = 0
    while at < len(text):
        end = at + 1
        while end < min(len(text), at + _MOST) and (_FLAT.match(text[end]) or _is_root_of_section(text, end)):
            end += 1
        if end - at > 2 and not _FLAT.match(text[at]):
            shifted = _shifted(text, at, end)
        else:
            shifted = [(text[k], k) for k in range(at, end)]
        out.extend(line for line, _ in shifted)
        came_from.extend(k for _, k in shifted)
        at = end
    if out == text:
        return None
    stripped = (*lines.stripped, "lost indentation")
    return Lines(out, [lines.number[k] for k in came_from], stripped, [lines.end[k] for k in came_from])


def _shifted(text: list[str], start: int, end: int) -> list[tuple[str, int]]:
    """The lines of a tree with their indentation, and which line each was."""
    tokens: list[tuple[str, str]] = []
    came_from = [start] if text[start] else []
    for k in range(start + 1, end):
        if not _FLAT.match(text[k]):
            tokens[-1] = (tokens[-1][0], f"{tokens[-1][1]} {text[k].strip()}")
            came_from.append(k)
            continue
        mark, rest = _split_mark(text[k])
        section = _SECTION.match(rest)
        whole = section is not None and bool(rest[section.end() :].strip())
        tokens.append((mark, rest))
        came_from += [k, k] if whole else [k]  # the heading and its root are two lines
    made = _indented(text[start], tokens)
    if not text[start]:
        made, came_from = [text[start], *made], [start, *came_from]
    return list(zip(made, came_from, strict=True))


def _is_root_of_section(text: list[str], at: int) -> bool:
    """Whether a line is the root below `+- == Final Plan ==`, which has no mark."""
    heading = _FLAT.match(text[at - 1])
    return bool(text[at].strip()) and heading is not None and bool(_WHOLE_SECTION.match(text[at - 1], heading.end()))


def _split_mark(line: str) -> tuple[str, str]:
    match = _FLAT.match(line)
    assert match is not None
    return match.group(), line[match.end() :]


def _lost(line: str, marked: bool) -> bool:
    """Whether a line holds what should be several; where other lines are whole, only one that begins with a heading."""
    if "==" not in line and "- " not in line:
        return False
    if marked:
        heading = _HEADINGS.match(line.lstrip())
        return heading is not None and bool(_NAME.match(line.lstrip()[heading.end() :].lstrip()))
    return len(_MARK.findall(line)) + len(_HEADINGS.findall(line)) >= 2


def _restore(line: str) -> list[str]:
    out: list[str] = []
    pieces = _HEADINGS.split(line)
    if pieces[0].strip():
        out.extend(_tree(pieces[0]))
    for heading, body in zip(pieces[1::2], pieces[2::2], strict=True):
        out.append(heading)
        if heading.startswith(("=== Applying", "=== Result")):
            out.extend(_side_by_side(body))
        else:
            columns = _COLUMNS.match(body) if "Analyzed" in heading else None
            if columns:
                out.append(columns.group(1))
            out.extend(_tree(body[columns.end() :] if columns else body))
        out.append("")
    return out


def without_columns(line: str) -> str:
    """The root of an analyzed plan without the output columns that a lost line break left before it."""
    columns = _COLUMNS.match(line) if ": " in line else None
    root = None if columns is None else _NAME.match(line[columns.end() :])
    return line if columns is None or root is None or not is_known(root[1]) else line[columns.end() :]


def _tokens(body: str) -> tuple[str, list[tuple[str, str]]]:
    """The text before the first mark, and `(mark, operator)` for each mark."""
    parts = _MARK.split(body)
    return parts[0].strip(), [(mark, text.strip()) for mark, text in zip(parts[1::2], parts[2::2], strict=True)]


def _tree(body: str) -> list[str]:
    if re.search(r"(?: {3}|:  )[+:]- ", body):
        # Only the breaks are gone, the indentation is still there.
        return [line.rstrip() for part in _KEPT.split(body.strip()) for line in _SECTION_ROOT.split(part, maxsplit=1)]
    root, tokens = _tokens(body)
    return _indented(root, tokens)


def _indented(root: str, tokens: list[tuple[str, str]]) -> list[str]:
    """Lines with the indentation that the marks imply.

    The rails `:` before a mark say how many operators above still wait for a child. Fewer than are open: the deepest of
    those is closed, this is its next child. As many: a child of the operator before. More: a subquery of the operator
    before, whose own children are still to come.
    """
    out = [root] if root else []
    pending: list[int] = []  # levels at which a later sibling is due
    adaptive: list[int] = []  # levels of open adaptive headings
    level = 0 if root else -1
    for mark, text in tokens[:_MOST]:
        rails = mark.count(":") - (":-" in mark)
        section = _SECTION.match(text)
        if section and section.group(1) == "Initial" and adaptive:
            level = adaptive.pop()
        elif rails < len(pending):
            del pending[rails + 1 :]
            level = pending.pop()
        elif rails > len(pending):
            pending.append(level + 1)
            level += 2
        else:
            level += 1
        level = min(level, _DEEPEST)
        rail_levels = set(pending)
        if ":-" in mark:
            pending.append(level)
        prefix = "".join(":  " if k in rail_levels else "   " for k in range(1, level))
        if section:
            out.append(f"{prefix}+- == {section.group(1)} Plan ==")
            if root_text := text[section.end() :].strip():
                out.append(f"{'   ' * level}{root_text}")
            if section.group(1) != "Initial":
                adaptive.append(level)
        else:
            out.append(f"{prefix}{':- ' if ':-' in mark else '+- '}{text}")
    return [*out, *(mark + text for mark, text in tokens[_MOST:])]


def _side_by_side(body: str) -> list[str]:
    """Rows of a rule's block: marks alternate between the left and the right tree, the roots stand before the first.

    As long as both trees have lines they come in pairs; once one ends, the rest belongs to the other, which the text no
    longer shows, so an odd rest is given to the side whose tree is still incomplete, the left one when in doubt.
    """
    roots, tokens = _tokens(body)
    left_root, right_root = _halves(roots)
    lefts, rights = tokens[0::2], tokens[1::2]
    left, right = _indented(left_root, lefts), _indented(right_root, rights)
    width = max((len(line) for line in left), default=0) + 3
    rows = []
    for at in range(max(len(left), len(right))):
        a = left[at] if at < len(left) else ""
        b = right[at] if at < len(right) else ""
        rows.append((" " if a == b else "!") + a.ljust(width) + b)
    return rows


def _halves(roots: str) -> tuple[str, str]:
    """The two root operators in one text: equal halves, or two that begin with an operator's name."""
    roots = roots.strip().removeprefix("!").strip()
    middle = len(roots) // 2
    if roots[:middle].strip() == roots[middle:].strip():
        return roots[:middle].strip(), roots[middle:].strip()
    best, distance = len(roots), len(roots)
    for match in re.finditer(r"(?<=\s)['!]*[A-Z]\w+", roots):
        off = abs(match.start() - middle)
        if off < distance and kind_of(match.group().strip("'!")) != "other" and _balanced(roots[: match.start()]):
            best, distance = match.start(), off
    return roots[:best].strip(), roots[best:].strip()


def _balanced(text: str) -> bool:
    return text.count("(") == text.count(")") and text.count("[") == text.count("]")
