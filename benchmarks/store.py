"""The library with many documents: times to save, search and open one, and the file's size.

python -m benchmarks.store [DOCUMENTS] [--store PLACE]
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
from planviz.store.library import Text
from planviz.store.terms import Terms, words_of

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


def main() -> None:
    """Fill a library and ask it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("documents", nargs="?", type=int, default=100_000)
    parser.add_argument("--store", help="default: a file in a temporary folder")
    options = parser.parse_args()
    chance = random.Random(7)
    with tempfile.TemporaryDirectory() as folder:
        place = options.store or str(Path(folder) / "library.db")
        library = Library(place)
        begun = time.perf_counter()
        for i in range(options.documents):
            library.save(*_document(i, chance)[:2], _document(i, chance)[2], [f"team{i % 20}"])
        taken = time.perf_counter() - begun
        print(f"{options.documents:,} documents saved in {taken:.0f} s: {taken / options.documents * 1000:.1f} ms each")
        if "://" not in place:
            print(f"the file: {Path(place).stat().st_size / 1e6:.0f} MB")
        found, _ = library.search(Query(limit=100))
        print("milliseconds                median      p95")
        print("save                      ", _times(lambda i: library.save(*_document(10**7 + i, chance))))
        print("open                      ", _times(lambda i: library.text(found[i % 100].id)))
        print("the newest hundred        ", _times(lambda i: library.search(Query()), 20))
        print("search table:             ", _times(lambda i: library.search(read_query(f"table:table_{i}")), 50))
        print(
            "search tag: and operator: ",
            _times(lambda i: library.search(read_query(f"tag:team{i % 20} operator:sort")), 20),
        )
        print("search the beginning of a word", _times(lambda i: library.search(read_query(f"col_{i}")), 50))
        print("versions of a name        ", _times(lambda i: library.versions(library.named(f"report {i}").id)))
        library.close()


if __name__ == "__main__":
    main()
