"""Whole statements and scripts of several."""

from __future__ import annotations

from dataclasses import replace

from planviz.errors import ParseError
from planviz.expressions.core import Alias, Expression, Literal, lit
from planviz.expressions.ids import next_id
from planviz.expressions.unresolved import UnresolvedAlias
from planviz.frontend.blocks import BlockReader
from planviz.frontend.dialect import NEWEST, Dialect
from planviz.frontend.elsewhere import COMMANDS, unquoted_dates
from planviz.frontend.lexer import END, STRING, WORD, tokenize, with_quoted_names
from planviz.frontend.model import Statement, StatementKind
from planviz.frontend.parameters import Parameters
from planviz.frontend.query import QUERY_WORDS
from planviz.logical.operators import Project
from planviz.logical.plan import LogicalPlan
from planviz.logical.relations import OneRowRelation
from planviz.types import DayTimeIntervalType, StructField

#: Longest text that is read, in characters.
MAX_LENGTH = 2_000_000


class StatementReader(BlockReader):
    """Reads statements."""

    def statements(self) -> list[Statement]:
        """What stands before the next semicolon or the end: one statement, those of a block, or one for each table that
        a FROM writes to.

        What EXPLAIN explains is a query like any other: of an INSERT or a CREATE that whose rows are written.
        """
        if self.sees("BEGIN") and not self.scopes and self.peek(1) not in _TRANSACTION:
            return self.script_block()
        if self._describes_query():
            return [self._described_query()]
        start, explained = self.at, self._explains()
        if self.sees("WITH") and self._changes():
            found = [self._with_change()]
        elif self.sees_any("FROM", "WITH") and self._writes():
            found = self._inserts()
        else:
            found = [self._statement()]
        return [self._explained(s, start) for s in found] if explained else found

    def _describes_query(self) -> bool:
        """Whether DESCRIBE [QUERY] stands before a query, which is analyzed and not carried out."""
        if not self.sees_any("DESCRIBE", "DESC"):
            return False
        return self.peek(1) in _DESCRIBED or (self.peek(1) == "QUERY" and self.peek(2) in QUERY_WORDS)

    def _described_query(self) -> Statement:
        start = self.at
        self.at += 1 + (self.peek(1) == "QUERY")
        plan = self.query()
        self._end()
        return Statement("explain", self.source(start), self.tokens.starts[start], plan)

    def _explained(self, s: Statement, start: int) -> Statement:
        """What EXPLAIN, at a token, explains: a query, or what has a plan of another statement, which is not done."""
        if s.kind == "query":
            return s
        text = self.source(start)
        plan = s.plan if s.kind in ("create_view", "cache") else s.written or s.changed
        if plan is None:
            return Statement("unsupported", text, self.tokens.starts[start], words="EXPLAIN")
        notes = (*s.notes, s.remark) if s.remark else s.notes
        command = s.command if s.written is not None else None
        return Statement("explain", text, self.tokens.starts[start], plan, notes=notes, command=command)

    def _explains(self) -> bool:
        """Whether EXPLAIN stands before something that has a plan; the cursor goes behind it: a live Spark is given
        the rest alone."""
        behind = 1 + (self.peek(1) in ("EXTENDED", "CODEGEN", "COST", "FORMATTED", "LOGICAL"))
        explained = self.sees("EXPLAIN") and self.peek(behind) in (*QUERY_WORDS, *_WRITING)
        if self.sees("EXPLAIN") and self.kinds[self.at + 1] == WORD and self.peek(behind) not in _STATEMENTS:
            self.at += behind
            self.fail("a statement was expected behind EXPLAIN")
        self.at += behind if explained else 0
        return explained

    def _statement(self) -> Statement:
        start = self.at
        first = self.peek()
        if first in QUERY_WORDS:
            plan = self.query()
            self._end()
            notes = unquoted_dates(self.tokens, start, self.at)
            return Statement("query", self.source(start), self.tokens.starts[start], plan, notes=notes)
        reader = {
            "CREATE": self._create,
            "SET": self._set_statement,
            "RESET": self._reset,
            "DROP": self._drop,
            "DECLARE": self._declare,
            "ANALYZE": self._commanding("analyze"),
            "EXECUTE": self._execute,
            "INSERT": self._commanding("insert"),
            "CACHE": self._cache,
            "UNCACHE": self._uncache,
            "CLEAR": self._clear_cache,
            "USE": self._commanding("unsupported"),
        }.get(first)
        if first in _NEVER_ALONE and (self.kinds[start + 1] == END or self.keys[start + 1] == ";"):
            self.at += 1
            self.fail("it does not say what of")
        if reader is not None:
            return reader(start)
        if self.kind == WORD and first in _OTHER_STATEMENTS:
            return self._commanding("unsupported")(start)
        whose = COMMANDS.get(first)
        raise self.syntax_error(f"{first} is a command of {whose}, not of Spark, and has no plan" if whose else "")

    def _inserts(self) -> list[Statement]:
        """WITH ... INSERT INTO a SELECT ..., or [WITH ...] FROM t INSERT INTO a SELECT ... INSERT INTO b SELECT ..."""
        start = self.at
        defined = self.definitions() if self.sees("WITH") else None
        source = self.from_clause() if self.accept("FROM") else None
        found: list[Statement] = []
        while self.sees("INSERT"):
            start = self.at if found else start
            command = self.insert(source)
            if command.plan is not None and defined is not None:
                command = replace(command, plan=defined(command.plan))
            made = Statement("insert", self.source(start), self.tokens.starts[start], words="INSERT", command=command)
            found.append(made)
            if source is None:
                break
        self._end()
        return found

    def _with_change(self) -> Statement:
        """WITH q AS (...) MERGE INTO ..., UPDATE ... or DELETE FROM ..., each of whose queries sees the definitions."""
        start = self.at
        defined = self.definitions()
        made = self._statement()
        c = made.command
        if c is not None:
            plan, changed = (defined(p) if p is not None else None for p in (c.plan, c.changed))
            c = replace(c, plan=plan, changed=changed, parts=tuple(map(defined, c.parts)))
        return replace(made, sql=self.source(start), start=self.tokens.starts[start], command=c)

    def _writes(self) -> bool:
        """Whether what begins like a query writes its rows somewhere: FROM t INSERT ..., WITH q AS (...) INSERT ..."""
        depth, at = 0, self.at
        while self.kinds[at] != END and self.tokens.texts[at] != ";":
            depth += {"(": 1, ")": -1}.get(self.tokens.texts[at], 0)
            following = self.keys[at + 1] if self.kinds[at] != END else ""
            inserts = self.keys[at] == "INSERT" and following in ("INTO", "OVERWRITE")
            if depth == 0 and inserts and self.tokens.texts[at - 1] != "|>":
                return True
            at += 1
        return False

    def _changes(self) -> bool:
        """Whether WITH q AS (...), r (a) AS (...) stands before MERGE, UPDATE or DELETE."""
        depth, at = 0, self.at
        while self.kinds[at] != END and self.tokens.texts[at] != ";":
            depth += {"(": 1, ")": -1}.get(self.tokens.texts[at], 0)
            at += 1
            if depth == 0 and self.tokens.texts[at - 1] == ")" and self.keys[at] not in (",", "AS"):
                return self.keys[at] in _CHANGING
        return False

    def _execute(self, start: int) -> Statement:
        """EXECUTE IMMEDIATE text [INTO variables] [USING values]: `plan` has the text, then the values."""
        self.came_with("EXECUTE IMMEDIATE")
        self.expect("EXECUTE", "IMMEDIATE")
        items = [self.expression()]
        names = [p[-1] for p in self.separated(self.identifier_parts)] if self.accept("INTO") else []
        if self.accept("USING"):
            grouped = self.accept("(")
            items += self.separated(self._using)
            if grouped:
                self.expect(")")
        self._end()
        plan = Project(tuple(items), OneRowRelation())
        return Statement("execute", self.source(start), self.tokens.starts[start], plan, tuple(names))

    def _using(self) -> Expression:
        value = self.expression()
        if self.accept("AS"):
            return Alias(value, self.identifier(), next_id())
        return value

    def unread(self, start: int, error: ParseError) -> Statement:
        """The statement that starts at a token and cannot be read; the cursor goes behind it."""
        self.depth = 0
        while self.kind != END and not self.sees(";"):
            self.at += 1
        first = self.tokens.texts[start].upper()
        kind: StatementKind = "query" if first in QUERY_WORDS else "unsupported"
        # Other systems' commands stand between Spark's statements, and take nothing from them.
        wrong = None if first in COMMANDS else error
        return Statement(kind, self.source(start), self.tokens.starts[start], error=wrong)

    def _declare(self, start: int) -> Statement:
        """DECLARE [OR REPLACE] [VARIABLE] names [type] [DEFAULT value]."""
        self.came_with("a session variable")
        self.at += 1
        words = "REPLACE" if self.accept("OR", "REPLACE") else ""
        if self.peek(1) not in ("=", "DEFAULT", ",", ";", ""):
            self.accept("VARIABLE")
        declared = self.separated(self.identifier_parts)
        elsewhere = next((p for p in declared if tuple(map(str.lower, p[:-1])) not in _OF_SESSION), None)
        if elsewhere is not None:
            told = f"A variable is the session's, not {'.'.join(elsewhere[:-1])}'s: name it {elsewhere[-1]}."
            raise self.error("UNRESOLVED_VARIABLE", told, start)
        names = tuple(parts[-1] for parts in declared)
        columns: tuple[StructField, ...] = ()
        if self.kind == WORD and not self.sees("DEFAULT"):
            columns = (StructField(names[0], self.data_type()),)
        plan: LogicalPlan | None = None
        if self.accept("DEFAULT") or self.accept("="):
            plan = Project((UnresolvedAlias(self.expression()),), OneRowRelation())
        elif not columns:
            raise self.error(
                "INVALID_SQL_SYNTAX.VARIABLE_TYPE_OR_DEFAULT_REQUIRED",
                "A variable is declared with a type or a value: DECLARE name STRING, or DECLARE name = 'text'.", start,
            )  # fmt: skip
        self._end()
        at = self.tokens.starts[start]
        return Statement("declare", self.source(start), at, plan, names, columns, words=words)

    def _set_variables(self, start: int, words: int = 2) -> Statement:
        """SET VAR a = x, b = y, or SET VAR (a, b) = (query); of `words` words before the names, one in a block."""
        self.came_with("a session variable", self.at + words - 1)
        self.at += words
        if self.accept("("):
            names = [p[-1] for p in self.separated(self.identifier_parts)]
            self.expect(")", "=", "(")
            plan = self.query()
            self.expect(")")
        else:
            pairs = self.separated(self._assignment)
            names = [n for n, _ in pairs]
            plan = Project(tuple(UnresolvedAlias(e) for _, e in pairs), OneRowRelation())
        self._end()
        return Statement("set_variable", self.source(start), self.tokens.starts[start], plan, tuple(names))

    def _assignment(self) -> tuple[str, Expression]:
        name = self.identifier_parts()[-1]
        self.expect("=")
        return name, self.expression()

    def _set_statement(self, start: int) -> Statement:
        if self.peek(1) in ("VAR", "VARIABLE") and self.peek(2) not in ("=", ".", ""):
            return self._set_variables(start)
        if self.sees("SET", "TIME", "ZONE"):
            return self._set_time_zone(start)
        if self.sees("SET", "PATH", "=") and self.kinds[self.at + 3] != END and self.peek(3) != ";":
            self._check_path(start)
        at = self.at
        while self.kind != END and not self.sees(";"):
            self.at += 1
        body = self.source(at)[3:].strip()
        key, _, value = body.partition("=")
        options = ((key.strip().strip("`"), value.strip()),) if "=" in body else ()
        return Statement("set", self.source(start), self.tokens.starts[start], options=options)

    def _check_path(self, start: int) -> None:
        """SET PATH = schemas: of a catalogue and a schema each, or words for the paths that there are."""
        self.at += 3
        for parts in self.separated(self.identifier_parts):
            if len(parts) == 1 and parts[0].upper() not in _PATHS:
                told = f"{parts[0]} is no schema that a path holds: name its catalogue, too."
                raise self.error("INVALID_SQL_PATH_SCHEMA_REFERENCE", told, start)
        self.at = start

    def _reset(self, start: int) -> Statement:
        """RESET of all settings or of one: the name of that, or none."""
        self.at += 1
        at = self.at
        while self.kind != END and not self.sees(";"):
            self.at += 1
        key = self.source(at).strip().strip("`") if self.at > at else ""
        name = (key,) if key else ()
        return Statement("set", self.source(start), self.tokens.starts[start], name=name, words="RESET")

    def _set_time_zone(self, start: int) -> Statement:
        """SET TIME ZONE LOCAL, 'name' or an interval: the setting of the session."""
        self.at += 3
        at = self.at
        if self.accept("LOCAL"):
            zone = ""
        elif self.kind == STRING:
            zone = self.string()
        else:
            zone = self._offset(self.expression(), at)
        self._end()
        options = (("spark.sql.session.timeZone", zone),) if zone else ()
        return Statement("set", self.source(start), self.tokens.starts[start], options=options)

    def _offset(self, e: Expression, at: int) -> str:
        """The time zone as many hours, minutes and seconds from UTC as an interval has, 18 hours at most."""
        if not isinstance(e, Literal) or not isinstance(e.type, DayTimeIntervalType):
            self.at = at
            raise self.syntax_error("LOCAL, a name in quotes or an interval of hours was expected")
        seconds, rest = divmod(abs(int(e.value)), 1_000_000)
        if seconds > 18 * 3600 or rest:
            raise self.error(
                "INVALID_INTERVAL_FORMAT.TIMEZONE_INTERVAL_OUT_OF_RANGE",
                "A time zone lies between -18:00 and +18:00 from UTC, in whole seconds.",
                at,
            )
        hours, left = divmod(seconds, 3600)
        sign = "-" if e.value < 0 else "+"
        return f"{sign}{hours:02}:{left // 60:02}" + (f":{left % 60:02}" if left % 60 else "")

    def _cache(self, start: int) -> Statement:
        self.expect("CACHE")
        words = "LAZY" if self.accept("LAZY") else ""
        self.expect("TABLE")
        at = self.at
        name = self.identifier_parts()
        options = self.properties() if self.accept("OPTIONS") else ()
        plan = self.query() if self.accept("AS") or self.peek() in QUERY_WORDS else None
        if plan is not None and len(name) > 1:
            raise self.error("INVALID_STATEMENT_OR_CLAUSE", "CACHE TABLE ... AS takes a name without a database.", at)
        self._end()
        return Statement(
            "cache", self.source(start), self.tokens.starts[start], plan, name, options=options, words=words
        )

    def _uncache(self, start: int) -> Statement:
        self.expect("UNCACHE", "TABLE")
        words = "IF EXISTS" if self.accept("IF", "EXISTS") else ""
        name = self.identifier_parts()
        self._end()
        return Statement("uncache", self.source(start), self.tokens.starts[start], name=name, words=words)

    def _clear_cache(self, start: int) -> Statement:
        self.expect("CLEAR", "CACHE")
        self._end()
        return Statement("clear_cache", self.source(start), self.tokens.starts[start])


