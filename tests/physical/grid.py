"""The grid of section B: hint x sizes x type of join x condition x settings, every cell with Spark's answer.

`join_grid.txt` holds what Spark 4.3 chose, a line for each combination of settings, condition, type and tables, with a
code for each hint; `python -m tests.physical.grid` asks a real Spark and writes it anew.

A code is the operator (B BroadcastHashJoin, S ShuffledHashJoin, M SortMergeJoin, C CartesianProduct, N
BroadcastNestedLoopJoin), the side that it builds (l, r), and Spark's warnings: `!bl` a broadcast hint that cannot build
left, `!sr` a shuffle_hash hint that cannot build right, `!mk` a merge hint without keys, `!bo` a broadcast hint that
another one overrides.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from planviz.catalog import Catalog
from planviz.catalog.ddl import table_of
from planviz.config import OptimizerConfig
from planviz.execution import explain
from planviz.types import parse_fields

FILE = Path(__file__).parent / "join_grid.txt"
MB = 1 << 20
SIZES = {
    "tiny": MB, "small": 5 * MB, "small2": 5 * MB, "at10": 10 * MB, "over10": 10 * MB + 1, "mid": 30 * MB,
    "mid89": 90 * MB - 1, "mid90": 90 * MB, "lim": 40 * MB, "big": 10**12, "big2": 10**12,
}  # fmt: skip
COLUMNS = "k int, v int, s string"
PREFIX = "spark.sql."
SETTINGS = {
    "default": {},
    "never": {"autoBroadcastJoinThreshold": -1},
    "zero": {"autoBroadcastJoinThreshold": 0},
    "hash": {"join.preferSortMergeJoin": "false"},
    "hash-p5": {"join.preferSortMergeJoin": "false", "shuffle.partitions": 5},
    "hash-f2": {"join.preferSortMergeJoin": "false", "shuffledHashJoinFactor": 2},
    "hash-never": {"join.preferSortMergeJoin": "false", "autoBroadcastJoinThreshold": -1},
    "forced": {"join.forceApplyShuffledHashJoin": "true"},
    "adaptive": {"adaptive.autoBroadcastJoinThreshold": 10**15},
}
TYPES = ("inner", "left", "right", "full", "left semi", "left anti")
CONDITIONS = {
    "eq": "ON {a}.k = {b}.k", "lt": "ON {a}.k < {b}.k", "safe": "ON {a}.k <=> {b}.k",
    "both": "ON {a}.k = {b}.k AND {a}.v < {b}.v", "or": "ON {a}.k = {b}.k OR {a}.v = {b}.v", "none": "",
}  # fmt: skip
HINTS = {
    "-": "", "Bl": "BROADCAST({a})", "Br": "BROADCAST({b})", "Bb": "BROADCAST({a}), BROADCAST({b})",
    "Ml": "MERGE({a})", "Mr": "MERGE({b})", "Sl": "SHUFFLE_HASH({a})", "Sr": "SHUFFLE_HASH({b})",
    "Sb": "SHUFFLE_HASH({a}), SHUFFLE_HASH({b})", "Rl": "SHUFFLE_REPLICATE_NL({a})",
    "Rr": "SHUFFLE_REPLICATE_NL({b})", "MlBr": "MERGE({a}), BROADCAST({b})", "BlMr": "BROADCAST({a}), MERGE({b})",
    "SlMr": "SHUFFLE_HASH({a}), MERGE({b})", "RlSr": "SHUFFLE_REPLICATE_NL({a}), SHUFFLE_HASH({b})",
    "RlMr": "SHUFFLE_REPLICATE_NL({a}), MERGE({b})", "BrSr": "BROADCAST({b}), SHUFFLE_HASH({b})",
    "SrBr": "SHUFFLE_HASH({b}), BROADCAST({b})",
}  # fmt: skip
_HINTED = (("big", "big2"), ("big", "small"), ("small", "big"), ("small", "tiny"), ("small", "small2"), ("mid", "big"))
_SIZED = (
    ("big", "big2"), ("big", "small"), ("small", "big"), ("small", "small2"), ("big", "at10"), ("at10", "big"),
    ("big", "over10"), ("over10", "big"), ("big", "mid"), ("mid", "big"), ("mid90", "mid"), ("mid89", "mid"),
    ("mid", "mid90"), ("mid", "mid89"), ("big", "lim"), ("lim", "big"),
)  # fmt: skip
OPERATORS = {
    "BroadcastHashJoin": "B", "ShuffledHashJoin": "S", "SortMergeJoin": "M", "CartesianProduct": "C",
    "BroadcastNestedLoopJoin": "N",
}  # fmt: skip
_JOIN = re.compile(rf"({'|'.join(OPERATORS)})\b.*")
_REFUSED = re.compile(
    r"strategy=(\w)\w*\) is not supported in the query: (?:build (l)eft|build (r)ight|no equi-join (k))"
)
_OVERRIDDEN = re.compile(r"strategy=(\w)\w*\) is (o)verridden")


@dataclass(frozen=True)
class Row:
    """One line of the table: everything but the hint; `codes` by hint."""

    settings: str
    condition: str
    kind: str
    left: str
    right: str
    codes: tuple[tuple[str, str], ...] = ()

    def sql(self, hint: str) -> str:
        """The statement of a cell."""
        names = {"a": self.left, "b": self.right}
        said = f"/*+ {HINTS[hint].format(**names)} */ " if HINTS[hint] else ""
        on = CONDITIONS[self.condition].format(**names)
        return f"SELECT {said}* FROM {self.left} {self.kind} JOIN {self.right} {on}".rstrip()

    def __str__(self) -> str:
        head = f"{self.settings} | {self.condition} | {self.kind} | {self.left} {self.right}"
        return f"{head} | {' '.join(f'{hint}:{code}' for hint, code in self.codes)}"


def combinations() -> Iterator[tuple[Row, tuple[str, ...]]]:
    """Every row without answers, and the hints that it is asked with."""
    for condition in ("eq", "lt"):
        for kind in TYPES:
            for left, right in _HINTED:
                yield Row("default", condition, kind, left, right), tuple(HINTS)
            # Without keys only the threshold is asked for.
            for settings in SETTINGS if condition == "eq" else ("default", "never", "zero"):
                for left, right in _SIZED:
                    yield Row(settings, condition, kind, left, right), ("-",)
    for left, right in _HINTED:
        yield Row("default", "none", "cross", left, right), tuple(HINTS)
    for condition in ("safe", "both", "or"):
        for kind in TYPES:
            for left, right in (("big", "big2"), ("big", "small"), ("small", "big")):
                yield Row("default", condition, kind, left, right), ("-",)


def rows() -> list[Row]:
    """The table as it stands in the file."""
    found = []
    for line in FILE.read_text(encoding="utf-8").splitlines():
        settings, condition, kind, names, codes = line.split(" | ")
        left, right = names.split()
        found.append(Row(settings, condition, kind, left, right, tuple(tuple(c.split(":")) for c in codes.split())))
    return found


def coded(plan: str, warnings: list[str]) -> str:
    """The code of a physical plan's only join and of what was warned of."""
    (line,) = (m for m in map(_JOIN.search, plan.splitlines()) if m)
    side = re.search(r"Build(Left|Right)", line[0])
    marks = [
        f"!{m[1]}{next(g for g in m.groups()[1:] if g)}"
        for w in dict.fromkeys(warnings)
        if (m := _REFUSED.search(w) or _OVERRIDDEN.search(w))
    ]
    return OPERATORS[line[1]] + (side[1][0].lower() if side else "") + "".join(marks)


