"""What commands give to a program: `spark.sql("SHOW TABLES")` has columns, and rows that nobody knows."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from planviz.catalog.tables import Catalog, Table
from planviz.expressions.core import AttributeReference
from planviz.expressions.ids import next_id
from planviz.logical.commands import CommandResult, CommandText
from planviz.logical.plan import bracketed
from planviz.types import BOOLEAN, STRING

_NAME = r"(?P<name>[\w.`<>$-]+)"
_SESSION = "V2SessionCatalog(spark_catalog)"


@dataclass(frozen=True)
class Asked:
    """A command as it was written: the words matched, the columns of its rows, and what the catalogue knows."""

    words: re.Match[str]
    columns: str
    catalog: Catalog

    @property
    def parts(self) -> list[str]:
        """The name that it is about."""
        return [p.strip("`") for p in (self.words["name"] or "").split(".") if p]

    @property
    def table(self) -> Table | None:
        """The table of that name."""
        return self.catalog.table(tuple(self.parts))

    @property
    def shown(self) -> str:
        """The table's whole name in quotes."""
        parts = self.parts if len(self.parts) > 1 else [self.catalog.current, *self.parts]
        whole = parts if len(parts) > 2 else ["spark_catalog", *parts]
        return ".".join(f"`{p}`" for p in whole)

    @property
    def resolved(self) -> CommandText:
        """The table as an analyzed plan has it."""
        name = ".".join(p.strip("`") for p in self.shown.split(".")[1:])
        table = self.table
        fields = () if table is None else table.columns
        columns = tuple(AttributeReference(f.name, f.data_type, True, next_id()) for f in fields)
        return CommandText(f"ResolvedTable {_SESSION}, {name}, V1Table({name}), {bracketed(columns)}")

    def named(self, what: str, kind: str = "Ddl", view: bool = True) -> CommandText:
        """The table as a parsed plan has it."""
        told = f"{what}, {str(view).lower()}, {kind}" if kind else f"{what}, {str(view).lower()}"
        word = "UnresolvedTableOrView" if kind else "UnresolvedTable"
        return CommandText(f"'{word} [{', '.join(self.parts)}], {told}")


@dataclass(frozen=True)
class Shown:
    """How plans show a command: as it was parsed, as it was analyzed, and its operator's line (None: Execute ...)."""

    parsed: CommandText
    analyzed: CommandText
    physical: str | None = None


def _tables(a: Asked) -> Shown:
    space = f"[{', '.join(a.parts)}]" if a.parts else f"[{a.catalog.current}]"
    parsed = CommandText(f"'UnresolvedNamespace {space}, false" if a.parts else "'CurrentNamespace$")
    like = a.words["like"]
    before = f"{like}, " if like else ""
    line = f"ShowTables {before}{a.columns}"
    analyzed = CommandText(line, (CommandText(f"ResolvedNamespace {_SESSION}, {space}"),))
    physical = f"ShowTables {a.columns}, {_SESSION}, {space}{f', {like}' if like else ''}"
    return Shown(CommandText(f"'{line}", (parsed,)), analyzed, physical)


def _databases(a: Asked) -> Shown:
    line = f"ShowNamespacesCommand {a.columns}"
    below = CommandText(f"ResolvedNamespace {_SESSION}")
    return Shown(CommandText(f"'{line}", (CommandText("'UnresolvedNamespace false"),)), CommandText(line, (below,)))


def _describe(a: Asked) -> Shown:
    whole = str(bool(a.words["extended"])).lower()
    parsed = CommandText(f"'DescribeRelation {whole}, {a.columns}", (a.named("DESCRIBE TABLE", "QueryLike"),))
    return Shown(parsed, CommandText(f"DescribeTableCommand {a.shown}, {whole}, {a.columns}", (a.resolved,)))


def _of_table(word: str, told: str) -> Callable[[Asked], Shown]:
    def shown(a: Asked) -> Shown:
        parsed = CommandText(f"'{word} {a.columns}", (a.named(told),))
        return Shown(parsed, CommandText(f"{word}Command {a.shown}, {a.columns}", (a.resolved,)))

    return shown


def _create(a: Asked) -> Shown:
    parsed = CommandText(f"'ShowCreateTable false, {a.columns}", (a.named("SHOW CREATE TABLE", view=False),))
    found = a.resolved
    line = f"ShowCreateTable {a.columns}"
    return Shown(parsed, CommandText(f"ShowCreateTable false, {a.columns}", (found,)), f"{line}, {found.text}")


def _partitions(a: Asked) -> Shown:
    parsed = CommandText(f"'ShowPartitions {a.columns}", (a.named("SHOW PARTITIONS", "", False),))
    return Shown(parsed, CommandText(f"ShowPartitionsCommand {a.shown}, {a.columns}"))


