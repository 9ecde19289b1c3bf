"""Scans of tables in files (Spark: FileSourceScanExec)."""

from __future__ import annotations

from typing import Any

from planviz.expressions.core import AttributeReference, Expression
from planviz.logical.plan import bracketed, positioned, positions_of
from planviz.physical.plan import LeafExec
from planviz.physical.pushed import pushed
from planviz.trees.node import lazy, node
from planviz.types import StructField, StructType

#: How formats call themselves in a plan.
_FORMATS = {"parquet": "Parquet", "orc": "ORC", "csv": "CSV", "json": "JSON", "text": "Text", "avro": "AVRO"}
COLUMNAR = ("parquet", "orc")


@node
class FileSourceScanExec(LeafExec):
    """Reads `columns` of a table; filters on partitions choose files, those on data let the reader skip row groups.

    `relation` are all columns of the table, `provider` its format, `table` its qualified name.
    """

    columns: tuple[AttributeReference, ...]
    relation: tuple[AttributeReference, ...]
    table: tuple[str, ...]
    provider: str
    partition_columns: tuple[str, ...]
    partition_filters: tuple[Expression, ...]
    data_filters: tuple[Expression, ...]

    @lazy
    def output(self) -> tuple[AttributeReference, ...]:
        """The columns."""
        return self.columns

    @lazy
    def expressions(self) -> tuple[Any, ...]:
        """The filters; the columns are its own."""
        return (*self.partition_filters, *self.data_filters)

    def map_expressions(self, f: Any, mask: int = -1) -> FileSourceScanExec:
        """Only the filters are mapped."""
        data, parts = (
            tuple(f(e) if e.bits & mask else e for e in filters)
            for filters in (self.data_filters, self.partition_filters)
        )
        return self.replace(
            data_filters=self.data_filters if data == self.data_filters else data,
            partition_filters=self.partition_filters if parts == self.partition_filters else parts,
        )

    @property
    def columnar(self) -> bool:
        """Whether the reader gives batches of columns."""
        return self.provider.lower() in COLUMNAR

    @lazy
    def canonicalized(self) -> Any:
        """Ids are the columns' positions in the table; the order of filters does not count."""
        positions = positions_of(self.relation)

        def normal(filters: tuple[Expression, ...]) -> tuple[Any, ...]:
            return tuple(sorted((positioned(e, positions).canonicalized for e in filters), key=hash))

        columns = tuple(positioned(a, positions).canonicalized for a in self.columns)
        return self.replace(
            columns=columns,
            relation=(),
            partition_filters=normal(self.partition_filters),
            data_filters=normal(self.data_filters),
        )

    @lazy
    def read_schema(self) -> str:
        """The columns that are read from the files, those of partitions left out."""
        skip = {p.lower() for p in self.partition_columns}
        fields = tuple(StructField(a.name, a.type, a.is_nullable) for a in self.columns if a.name.lower() not in skip)
        return StructType(fields).simple_string

    @lazy
    def pushed_filters(self) -> tuple[str, ...]:
        """The filters that the reader takes, as it prints them."""
        return tuple(p for p in map(pushed, self.data_filters) if p is not None)

    @lazy
    def simple_string(self) -> str:
        """FileScan parquet table[columns] Batched: true, DataFilters: ... ReadSchema: struct<...>."""
        kind = _FORMATS.get(self.provider.lower(), self.provider)
        metadata = {
            "Batched": str(self.columnar).lower(),
            "DataFilters": bracketed(self.data_filters),
            "Format": kind,
            "Location": f"InMemoryFileIndex(1 paths)[{self.table[-1] if self.table else ''}]",
            "PartitionFilters": bracketed(self.partition_filters),
            "PushedFilters": bracketed(self.pushed_filters),
            "ReadSchema": self.read_schema,
        }
        name = ".".join(self.table)
        shown = ", ".join(f"{k}: {v}" for k, v in metadata.items())
        return f"FileScan {self.provider} {name}[{','.join(map(str, self.columns))}] {shown}"
