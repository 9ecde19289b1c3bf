"""Tables of a small shop at any scale, for who has no data at hand; the bundled catalogue `shop` is scale 1 of it.

    stores   200 rows                  store_id, name, city, country, opened
    items    5,000 rows                item_id, name, category, brand, price, tags (array)
    users    300,000 rows x scale      user_id, name, email, country, tier, signed_up
    orders   1,000,000 rows x scale    order_id, user_id, store_id, item_id, quantity, amount, status, ordered_at;
                                       partitioned by order_month
    events   2,000,000 rows x scale    event_id, user_id (null for visitors without an account), kind, page, session,
                                       seen_at

All values are arithmetic and hashes of row numbers, so the same scale has the same rows on every Spark. User 7 makes
one event in eight: a join on `user_id` is skewed. A store's city decides its country, and an order's time its month:
estimates that take columns for independent are wrong there.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING

from planviz.errors import InputError
from planviz.jsontypes import JsonObject
from planviz.spark.jobs import counting_tasks
from planviz.spark.statistics import analyze_table

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_COUNTRIES = "array('AT', 'BR', 'CA', 'DE', 'FR', 'IN', 'JP', 'NL', 'PL', 'US')"
#: A table's query over row numbers from `{first}` on; `{rows}` and `{users}` are the numbers of rows and users.
_TABLES = {
    "stores": f"""
        SELECT CAST(id AS INT) AS store_id, concat('Store ', id) AS name, concat('City ', id % 60) AS city,
               element_at({_COUNTRIES}, CAST(id % 10 AS INT) + 1) AS country,
               date_add(DATE'2010-01-01', CAST(id * 23 AS INT)) AS opened""",
    "items": """
        SELECT CAST(id AS INT) AS item_id, concat('Item ', id) AS name,
               element_at(array('books', 'games', 'garden', 'kitchen', 'music', 'office', 'sports', 'toys'),
                          CAST(id % 8 AS INT) + 1) AS category,
               concat('Brand ', id % 90) AS brand,
               CAST(pmod(xxhash64(id, 1), 20000) / 100 + 1 AS DECIMAL(10, 2)) AS price,
               array(concat('tag', id % 17), concat('tag', id % 5)) AS tags""",
    "users": f"""
        SELECT id AS user_id, concat('User ', id) AS name, concat(hex(xxhash64(id, 2)), '@example.org') AS email,
               element_at({_COUNTRIES}, CAST(pmod(xxhash64(id, 3), 10) AS INT) + 1) AS country,
               element_at(array('basic', 'plus', 'gold'), CAST(pmod(xxhash64(id, 4), 3) AS INT) + 1) AS tier,
               date_add(DATE'2020-01-01', CAST(pmod(xxhash64(id, 5), 2000) AS INT)) AS signed_up""",
    "orders": """
        SELECT id AS order_id, pmod(xxhash64(id, 6), {users}) + 1 AS user_id,
               CAST(pmod(xxhash64(id, 7), 200) + 1 AS INT) AS store_id,
               CAST(pmod(xxhash64(id, 8), 5000) + 1 AS INT) AS item_id,
               CAST(pmod(xxhash64(id, 9), 5) + 1 AS INT) AS quantity,
               CAST(pmod(xxhash64(id, 10), 50000) / 100 + 1 AS DECIMAL(12, 2)) AS amount,
               element_at(array('open', 'paid', 'sent', 'returned'),
                          CAST(pmod(xxhash64(id, 11), 4) AS INT) + 1) AS status,
               timestamp_seconds(1735689600 + id * 63000000 DIV {rows}) AS ordered_at,
               date_format(timestamp_seconds(1735689600 + id * 63000000 DIV {rows}), 'yyyy-MM') AS order_month""",
    "events": """
        SELECT id AS event_id,
               CASE WHEN id % 10 = 0 THEN NULL WHEN id % 8 = 1 THEN 7
                    ELSE pmod(xxhash64(id, 12), {users}) + 1 END AS user_id,
               element_at(array('view', 'search', 'basket', 'buy', 'help'),
                          CAST(pmod(xxhash64(id, 13), 5) AS INT) + 1) AS kind,
               concat('/item/', pmod(xxhash64(id, 14), 5000) + 1) AS page,
               hex(xxhash64(id, 15)) AS session, timestamp_seconds(1767225600 + id * 30000000 DIV {rows}) AS seen_at""",
}
#: Rows at scale 1, and whether they grow with the scale. Row numbers of what users do begin at 0.
_ROWS = {"stores": (200, False), "items": (5_000, False), "users": (300_000, True),
         "orders": (1_000_000, True), "events": (2_000_000, True)}  # fmt: skip
_FROM_ZERO = ("orders", "events")
#: By which column a table's files lie in folders.
PARTITIONS = {"orders": "order_month"}
TABLES = tuple(_TABLES)
_ROWS_A_FILE = 2_000_000


def rows_of(table: str, scale: float) -> int:
    """How many rows a table has at a scale."""
    rows, grows = _ROWS[table]
    return max(1, round(rows * scale)) if grows else rows


def query(table: str, scale: float, tasks: int | None = None) -> str:
    """The SQL that makes a table, in so many tasks (None: as many as Spark takes). Times are right in UTC."""
    rows, first = rows_of(table, scale), 0 if table in _FROM_ZERO else 1
    numbers = f"range({first}, {first + rows}{f', 1, {tasks}' if tasks else ''})"
    return f"{_TABLES[table].format(rows=rows, users=rows_of('users', scale))}\nFROM {numbers}"


def make_sample_data(
    session: SparkSession, folder: str, scale: float, tables: list[str], progress: Callable[[str], None]
) -> dict[str, int]:
    """Write tables as Parquet under a folder or URL; their rows by name.

    Memory does not grow with the scale: row numbers lie in time's order, so a task has few months at once. The
    session's time zone must be UTC. Raises InputError for a table that is unknown or has a folder there already.
    """
    for name in tables:
        if name not in TABLES:
            raise InputError(f"There is no sample table {name}; there are {', '.join(TABLES)}.")
        if Path(folder, name).exists():
            raise InputError(f"{folder} holds {name} already. Choose another folder, or remove it.")
    session.conf.set("spark.sql.maxConcurrentOutputFileWriters", "8")
    for name in tables:
        tasks = ceil(rows_of(name, scale) / _ROWS_A_FILE)
        writer = session.sql(query(name, scale, tasks)).write
        if name in PARTITIONS:
            writer = writer.partitionBy(PARTITIONS[name])
        with counting_tasks(session, f"writing {name}", progress):
            writer.parquet(f"{folder.rstrip('/')}/{name}")
    return {name: rows_of(name, scale) for name in tables}


def catalogue_entries(
    session: SparkSession, folder: str, tables: list[str], progress: Callable[[str], None]
) -> JsonObject:
    """The tables under a folder with their statistics, as entries of a planviz-catalog/1 document."""
    entries = {}
    for name in tables:
        view = f"sample_{name}"
        session.read.parquet(f"{folder.rstrip('/')}/{name}").createOrReplaceTempView(view)

        def counting(at: str, view: str = view, table: str = name) -> None:
            progress(at.replace(view, table))

        entries[name] = analyze_table(session, view, progress=counting)
        session.catalog.dropTempView(view)
    return entries


def check_scale(scale: float | str) -> float:
    """The scale as a number. Raises InputError unless it lies between 0.0001 and 100,000."""
    if re.fullmatch(r"\d*\.?\d+(e[+-]?\d+)?", str(scale), re.IGNORECASE) and 1e-4 <= float(scale) <= 1e5:
        return float(scale)
    raise InputError(f"The scale must be a number from 0.0001 to 100000, not {scale}.")