def settings_of(row: Row) -> dict[str, Any]:
    """The settings of a row by their full names."""
    return {PREFIX + key: value for key, value in SETTINGS[row.settings].items()}


@cache
def catalog() -> Catalog:
    """The tables with their sizes."""
    made = Catalog()
    for name, size in SIZES.items():
        table = table_of((name,), parse_fields(COLUMNS))
        made = made.with_table(type(table)(**{**vars(table), "size_in_bytes": size}))
    return made


def ours(row: Row, hint: str) -> str:
    """The code that planviz gives."""
    base = {"spark.sql.adaptive.enabled": False, "spark.sql.shuffle.partitions": 4}
    config = OptimizerConfig().with_settings({**base, **settings_of(row)})
    execution = explain(row.sql(hint), catalog(), config)
    plan = execution.planned.spark.tree_string
    return coded(plan, execution.warnings)


class Spark:
    """A real Spark with the tables of the grid: empty ones, with sizes put into its catalogue."""

    def __init__(self, engine: Any) -> None:
        self.spark, self.jvm = engine.spark, engine.spark._jvm
        for name, size in SIZES.items():
            self.spark.sql(f"DROP TABLE IF EXISTS {name}")
            self.spark.sql(f"CREATE TABLE {name} ({COLUMNS}) USING parquet")
            self._resize(name, size)
        self.log = self._listen()

    def _resize(self, table: str, size: int) -> None:
        """Tell the catalogue a table's size. A BigInt cannot pass the gateway: a range's row count is one."""
        jvm, session = self.jvm, self.spark._jsparkSession
        rows = session.range(size).queryExecution().optimizedPlan().stats().rowCount()
        none = getattr(getattr(jvm.scala, "None$"), "MODULE$")
        arguments = jvm.java.util.ArrayList()
        arguments.addAll(jvm.scala.jdk.javaapi.CollectionConverters.asJava(rows.toList()))
        arguments.add(none)
        arguments.add(jvm.org.apache.spark.api.python.PythonUtils.toScalaMap(jvm.java.util.HashMap()))
        made = jvm.java.lang.Class.forName("org.apache.spark.sql.catalyst.catalog.CatalogStatistics")
        statistics = made.getConstructors()[0].newInstance(arguments.toArray())
        name = jvm.org.apache.spark.sql.catalyst.TableIdentifier(table)
        session.sessionState().catalog().alterTableStats(name, jvm.scala.Some(statistics))
        self.spark.catalog.refreshTable(table)

    def _listen(self) -> Any:
        """A buffer that Spark's warnings about hints go to."""
        jvm = self.jvm
        log4j = jvm.org.apache.logging.log4j
        layout = log4j.core.layout.PatternLayout.newBuilder().withPattern("%m%n").build()
        buffer = jvm.java.io.StringWriter()
        # A logger takes each name once, and several of these share it.
        named = f"grid {id(self)}"
        appender = log4j.core.appender.WriterAppender.createAppender(layout, None, buffer, named, False, True)
        appender.start()
        name = "org.apache.spark.sql.catalyst.analysis.HintErrorLogger"
        # Kept: the level goes with a logger that nobody holds.
        self.logger = log4j.LogManager.getContext(False).getLogger(name)
        self.logger.addAppender(appender)
        self.logger.setLevel(log4j.Level.WARN)
        return buffer

    @property
    def warnings(self) -> list[str]:
        """What was warned of since the last `forget`."""
        return list(dict.fromkeys(self.log.toString().splitlines()))

    def forget(self) -> None:
        """Start the warnings anew."""
        self.log.getBuffer().setLength(0)

    def answer(self, row: Row, hint: str) -> str:
        """The code that Spark gives."""
        return self.chosen(row.sql(hint), settings_of(row))

    def chosen(self, sql: str, settings: dict[str, Any], sizes: dict[str, int] | None = None) -> str:
        """The code of a statement's only join, with settings and other sizes of tables."""
        for key, value in settings.items():
            self.spark.conf.set(key, str(value).lower())
        for table, size in (sizes or {}).items():
            self._resize(table, size)
        try:
            self.forget()
            plan = self.spark.sql(sql)._jdf.queryExecution().sparkPlan().toString()
            return coded(plan, self.warnings)
        finally:
            for table in sizes or {}:
                self._resize(table, SIZES[table])
            for key in settings:
                self.spark.conf.unset(key)
                if key == "spark.sql.shuffle.partitions":
                    self.spark.conf.set(key, "4")


def main() -> None:
    """Write the table with a real Spark's answers."""
    from tests.acceptance.engines import real_spark

    spark = Spark(real_spark())
    lines = []
    for row, hints in combinations():
        codes = tuple((hint, spark.answer(row, hint)) for hint in hints)
        lines.append(str(Row(row.settings, row.condition, row.kind, row.left, row.right, codes)))
    FILE.write_text("\n".join(dict.fromkeys(lines)) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
