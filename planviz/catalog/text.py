"""Catalogues as text for a person."""

from __future__ import annotations

from collections.abc import Sequence

from planviz.catalog.statistics import ColumnStatistics
from planviz.catalog.tables import Catalog, PythonFunction, Table

_HEADINGS = ("column", "type", "null", "distinct", "nulls", "min", "max", "length")


def catalog_text(catalog: Catalog, tables: Sequence[Table] | None = None) -> str:
    """Every table (or those given) with its columns and what is known of them; guessed types have a question mark."""
    shown = list(catalog.tables.values()) if tables is None else tables
    blocks = [table_text(t) for t in shown]
    if tables is None:
        blocks += [f"{v.name}  view\n  {' '.join(v.sql.split())}\n" for v in catalog.views.values()]
        blocks += [function_text(f) for f in catalog.functions.values() if isinstance(f, PythonFunction)]
    return "\n".join(blocks)


def function_text(function: PythonFunction) -> str:
    """A function written in Python: its name, kind and type."""
    kind = "udf" if function.eval_type is None else function.eval_type.name
    varies = "" if function.deterministic else ", not deterministic"
    return f"{function.name}  Python function\n  {kind} returns {function.returns.simple_string}{varies}\n"


def table_text(table: Table) -> str:
    """A table: its name, size and provider, then a line per column."""
    head = [table.shown_name, table.provider]
    if table.row_count is not None:
        head.append(f"{table.row_count:,} rows")
    if table.size_in_bytes is not None:
        head.append(f"{table.size_in_bytes:,} bytes")
    if table.partition_columns:
        head.append(f"partitioned by {', '.join(table.partition_columns)}")
    if table.buckets is not None:
        head.append(f"{table.buckets.number} buckets by {', '.join(table.buckets.columns)}")
    rows = [_row(table, i) for i in range(len(table.columns))]
    used = [i for i in range(len(_HEADINGS)) if i < 3 or any(r[i] for r in rows)]
    lines = [tuple(_HEADINGS[i] for i in used), *(tuple(r[i] for i in used) for r in rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(used))]
    body = "".join(
        ("  " + "  ".join(cell.ljust(w) for cell, w in zip(line, widths, strict=True))).rstrip() + "\n"
        for line in lines
    )
    return "  ".join(head) + "\n" + (body if rows else "  (no columns)\n")


def _row(table: Table, i: int) -> tuple[str, ...]:
    column = table.columns[i]
    s = table.statistics_of(column.name) or ColumnStatistics()
    data_type = column.data_type.simple_string + (" ?" if column.name in table.guessed else "")
    length = "" if s.avg_len is None else f"{s.avg_len}..{s.max_len}" if s.max_len != s.avg_len else str(s.avg_len)
    ends = ("" if s.min is None else str(s.min), "" if s.max is None else str(s.max))
    counts = (_number(s.distinct_count), _number(s.null_count))
    return (column.name, data_type, "yes" if column.nullable else "no", *counts, *ends, length)


def _number(n: int | None) -> str:
    return "" if n is None else f"{n:,}"
