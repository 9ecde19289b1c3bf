"""CREATE and DROP: tables, views, functions, variables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from planviz.expressions.casts import Cast
from planviz.expressions.core import Alias, Expression, Literal, lit
from planviz.expressions.ids import next_id
from planviz.expressions.subqueries import ScalarSubquery
from planviz.expressions.unresolved import UnresolvedAlias, UnresolvedStar
from planviz.frontend.commands import CommandReader
from planviz.frontend.lexer import END, WORD
from planviz.frontend.model import Statement, StatementKind
from planviz.frontend.query import QUERY_WORDS
from planviz.logical.operators import Project
from planviz.logical.plan import LogicalPlan
from planviz.logical.relations import OneRowRelation
from planviz.logical.unresolved import UnresolvedRelation
from planviz.types import STRING as TEXT
from planviz.types import UNKNOWN, DataType, StringType, StructField, StructType, with_default

#: What the datasets of a declarative pipeline are created as.
_DATASET_WORDS = ("PRIVATE", "STREAMING", "LIVE", "MATERIALIZED", "INCREMENTAL")
#: Clauses of CREATE TABLE that may stand there once.
_CLAUSES = frozenset(("USING", "OPTIONS", "PARTITIONED", "CLUSTERED", "LOCATION", "COMMENT", "TBLPROPERTIES"))

#: All words of these clauses, and of those of Hive's tables: a table has no others behind its columns.
_CLAUSE_WORDS = _CLAUSES | {
    "AS", "AUTO", "BUCKETS", "BY", "CLUSTER", "COLLATION", "COLLECTION", "DEFAULT", "DEFINED", "DELIMITED",
    "DIRECTORIES", "ESCAPED", "FIELDS", "FORMAT", "INPUTFORMAT", "INTO", "ITEMS", "KEYS", "LINES", "MAP", "NONE",
    "NULL", "ON", "OUTPUTFORMAT", "ROW", "SERDE", "SERDEPROPERTIES", "SKEWED", "SORTED", "STORED", "TERMINATED",
    "WITH",
}  # fmt: skip


def _with_collation(plan: LogicalPlan, text: StringType) -> LogicalPlan:
    """A view's query with the constants and casts that name no collation under the view's default collation."""

    def one(e: Expression) -> Expression:
        return e.replace(type=text) if isinstance(e, Literal | Cast) and e.type is TEXT else e

    return plan if text is TEXT else plan.transform_all_expressions(one, Literal.BIT | Cast.BIT)


class DefinitionReader(CommandReader):
    """Reads statements that make or drop something."""

    def _commanding(self, kind: StatementKind) -> Callable[[int], Statement]:
        """A statement of a kind with the command that it is, where that is about a table or a database."""

        def read(start: int) -> Statement:
            words = self.peek() + (f" {self.peek(1)}" if self.kinds[self.at + 1] == WORD else "")
            command = self.command()
            return Statement(kind, self.source(start), self.tokens.starts[start], words=words, command=command)

        return read

    def _end(self) -> None:
        if self.kind != END and not self.sees(";"):
            self.ended()

    def _rest(self, made: Statement, start: int) -> Statement:
        while self.kind != END and not self.sees(";"):
            self.at += 1
        return replace(made, sql=self.source(start))

    def _object(self, kind: StatementKind) -> Callable[[int], Statement]:
        def read(start: int) -> Statement:
            self.at += 1
            words = self.take().upper()
            if self.accept("IF", "EXISTS"):
                words += " IF EXISTS"
            name = self.identifier_parts()
            return self._rest(Statement(kind, "", self.tokens.starts[start], name=name, words=words), start)

        return read

    def _drop(self, start: int) -> Statement:
        if self.peek(1) == "FUNCTION" or self.sees("DROP", "TEMPORARY", "FUNCTION"):
            # The word before FUNCTION, which `_object` passes over.
            temporary = self.peek(1) == "TEMPORARY"
            self.at += temporary
            made = self._object("drop_function")(self.at)
            return replace(made, sql=self.source(start), words="TEMPORARY " * temporary + made.words)
        if self.peek(1) in ("DATABASE", "SCHEMA", "NAMESPACE"):
            return self._commanding("unsupported")(start)
        if self.peek(1) == "VARIABLE":
            self.at += 1
            self.fail("a variable is dropped by DROP TEMPORARY VARIABLE")
        if not self.sees("DROP", "TEMPORARY", "VARIABLE"):
            return self._object("drop")(start)
        self.at += 3
        words = "IF EXISTS" if self.accept("IF", "EXISTS") else ""
        name = self.identifier_parts()
        self._end()
        return Statement("drop_variable", self.source(start), self.tokens.starts[start], name=name, words=words)

    def _create(self, start: int) -> Statement:
        self.at += 1
        replaces = self.accept("OR", "REPLACE") or self.accept("OR", "REFRESH")
        words: list[str] = []
        if self.sees_any(*_DATASET_WORDS):
            return self._create_dataset(start)
        while self.sees_any("GLOBAL", "TEMPORARY", "TEMP", "EXTERNAL"):
            words.append("TEMPORARY" if self.peek() == "TEMP" else self.peek())
            self.at += 1
        if self.accept("FUNCTION"):
            return self._create_function(start, words, replaces)
        if self.accept("VIEW"):
            words += ["REPLACE"] * replaces + ["IF NOT EXISTS"] * self.sees("IF", "NOT", "EXISTS")
            view = self._create_view(start)
            return view if view.kind == "unsupported" else replace(view, words=" ".join(words))
        if not self.accept("TABLE"):
            self.at = start
            return self._commanding("unsupported")(start)
        words += ["REPLACE"] * replaces + ["IF NOT EXISTS"] * self.accept("IF", "NOT", "EXISTS")
        return self._create_table(start, words)

    def _create_dataset(self, start: int) -> Statement:
        """A streaming table, a materialized or a live view of a declarative pipeline: as a view of its query."""
        while self.sees_any(*_DATASET_WORDS):
            self.at += 1
        if not (self.accept("TABLE") or self.accept("VIEW")):
            self.fail("TABLE or VIEW was expected")
        self.accept("IF", "NOT", "EXISTS")
        self.in_pipeline = True
        name = self.dataset_name(self.identifier_parts())
        depth = 0
        while self.kind != END and (depth or not (self.sees(";") or (self.sees("AS") and self.peek(1) in QUERY_WORDS))):
            depth += {"(": 1, ")": -1}.get(self.peek(), 0)
            self.at += 1
        if not self.accept("AS"):
            return self._rest(Statement("unsupported", "", self.tokens.starts[start], words="CREATE"), start)
        plan = self.query()
        self._end()
        place = self.tokens.starts[start]
        return Statement("create_view", self.source(start), place, plan, name, words="TEMPORARY REPLACE")

    def _create_table(self, start: int, words: list[str]) -> Statement:
        made = Statement("create_table", "", self.tokens.starts[start], name=self.identifier_parts())
        self.notes, self.generated, self.collated, self.defaults = (), False, frozenset(), ()
        if self.sees("("):
            made = replace(made, columns=self.columns())
        if self.accept("LIKE"):
            words.append("LIKE")
            like = Project((UnresolvedStar(()),), UnresolvedRelation(self.identifier_parts()))
            made = replace(made, plan=like)
        made, clauses = self._table_clauses(made)
        again = next((c for i, c in enumerate(clauses) if c in clauses[:i]), None)
        if again is not None:
            raise self.error(
                "DUPLICATE_CLAUSES", f"Found duplicate clauses: {again}. Please remove one of them.", start
            )
        if "LOCATION" not in clauses and "EXTERNAL" in words and "REPLACE" not in words:
            words.append("NOWHERE")
        if self.generated:
            words.append("GENERATED")
        if not made.columns and made.plan is None and not clauses:
            words.append("UNTYPED")
        told = " ".join(words)
        return replace(made, sql=self.source(start), notes=self.notes, words=told, defaults=self.defaults)

    def _table_clauses(self, made: Statement) -> tuple[Statement, list[str]]:
        """The table with what stands behind its columns, and the words of the clauses that may stand there once."""
        found: list[str] = []
        text: StringType = TEXT
        while self.kind != END and not self.sees(";"):
            if self.peek() in _CLAUSES and self.tokens.texts[self.at - 1] != ",":
                found.append(self.peek())
            if self.accept("USING"):
                made = replace(made, provider=self.identifier_parts()[-1].lower())
            elif self.accept("STORED", "AS"):
                made = replace(made, provider=self.identifier().lower())
            elif self.accept("PARTITIONED", "BY"):
                partitions, more = self.partitions(made.columns)
                made = replace(made, partition_columns=partitions, columns=(*made.columns, *more))
            elif self.accept("CLUSTERED", "BY"):
                made = replace(made, buckets=self.buckets(made.columns))
            elif self.accept("DEFAULT", "COLLATION"):
                text = self.collation()
            elif self.sees("AS") and self.peek(1) in QUERY_WORDS:
                if made.columns:
                    raise self.error(
                        "_LEGACY_ERROR_TEMP_0035",
                        "Operation not allowed: a table made of a query has its columns; leave out the list of them.",
                    )
                self.at += 1
                made = replace(made, plan=self.query())
                self._end()
            elif self.sees("("):
                self._skip_parentheses()
            elif self.sees_any("PARTITIONED", "CLUSTERED"):
                self.at += 1
                self.expect("BY")
            elif self.kind == WORD and self.peek() not in _CLAUSE_WORDS:
                self.ended()  # passed over, a misspelt clause would give another table
            else:
                self.at += 1
        if text is not TEXT:
            made = replace(made, columns=tuple([self._under_collation(c, text) for c in made.columns]))
        return made, found

    def _under_collation(self, column: StructField, text: StringType) -> StructField:
        """A column under the table's default collation, unless it names its own."""
        if column.name in self.collated:
            return column
        return StructField(column.name, with_default(column.data_type, text), column.nullable)

    def _skip_parentheses(self) -> None:
        depth = 0
        while self.kind != END:
            depth += {"(": 1, ")": -1}.get(self.peek(), 0)
            self.at += 1
            if depth == 0:
                return

    def _create_function(self, start: int, words: list[str], replaces: bool) -> Statement:
        """CREATE FUNCTION name(parameters) [RETURNS type] ... RETURN body; of others the words alone."""
        made = ["TEMPORARY"] * ("TEMPORARY" in words) + ["REPLACE"] * replaces
        made += ["IF NOT EXISTS"] * self.accept("IF", "NOT", "EXISTS")
        name = self.identifier_parts()
        self._check_words(name, made, start)
        other = Statement("unsupported", "", self.tokens.starts[start], name=name, words="CREATE FUNCTION")
        if self.sees("("):
            self.came_with("a function in SQL")
        if not self.accept("("):
            return self._rest(other, start)
        columns: list[StructField] = []
        defaults: list[Expression | None] = []
        while not self.accept(")"):
            columns.append(self._typed())
            defaults.append(self.expression() if self.accept("DEFAULT") else None)
            if self.accept("COMMENT"):
                self.string()
            if not self.sees(")"):
                self.expect(",")
        returns: DataType = UNKNOWN
        if self.accept("RETURNS"):
            returns = self._returned_table(made) if self.accept("TABLE") else self.data_type()
        while not self.accept("RETURN"):
            made += ["CONTAINS SQL"] * self.sees("CONTAINS", "SQL")
            self.take()
        body = self._body("TABLE" in made, start)
        self._end()
        plan = Project((UnresolvedAlias(body), *(d or lit(None) for d in defaults)), OneRowRelation())
        fields = (StructField("", returns), *columns)
        given = tuple((c.name, "default") for c, d in zip(columns, defaults, strict=True) if d is not None)
        found = Statement("create_function", self.source(start), self.tokens.starts[start], plan, name, fields)
        return replace(found, options=given, words=" ".join(made))

    def _typed(self) -> StructField:
        """A parameter of a function, or a column that it returns: both may be null. Raises ParseError for NOT NULL."""
        made = StructField(self.identifier(), self.data_type())
        if self.sees("NOT", "NULL"):
            raise self.error(
                "USER_DEFINED_FUNCTIONS.NOT_NULL_ON_FUNCTION_PARAMETERS", f"{made.name} of a function may be null."
            )
        return made

    def _check_words(self, name: tuple[str, ...], words: list[str], start: int) -> None:
        """Raise ParseError for words of CREATE FUNCTION that do not go together."""
        if "IF NOT EXISTS" in words and "REPLACE" in words:
            raise self.error(
                "INVALID_SQL_SYNTAX.CREATE_ROUTINE_WITH_IF_NOT_EXISTS_AND_REPLACE",
                "A function is made IF NOT EXISTS or OR REPLACE, not both.", start,
            )  # fmt: skip
        if "TEMPORARY" not in words:
            return
        if "IF NOT EXISTS" in words:
            raise self.error(
                "INVALID_SQL_SYNTAX.CREATE_TEMP_FUNC_WITH_IF_NOT_EXISTS",
                "CREATE TEMPORARY FUNCTION takes no IF NOT EXISTS.", start,
            )  # fmt: skip
        if tuple(p.lower() for p in name[:-1]) not in ((), ("session",), ("system", "session")):
            raise self.error(
                "INVALID_TEMP_OBJ_QUALIFIER",
                f"The temporary function {name[-1]} takes no database before its name.", start,
            )  # fmt: skip

    def _body(self, table: bool, start: int) -> Expression:
        """What a function returns: a query as a scalar subquery, one of a single value and no table as that value."""
        if self.sees_any(*QUERY_WORDS) and (table or not self.sees("(")):
            plan = self.query()
        elif table:
            raise self.error(
                "USER_DEFINED_FUNCTIONS.SQL_TABLE_UDF_BODY_MUST_BE_A_QUERY",
                "A function that returns a table needs a query.", start,
            )  # fmt: skip
        else:
            body = self.expression()
            if not isinstance(body, ScalarSubquery):
                return body
            plan = body.plan
        match plan:
            case Project((item,), OneRowRelation()) if not table:
                return item.child if isinstance(item, Alias | UnresolvedAlias) else item
        return ScalarSubquery(plan, (), next_id())

    def _returned_table(self, words: list[str]) -> DataType:
        """The columns behind RETURNS TABLE as a struct; unknown where the query is to tell them."""
        words.append("TABLE")
        if not self.accept("("):
            return UNKNOWN
        fields = self.separated(self._typed)
        self.expect(")")
        return StructType(tuple(fields))

    def _create_view(self, start: int) -> Statement:
        self.accept("IF", "NOT", "EXISTS")
        name = self.identifier_parts()
        names: tuple[str, ...] = ()
        if self.sees("("):
            self.expect("(")
            names = tuple(self.separated(self._view_column))
            self.expect(")")
        if self.sees("USING"):
            return self._rest(Statement("unsupported", "", self.tokens.starts[start], words="CREATE VIEW"), start)
        text: StringType = TEXT
        while self.kind != END and not (self.sees("AS") and self.peek(1) in QUERY_WORDS):
            if self.accept("DEFAULT", "COLLATION"):
                text = self.collation()
            else:
                self.at += 1
        self.expect("AS")
        plan = _with_collation(self.query(), text)
        self._end()
        columns = tuple(StructField(n, UNKNOWN) for n in names)
        return Statement("create_view", self.source(start), self.tokens.starts[start], plan, name, columns)

    def _view_column(self) -> str:
        name = self.identifier()
        if self.accept("COMMENT"):
            self.string()
        return name
