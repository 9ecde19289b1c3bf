"""What `collections` has beside Python's own lists and dicts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planviz.programs.values import Value

if TYPE_CHECKING:
    from planviz.programs.interpreter import Interpreter


class DefaultDict(dict[Value, Value]):
    """collections.defaultdict over a function of the program."""

    def __init__(self, reader: Interpreter, factory: object) -> None:
        super().__init__()
        self.reader, self.factory = reader, factory

    def __missing__(self, key: object) -> object:
        if self.factory is None:
            raise KeyError(key)
        self[key] = made = self.reader.call(self.factory, [], {}, None)
        return made


class Counter(dict[Value, Value]):
    """collections.Counter: how often each value is there."""

    def __missing__(self, key: object) -> int:
        return 0

    def most_common(self, n: int | None = None) -> list[tuple[Value, Value]]:
        """The values with how often they are there, what is there most first."""
        return sorted(self.items(), key=lambda item: -item[1])[:n]


class Deque(list[Value]):
    """collections.deque."""

    def popleft(self) -> Value:
        """The first value, which goes."""
        return self.pop(0)

    def appendleft(self, value: Value) -> None:
        """One more value before the others."""
        self.insert(0, value)

    def extendleft(self, values: Value) -> None:
        """More values before the others, the last one first."""
        for value in values:
            self.insert(0, value)
