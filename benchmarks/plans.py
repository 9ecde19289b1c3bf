"""Plan texts of any size, shaped and worded like Spark's, for the benchmarks.

Shapes:

    mixed    a union of small queries: joins, aggregates in two stages, exchanges, sorts, windows, scans; depth below 40
    binary   a balanced tree of joins over scans
    chain    chains of 100 one-child operators under a union (one chain of n operators would need 1.5 n² characters of
             indentation: 1.5 TB for a million)
    wide     one union over n - 1 scans

The texts carry realistic arguments of 60 to 300 characters and running expression ids, and differ from line to line.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

SHAPES = ("mixed", "binary", "chain", "wide")
_CHAIN = 100
_BRANCH = 48

_TABLES = {
    "orders": ("order_id", "user_id", "store_id", "item_id", "quantity", "amount", "status", "ordered_at"),
    "events": ("event_id", "user_id", "kind", "page", "session", "seen_at"),
    "users": ("user_id", "name", "email", "country", "tier", "signed_up"),
    "items": ("item_id", "name", "category", "brand", "price"),
}

Expanded = tuple[str, list["Spec"]]


class Words:
    """Writes operators as Spark does, with an expression id that grows and numbers drawn from a fixed seed."""

    def __init__(self, seed: int = 7) -> None:
        self.random = random.Random(seed)
        self.id = 0

    def column(self, name: str = "user_id") -> str:
        self.id += 1
        return f"{name}#{self.id}L" if name.endswith("_id") else f"{name}#{self.id}"

    def scan(self) -> str:
        table = self.random.choice(tuple(_TABLES))
        names = self.random.sample(_TABLES[table], 3)
        columns = ",".join(map(self.column, names))
        first = columns.split(",")[0]
        return (
            f"FileScan parquet spark_catalog.default.{table}[{columns}] Batched: true, DataFilters: "
            f"[isnotnull({first})], Format: Parquet, Location: InMemoryFileIndex(1 paths)[file:/data/shop/{table}], "
            f"PartitionFilters: [], PushedFilters: [IsNotNull({names[0]})], "
            f"ReadSchema: struct<{','.join(f'{name}:bigint' for name in names)}>"
        )

    def unary(self) -> str:
        a, b = self.column(), self.column("amount")
        match self.random.randrange(6):
            case 0:
                return f"Project [{a}, {b}, ({b} * 1.2) AS {self.column('gross')}]"
            case 1:
                return f"Filter ((isnotnull({a}) AND isnotnull({b})) AND ({b} > {self.random.randrange(1000)}.00))"
            case 2:
                return f"HashAggregate(keys=[{a}], functions=[sum({b}), count(1)], output=[{a}, {self.column('sum')}])"
            case 3:
                return f"Exchange hashpartitioning({a}, 200), ENSURE_REQUIREMENTS, [plan_id={self.id}]"
            case 4:
                return f"Sort [{a} ASC NULLS FIRST, {b} DESC NULLS LAST], false, 0"
            case _:
                return (
                    f"Window [row_number() windowspecdefinition({a}, {b} DESC NULLS LAST, specifiedwindowframe("
                    f"RowFrame, unboundedpreceding$(), currentrow$())) AS {self.column('place')}], "
                    f"[{a}], [{b} DESC NULLS LAST]"
                )

    def join(self) -> str:
        a, b = self.column(), self.column()
        if self.random.random() < 0.5:
            return f"SortMergeJoin [{a}], [{b}], Inner"
        return f"BroadcastHashJoin [{a}], [{b}], LeftOuter, BuildRight, false, false"


class Spec:
    """A part of a plan still to be written: its shape, and how many operators it will have."""

    __slots__ = ("nodes", "run", "shape")

    def __init__(self, shape: str, nodes: int, run: int = 0) -> None:
        self.shape = shape
        self.nodes = nodes
        self.run = run

    def expand(self, words: Words) -> Expanded:
        """This part's top operator and the parts below it."""
        if self.nodes == 1:
            return words.scan(), []
        rest = self.nodes - 1
        match self.shape:
            case "wide":
                return "Union", [Spec("wide", 1)] * rest
            case "chain" if self.nodes > _CHAIN:
                return "Union", [Spec("chain", size) for size in _parts(rest, _CHAIN)]
            case "mixed" if self.nodes > 2 * _BRANCH:
                return "Union", [Spec("mixed", size) for size in _parts(rest, _BRANCH)]
            case "binary" if rest >= 2:
                return words.join(), [Spec("binary", rest - rest // 2), Spec("binary", rest // 2)]
            case "mixed" if rest >= 6 and self.run >= 2:
                left = words.random.randrange(rest // 3, rest - rest // 3)
                return words.join(), [Spec("mixed", rest - left), Spec("mixed", left)]
        return words.unary(), [Spec(self.shape, rest, self.run + 1)]


def _parts(total: int, size: int) -> list[int]:
    full, rest = divmod(total, size)
    return [size] * full + [rest] * bool(rest)


def plan_lines(shape: str, nodes: int, seed: int = 7) -> Iterator[str]:
    """The lines of a physical plan of exactly `nodes` operators in one of `SHAPES`, after its heading."""
    words = Words(seed)
    yield "== Physical Plan =="
    stack: list[tuple[Spec, str, str]] = [(Spec(shape, nodes), "", "")]
    while stack:
        spec, lead, below = stack.pop()
        text, children = spec.expand(words)
        yield lead + text
        for at in range(len(children) - 1, -1, -1):
            last = at == len(children) - 1
            stack.append((children[at], below + ("+- " if last else ":- "), below + ("   " if last else ":  ")))


def plan_text(shape: str, nodes: int, seed: int = 7) -> str:
    """The text of `plan_lines`."""
    return "\n".join(plan_lines(shape, nodes, seed)) + "\n"
