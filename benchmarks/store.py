"""The library with many documents: times to save, search and open one, and the file's size.

python -m benchmarks.store [DOCUMENTS] [--saved 5000] [--store PLACE]

The first documents are saved one by one, as people do; the others are copies of them under other names, put in at once.
"""

from __future__ import annotations

import argparse
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from planviz.store import Library, Query, read_query
from planviz.store.tables import Content, DocumentRow, Term
from planviz.store.terms import Terms, words_of
from planviz.store.texts import Text

TABLES = [f"table_{i}" for i in range(400)]
OPERATORS = ["sortmergejoin", "broadcasthashjoin", "hashaggregate", "sort", "exchange", "filescan", "project", "window"]
ROUNDS = 200


def _document(number: int, chance: random.Random) -> tuple[Text, str, Terms]:
    tables = chance.sample(TABLES, chance.randint(1, 8))
    joins = "".join(f" JOIN {table} ON k{i} = {table}.key_{number % 97}" for i, table in enumerate(tables[1:]))
    sql = f"SELECT col_{number % 1013}, sum(v{number}) FROM {tables[0]}{joins} GROUP BY 1 -- {number}"
    terms = Terms("SQL query", tuple(tables), tuple(chance.sample(OPERATORS, 4)), (), words_of(sql))
    return Text(sql, "tpch"), f"report {number % 60_000}", terms


def _times(work: Callable[[int], object], rounds: int = ROUNDS) -> str:
    taken = []
    for i in range(rounds):
        begun = time.perf_counter()
        work(i)
        taken.append((time.perf_counter() - begun) * 1000)
    return f"{statistics.median(taken):8.1f} {statistics.quantiles(taken, n=20)[-1]:8.1f}"


def _copies() -> list[str]:
    """The statements that copy the first documents: what tells two apart is changed, all else is as it was."""
    changed = {
        Content: {"digest": "digest || '-{k}'"},
        DocumentRow: {
            "number": "number + {n}",
            "id": "id || '-{k}'",
            "fingerprint": "fingerprint || '-{k}'",
            "digest": "digest || '-{k}'",
            "name": "name || ' {k}'",
            "chain": "chain + {n}",
            "created": "created + {k}",
            "opened": "opened + {k}",
        },
        Term: {"document": "document + {n}"},
    }
    first = {Content: "digest NOT LIKE '%-%'", DocumentRow: "number <= {of}", Term: "document <= {of}"}
    statements = []
    for table, values in changed.items():
        columns = [c.name for c in table.__table__.columns]
        taken = ", ".join(values.get(c, c) for c in columns)
        name = table.__tablename__
        statements.append(f"INSERT INTO {name} ({', '.join(columns)}) SELECT {taken} FROM {name} WHERE {first[table]}")
    return statements


def _copy(library: Library, times: int) -> None:
    """Put copies of all documents beside them, so often; texts and names are others."""
    with library._engine.begin() as connection:
        of = int(connection.exec_driver_sql("SELECT max(number) FROM document").scalar() or 0)
        for k in range(1, times + 1):
            for statement in _copies():
                connection.exec_driver_sql(statement.format(k=k, n=of * k, of=of).replace("%", "%%"))


def main(arguments: list[str] | None = None) -> None:
    """Fill a library and ask it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("documents", nargs="?", type=int, default=100_000)
    parser.add_argument("--saved", type=int, default=5_000, help="saved one by one")
    parser.add_argument("--store", help="default: a file in a temporary folder")
    options = parser.parse_args(arguments)
    chance = random.Random(7)
    with tempfile.TemporaryDirectory() as folder:
        place = options.store or str(Path(folder) / "library.db")
        library = Library(place)
        begun = time.perf_counter()
        first = min(options.saved, options.documents)
        for i in range(first):
            library.save(*_document(i, chance)[:2], _document(i, chance)[2], [f"team{i % 20}"])
        taken = time.perf_counter() - begun
        print(f"{first:,} documents saved in {taken:.0f} s: {taken / first * 1000:.1f} ms each")
        _copy(library, options.documents // first - 1)
        print(f"{library.search(Query(versions=True))[1]:,} documents")
        if "://" not in place:
            print(f"the file: {Path(place).stat().st_size / 1e6:.0f} MB")
        found, _ = library.search(Query(limit=100))
        print("milliseconds                median      p95")
        print("save                      ", _times(lambda i: library.save(*_document(10**7 + i, chance))))
        print("open                      ", _times(lambda i: library.text(found[i % len(found)].id)))
        print("the newest hundred        ", _times(lambda i: library.search(Query()), 20))
        print("search table:             ", _times(lambda i: library.search(read_query(f"table:table_{i}")), 50))
        print(
            "search tag: and operator: ",
            _times(lambda i: library.search(read_query(f"tag:team{i % 20} operator:sort")), 20),
        )
        print("search the beginning of a word", _times(lambda i: library.search(read_query(f"col_{i}")), 50))
        print("versions of a name        ", _times(lambda i: library.versions(library.named(f"report {i % first}").id)))
        library.close()


if __name__ == "__main__":
    main()
