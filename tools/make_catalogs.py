"""Writes the bundled catalogues (planviz/catalog/bundled/*.json): `python tools/make_catalogs.py [NAME] [FACTS]`.

documents   the small tables of the examples; statistics counted from the rows below
shop        the tables that sample_queries/shop.py makes, from its arithmetic
tpch        TPC-H at scale factor 100, from the generation rules of the specification's clause 4.2.3
tpcds       TPC-DS at scale factor 100; FACTS is a planviz-catalog/1 file with the counted numbers
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from typing import Any

TARGET = Path(__file__).resolve().parent.parent / "planviz" / "catalog" / "bundled"
#: Bytes of one value, where the type alone tells (Spark: DataType.defaultSize).
WIDTH = {"boolean": 1, "int": 4, "float": 4, "date": 4, "bigint": 8, "double": 8, "timestamp": 8}


def width(type_: str) -> int | None:
    """The bytes of a value of a type; None for what varies."""
    return 8 if type_.startswith("decimal") else WIDTH.get(type_)


def column(
    name: str, type_: str, distinct: float, low: Any = None, high: Any = None, *, nulls: int = 0, length: float = 0,
    longest: float = 0,
) -> tuple[dict[str, Any], dict[str, Any]]:  # fmt: skip
    """A column's entry and its statistics; lengths are needed for strings only."""
    size = width(type_) or math.ceil(length)
    stats: dict[str, Any] = {"distinctCount": round(distinct)}
    if low is not None:
        stats |= {"min": str(low), "max": str(high)}
    stats |= {"nullCount": nulls, "avgLen": size, "maxLen": width(type_) or math.ceil(longest or length)}
    return {"name": name, "type": type_, "nullable": True}, stats


def table(rows: int, *columns: tuple[dict[str, Any], dict[str, Any]], partitions: tuple[str, ...] = ()) -> Any:
    """A table's entry; its size is that of the plain values."""
    entry: dict[str, Any] = {"columns": [c for c, _ in columns], "provider": "parquet"}
    if partitions:
        entry["partition_columns"] = list(partitions)
    size = rows * sum(s["avgLen"] for _, s in columns)
    by_name = {c["name"]: s for c, s in columns}
    return {**entry, "stats": {"rowCount": rows, "sizeInBytes": size, "columns": by_name}}


def drawn(values: float, rows: int) -> float:
    """How many of `values` equally likely values are expected among `rows` draws."""
    return values * -math.expm1(-rows / values)


# --- documents ---

_T = [(1, 10, "x"), (2, 20, "y"), (2, 20, "y"), (3, None, "z"), (None, 5, None)]
_STRUCT = "struct<x:int,y:string>"
DOCUMENTS: dict[str, tuple[str, list[tuple[Any, ...]]]] = {
    "customer": ("id int, name string, region string", [(1, "ann", "eu"), (2, "bob", "us"), (3, "cat", "eu")]),
    "orders": (
        "id int, customer_id int, item_id int, price decimal(7;2), amount double, s_date date, status string",
        [
            (10, 1, 1, "5.00", 5.0, date(2020, 1, 1), "A"),
            (11, 1, 2, "7.50", 7.5, date(2020, 1, 2), "B"),
            (12, 2, 1, "5.00", 5.0, date(2020, 1, 3), "A"),
            (13, 9, 3, "1.00", 1.0, date(2020, 2, 1), "C"),
        ],
    ),
    "item": ("id int, name string, price double", [(1, "pen", 1.0), (2, "ink", 2.0), (4, "cap", 3.0)]),
    "t1": ("a int, b int, c string", _T),
    "t2": ("a int, b int, c string", [*_T, (1, 10, "x"), (7, 70, "q")]),
    "t3": ("a int, b int, c string", _T),
    "u1": ("col1 int, col2 int, col3 int", [(1, 2, 3)]),
    "u2": ("col1 int, col2 int, col3 int", [(4, 5, 6)]),
}
VIEWS = {
    "ds1": "SELECT * FROM VALUES ('Michael', 9), ('Andy', 7), ('Justin', 11) AS ds1(id, age)",
    "ds2": "SELECT * FROM VALUES ('Michael', 29), ('Andy2', 30), ('Justin2', 11) AS ds2(no, age)",
}


