"""Python out of what people paste: other indentation, Python 2, prose and output between the lines.

Every repair keeps the lines where they are, so that places stay true; what is left out is told.
"""

from __future__ import annotations

import ast
import re
import warnings

from planviz.programs.values import Place

#: The name under which texts are parsed. Of a syntax error Python looks up the line in the file of that name: of one
#: that no file can have it opens nothing.
NO_FILE = "\ud800"
#: How many statements may be left out of a text before it counts as no program.
MOST_LEFT_OUT = 200
_PRINT = re.compile(r"^(.*[:;]\s+|\s*)print[ \t]+(?![=(.,)\]])(.*\S)\s*$")
_PRINT_PAREN = re.compile(r"^(\s*)print[ \t]*(\(.*\).*[^)\s].*)$")
_BARE_PRINT = re.compile(r"^(\s*)print\s*$")
_EXCEPT = re.compile(r"^(\s*except\s+[\w.()\s,]*?[\w.)])\s*,\s*(\w+)\s*:")
_RAISE = re.compile(r"^(\s*raise\s+[\w.]+)\s*,\s*(.+)$")
#: A line that stands for others, inside of brackets.
_ELLIPSIS = re.compile(r"^\s*(?:\.\.\.|…|# ?\.\.\.)\s*$")
#: Texts and comments of a line: brackets in them are none.
_QUOTED = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|#.*")
_CLOSERS = {"(": ")", "[": "]", "{": "}"}
_CURLY = str.maketrans("“”‘’ ​﻿", "\"\"'' \u0020 ")


class Recovered:
    """A tree, the text that it is of, and what was left out of the text that was given: lines with the reason."""

    def __init__(
        self,
        tree: ast.Module,
        text: str,
        left_out: list[tuple[int, str]],
        error: SyntaxError | None = None,
        language: str = "PySpark",
    ) -> None:
        self.language = language
        self.tree, self.text, self.left_out, self.error = tree, text, left_out, error

    @property
    def place(self) -> Place:
        """Where the first error is."""
        e = self.error
        return Place(max(1, (e.lineno if e is not None else 1) or 1), max(1, (e.offset if e is not None else 1) or 1))


def recovered(text: str) -> Recovered:
    """The tree of a text, with as little changed and left out as can be. Raises SyntaxError where it is no Python."""
    try:
        return Recovered(_tree(text), text, [])
    except SyntaxError as e:
        first = e
    for change in (_dedented, _flattened):
        made = change(text)
        try:
            return Recovered(_tree(made), made, [])
        except SyntaxError:
            continue
    made = _completed(text)
    try:
        told = f"Brackets that are left open, or a line of dots, were passed over ({first.msg})."
        return Recovered(_tree(made), made, [(first.lineno or 1, told)], first)
    except SyntaxError:
        pass
    return _left_out(_modern(_flattened(_dedented(text.translate(_CURLY)))), first)


def _tree(text: str) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text, NO_FILE)


def _dedented(text: str) -> str:
    """Without the blanks that all lines begin with."""
    lines = text.split("\n")
    widths = [len(s) - len(s.lstrip()) for s in lines if s.strip() and not s.lstrip().startswith("#")]
    least = min(widths, default=0)
    return "\n".join(s[least:] if s[:least].isspace() or not least else s.lstrip() for s in lines)


def _flattened(text: str) -> str:
    """Without the indentation of lines that follow no line that opens a block: a paste that lost that of the first."""
    lines = text.split("\n")
    made: list[str] = []
    open_brackets, before, shift = 0, "", 0
    for line in lines:
        bare = line.strip()
        if not bare or bare.startswith("#") or open_brackets > 0 or before.endswith("\\"):
            made.append(line)
        else:
            width = len(line) - len(line.lstrip())
            if width == 0 or before.endswith(":"):
                shift = 0 if width == 0 else shift
            elif shift == 0 and _starts_nowhere(made, width):
                shift = width
            made.append(line[min(shift, width) :])
        if bare and not bare.startswith("#"):
            code = re.sub(r"'[^']*'|\"[^\"]*\"|#.*", "", bare)
            open_brackets = max(0, open_brackets + sum(map(code.count, "([{")) - sum(map(code.count, ")]}")))
            before = code.rstrip() or bare
    return "\n".join(made)


def _completed(text: str) -> str:
    """With the brackets closed that the text leaves open at its end, and without lines of `...` inside of brackets."""
    lines = _flattened(_dedented(text)).split("\n")
    opened: list[str] = []
    for i, line in enumerate(lines):
        if opened and _ELLIPSIS.match(line):
            lines[i] = ""
        for mark in _QUOTED.sub("", line):
            if mark in _CLOSERS:
                opened.append(_CLOSERS[mark])
            elif opened and mark == opened[-1]:
                opened.pop()
    last = max((i for i, line in enumerate(lines) if line.strip() and not line.lstrip().startswith("#")), default=-1)
    if last >= 0 and 0 < len(opened) < 100:
        lines[last] = lines[last].rstrip().rstrip("\\") + "".join(reversed(opened))
    return "\n".join(lines)