#: What may stand before the name of a session's variable.
_OF_SESSION = ((), ("session",), ("system", "session"))
#: What a query that DESCRIBE is about may begin with where QUERY does not stand before it.
#: Commands that something has to follow.
_NEVER_ALONE = ("DESC", "DESCRIBE", "EXPLAIN", "SHOW", "USE")
#: Words for paths that there are already.
_PATHS = ("PATH", "DEFAULT_PATH", "SYSTEM_PATH", "CURRENT_SCHEMA", "CURRENT_DATABASE")
_DESCRIBED = ("SELECT", "WITH", "VALUES")
#: What stands behind the BEGIN of other systems' transactions, which is no block.
_TRANSACTION = (";", "TRANSACTION", "TRAN", "WORK")
#: What changes rows of a table.
_CHANGING = ("MERGE", "UPDATE", "DELETE")
#: What writes or changes rows, or names a query, and can be explained.
_WRITING = ("INSERT", "CREATE", "CACHE", *_CHANGING)


_OTHER_STATEMENTS = frozenset(
    [
        "ALTER",
        "BEGIN",
        "CALL",
        "COMMENT",
        "COMMIT",
        "DELETE",
        "DESC",
        "DESCRIBE",
        "EXPLAIN",
        "EXPORT",
        "GRANT",
        "IMPORT",
        "LIST",
        "LOAD",
        "LOCK",
        "MERGE",
        "MSCK",
        "REFRESH",
        "REPAIR",
        "REPLACE",
        "REVOKE",
        "ROLLBACK",
        "SHOW",
        "START",
        "TRUNCATE",
        "UNLOCK",
        "UPDATE",
        "ADD",
    ]
)