def counted(columns: str, rows: list[tuple[Any, ...]]) -> Any:
    """A table with the statistics of its rows."""
    made = []
    for i, declared in enumerate(columns.split(", ")):
        name, type_ = declared.replace(";", ",").split(" ")
        values = [r[i] for r in rows if r[i] is not None]
        lengths = [len(v) if isinstance(v, str) else 0 for v in values]
        ends = () if type_ == "string" else (min(values), max(values))
        length = sum(lengths) / max(1, len(lengths))
        nulls = len(rows) - len(values)
        made.append(
            column(name, type_, len(set(values)), *ends, nulls=nulls, length=length, longest=max(lengths, default=0))
        )
    return table(len(rows), *made)


def documents() -> dict[str, Any]:
    """See the module."""
    tables = {name: counted(*entry) for name, entry in DOCUMENTS.items()}
    nested = [("xs", "array<int>"), ("m", "map<string,int>"), ("st", _STRUCT), ("ss", f"array<{_STRUCT}>")]
    plain = [{"name": n, "type": t, "nullable": True} for n, t in nested]
    tables["arr"] = counted("id int", [(1,)])
    tables["arr"]["columns"] += plain
    tables["arr"]["stats"]["sizeInBytes"] = 80
    # Two zeros and a NaN: without a range, since a NaN has no place in one.
    tables["fl"] = table(3, column("k", "double", 2), column("v", "float", 2), column("id", "int", 3, 1, 3))
    return {"description": "The small tables of the examples", "tables": tables, "views": VIEWS}


# --- shop ---


