"""The queries of `sample_queries`, each with its catalogue, settings and what is executed before it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from planviz.frontend import parse_script

FOLDER = Path(__file__).parents[2] / "sample_queries"
_HEADER = re.compile(r"(?m)^-- ([a-z ]+): (.*)$")


@dataclass(frozen=True)
class Query:
    """One query of a file: `setup` are the statements that stand before it."""

    name: str
    catalogue: str
    sql: str
    setup: tuple[str, ...] = ()
    settings: tuple[tuple[str, str], ...] = ()


def sample_queries(names: list[str] | None = None) -> list[Query]:
    """The queries of all files, or of those whose name (`rules/column-pruning`) begins with one of `names`."""
    files = [*sorted(FOLDER.glob("*.sql")), *sorted(FOLDER.glob("*/*.sql"))]
    found = [query for file in files for query in _queries(file)]
    return [query for query in found if not names or query.name.startswith(tuple(names))]


def _queries(file: Path) -> list[Query]:
    text = file.read_text(encoding="utf-8")
    head = dict(_HEADER.findall(text))
    settings = tuple(
        (k, v) for k, v in (pair.split("=", 1) for pair in re.split(r", ?", head.get("settings", "")) if pair)
    )
    name = str(file.relative_to(FOLDER).with_suffix(""))
    setup: list[str] = []
    found: list[Query] = []
    for statement in parse_script(text):
        if statement.kind == "query":
            found.append(Query(name, head["catalogue"], statement.sql, tuple(setup), settings))
        else:
            setup.append(statement.sql)
    if len(found) == 1:
        return found
    return [Query(f"{name}-{at}", q.catalogue, q.sql, q.setup, q.settings) for at, q in enumerate(found, 1)]