def _starts_nowhere(lines: list[str], width: int) -> bool:
    """Whether no line above opens a block in which a line of this indentation could stand."""
    for line in reversed(lines):
        if line.strip() and not line.lstrip().startswith("#"):
            own = len(line) - len(line.lstrip())
            if own < width:
                return not line.split("#")[0].rstrip().endswith((":", "\\", ",", "(", "[", "{"))
            if own == width:
                return False
    return True


def _modern(text: str) -> str:
    """Statements of Python 2 as Python 3 has them, line by line."""
    made = []
    for line in text.split("\n"):
        new = line.expandtabs(8) if line.startswith((" ", "\t")) else line
        found = _BARE_PRINT.match(new)
        if found:
            new = f"{found[1]}print()"
        found = _PRINT.match(new) or _PRINT_PAREN.match(new)
        if found:
            shown = re.sub(r"^>>\s*[\w.]+\s*,\s*", "", found[2]).rstrip(",")
            new = f"{found[1]}print({shown})"
        new = _EXCEPT.sub(r"\1 as \2:", new)
        new = _RAISE.sub(r"\1(\2)", new)
        new = re.sub(r"\bur(?=['\"])", "r", new)
        new = re.sub(r"(?<=[\w)\]])\s*<>\s*(?=[\w('\"])", " != ", new)
        new = re.sub(r"\blambda\s*\(\s*(\w+(?:\s*,\s*\w+)*)\s*\)\s*:", r"lambda *_:", new)
        new = re.sub(r"\b(\d+)[lL]\b", r"\1", new)
        new = re.sub(r"(?<![\w.])0+(?=[1-9]\d*\b(?![.xX]))", "", new)
        new = re.sub(r"`([^`'\"]+)`", r"repr(\1)", new)
        new = re.sub(r"^(\s*)exec\s+(?!\()(.+)$", r"\1exec(\2)", new)
        made.append(new)
    return "\n".join(made)


def _left_out(text: str, first: SyntaxError) -> Recovered:
    """The text without the statements that cannot be read. Raises `first` where hardly anything is left."""
    lines = text.split("\n")
    told: list[tuple[int, str]] = []
    error: SyntaxError | None = None
    for _ in range(MOST_LEFT_OUT):
        try:
            tree = _tree("\n".join(lines))
        except SyntaxError as e:
            error = error or e
            at = min(max(1, e.lineno or 1), len(lines))
            taken = _leave_out(lines, at, e.msg or "")
            if not taken:
                raise first from None
            told.append(
                (taken, f"This is no Python and was left out ({e.msg}): {text.split(chr(10))[taken - 1].strip()[:80]}")
            )
            continue
        kept = sum(1 for s in lines if s.strip())
        if kept == 0 or (kept * 2 < len(told) and not _calls_methods(tree)):
            raise first
        return Recovered(tree, "\n".join(lines), told, error)
    raise first


def _calls_methods(tree: ast.Module) -> bool:
    """Whether a statement calls a method: prose and printed tables around code may be longer than it."""
    return any(isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute) for n in ast.walk(tree))


def _leave_out(lines: list[str], at: int, message: str) -> int:
    """Blank the line of an error; a block that is indented without a head moves. The line, 0 where none was left."""
    if "unexpected indent" in message and at > 1:
        return _outdent(lines, at)
    if "expected an indented block" in message:
        # The head of an empty block.
        head = next((i for i in range(at - 1, 0, -1) if lines[i - 1].rstrip().endswith(":")), at)
        lines[head - 1] += " pass"
        return head
    if "unindent does not match" in message:
        above = next((s for s in reversed(lines[: at - 1]) if s.strip()), "")
        wanted = len(above) - len(above.lstrip())
        if len(lines[at - 1]) - len(lines[at - 1].lstrip()) != wanted:
            lines[at - 1] = " " * wanted + lines[at - 1].lstrip()
            return at
    while at >= 1 and not lines[at - 1].strip():
        at -= 1
    if at < 1:
        return 0
    blank = lines[at - 1]
    # Where a block is all that stands there, something has to stay in it.
    indent = len(blank) - len(blank.lstrip())
    lines[at - 1] = " " * indent + "pass" if indent and not blank.rstrip().endswith((",", "(", "\\", ")")) else ""
    return at


def _outdent(lines: list[str], at: int) -> int:
    """Move a run of lines that is indented too far to where the line above stands."""
    above = next((s for s in reversed(lines[: at - 1]) if s.strip() and not s.lstrip().startswith("#")), "")
    wanted = len(above) - len(above.lstrip())
    extra = len(lines[at - 1]) - len(lines[at - 1].lstrip()) - wanted
    if extra <= 0:
        lines[at - 1] = ""
        return at
    for i in range(at - 1, len(lines)):
        width = len(lines[i]) - len(lines[i].lstrip())
        if lines[i].strip() and width < wanted + extra:
            break
        lines[i] = lines[i][extra:] if lines[i].strip() else lines[i]
    return at
