"""Files that a program writes and reads again: which columns, of which types, reading finds in them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from planviz.dataframe.writers import TableLayout
from planviz.expressions.core import Attribute
from planviz.types import (
    BYTE,
    DATE,
    DOUBLE,
    FLOAT,
    INT,
    LONG,
    SHORT,
    STRING,
    TIMESTAMP,
    ArrayType,
    DataType,
    DecimalType,
    MapType,
    StructField,
    StructType,
)

_WHOLE = (BYTE, SHORT, INT, LONG)


@dataclass(frozen=True)
class WrittenColumns:
    """The columns that stand in files, those of their folders apart, and how the files were written."""

    inside: tuple[StructField, ...]
    folders: tuple[StructField, ...]
    layout: TableLayout


def written_columns(
    columns: Sequence[Attribute], layout: TableLayout, rows: Sequence[Sequence[object]] | None = None
) -> WrittenColumns:
    """What a DataFrame of these columns leaves in files; `rows` are its rows where the program says them.

    Folders are read by what their names look like, whatever the columns were.
    """
    names = [name.lower() for name in layout.partitions]
    fields = {a.name.lower(): StructField(a.name, a.data_type) for a in columns}
    inside = tuple(f for name, f in fields.items() if name not in names)
    folders = [fields[name] for name in names if name in fields]
    folders = [StructField(f.name, INT if f.data_type in _WHOLE else f.data_type) for f in folders]
    if rows:
        places = {a.name.lower(): i for i, a in enumerate(columns)}
        folders = [StructField(f.name, folder_type([r[places[f.name.lower()]] for r in rows])) for f in folders]
    return WrittenColumns(inside, tuple(folders), layout)


def folder_type(values: Sequence[object]) -> DataType:
    """The type that reading finds in folders named after these values (PartitioningUtils.inferPartitionColumnValue)."""
    texts = [str(v) for v in values if v is not None]
    for kind, read in _FOLDER_TYPES:
        try:
            if texts and all(read(t) for t in texts):
                return kind
        except ValueError:
            continue
    return STRING


def _whole(bits: int) -> Callable[[str], bool]:
    return lambda text: -(1 << bits - 1) <= int(text) < 1 << bits - 1


#: The types that names of folders are taken for, in the order in which they are tried.
_FOLDER_TYPES: tuple[tuple[DataType, Callable[[str], bool]], ...] = (
    (INT, _whole(32)),
    (LONG, _whole(64)),
    (DOUBLE, lambda text: float(text) == float(text)),
    (DATE, lambda text: len(text) == 10 and bool(date.fromisoformat(text))),
    (TIMESTAMP, lambda text: len(text) > 10 and bool(datetime.fromisoformat(text))),
)


def read_columns(
    written: WrittenColumns, provider: str, options: Mapping[str, object]
) -> tuple[StructField, ...] | None:
    """The columns that reading without a schema finds; None where it is another format or only the data tell them."""
    if provider != written.layout.provider:
        return None
    inside = written.inside
    if provider == "json":
        inside = tuple(StructField(f.name, _from_json(f.data_type)) for f in sorted(inside, key=lambda f: f.name))
    elif provider == "csv":
        if str(options.get("inferschema", "")).lower() == "true":
            return None
        named = str(options.get("header", "")).lower() == "true"
        if named and not written.layout.header:
            return None
        inside = tuple(StructField(f.name if named else f"_c{i}", STRING) for i, f in enumerate(inside))
    return inside + written.folders


def _from_json(kind: DataType) -> DataType:
    """The type that reading JSON finds for values of a type: JSON has numbers, texts and truth values."""
    match kind:
        case ArrayType():
            return ArrayType(_from_json(kind.element))
        case StructType():
            fields = sorted(kind.fields, key=lambda f: f.name)
            return StructType(tuple(StructField(f.name, _from_json(f.data_type)) for f in fields))
        case DecimalType() | MapType():
            # Which keys there are only the data tell; numbers with a point are read as double.
            return DOUBLE if isinstance(kind, DecimalType) else StructType(())
    if kind in _WHOLE:
        return LONG
    if kind == FLOAT:
        return DOUBLE
    return STRING if kind in (DATE, TIMESTAMP) else kind
