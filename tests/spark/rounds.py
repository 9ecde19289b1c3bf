"""Two users of one Spark capture at once, and neither sees anything of the other.

    python -m tests.spark.rounds --rounds 100

takes about 4 minutes on a quiet machine with two processors. In every fifth round one of them caches a table.
"""

from __future__ import annotations

import argparse
import re
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from planviz.catalog.files import write_catalog
from planviz.catalog.tables import Catalog, Table
from planviz.errors import PlanvizError
from planviz.spark.process import LiveSpark, SparkSettings
from planviz.types import LONG, StructField

#: How often the first user caches a table, in rounds.
CACHING = 5
_SQL = """SELECT /*+ REPARTITION(k) */ who, k, count(*) AS n, (SELECT max(a) FROM own) AS a
FROM v WHERE k >= 0 AND k + {number} > 0 GROUP BY who, k"""


@dataclass(frozen=True)
class User:
    """What one user sets, and nobody else may see."""

    name: str
    rows: int
    partitions: int
    number: int

    def arguments(self, caching: bool) -> dict[str, Any]:
        """A capture as this user asks for it."""
        setup = [
            f"USE db_{self.name}",
            f"SET spark.sql.marker={self.name}",
            f"CREATE TEMPORARY VIEW v AS SELECT id AS k, 'who_{self.name}' AS who FROM range({self.rows})",
        ]
        if caching:
            setup.append("CACHE TABLE v")
        conf = {"spark.sql.shuffle.partitions": str(self.partitions), "spark.sql.adaptive.enabled": "false"}
        tables = {f"db_{user.name}.own": _table(user) for user in USERS}
        return {
            "sql": _SQL.format(number=self.number), "run": True, "conf": conf, "setup": ";\n".join(setup),
            "catalog": write_catalog(Catalog("rounds", tables)),
        }  # fmt: skip

    def wrong(self, captured: dict[str, Any], caching: bool) -> list[str]:
        """What is not as this user set it."""
        texts = [*captured["explain"].values(), *captured["trace"]["texts"]]
        whole = "\n".join(texts)
        found = [f"{other.name} is seen" for other in USERS if other is not self and _marks(other, whole)]
        seen = {
            "partitions": set(re.findall(r"hashpartitioning\(k#\d+L, (\d+)", whole)) == {str(self.partitions)},
            "database": f"spark_catalog.db_{self.name}.own" in whole,
            "view": f"who_{self.name}" in whole,
            "setting": captured["conf"].get("spark.sql.marker") == self.name,
            "other setting": captured["conf"].get("spark.sql.shuffle.partitions") == str(self.partitions),
            "rows": captured["executed"]["rows"] == self.rows,
            "metrics": self.rows in _counts(captured["executed"]["plan"]),
            "trace": captured["trace"]["differs"] == [],
            "cache": ("InMemoryRelation" in whole) == caching,
        }
        return found + [name for name, right in seen.items() if not right]


USERS = (User("anna", 41, 3, 1_234_567), User("berta", 67, 5, 7_654_321))


def _table(user: User) -> Table:
    return Table("own", (StructField("a", LONG),), database=f"db_{user.name}", row_count=user.rows * 1000)


def _marks(user: User, text: str) -> bool:
    return any(mark in text for mark in (f"who_{user.name}", f"db_{user.name}", str(user.number)))


def _counts(plan: dict[str, Any]) -> set[int]:
    own = {m["value"] for m in plan["metrics"] if m["name"] == "number of output rows"}
    return own.union(*map(_counts, plan["children"]))


def play(live: LiveSpark, rounds: int) -> list[str]:
    """Let both capture at once, so many times; what was wrong."""
    wrong: list[str] = []
    together = threading.Barrier(len(USERS))

    def work(user: User) -> None:
        for at in range(rounds):
            caching = user is USERS[0] and at % CACHING == CACHING - 1
            together.wait(600)
            try:
                captured = live.call("capture", user.arguments(caching), limit=600)
                wrong.extend(f"round {at}, {user.name}: {what}" for what in user.wrong(captured, caching))
            except PlanvizError as error:
                wrong.append(f"round {at}, {user.name}: {error}")

    threads = [threading.Thread(target=work, args=(user,)) for user in USERS]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return wrong


def resident(pid: int) -> int:
    """The memory of a process in MiB, as the system counts it."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    return int(re.findall(r"VmRSS:\s+(\d+) kB", status)[0]) // 1024


def main() -> int:
    """Play, and say what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=100)
    options = parser.parse_args()
    live = LiveSpark(SparkSettings("local[2]", memory="700m"))
    try:
        wrong = play(live, 1)
        jvm = live.call("describe")["jvm"]
        before, begin = resident(jvm), time.monotonic()
        wrong += play(live, options.rounds)
        spent = time.monotonic() - begin
        print(f"{options.rounds} rounds of {len(USERS)} captures in {spent:.0f} s; {len(wrong)} times something wrong")
        print(f"the JVM took {before} MiB after the first round and {resident(jvm)} MiB at the end")
    finally:
        live.close()
    print("\n".join(wrong[:20]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