def _properties(a: Asked) -> Shown:
    name = a.shown.replace("`", "")
    parsed = CommandText(f"'ShowTableProperties {a.columns}", (a.named("SHOW TBLPROPERTIES"),))
    analyzed = CommandText(f"ShowTableProperties {a.columns}", (a.resolved,))
    return Shown(
        parsed, analyzed, f"ShowTableProperties {a.columns}, V1Table({name.removeprefix('spark_catalog.')}), {name}"
    )


def _functions(a: Asked) -> Shown:
    parsed = CommandText(f"'ShowFunctions true, true, {a.columns}", (CommandText("'CurrentNamespace$"),))
    return Shown(parsed, CommandText(f"ShowFunctionsCommand {a.catalog.current}, true, true, {a.columns}"))


def _views(a: Asked) -> Shown:
    parsed = CommandText(f"'ShowViews {a.columns}", (CommandText("'CurrentNamespace$"),))
    return Shown(parsed, CommandText(f"ShowViewsCommand {a.catalog.current}, {a.columns}"))


def _database(a: Asked) -> Shown:
    whole = str(bool(a.words["extended"])).lower()
    space = f"[{', '.join(a.parts)}]"
    below = CommandText(f"'UnresolvedNamespace {space}, false")
    parsed = CommandText(f"'DescribeNamespace {whole}, {a.columns}", (below,))
    physical = f"DescribeNamespace {a.columns}, {_SESSION}, {space}, {whole}"
    resolved = CommandText(f"ResolvedNamespace {_SESSION}, {space}")
    return Shown(parsed, CommandText(f"DescribeNamespace {whole}, {a.columns}", (resolved,)), physical)


def _set(a: Asked) -> Shown:
    key = a.words["key"]
    line = CommandText(f"SetCommand ({key},None)" if key else "SetCommand")
    return Shown(line, line)


def _alone(word: str) -> Callable[[Asked], Shown]:
    return lambda a: Shown(CommandText(word), CommandText(word))


_TABLE = rf"\s+{_NAME}\s*;?\s*$"
_KINDS: tuple[tuple[str, str, Callable[[Asked], Shown]], ...] = (
    (
        rf"show\s+tables(?:\s+(?:in|from)\s+{_NAME})?(?:\s+(?:like\s+)?'(?P<like>[^']*)')?\s*;?\s*$",
        "namespace tableName isTemporary?",
        _tables,
    ),
    (r"show\s+(?:databases|schemas|namespaces)\b(?P<name>)", "namespace", _databases),
    (r"show\s+catalogs\b(?P<name>)", "catalog", _alone("ShowCatalogsCommand")),
    (
        r"show\s+current\s+(?:namespace|database|schema)\b(?P<name>)",
        "catalog namespace",
        _alone("ShowCurrentNamespaceCommand"),
    ),
    (rf"show\s+columns\s+(?:in|from){_TABLE}", "col_name", _of_table("ShowColumns", "SHOW COLUMNS")),
    (rf"show\s+create\s+table{_TABLE}", "createtab_stmt", _create),
    (rf"show\s+partitions{_TABLE}", "partition", _partitions),
    (rf"show\s+tblproperties{_TABLE}", "key value", _properties),
    (r"show\s+(?:all\s+)?functions\s*;?\s*$(?P<name>)", "function", _functions),
    (r"show\s+views\s*;?\s*$(?P<name>)", "namespace viewName isTemporary?", _views),
    (
        rf"desc(?:ribe)?\s+(?:database|schema|namespace)\s+(?P<extended>extended\s+)?{_NAME}\s*;?\s*$",
        "info_name info_value",
        _database,
    ),
    (
        rf"desc(?:ribe)?\s+(?:table\s+)?(?P<extended>(?:extended|formatted)\s+)?(?!function\b|query\b|history\b|detail\b)"
        rf"{_NAME}\s*;?\s*$",
        "col_name data_type comment",
        _describe,
    ),
    (r"set\s+(?P<key>[\w.]+)\s*;?\s*$(?P<name>)", "key value", _set),
    (r"set\s*;?\s*$(?P<name>)(?P<key>)", "key value", _set),
)
#: The longest text that is looked at for a command.
_LONGEST = 2_000


def command_rows(text: str, catalog: Catalog) -> tuple[CommandResult, CommandText] | None:
    """What a command gives, and the command as it was parsed; None for any other text."""
    if len(text) > _LONGEST:
        return None
    written = re.sub(r"^(?:\s+|--[^\n]*\n)+", "", text)
    for pattern, names, shown in _KINDS:
        words = re.match(pattern, written, re.IGNORECASE)
        if words is None:
            continue
        columns = tuple(
            AttributeReference(n.rstrip("?"), BOOLEAN if n.endswith("?") else STRING, False, next_id())
            for n in names.split()
        )
        found = shown(Asked(words, bracketed(columns), catalog))
        physical = found.physical or f"Execute {found.analyzed.text.split(' ')[0]}"
        return CommandResult(columns, physical, found.analyzed, found.physical is None), found.parsed
    return None