def shop() -> dict[str, Any]:
    """See the module."""
    day = date.fromisoformat

    def amounts(name: str, type_: str, values: int, rows: int) -> Any:
        return column(name, type_, drawn(values, rows), "1.00", f"{values / 100 + 0.99:.2f}")

    orders, users, events = 1_000_000, 300_000, 2_000_000
    first, seen = "2025-01-01 00:00:00", "2026-01-01 00:00:00"
    tables = {
        "stores": table(
            200,
            column("store_id", "int", 200, 1, 200),
            column("name", "string", 200, length=8.5, longest=9),
            column("city", "string", 60, length=6.9, longest=7),
            column("country", "string", 10, length=2),
            column("opened", "date", 200, day("2010-01-24"), day("2010-01-01") + timedelta(200 * 23)),
        ),
        "items": table(
            5_000,
            column("item_id", "int", 5_000, 1, 5_000),
            column("name", "string", 5_000, length=8.8, longest=9),
            column("category", "string", 8, length=5.6, longest=7),
            column("brand", "string", 90, length=7.9, longest=8),
            amounts("price", "decimal(10,2)", 20_000, 5_000),
            column("tags", "array<string>", 85, length=20),
        ),
        "users": table(
            users,
            column("user_id", "bigint", users, 1, users),
            column("name", "string", users, length=10.6, longest=11),
            column("email", "string", users, length=28),
            column("country", "string", 10, length=2),
            column("tier", "string", 3, length=4.4, longest=5),
            column("signed_up", "date", 2_000, day("2020-01-01"), day("2020-01-01") + timedelta(1_999)),
        ),
        "orders": table(
            orders,
            column("order_id", "bigint", orders, 0, orders - 1),
            column("user_id", "bigint", drawn(users, orders), 1, users),
            column("store_id", "int", 200, 1, 200),
            column("item_id", "int", 5_000, 1, 5_000),
            column("quantity", "int", 5, 1, 5),
            amounts("amount", "decimal(12,2)", 50_000, orders),
            column("status", "string", 4, length=5, longest=8),
            column("ordered_at", "timestamp", orders, first, "2026-12-31 03:58:57"),
            column("order_month", "string", 24, length=7),
            partitions=("order_month",),
        ),
        "events": table(
            events,
            column("event_id", "bigint", events, 0, events - 1),
            column("user_id", "bigint", drawn(users, 1_550_000), 1, users, nulls=events // 10),
            column("kind", "string", 5, length=4.4, longest=6),
            column("page", "string", 5_000, length=9.8, longest=10),
            column("session", "string", events, length=15.9, longest=16),
            column("seen_at", "timestamp", events, seen, "2026-12-14 05:19:45"),
        ),
    }
    return {"description": "The shop of the sample queries", "tables": tables}


# --- TPC-H ---

SF = 100
FIRST_DAY, LAST_DAY = date(1992, 1, 1), date(1998, 12, 31)


def retail_prices(parts: int) -> tuple[int, int, int]:
    """p_retailprice in cents, by its formula: distinct values, lowest, highest."""
    found = {90_000 + key // 10 % 20_001 + 100 * (key % 1_000) for key in range(1, parts + 1)}
    return len(found), min(found), max(found)


def tpch() -> dict[str, Any]:
    """See the module. The length of a random text is the middle of its range; keys run from 1 where no rule differs."""
    parts, suppliers, customers, orders = 200_000 * SF, 10_000 * SF, 150_000 * SF, 1_500_000 * SF
    offers, lines, clerks = 4 * parts, 600_037_902, 1_000 * SF
    balances, comments = 1_099_999, 1e18
    prices, cheapest, dearest = retail_prices(parts)
    last_order = LAST_DAY - timedelta(151)

    def key(name: str, rows: int, high: int | None = None, distinct: float | None = None, low: int = 1) -> Any:
        return column(name, "bigint", rows if distinct is None else distinct, low, high or rows)

    def text(name: str, rows: int, shortest: int, longest: int, values: float = comments) -> Any:
        return column(name, "string", min(rows, drawn(values, rows)), length=(shortest + longest) / 2, longest=longest)

    def word(name: str, values: int, length: float, longest: int) -> Any:
        return column(name, "string", values, length=length, longest=longest)

    def days(name: str, low: int, high: int) -> Any:
        first, last = FIRST_DAY + timedelta(low), last_order + timedelta(high)
        return column(name, "date", (last - first).days + 1, first, last)

    def money(name: str, distinct: float, low: float, high: float) -> Any:
        return column(name, "decimal(15,2)", distinct, f"{low:.2f}", f"{high:.2f}")

    def balance(name: str, rows: int) -> Any:
        return money(name, drawn(balances, rows), -999.99, 9999.99)

    low, high = cheapest / 100, 50 * dearest / 100
    tables = {
        "region": table(5, key("r_regionkey", 5, 4, low=0), word("r_name", 5, 6.8, 11), text("r_comment", 5, 31, 115)),
        "nation": table(
            25,
            key("n_nationkey", 25, 24, low=0),
            word("n_name", 25, 7.1, 14),
            key("n_regionkey", 25, 4, 5, low=0),
            text("n_comment", 25, 31, 114),
        ),
        "supplier": table(
            suppliers,
            key("s_suppkey", suppliers),
            word("s_name", suppliers, 18, 18),
            text("s_address", suppliers, 10, 40),
            key("s_nationkey", suppliers, 24, 25, low=0),
            word("s_phone", suppliers, 15, 15),
            balance("s_acctbal", suppliers),
            text("s_comment", suppliers, 25, 100),
        ),
        "customer": table(
            customers,
            key("c_custkey", customers),
            word("c_name", customers, 18, 18),
            text("c_address", customers, 10, 40),
            key("c_nationkey", customers, 24, 25, low=0),
            word("c_phone", customers, 15, 15),
            balance("c_acctbal", customers),
            word("c_mktsegment", 5, 9, 10),
            text("c_comment", customers, 29, 116),
        ),
        "part": table(
            parts,
            key("p_partkey", parts),
            text("p_name", parts, 24, 43, 92 * 91 * 90 * 89 * 88),
            word("p_mfgr", 5, 14, 14),
            word("p_brand", 25, 8, 8),
            word("p_type", 150, 20.6, 25),
            column("p_size", "int", 50, 1, 50),
            word("p_container", 40, 7.6, 10),
            money("p_retailprice", prices, low, dearest / 100),
            text("p_comment", parts, 5, 22),
        ),
        "partsupp": table(
            offers,
            key("ps_partkey", offers, parts, parts),
            key("ps_suppkey", offers, suppliers, suppliers),
            column("ps_availqty", "int", 9_999, 1, 9_999),
            money("ps_supplycost", 99_901, 1, 1000),
            text("ps_comment", offers, 49, 198),
        ),
        # Of every 32 order keys the first 8 are used; a third of the customers place no orders.
        "orders": table(
            orders,
            key("o_orderkey", orders, 4 * orders),
            key("o_custkey", orders, customers - 1, customers * 2 / 3),
            word("o_orderstatus", 3, 1, 1),
            money("o_totalprice", drawn(60_000_000, orders), low * 0.9, 7 * high * 1.08),
            days("o_orderdate", 0, 0),
            word("o_orderpriority", 5, 8.4, 15),
            word("o_clerk", clerks, 15, 15),
            column("o_shippriority", "int", 1, 0, 0),
            text("o_comment", orders, 19, 78),
        ),
        "lineitem": table(
            lines,
            key("l_orderkey", lines, 4 * orders, orders),
            key("l_partkey", lines, parts, parts),
            key("l_suppkey", lines, suppliers, suppliers),
            column("l_linenumber", "int", 7, 1, 7),
            money("l_quantity", 50, 1, 50),
            # Quantity times retail price: of the 50 products of a price about a quarter occur for no other.
            money("l_extendedprice", 50 * prices / 4, low, high),
            money("l_discount", 11, 0, 0.1),
            money("l_tax", 9, 0, 0.08),
            word("l_returnflag", 3, 1, 1),
            word("l_linestatus", 2, 1, 1),
            days("l_shipdate", 1, 121),
            days("l_commitdate", 30, 90),
            days("l_receiptdate", 2, 151),
            word("l_shipinstruct", 4, 12, 17),
            word("l_shipmode", 7, 4.3, 7),
            text("l_comment", lines, 10, 43),
        ),
    }
    return {"description": "TPC-H at scale factor 100, by the specification's rules", "tables": tables}


# --- TPC-DS ---


def tpcds(facts: Path) -> dict[str, Any]:
    """See the module: the same numbers in this project's order of keys and tables."""
    known = json.loads(facts.read_text(encoding="utf-8"))["tables"]
    tables = {}
    for name in sorted(known):
        entry = known[name]
        stats = entry["stats"]
        columns = {c["name"]: stats["columns"][c["name"]] for c in entry["columns"] if c["name"] in stats["columns"]}
        kept = {k: v for k, v in entry.items() if k != "stats" and v != []}
        counts = {"rowCount": stats["rowCount"], "sizeInBytes": stats["sizeInBytes"]}
        tables[name] = {**kept, "stats": {**counts, "columns": columns}}
    return {"description": "TPC-DS at scale factor 100", "tables": tables}


# --- writing ---


def text(name: str, content: dict[str, Any]) -> str:
    """The catalogue as JSON with one line per column, so that a person can read it and a diff is short."""
    tables = []
    for key, entry in content["tables"].items():
        columns = ",\n    ".join(json.dumps(c) for c in entry["columns"])
        stats = ",\n     ".join(f"{json.dumps(c)}: {json.dumps(s)}" for c, s in entry["stats"]["columns"].items())
        rest = "".join(f'"{k}": {json.dumps(v)}, ' for k, v in entry.items() if k not in ("columns", "stats"))
        counts = f'"rowCount": {entry["stats"]["rowCount"]}, "sizeInBytes": {entry["stats"]["sizeInBytes"]}'
        numbers = f'"stats": {{{counts}, "columns": {{\n     {stats}}}}}'
        tables.append(f'  "{key}": {{{rest}"columns": [\n    {columns}],\n   {numbers}}}')
    views = f',\n "views": {json.dumps(content["views"], indent=2)}' if content.get("views") else ""
    head = f'{{"format": "planviz-catalog/1", "name": "{name}", "description": {json.dumps(content["description"])},'
    return head + '\n "tables": {\n' + ",\n".join(tables) + "}" + views + "}\n"


def main(arguments: list[str]) -> None:
    """Write the catalogue of that name, or all that need no facts."""
    makers: dict[str, Callable[[], dict[str, Any]]] = {"documents": documents, "shop": shop, "tpch": tpch}
    wanted = arguments[0] if arguments else ""
    if wanted == "tpcds":
        makers = {"tpcds": lambda: tpcds(Path(arguments[1]))}
    for name, make in makers.items():
        if wanted in ("", name):
            (TARGET / f"{name}.json").write_text(text(name, make()), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
