"""The detail blocks of `explain formatted`: `(7) Filter [codegen id : 2]` and the lines below it (inventory C-071)."""

from __future__ import annotations

import re

_HEAD = re.compile(r"\((\d{1,9})\) (\S.*)")
_STAGE = re.compile(r"\[codegen id : (\d{1,9})\]")
#: Operator number at the end of a tree line, before an optional suffix such as `, coalesced` or `, Statistics(...)`.
NUMBER = re.compile(r" \((\d{1,18})\)(?=$|,| \()")
#: A subquery: where it is used.
HOST = re.compile(r"Subquery:(\d{1,9}) Hosting operator id = (\d{1,9}) Hosting Expression = (.*)$", re.DOTALL)
_ENTRY = re.compile(r"([A-Z][A-Za-z/]*+(?: +[A-Za-z/]+)*+)(?: +\[(\d+)\])?\s*+: ?(.*)$", re.DOTALL)


def head(line: str) -> tuple[int, str, int | None] | None:
    """The head of a block: operator number, name, codegen stage; None for another line. Linear in the line."""
    match = _HEAD.fullmatch(line.rstrip())
    if match is None:
        return None
    name, stage = match[2], None
    at = name.rfind("[codegen id : ")
    if at > 0 and (found := _STAGE.fullmatch(name, at)) is not None:
        name, stage = name[:at].rstrip(), int(found[1])
    return int(match[1]), name, stage


_CACHED = re.compile(r"[ :]*[+:]- \S")


def is_entry(line: str) -> bool:
    """Whether a line begins an entry: `Output [2]: [a#1, b#2]`."""
    return _ENTRY.match(line) is not None


def belongs(line: str) -> bool:
    """Whether a line may stand in a detail block: an entry, a line of a cached plan, or an indented rest."""
    return _ENTRY.match(line) is not None or _CACHED.match(line) is not None or line[:1].isspace()


def open_brackets(line: str) -> int:
    """How many brackets a line leaves open."""
    return line.count("(") - line.count(")") + line.count("[") - line.count("]")


class Block:
    """One detail block: `entries` are `(key, value)` in order, a value may hold line breaks."""

    __slots__ = ("codegen_stage", "lines", "name", "number", "source")

    def __init__(self, number: int, name: str, codegen_stage: int | None, source: tuple[int, int]) -> None:
        self.number = number
        self.name = name
        self.codegen_stage = codegen_stage
        self.lines: list[str] = []
        self.source = source

    def entries(self) -> list[tuple[str, str]]:
        """The block's lines as key and value; a line without a key goes on with the value before it."""
        found: list[tuple[str, str]] = []
        nested = False
        for line in self.lines:
            # The description of a table (`CatalogTable(` and lines such as `Location: ..` up to `)`) is one argument.
            match = None if nested else _ENTRY.match(line)
            if match:
                found.append((match.group(1).strip(), match.group(3)))
            elif found:
                found[-1] = (found[-1][0], found[-1][1] + "\n" + line)
            else:
                found.append(("Arguments", line))
            nested = not line.startswith(")") if nested else line.endswith("(")
        return found
