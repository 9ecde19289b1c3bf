"""Commands about tables, views and databases: which object each is about, and the query that it holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from planviz.errors import ParseError
from planviz.expressions.core import Expression
from planviz.expressions.unresolved import UnresolvedAlias, UnresolvedAttribute, UnresolvedStar
from planviz.frontend.columns import ColumnReader
from planviz.frontend.lexer import END, QUOTED, WORD
from planviz.frontend.query import QUERY_WORDS
from planviz.logical.combining import Join
from planviz.logical.operators import Filter, Project, SubqueryAlias
from planviz.logical.plan import LogicalPlan
from planviz.logical.unresolved import UnresolvedRelation
from planviz.types import UNKNOWN, StructField

#: The words before the name of a table, of commands that need one and change nothing that a plan depends on.
_ABOUT_TABLES = (
    ("ALTER", "TABLE"), ("ANALYZE", "TABLE"), ("COMMENT", "ON", "TABLE"), ("MSCK", "REPAIR", "TABLE"),
    ("REFRESH", "TABLE"), ("REPAIR", "TABLE"), ("SHOW", "COLUMNS", "FROM"), ("SHOW", "COLUMNS", "IN"),
    ("SHOW", "CREATE", "TABLE"), ("SHOW", "PARTITIONS"), ("SHOW", "TBLPROPERTIES"), ("TRUNCATE", "TABLE"),
    ("ALTER", "VIEW"), ("DESCRIBE", "TABLE"), ("DESC", "TABLE"), ("REPLACE", "TABLE"), ("COMMENT", "ON", "COLUMN"),
)  # fmt: skip
#: What else DESCRIBE and DESC are about.
_NO_TABLE = frozenset(
    ("QUERY", "FUNCTION", "DATABASE", "SCHEMA", "NAMESPACE", "CATALOG", "PROCEDURE", "SELECT", "WITH", "VALUES",
     "FROM", "MAP", "REDUCE", "(", "EXTENDED", "FORMATTED")
)  # fmt: skip
_DATABASE = ("DATABASE", "SCHEMA", "NAMESPACE")
#: What is shown or analyzed of a database that is named behind it.
_OF_DATABASES = (
    ("SHOW", "TABLES"), ("SHOW", "VIEWS"), ("SHOW", "TABLE", "EXTENDED"), ("SHOW", "FUNCTIONS"),
    ("SHOW", "USER", "FUNCTIONS"), ("SHOW", "SYSTEM", "FUNCTIONS"), ("SHOW", "ALL", "FUNCTIONS"), ("ANALYZE", "TABLES"),
)  # fmt: skip


@dataclass(frozen=True)
class Command:
    """What a command is about.

    `verb` is its first words, `name` the table, view or database, `plan` the query that it reads, or what it reads of
    the table (None: not read), `columns` those that it names or adds, `partition` those of PARTITION, each with its
    value as text (None: the query gives it), `other` the new name of RENAME TO, `flags` among IF EXISTS, IF NOT EXISTS,
    BY NAME, OVERWRITE, CASCADE, ADD, UNSUPPORTED (no table of Spark's own catalogue can do it), EMPTY (MERGE without
    WHEN), PARTITION (it is about one), NOT NULL (a column that it adds is), SERDE (SHOW CREATE TABLE in Hive's words).
    `changed` are the rows that UPDATE, DELETE or MERGE changes, `parts` what else it reads of its tables: each a query
    of its own. `path` is the column, with its fields, that it is about, and `fields` how that one is to be.
    """

    verb: str
    name: tuple[str, ...]
    plan: LogicalPlan | None = None
    columns: tuple[StructField, ...] = ()
    partition: tuple[tuple[str, str | None], ...] = ()
    other: tuple[str, ...] = ()
    flags: frozenset[str] = frozenset()
    changed: LogicalPlan | None = None
    parts: tuple[LogicalPlan, ...] = ()
    path: tuple[str, ...] = ()
    fields: tuple[StructField, ...] = ()

    @property
    def statics(self) -> tuple[str, ...]:
        """The columns of PARTITION with a value."""
        return tuple(name for name, value in self.partition if value is not None)


@dataclass(frozen=True)
class _When:
    """A WHEN clause of MERGE: `kind` is MATCHED, NOT MATCHED or NOT MATCHED BY SOURCE, `columns` those of the target
    that it sets, `reads` its condition and its values.
    """

    kind: str
    columns: tuple[tuple[str, ...], ...]
    reads: tuple[Expression, ...]


#: What of ALTER TABLE no table of Spark's own catalogue takes.
_UNSUPPORTED = (
    ("ADD", "CONSTRAINT"), ("DROP", "COLUMN"), ("DROP", "COLUMNS"), ("RENAME", "COLUMN"), ("REPLACE", "COLUMNS"),
)  # fmt: skip
#: What of ALTER TABLE is about partitions.
_PARTITIONS = (
    ("ADD", "PARTITION"), ("ADD", "IF", "NOT", "EXISTS", "PARTITION"), ("DROP", "PARTITION"),
    ("DROP", "IF", "EXISTS", "PARTITION"), ("PARTITION", "("),
)  # fmt: skip

#: How MERGE joins the target with the source, by whether there are clauses for rows of the source alone and of the
#: target alone (Spark: RewriteMergeIntoTable.chooseWriteDeltaJoinType).
_MERGED = {
    (False, False): "Inner",
    (True, False): "RightOuter",
    (False, True): "LeftOuter",
    (True, True): "FullOuter",
}


class CommandReader(ColumnReader):
    """Reads commands."""

    def command(self) -> Command | None:
        """The command at the cursor, which goes to its end; None for one that is about no table or database.

        What stands behind the name is read where it matters and passed over where it has another form. Raises
        ParseError for a statement that writes or changes rows and cannot be read.
        """
        start = self.at
        try:
            found = self._command()
        except ParseError:
            if self.keys[start] in ("INSERT", "MERGE", "UPDATE", "DELETE"):
                raise
            self.at = start
            found = None
        while self.kind != END and not self.sees(";"):
            self.at += 1
        return found

    def _command(self) -> Command | None:
        first = self.peek()
        if first == "INSERT":
            return self.insert()
        if first == "UPDATE":
            return self._update()
        if self.accept("DELETE"):
            self.expect("FROM")
            return self._delete()
        if first == "MERGE":
            return self._merge()
        if first in ("CREATE", "DROP", "USE", "DESCRIBE", "DESC", "ALTER") and self.peek(1) in _DATABASE:
            return self._database(first)
        if self.accept("USE") and not self.sees("CATALOG"):
            return Command("USE DATABASE", self.identifier_parts())
        if self.sees("COMMENT", "ON") and self.peek(2) in _DATABASE:
            self.at += 3
            return Command("COMMENT ON DATABASE", self.identifier_parts())
        if first in ("DESCRIBE", "DESC", "REFRESH") and self.peek(1) == "FUNCTION":
            self.at += 2
            self.accept("EXTENDED")
            return Command(f"{'REFRESH' if first == 'REFRESH' else 'DESCRIBE'} FUNCTION", self.identifier_parts())
        for words in _OF_DATABASES:
            if self.accept(*words):
                if not (self.accept("FROM") or self.accept("IN")):
                    return None
                return Command(f"{' '.join(words)} OF DATABASE", self.identifier_parts())
        if self.accept("LOAD", "DATA"):
            while not self.sees("INTO", "TABLE"):
                self.take()
            self.at += 2
            return Command("LOAD DATA", self.identifier_parts())
        if first in ("DESCRIBE", "DESC") and self.peek(1) not in (*_NO_TABLE, "TABLE"):
            self.at += 1
            return self._described(Command("DESCRIBE TABLE", self.identifier_parts()))
        for words in _ABOUT_TABLES:
            if self.accept(*words):
                if first in ("DESCRIBE", "DESC") and self.sees_any("EXTENDED", "FORMATTED"):
                    self.at += 1
                return self._about(" ".join(words))
        return None

    def _about(self, verb: str) -> Command:
        flags = frozenset(("IF EXISTS",)) if self.accept("IF", "EXISTS") else frozenset[str]()
        found = Command(verb, self.identifier_parts(), flags=flags)
        if verb == "REPLACE TABLE":
            return replace(found, flags=frozenset(("UNSUPPORTED",)))
        if verb in ("DESCRIBE TABLE", "DESC TABLE"):
            return self._described(replace(found, verb="DESCRIBE TABLE"))
        if verb == "COMMENT ON COLUMN":
            return replace(found, name=found.name[:-1], path=found.name[-1:])
        if verb.startswith("SHOW COLUMNS") and (self.accept("FROM") or self.accept("IN")):
            return replace(found, name=(*self.identifier_parts(), found.name[-1]))
        if verb == "SHOW CREATE TABLE" and self.sees("AS", "SERDE"):
            return replace(found, flags=frozenset(("SERDE",)))
        if verb == "TRUNCATE TABLE" and self.sees("PARTITION"):
            return replace(found, flags=frozenset(("PARTITION",)))
        if verb == "ANALYZE TABLE":
            while self.kind != END and not self.sees(";") and not self.sees("FOR", "COLUMNS"):
                self.at += 1
            names = self.separated(self.identifier) if self.accept("FOR", "COLUMNS") else []
            return replace(found, columns=tuple(StructField(n, UNKNOWN) for n in names))
        if not verb.startswith("ALTER"):
            return found
        if self.accept("RENAME", "TO"):
            return replace(found, other=self.identifier_parts())
        if verb == "ALTER VIEW" and self.accept("AS"):
            return replace(found, plan=self.query())
        if self.sees("ADD") and self.peek(1) in ("COLUMN", "COLUMNS"):
            self.at += 2
            start = self.at
            columns = self.columns() if self.sees("(") else (self._added(),)
            while self.kind != END and not self.sees(";"):
                self.at += 1
            required = ("NOT", "NULL") in pairwise(self.keys[start : self.at])
            return replace(found, columns=columns, flags=flags | {"ADD"} | ({"NOT NULL"} if required else set()))
        if any(self.sees(*w) for w in _PARTITIONS):
            return replace(found, flags=flags | {"PARTITION"})
        if self.sees_any("ALTER", "CHANGE") and verb == "ALTER TABLE":
            return self._altered_column(found)
        return replace(found, flags=flags | {"UNSUPPORTED"}) if any(self.sees(*w) for w in _UNSUPPORTED) else found

    def _described(self, found: Command) -> Command:
        if self.sees("PARTITION", "("):
            return replace(found, flags=frozenset(("PARTITION",)))
        named = self.kind in (WORD, QUOTED) and not self.sees("AS", "JSON")
        return replace(found, path=self.identifier_parts()) if named else found

    def _altered_column(self, found: Command) -> Command:
        """ALTER COLUMN name TYPE type, and CHANGE COLUMN name new type; what else is altered is passed over."""
        word = self.take().upper()
        self.accept("COLUMN")
        found = replace(found, path=self.identifier_parts())
        if word == "CHANGE" and self.kind in (WORD, QUOTED) and not self.sees_any("TYPE", "COMMENT", "FIRST", "AFTER"):
            return replace(found, fields=(StructField(self.identifier(), self.data_type()),))
        if self.accept("TYPE"):
            return replace(found, fields=(StructField(found.path[-1], self.data_type()),))
        return found

    def _added(self) -> StructField:
        return StructField(self.identifier(), self.data_type())

    def _database(self, verb: str) -> Command:
        self.at += 2
        flags = set()
        if self.accept("IF", "NOT", "EXISTS"):
            flags.add("IF NOT EXISTS")
        if self.accept("IF", "EXISTS"):
            flags.add("IF EXISTS")
        if self.accept("EXTENDED"):
            flags.add("EXTENDED")
        name = self.identifier_parts()
        if self.accept("CASCADE"):
            flags.add("CASCADE")
        return Command(f"{'DESCRIBE' if verb == 'DESC' else verb} DATABASE", name, flags=frozenset(flags))

    def insert(self, source: LogicalPlan | None = None) -> Command:
        """INSERT with its query; `source` is a FROM clause that stands before it. Raises ParseError.

        A form that is not known has its table alone.
        """
        self.at += 1
        flags: set[str] = set()
        self.accept("WITH", "SCHEMA", "EVOLUTION")
        if self.accept("OVERWRITE"):
            flags.add("OVERWRITE")
        else:
            self.expect("INTO")
        if self.sees("DIRECTORY") or self.sees("LOCAL", "DIRECTORY"):
            return self._directory(source)
        self.accept("TABLE")
        name = self.identifier_parts()
        found = Command("INSERT", name)
        try:
            partition = self._partition() if self.accept("PARTITION") else ()
            if self.accept("IF", "NOT", "EXISTS"):
                flags.add("IF NOT EXISTS")
            if self.sees("BY", "NAME"):
                self.came_with("INSERT BY NAME")
                self.at += 2
                flags.add("BY NAME")
            if self.accept("REPLACE"):
                flags.add("UNSUPPORTED")
                if not self.accept("WHERE"):
                    return replace(found, flags=frozenset(flags))
                self.expression()
            columns: tuple[StructField, ...] = ()
            if self.sees("(") and self.peek(1) not in ("SELECT", "WITH", "FROM", "VALUES", "TABLE", "("):
                columns = tuple(StructField(n, UNKNOWN) for n in self.identifier_list())
        except ParseError as error:
            if self.sees("BY", "NAME") or error.error_class == "DUPLICATE_KEY":
                raise
            return found
        at = self.at
        plan = self._inserted(source)
        if "DEFAULT" in self.keys[at : self.at]:
            # It stands for what the table's column has: the query alone does not tell.
            flags.add("DEFAULTS")
        return replace(found, plan=plan, columns=columns, partition=partition, flags=frozenset(flags))

    def _inserted(self, source: LogicalPlan | None) -> LogicalPlan:
        plan = self.query() if source is None else self.query_from(source)
        if self.kind != END and not self.sees(";") and (source is None or not self.sees("INSERT")):
            raise self.syntax_error()
        return plan

    def _directory(self, source: LogicalPlan | None) -> Command:
        """INSERT OVERWRITE [LOCAL] DIRECTORY ['path'] [USING format [OPTIONS (...)]] query: it is about no table."""
        depth = 0
        while self.kind != END and (depth or not self.sees_any(*QUERY_WORDS) or self.sees("(")):
            depth += {"(": 1, ")": -1}.get(self.peek(), 0)
            self.at += 1
        return Command("INSERT", (), self._inserted(source), flags=frozenset(("OVERWRITE", "DIRECTORY")))

    def _partition(self) -> tuple[tuple[str, str | None], ...]:
        self.expect("(")
        found: list[tuple[str, str | None]] = []
        before: set[str] = set()
        while True:
            at, name = self.at, self.identifier()
            if name.lower() in before:
                raise self.error("DUPLICATE_KEY", f"Found the duplicate key `{name}`; name it once.", at)
            before.add(name.lower())
            found.append((name, str(self.value()) if self.accept("=") else None))
            if not self.accept(","):
                break
        self.expect(")")
        return tuple(found)

    def _target(self) -> tuple[tuple[str, ...], LogicalPlan]:
        name = self.identifier_parts()
        relation: LogicalPlan = UnresolvedRelation(name)
        if self.accept("AS") or (
            self.kind in (WORD, QUOTED) and not self.sees_any("SET", "WHERE", "USING", "ON", "WHEN")
        ):
            relation = SubqueryAlias((self.identifier(),), relation)
        return name, relation

    def _delete(self) -> Command:
        name, relation = self._target()
        plan = Filter(self.expression(), relation) if self.accept("WHERE") else relation
        self._ends()
        rows = Project((UnresolvedStar(),), plan)
        return Command("DELETE", name, plan, flags=frozenset(("UNSUPPORTED",)), changed=rows)

    def _update(self) -> Command:
        self.at += 1
        name, relation = self._target()
        self.expect("SET")
        pairs = self.separated(self._set_pair)
        if self.accept("WHERE"):
            relation = Filter(self.expression(), relation)
        self._ends()
        items = tuple(UnresolvedAlias(e) for pair in pairs for e in pair)
        values = tuple(UnresolvedAlias(pair[1]) for pair in pairs if len(pair) > 1)
        rows = Project((UnresolvedStar(), *values), relation)
        return Command("UPDATE", name, Project(items, relation), flags=frozenset(("UNSUPPORTED",)), changed=rows)

    def _ends(self) -> None:
        if self.kind != END and not self.sees(";"):
            raise self.syntax_error()

    def _set_pair(self) -> tuple[Expression, ...]:
        column: Expression = UnresolvedAttribute(self.identifier_parts())
        self.expect("=")
        return (column,) if self.accept("DEFAULT") else (column, self.expression())

    def _merge(self) -> Command:
        self.at += 1
        self.accept("WITH", "SCHEMA", "EVOLUTION")
        self.expect("INTO")
        name, target = self._target()
        self.expect("USING")
        source = self.relation()
        self.expect("ON")
        on = self.expression()
        found = Command("MERGE", name, Join(target, source, "Inner", on), flags=frozenset(("UNSUPPORTED",)))
        clauses = self._whens()
        if not clauses:
            return replace(found, flags=found.flags | {"EMPTY"})
        kinds = {c.kind for c in clauses}
        if kinds == {"NOT MATCHED"}:
            joined = Join(source, target, "LeftAnti", on)
        else:
            joined = Join(target, source, _MERGED["NOT MATCHED" in kinds, "NOT MATCHED BY SOURCE" in kinds], on)
        alias = target.name if isinstance(target, SubqueryAlias) else name
        return replace(
            found, changed=Project((UnresolvedStar(),), joined), parts=_parts(clauses, alias, target, source, on)
        )

    def _whens(self) -> list[_When]:
        """The WHEN clauses, to the end of the statement. Raises ParseError for what is none."""
        found = []
        while self.kind != END and not self.sees(";"):
            found.append(self._when())
        return found

    def _when(self) -> _When:
        self.expect("WHEN")
        kind = "MATCHED"
        if self.accept("NOT"):
            self.expect("MATCHED")
            kind = "NOT MATCHED BY SOURCE" if self.accept("BY", "SOURCE") else "NOT MATCHED"
            self.accept("BY", "TARGET")
        else:
            self.expect("MATCHED")
        reads = (self.expression(),) if self.accept("AND") else ()
        self.expect("THEN")
        if not self.sees_any(*(("INSERT",) if kind == "NOT MATCHED" else ("DELETE", "UPDATE"))):
            raise self.syntax_error()
        if self.accept("DELETE"):
            return _When(kind, (), reads)
        if self.accept("UPDATE"):
            self.expect("SET")
            if self.accept("*"):
                return _When(kind, (), reads)
            pairs = self.separated(self._set_column)
            return _When(kind, tuple(c for c, _ in pairs), (*reads, *(v for _, values in pairs for v in values)))
        self.expect("INSERT")
        if self.accept("*"):
            return _When(kind, (), reads)
        self.expect("(")
        columns = self.separated(self.identifier_parts)
        self.expect(")")
        self.expect("VALUES")
        self.expect("(")
        values = [v for many in self.separated(self._value_or_default) for v in many]
        self.expect(")")
        return _When(kind, tuple(columns), (*reads, *values))

    def _set_column(self) -> tuple[tuple[str, ...], tuple[Expression, ...]]:
        column = self.identifier_parts()
        self.expect("=")
        return column, self._value_or_default()

    def _value_or_default(self) -> tuple[Expression, ...]:
        return () if self.accept("DEFAULT") else (self.expression(),)


def _parts(
    clauses: Sequence[_When], alias: tuple[str, ...], target: LogicalPlan, source: LogicalPlan, on: Expression
) -> tuple[LogicalPlan, ...]:
    """What the clauses of MERGE read: of matched rows both sides, of others the side that has them."""
    set_columns = [
        c[len(alias) :] if c[: len(alias)] == alias and len(c) > len(alias) else c for w in clauses for c in w.columns
    ]
    of_target = [UnresolvedAttribute((*alias, *column)) for column in set_columns]
    reads = {
        kind: [e for w in clauses if w.kind == kind for e in w.reads]
        for kind in ("MATCHED", "NOT MATCHED", "NOT MATCHED BY SOURCE")
    }
    sides: list[tuple[Sequence[Expression], LogicalPlan]] = [
        (reads["MATCHED"], Join(target, source, "Inner", on)),
        (reads["NOT MATCHED"], source),
        ([*of_target, *reads["NOT MATCHED BY SOURCE"]], target),
    ]
    return tuple(Project(tuple(map(UnresolvedAlias, items)), plan) for items, plan in sides if items)


__all__ = ["Command", "CommandReader"]
