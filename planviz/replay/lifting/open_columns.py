"""Columns that lines mention and no line makes: results of aggregates whose lines do not list them, ids of ranges."""

from __future__ import annotations

import re
from collections.abc import Sequence

from planviz.replay.lifting.aggregates import Wanted, functions_in, is_aggregate, is_partial
from planviz.replay.lifting.steps import Step

_MENTION = re.compile(r"(?<!subquery)(?<!pruning)(?<!\(list)(?<!id=)#(\d+)(L?)(?!\w)")
_DEFINED = re.compile(r" AS [^#]*#(\d+)")
_ITEM = re.compile(r"[\[,] ?([\w$ .<>+/%-]+)$")
_NARROW = ("Project", "TakeOrderedAndProject", "Expand", "HashAggregate", "ObjectHashAggregate", "SortAggregate")


class OpenColumns:
    """Which aggregate or range gives each column that only the lines above mention."""

    def __init__(self, roots: Sequence[Step]) -> None:
        self.above: dict[int, Step] = {}
        self.kept = list(roots)
        self.mentions: dict[int, tuple[Wanted, Step, int]] = {}
        made: set[int] = set()
        for root in roots:
            self._look(root, made)
        self.given: dict[int, list[Wanted]] = {}
        for number in sorted(i for i in self.mentions if i not in made):
            wanted, step, _ = self.mentions[number]
            giver = self._giver(wanted, step)
            if giver is not None:
                self.given.setdefault(id(giver), []).append(wanted)

    def of(self, step: Step) -> list[Wanted]:
        """The columns that an operator gives and its line does not list."""
        if step.origin is not None:
            renamed = step.ids or {}
            return [(n, renamed[i], long) for n, i, long in self.of(step.origin) if i in renamed]
        return self.given.get(id(step), [])

    def needed(self, step: Step) -> set[int] | None:
        """The ids that lines above mention, where one of them gives only what it lists; None where none does."""
        origin = step
        while origin.origin is not None:
            origin = origin.origin
        found: set[int] = set()
        narrow = False
        at = self.above.get(id(origin))
        while at is not None:
            if at.op == "Union":
                return None  # its lines do not say which columns, and every input gives as many
            found.update(int(i) for i, _ in _MENTION.findall(at.text))
            narrow = at.op in _NARROW
            if narrow:
                break
            at = self.above.get(id(at))
        if not narrow:
            return None
        while step.origin is not None:
            found.update((step.ids or {}).get(i, i) for i in list(found))
            step = step.origin
        return found

    def _look(self, root: Step, made: set[int]) -> None:
        stack = [(root, 0)]
        while stack:
            step, depth = stack.pop()
            text = step.text
            if step.op.startswith("Reused"):
                text = text.partition("], ")[0]  # behind its columns it mentions those of what it reuses
            if not step.inputs or step.op.startswith("Reused"):
                made.update(int(i) for i, _ in _MENTION.findall(text))
                continue
            made.update(int(i) for i in _DEFINED.findall(text))
            if step.op in ("Expand", "Generate") or "Python" in step.op or "Pandas" in step.op:
                made.update(int(i) for i, _ in _MENTION.findall(text[text.rfind("[") :]))
            for m in _MENTION.finditer(text):
                number = int(m.group(1))
                name, before = _name_before(text, m), self.mentions.get(number)
                if before is not None and len(before[0][0]) > len(name):
                    name = before[0][0]
                wanted = (name, number, bool(m.group(2)))
                at = (step, depth) if before is None or depth >= before[2] else before[1:]
                self.mentions[number] = wanted, *at
            for below in step.inputs:
                self.above.setdefault(id(below), step)
                stack.append((below, depth + 1))

    def _giver(self, wanted: Wanted, step: Step) -> Step | None:
        """The aggregate or range beneath a line that gives a column: by name, else the first with a function left."""
        found: list[Step] = []
        stack = list(reversed(step.inputs))
        while stack:
            at = stack.pop()
            if (is_aggregate(at) and not is_partial(at)) or (at.op == "Range" and wanted[2]):
                found.append(at)
            else:
                stack.extend(reversed(at.inputs))
        for at in found:
            if is_aggregate(at) and wanted[0] in (re.sub(r"#\d+L?", "", f) for f in functions_in(at)):
                return at
        free = [a for a in found if len(self.given.get(id(a), ())) < _room(a)]
        return next(iter(free or found), None)


def _room(step: Step) -> int:
    return 1 if step.op == "Range" else len(functions_in(step))


def _name_before(text: str, mention: re.Match[str]) -> str:
    """The name in front of an id: with what stands in its brackets, of an item of a list with its blanks."""
    end = mention.start()
    item = _ITEM.search(text[max(end - 80, 0) : end]) if text[mention.end() : mention.end() + 1] in (",", "]") else None
    if item is not None and " AS " not in item.group(1):
        return item.group(1)
    start, depth = end, 0
    while start > 0:
        c = text[start - 1]
        depth += (c in ")]") - (c in "([")
        if depth < 0 or (depth == 0 and not (c.isalnum() or c in "_$.()[]-")):
            break
        start -= 1
    return text[start:end]