_STATEMENTS = frozenset(
    (
        *QUERY_WORDS,
        *_WRITING,
        *_OTHER_STATEMENTS,
        "ANALYZE",
        "DROP",
        "SET",
        "RESET",
        "USE",
        "UNCACHE",
        "CLEAR",
        "DECLARE",
        "EXECUTE",
        "",
    )
)


def _reader(sql: str, parameters: Parameters | None = None, dialect: Dialect = NEWEST) -> StatementReader:
    if len(sql) > MAX_LENGTH:
        raise ParseError(
            "TOO_LONG",
            f"The text has {len(sql):,} characters; at most {MAX_LENGTH:,} are read. Split it into "
            "files, or read long lists from a table.",
        )
    tokens = tokenize(sql)
    if dialect.double_quoted_names:
        tokens = with_quoted_names(tokens)
    return StatementReader(tokens, parameters, dialect)


def parse_script(
    sql: str, parameters: Parameters | None = None, tolerant: bool = False, dialect: Dialect = NEWEST
) -> list[Statement]:
    """The statements of a text, separated by semicolons, with the values of `:name` or `?` where they are given.

    Raises ParseError at the first statement that cannot be read; a `tolerant` reader keeps the error with the statement
    and goes on behind its semicolon, unless no statement can be read.
    """
    reader = _reader(sql, parameters, dialect)
    out: list[Statement] = []
    while reader.kind != END:
        if reader.accept(";"):
            continue
        start = reader.at
        try:
            out += reader.statements()
        except RecursionError:
            deep = "The query nests too deep to be read; split it with WITH or a view."
            raise reader.error("TOO_DEEP", deep) from None
        except ParseError as error:
            if not tolerant:
                raise
            out.append(reader.unread(start, error))
    wrong = next((s.error for s in out if s.error is not None), None)
    if wrong is not None and not tolerant:
        raise wrong
    if out and all(s.error for s in out):
        raise next(s.error for s in out if s.error is not None)
    return out


