"""The hidden column `_metadata` of tables made of files: where a row was read (Spark: FileSourceMetadataAttribute).

Source: https://spark.apache.org/docs/latest/sql-data-sources-generic-options.html and the plans of Spark 3.3 to 4.3.
"""

from __future__ import annotations

from planviz.expressions.core import AttributeReference
from planviz.expressions.ids import next_id
from planviz.logical.relations import LogicalRelation
from planviz.trees.memo import Memo
from planviz.types import LONG, STRING, TIMESTAMP, DataType, StructField, StructType

#: The column's name.
NAME = "_metadata"
#: What is remarked about the column, and about a field of it that the scan gives as a column of its own.
MARK, CONSTANT = "__file_source_metadata_col", "__file_source_constant_metadata_col"
#: The field that Parquet's reader counts, and the name under which it does.
ROW_INDEX, COUNTED = "row_index", "_tmp_metadata_row_index"
_FILE_FORMATS = frozenset(("avro", "binaryfile", "csv", "delta", "json", "orc", "parquet", "text", "xml"))
_COUNTING = frozenset(("parquet", "delta"))
_TYPES: dict[str, DataType] = {
    "file_path": STRING,
    "file_name": STRING,
    "file_size": LONG,
    "file_block_start": LONG,
    "file_block_length": LONG,
    "file_modification_time": TIMESTAMP,
}
_BLOCKS = ("file_block_start", "file_block_length")
_COLUMN: Memo[AttributeReference] = Memo("file_metadata")


def names_metadata(parts: tuple[str, ...]) -> bool:
    """Whether a name may be that of the column, or of a field of it."""
    return any(p.lower() == NAME for p in parts)


def field_type(parts: tuple[str, ...]) -> DataType | None:
    """The type of the field of the column that a name means; None where it means none of its fields."""
    known = {**_TYPES, ROW_INDEX: LONG}
    return known.get(parts[-1].lower()) if len(parts) > 1 and parts[-2].lower() == NAME else None


def is_metadata(a: AttributeReference) -> bool:
    """Whether an attribute is the hidden column, and no column of that name in the files."""
    return MARK in a.metadata


def hidden_metadata(relation: LogicalRelation, known: str) -> tuple[AttributeReference, ...]:
    """The column that a relation hides, or gives already: none where it is no table of files, or has one of that name.

    `known` says which fields it has in the version: "blocks", "sizes" (3.3), "none".
    """
    provider = relation.provider.lower()
    given = next((a for a in reversed(relation.attributes) if is_metadata(a)), None)
    if given is not None:
        return (given,)
    if known == "none" or provider not in _FILE_FORMATS or any(a.name.lower() == NAME for a in relation.attributes):
        return ()
    found = _COLUMN.get(relation)
    if found is None:
        blocks = known == "blocks"
        fields = [StructField(n, t, False) for n, t in _TYPES.items() if blocks or n not in _BLOCKS]
        if blocks and provider in _COUNTING:
            fields.append(StructField(ROW_INDEX, LONG, False))
        found = _COLUMN.set(
            relation, AttributeReference(NAME, StructType(tuple(fields)), False, next_id(), metadata=(MARK,))
        )
    return (found,)


def field_columns(column: AttributeReference, read: DataType) -> tuple[AttributeReference, ...]:
    """The fields that are read of the column, as columns of the scan; the row's index is counted, others constant."""
    fields = read.fields if isinstance(read, StructType) else ()
    return tuple(
        AttributeReference(COUNTED, f.data_type, False, next_id())
        if f.name == ROW_INDEX
        else AttributeReference(f.name, f.data_type, False, next_id(), metadata=(CONSTANT,))
        for f in fields
    )
