"""What DESCRIBE and SHOW CREATE TABLE printed, pasted as text.

Understood are the forms of the `spark-sql` shell (cells between tabs) and of `DataFrame.show` (cells between bars):

    DESCRIBE EXTENDED t          columns, partition columns, provider, `Statistics  123 bytes, 456 rows`
    DESCRIBE EXTENDED t column   the column's statistics
    SHOW CREATE TABLE t          a CREATE TABLE, which is left to the reader of SQL

Nothing else in the text is touched: `take_descriptions` blanks the lines that it has read, so that line numbers stay.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from planviz.catalog.statistics import ColumnStatistics
from planviz.catalog.tables import DATABASE, Catalog, Table
from planviz.errors import InputError
from planviz.types import DataType, StructField, parse_type

_COMMAND = re.compile(
    r"^\s*(?:spark-sql\S*(?:\s*\([^)]*\))?>\s*)?DESC(?:RIBE)?\s+(?:TABLE\s+)?(?:EXTENDED\s+|FORMATTED\s+)?"
    r"(?P<table>[`\w.]+)(?:\s+(?P<column>[`\w]+))?\s*;?\s*$",
    re.I,
)
_NOISE = re.compile(r"^\s*(\+[-+]+\+|Time taken:.*|createtab_stmt|\|\s*createtab_stmt\s*\|)\s*$", re.I)
_STATISTICS = re.compile(r"(\d{1,18}) bytes(?:, (\d{1,18}) rows)?")
_START = re.compile(r"^\s*(CREATE|ANALYZE|ALTER|DROP|INSERT|SET|USE|SHOW|SELECT|WITH|--)\b", re.I)
_COUNTS = {"num_nulls": "null_count", "distinct_count": "distinct_count", "avg_col_len": "avg_len",
           "max_col_len": "max_len"}  # fmt: skip


@dataclass
class _Described:
    """A table as far as its description was read."""

    name: tuple[str, ...] = ()
    columns: list[StructField] = field(default_factory=list)
    partitions: list[str] = field(default_factory=list)
    details: dict[str, str] = field(default_factory=dict)
    section: str = "columns"


def take_descriptions(text: str, catalog: Catalog) -> tuple[str, Catalog, list[dict[str, str]]]:
    """The rest of the text, which is SQL; the catalogue with the tables that are described; descriptions of columns.

    The latter are for `with_column_descriptions`, once the tables of the SQL are known. Raises InputError, with its
    line, for a description that names no table.
    """
    reader = _Reader()
    rest = [line if reader.keeps(line, number) else "" for number, line in enumerate(text.split("\n"), 1)]
    reader.end()
    for table in reader.tables:
        catalog = catalog.with_table(table)
    return "\n".join(_separated(rest)), catalog, reader.of_columns


def with_column_descriptions(catalog: Catalog, described: list[dict[str, str]]) -> Catalog:
    """The catalogue with the statistics of described columns. Raises InputError for a table that is not there."""
    for cells in described:
        parts = tuple(cells[""].replace("`", "").split(".")) if cells[""] else ()
        tables = list(catalog.tables.values())
        owners = [t for t in tables if t.type_of(cells["col_name"]) is not None]
        table = catalog.table(parts) if parts else owners[0] if len(owners) == 1 else None
        if table is None:
            raise InputError(
                f"The statistics of column {cells['col_name']} belong to no table that is known: write the line "
                f"DESCRIBE EXTENDED table {cells['col_name']} above them."
            )
        stats = dict(table.column_stats)
        stats[cells["col_name"]] = _statistics(cells)
        catalog = catalog.with_table(replace(table, column_stats=tuple(stats.items())))
    return catalog


def _statistics(cells: dict[str, str]) -> ColumnStatistics:
    values = {k: v for k, v in cells.items() if v.upper() not in ("NULL", "")}
    made = ColumnStatistics(min=values.get("min"), max=values.get("max"))
    for key, name in _COUNTS.items():
        if values.get(key, "").isdigit():
            made = replace(made, **{name: int(values[key])})  # type: ignore[arg-type]
    return made


class _Reader:
    def __init__(self) -> None:
        self.tables: list[Table] = []
        self.of_columns: list[dict[str, str]] = []
        self.command: tuple[str, str] = ("", "")
        self.table: _Described | None = None
        self.column: dict[str, str] | None = None
        self.line = 1
        self.depth = 0

    def keeps(self, line: str, number: int) -> bool:
        """Whether a line is no part of a description; the others are read."""
        if _NOISE.match(line):
            return False
        command = _COMMAND.match(line)
        if command is not None:
            self.end()
            self.command = (command["table"] or "", (command["column"] or "").strip("`"))
            self.line = number
            return False
        cells = _cells(line)
        if self.table is None and self.column is None:
            if self.depth <= 0 and self._begins(cells, number):
                return False
            # Within the parentheses of a CREATE TABLE, names and types are no description.
            self.depth += line.count("(") - line.count(")")
            return True
        if _START.match(line) and "\t" not in line and not line.lstrip().startswith("|"):
            self.end()
            return True
        if not any(cells):
            return False
        if self.column is not None:
            self._of_column(cells, number)
        else:
            self._of_table(cells, number)
        return False

    def _begins(self, cells: list[str], number: int) -> bool:
        head = cells[0].lower()
        if head == "info_name" or (head == "col_name" and len(cells) == 2):
            self.column = {"": self.command[0]}
            if head == "col_name":
                self.column["col_name"] = cells[1]
            return True
        if head == "col_name" or (len(cells) > 1 and _type(cells[1]) is not None):
            self.table, self.line = _Described(), number
            if self.command[0]:
                self.table.name = tuple(self.command[0].replace("`", "").split("."))
            if head != "col_name":
                self._of_table(cells, number)
            return True
        return False

    def _of_column(self, cells: list[str], number: int) -> None:
        key = cells[0].lower()
        if key in ("info_name",) or (key == "col_name" and "col_name" in (self.column or {})):
            self.end()
            self._begins(cells, number)
        elif self.column is not None and len(cells) > 1:
            self.column.setdefault(key, cells[1])

    def _of_table(self, cells: list[str], number: int) -> None:
        table = self.table
        assert table is not None
        head = cells[0]
        if head.startswith("#"):
            section = {"# Partition Information": "partitions", "# Partitioning": "partitions"}
            table.section = section.get(head, table.section if head == "# col_name" else "details")
        elif head.lower() == "col_name":
            self.end()
            self._begins(cells, number)
        elif table.section == "details":
            data_type = _type(cells[1]) if len(cells) > 1 else None
            if data_type is not None and "Type" in table.details and head[:1].islower():
                # The shell prints no header: a column behind the details begins the next table.
                self.end()
                self.command = ("", "")
                self._begins(cells, number)
            elif len(cells) > 1:
                table.details.setdefault(head, cells[1])
        elif table.section == "partitions":
            table.partitions.append(head if len(cells) > 1 and _type(cells[1]) else cells[-1])
        else:
            data_type = _type(cells[1]) if len(cells) > 1 else None
            if data_type is None:
                raise InputError(
                    f"In line {number}, “{' '.join(cells)}” is no column with its type, as DESCRIBE prints them.",
                    line=number,
                )
            table.columns.append(StructField(head, data_type, True))

    def end(self) -> None:
        """A description is over."""
        if self.column is not None and "col_name" in self.column:
            self.of_columns.append(self.column)
        if self.table is not None:
            self.tables.append(self._made(self.table))
        if self.table is not None or self.column is not None:
            self.command = ("", "")
        self.table = self.column = None

    def _made(self, d: _Described) -> Table:
        name = d.details.get("Table") or (d.name[-1] if d.name else "")
        if not name:
            raise InputError(
                f"The description from line {self.line} on does not say of which table: paste DESCRIBE EXTENDED, or "
                "write the line DESCRIBE table above it.",
                line=self.line,
            )
        database = d.details.get("Database") or (d.name[-2] if len(d.name) > 1 else DATABASE)
        found = _STATISTICS.search(d.details.get("Statistics", ""))
        size, rows = (found[1], found[2]) if found else (None, None)
        declared = {c.name for c in d.columns}
        return Table(
            name,
            tuple(d.columns),
            database,
            d.details.get("Provider", "parquet").lower(),
            tuple(p for p in d.partitions if p in declared),
            int(rows) if rows else None,
            int(size) if size else None,
        )


def _cells(line: str) -> list[str]:
    if line.lstrip().startswith("|"):
        return [c.strip() for c in line.strip().strip("|").split("|")]
    if "\t" in line:
        cells = [c.strip() for c in line.split("\t")]
    else:
        cells = [c for c in re.split(r"\s{2,}", line.strip()) if c]
    while len(cells) > 2 and not cells[-1]:
        cells.pop()
    return cells or [""]


def _type(text: str) -> DataType | None:
    if not text or not re.match(r"[a-z]", text):
        return None
    try:
        return parse_type(text)
    except InputError:
        return None


def _separated(lines: list[str]) -> list[str]:
    """The SQL's lines; a CREATE that begins one gets a semicolon before it where SHOW CREATE TABLE printed none."""
    out: list[str] = []
    for line in lines:
        body = line
        if re.match(r"^\|\s*CREATE\b", line, re.I):
            body = line.replace("|", " ", 1)
        elif re.fullmatch(r"\s*\|\s*", line):
            body = ""
        body = re.sub(r"(?<!\s)\s*+\|\s*+$", "", body) if body is not line else body
        if re.match(r"^\s?CREATE\s+(OR\s+REPLACE\s+)?(EXTERNAL\s+)?(TABLE|VIEW|TEMP)", body, re.I):
            last = next((i for i in range(len(out) - 1, -1, -1) if out[i].strip()), None)
            if last is not None and not out[last].rstrip().endswith(";") and not out[last].lstrip().startswith("--"):
                out[last] += ";"
        out.append(body)
    return out
