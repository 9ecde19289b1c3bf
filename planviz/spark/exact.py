"""Spark's own ANALYZE TABLE, and what it has found, read back by DESCRIBE: the same over Spark Connect."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from planviz.errors import InputError
from planviz.spark.columns import Column

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_KEYS = {"distinct_count": "distinctCount", "num_nulls": "nullCount", "avg_col_len": "avgLen", "max_col_len": "maxLen"}
_TABLE = re.compile(r"(?<!\d)(\d+) bytes(?:, (\d+) rows)?")
_BIN = re.compile(r"lower_bound: (\S+), upper_bound: (\S+), distinct_count: (\d+)")


def analyze_exactly(session: SparkSession, quoted: str, columns: list[Column], histograms: bool) -> dict[str, object]:
    """Let Spark analyze a table and store what it finds; rows, bytes and columns' statistics as a catalogue has them.

    Raises InputError for a view.
    """
    table = session.catalog.getTable(quoted)
    if table.isTemporary or table.tableType == "VIEW":
        raise InputError(f"{quoted} is a view, and ANALYZE takes tables alone: count it without --exact.")
    session.conf.set("spark.sql.statistics.histogram.enabled", str(histograms).lower())
    # FOR ALL COLUMNS fails on a table with a nested column.
    named = f" FOR COLUMNS {', '.join(c.quoted for c in columns)}" if columns else ""
    session.sql(f"ANALYZE TABLE {quoted} COMPUTE STATISTICS{named}")
    told = _described(session, quoted)["Statistics"]
    found = _TABLE.search(told)
    assert found is not None, told
    entries = {c.name: _entry(_described(session, f"{quoted} {c.quoted}")) for c in columns}
    return {"rowCount": int(found[2] or 0), "sizeInBytes": int(found[1]), "columns": entries}


def _described(session: SparkSession, what: str) -> dict[str, str]:
    return {row[0]: row[1] for row in session.sql(f"DESCRIBE EXTENDED {what}").collect()}


def _entry(told: dict[str, str]) -> dict[str, object]:
    found: dict[str, object] = {key: int(told[name]) for name, key in _KEYS.items() if told.get(name, "NULL") != "NULL"}
    for end in ("min", "max"):
        if told.get(end, "NULL") != "NULL":
            # A moment has six digits behind the second here, and its zone; a catalogue has the digits that count.
            found[end] = re.sub(r"(:\d\d)(\.\d*?)0+$", r"\1\2", told[end].removesuffix(" +0000")).removesuffix(".")
    height = re.match(r"height: ([\d.E+-]+)", told.get("histogram", ""))
    bins = [_BIN.match(text) for name, text in told.items() if re.fullmatch(r"bin_\d+", name)]
    made = [{"lo": float(b[1]), "hi": float(b[2]), "ndv": int(b[3])} for b in bins if b]
    if height and all(b["lo"] == b["lo"] for b in made):
        found["histogram"] = {"height": float(height[1]), "bins": made}
    return found
