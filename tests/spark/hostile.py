"""Statements of `hostile.txt`, and those too long to be written down."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

#: What stands for a statement that only looks dangerous.
PASSES = "passes"


def statements() -> Iterator[tuple[str, str]]:
    """What a refusal says (or `PASSES`), and a statement that it is said of."""
    said = ""
    for line in Path(__file__).with_name("hostile.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("    "):
            yield said, line.strip().replace("⏎", "\n")
        elif line and not line.startswith("#"):
            said = line
    doubled = ", ".join(f"c{i} AS (SELECT l.x FROM c{i - 1} l, c{i - 1} r)" for i in range(1, 31))
    yield "more than 2,000 operators to plan", f"WITH c0 AS (SELECT 1 AS x), {doubled} SELECT * FROM c30"
    for text in (f"SELECT {'(' * 5000}1{')' * 5000}", f"SELECT {'1+' * 20000}1", f"SELECT '{'x' * 3_000_000}'",
                 f"SELECT {'array(' * 1500}1{')' * 1500}", f"SELECT 1{' UNION ALL SELECT 1' * 5000}"):  # fmt: skip
        yield "planviz cannot read this SQL", text