def parse_constant(text: str) -> Expression:
    """The constant that a text is in SQL (5, 'abc', DATE'2026-01-31', -1.5, TRUE); any other text stands for itself."""
    try:
        reader = _reader(text)
        made = reader.value()
    except (ParseError, RecursionError):
        return lit(text)
    if isinstance(made, Literal) and reader.kind == END:
        return made
    return lit(text)


def parse_plan(sql: str, parameters: Parameters | None = None, dialect: Dialect = NEWEST) -> LogicalPlan:
    """The unresolved plan of one query, as Spark's `== Parsed Logical Plan ==` shows it.

    Raises ParseError when the text is no single query.
    """
    statements = parse_script(sql, parameters, dialect=dialect)
    if len(statements) != 1:
        what = "no statement" if not statements else f"{len(statements)} statements"
        raise ParseError("PARSE_SYNTAX_ERROR", f"One query was expected, the text holds {what}.", line=1, column=1)
    plan = statements[0].plan
    if plan is None or statements[0].kind != "query":
        words = statements[0].words or statements[0].kind.replace("_", " ").upper()
        raise ParseError(
            "UNSUPPORTED_STATEMENT",
            f"{words} is no query; only queries are planned: give its SELECT alone.",
            line=1,
            column=1,
        )
    return plan


def parse_expression(sql: str) -> Expression:
    """One expression, with its name where it has one (`a + 1 AS x`, `*`), as `selectExpr` reads it.

    Raises ParseError when the text is no single expression.
    """
    reader = _reader(sql)
    try:
        found = reader.named_expression()
    except RecursionError:
        raise reader.error("TOO_DEEP", "The expression nests too deep to be read.") from None
    if reader.kind != END:
        raise reader.syntax_error()
    return found
