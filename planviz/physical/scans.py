"""Scans of tables in files (Spark: FileSourceScanExec)."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Self

from planviz.catalog.tables import Buckets
from planviz.expressions.complex import GetStructField
from planviz.expressions.core import AttributeReference, Expression
from planviz.expressions.subqueries import SubqueryExpression
from planviz.logical.file_metadata import CONSTANT
from planviz.logical.plan import bracketed, positioned, positions_of
from planviz.logical.relations import LogicalRelation
from planviz.physical.bucket_pruning import selected_buckets
from planviz.physical.distribution import HashPartitioning, OutputOrder, Partitioning, UnknownPartitioning
from planviz.physical.plan import LeafExec, PlanHolder
from planviz.physical.pushed import pushed
from planviz.trees.node import lazy, node
from planviz.types import DataType, StructField, StructType
from planviz.types.collations import BINARY_TEXT

#: How formats call themselves in a plan.
_FORMATS = {"parquet": "Parquet", "orc": "ORC", "csv": "CSV", "json": "JSON", "text": "Text", "avro": "AVRO"}
COLUMNAR = ("parquet", "orc")
#: Formats whose readers take filters on nested fields.
_NESTED_FILTERS = ("parquet", "orc")


@node
class FileSourceScanExec(LeafExec):
    """Reads `columns` of a table; filters on partitions choose files, those on data let the reader skip row groups.

    `relation` are all columns of the table, `provider` its format, `table` its qualified name, `read` the types of the
    columns with only the nested fields that are used, `empty` whether the table is known to have no files.
    `coalesced` is into how many the buckets are read together (0: each alone), `in_order` whether a bucket's rows count
    as sorted. `row_by_row`: a setting keeps a reader that could give batches of columns from doing so. `path` is where
    the files of no table lie: other files have other rows, however alike their columns. `tells_buckets`: whether it
    says that it reads buckets one by one.
    """

    columns: tuple[AttributeReference, ...]
    relation: tuple[AttributeReference, ...]
    table: tuple[str, ...]
    provider: str
    partition_columns: tuple[str, ...]
    partition_filters: tuple[Expression, ...]
    data_filters: tuple[Expression, ...]
    read: tuple[DataType, ...] = ()
    buckets: Buckets | None = None
    bucketing_off: str = ""
    empty: bool = False
    coalesced: int = 0
    in_order: bool = False
    row_by_row: bool = False
    path: str = ""
    tells_buckets: bool = True

    @classmethod
    def of(
        cls,
        relation: LogicalRelation,
        columns: tuple[AttributeReference, ...],
        read: tuple[DataType, ...],
        partition_filters: tuple[Expression, ...],
        data_filters: tuple[Expression, ...],
        bucketing_off: str = "",
    ) -> Self:
        """The scan of a relation; `bucketing_off` says why buckets are not read one by one, if they are not."""
        table = relation.table
        filters = (partition_filters, data_filters)
        partitions = tuple(getattr(table, "partition_columns", ()) or ())
        empty = getattr(table, "size_in_bytes", None) == 0
        buckets = getattr(table, "buckets", None)
        name, provider = relation.name, relation.provider
        named = {c.name for c in getattr(table, "columns", ()) if c.data_type == BINARY_TEXT}
        if any(a.name in named for a in columns):
            types = read or tuple([a.type for a in columns])
            read = tuple([BINARY_TEXT if a.name in named else t for a, t in zip(columns, types, strict=True)])
        files = (partitions, *filters, read, buckets, bucketing_off, empty)
        path = "" if name or table is None else " ".join(table.name.split())
        own = relation.output_set
        # The fields of `_metadata` follow the table's columns.
        all_columns = (*relation.output, *[a for a in columns if a.expr_id not in own])
        made = (columns, all_columns, name, provider, *files)
        return cls(*made, coalesced=0, in_order=False, row_by_row=False, path=path, tells_buckets=True)

    @lazy
    def output(self) -> tuple[AttributeReference, ...]:
        """The columns."""
        return self.columns

    @lazy
    def expressions(self) -> tuple[Expression, ...]:
        """The filters; the columns are its own."""
        return (*self.partition_filters, *self.data_filters)

    def map_expressions(self, f: Callable[[Expression], Expression], mask: int = -1) -> Self:
        """Only the filters are mapped, those on partitions first, as the scan holds them."""
        parts, data = (
            tuple(f(e) if e.bits & mask else e for e in filters)
            for filters in (self.partition_filters, self.data_filters)
        )
        return self.replace(
            data_filters=self.data_filters if data == self.data_filters else data,
            partition_filters=self.partition_filters if parts == self.partition_filters else parts,
        )

    @property
    def columnar(self) -> bool:
        """Whether the reader gives batches of columns: some formats do, where the settings let them."""
        return not self.row_by_row and self.provider.lower() in COLUMNAR

    @property
    def hidden_bucket(self) -> bool:
        """Whether the columns that the table is bucketed by are not all read."""
        names = {a.name.lower() for a in self.columns}
        return self.buckets is not None and not all(c.lower() in names for c in self.buckets.columns)

    @property
    def bucketed(self) -> bool:
        """Whether a partition is read from the files of one bucket."""
        return self.buckets is not None and not self.bucketing_off and not self.hidden_bucket

    @lazy
    def output_partitioning(self) -> Partitioning:
        """By the hash of the bucket columns where buckets are read one by one."""
        if not self.bucketed or self.buckets is None:
            return UnknownPartitioning(0)
        by_name = {a.name.lower(): a for a in self.columns}
        number = self.coalesced or self.buckets.number
        return HashPartitioning(number, tuple(by_name[c.lower()] for c in self.buckets.columns))

    @lazy
    def output_ordering(self) -> tuple[OutputOrder, ...]:
        """As the files of a bucket are sorted, where that is asked for; none where buckets are read together."""
        if not self.in_order or not self.bucketed or self.buckets is None or self.coalesced:
            return ()
        by_name = {a.name.lower(): a for a in self.columns}
        known = itertools.takewhile(by_name.__contains__, [c.lower() for c in self.buckets.sorted_by])
        return tuple([OutputOrder(by_name[c]) for c in known])

    @lazy
    def canonicalized(self) -> FileSourceScanExec:
        """Ids are the columns' positions in the table; the order of filters does not count."""
        positions = positions_of(self.relation)

        def normal(filters: tuple[Expression, ...]) -> tuple[Expression, ...]:
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
        fields = tuple(
            StructField(a.name, t, a.is_nullable)
            for a, t in zip(self.columns, self.read or [a.type for a in self.columns], strict=True)
            if a.name.lower() not in skip and CONSTANT not in a.metadata
        )
        return StructType(fields).simple_string

    @lazy
    def pushed_filters(self) -> tuple[str, ...]:
        """The filters that the reader takes, as it prints them."""
        return tuple(p for p in map(pushed, self.readable_filters) if p is not None)

    @property
    def readable_filters(self) -> list[Expression]:
        """The filters on columns that the format's reader can know: not every one knows nested fields."""
        nested = self.provider.lower() in _NESTED_FILTERS
        constant = {a.expr_id for a in self.columns if CONSTANT in a.metadata}
        taken = [f for f in self.data_filters if nested or not f.bits & GetStructField.BIT]
        return [f for f in taken if not constant & f.references]

    @property
    def metadata(self) -> dict[str, str]:
        """What plans print of the scan, in their order (Spark: FileSourceScanExec.metadata)."""
        kind = _FORMATS.get(self.provider.lower(), self.provider)
        return {
            "Batched": str(self.columnar).lower(),
            **self._bucketing,
            "DataFilters": bracketed(self.data_filters),
            "Format": kind,
            "Location": f"{self.file_index}[{self.table[-1] if self.table else self.path}]",
            "PartitionFilters": bracketed(self.partition_filters),
            "PushedFilters": bracketed(self.pushed_filters),
            "ReadSchema": self.read_schema,
            **self._selected,
        }

    @property
    def line_metadata(self) -> dict[str, str]:
        """The same as its line shows it; planviz never shortens a value."""
        return self.metadata

    @lazy
    def simple_string(self) -> str:
        """FileScan parquet table[columns] Batched: true, DataFilters: ... ReadSchema: struct<...>."""
        name = ".".join(self.table)
        shown = ", ".join(f"{k}: {v}" for k, v in self.line_metadata.items())
        return f"FileScan {self.provider} {name}[{','.join(map(str, self.columns))}] {shown}"

    @property
    def file_index(self) -> str:
        """Who lists the files: the catalogue where nothing is known about the wanted partitions before running."""
        static = any(not e.bits & (PlanHolder.BIT | SubqueryExpression.BIT) for e in self.partition_filters)
        if self.partition_columns and not static and self.table:
            return "CatalogFileIndex(1 paths)"
        return f"InMemoryFileIndex({0 if self.partition_columns and self.empty else 1} paths)"

    @property
    def _bucketing(self) -> dict[str, str]:
        if self.buckets is None or not self.tells_buckets:
            return {}
        if self.bucketed:
            return {"Bucketed": "true"}
        return {"Bucketed": f"false ({self.bucketing_off or 'bucket column(s) not read'})"}

    @property
    def buckets_read(self) -> int:
        """How many buckets the filters leave; Spark prunes those of one column only. 0 for a table without buckets."""
        if self.buckets is None:
            return 0
        number, by = self.buckets.number, self.buckets.columns
        return len(selected_buckets(self.data_filters, by[0], number)) if len(by) == 1 else number

    @property
    def _selected(self) -> dict[str, str]:
        if self.buckets is None or not self.bucketed:
            return {}
        number, read = self.buckets.number, self.buckets_read
        together = f" (Coalesced to {self.coalesced})" if self.coalesced else ""
        return {"SelectedBucketsCount": f"{read} out of {number}{together}"}
