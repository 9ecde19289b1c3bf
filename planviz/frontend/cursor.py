"""A cursor over tokens, and how it complains."""

from __future__ import annotations

import re
from collections.abc import Callable
from difflib import get_close_matches
from typing import NoReturn, TypeVar

from planviz.errors import AnalysisError, ParseError
from planviz.frontend.dialect import NEWEST, Dialect
from planviz.frontend.elsewhere import TYPES, instead
from planviz.frontend.lexer import END, NUMBER, QUOTED, STRING, WORD, Tokens, line_and_column
from planviz.frontend.literals import unquote
from planviz.frontend.naming import name_parts
from planviz.frontend.parameters import Parameters
from planviz.trees.memo import place
from planviz.trees.node import TreeNode
from planviz.types import DataType, StringType, collated, collation_name, parse_type

N = TypeVar("N", bound=TreeNode)
T = TypeVar("T")

_PLAIN_TIMESTAMP = re.compile(r"\btimestamp\b(?!\s+with)", re.I)
#: Types that want a length.
_LENGTHS = ("CHAR", "CHARACTER", "VARCHAR")
#: How deep queries and parentheses may nest: the reading is recursive, and so is the work on the tree.
MAX_DEPTH = 60
#: How long a chain of binary operators other than AND and OR may be: such a chain is as deep as it is long.
MAX_CHAIN = 1_000
#: How many relations one FROM may join: finding an order of n joins takes n * n steps.
MAX_JOINS = 200

#: Words that a table alias without AS may never be (Spark: strictNonReserved).
JOIN_WORDS = frozenset(
    [
        "ANTI",
        "CROSS",
        "EXCEPT",
        "FULL",
        "INNER",
        "INTERSECT",
        "JOIN",
        "LATERAL",
        "LEFT",
        "NATURAL",
        "ON",
        "RIGHT",
        "SEMI",
        "SETMINUS",
        "MINUS",
        "UNION",
        "USING",
    ]
)
#: Words that begin the next clause after a relation or a projected expression. Spark lets them be aliases where nothing
#: else fits; here only where the text ends right behind them, and never those of UNFINISHED.
CLAUSE_WORDS = frozenset(
    [
        "WHERE",
        "GROUP",
        "HAVING",
        "ORDER",
        "SORT",
        "CLUSTER",
        "DISTRIBUTE",
        "LIMIT",
        "OFFSET",
        "WINDOW",
        "QUALIFY",
        "FROM",
        "PIVOT",
        "UNPIVOT",
        "TABLESAMPLE",
        "AS",
        "SELECT",
        "SET",
        "WHEN",
        "THEN",
        "ELSE",
        "END",
        "AND",
        "OR",
        "NOT",
        "IN",
        "LIKE",
        "ILIKE",
        "RLIKE",
        "REGEXP",
        "BETWEEN",
        "IS",
        "DIV",
        "COLLATE",
        "FOR",
        "ESCAPE",
        "VALUES",
        "ASC",
        "DESC",
        "NULLS",
        "IGNORE",
        "RESPECT",
        "OVER",
        "FILTER",
        "WITHIN",
        "RETURNING",
        "ROWS",
        "RANGE",
        "PARTITION",
        "MATCH_CONDITION",
    ]
)


#: Clauses that a text breaks off at. Spark reads `SELECT a FROM` as `SELECT a AS FROM` and then misses the column `a`;
#: who writes so has not finished, and is told what belongs behind the word.
UNFINISHED = frozenset(
    ["WHERE", "GROUP", "HAVING", "ORDER", "SORT", "CLUSTER", "DISTRIBUTE", "LIMIT", "OFFSET", "FROM"]
)
#: Words behind which only a name can stand.
_BEFORE_NAMES = frozenset(["FROM", "JOIN", "INTO", "TABLE", "AS", "."])
_BEFORE_BY = frozenset(["GROUP", "ORDER", "SORT", "CLUSTER", "DISTRIBUTE"])


_KEYWORDS = sorted(
    (
        JOIN_WORDS
        | CLAUSE_WORDS
        | {
            "SELECT",
            "WITH",
            "DISTINCT",
            "CASE",
            "CREATE",
            "TABLE",
            "VIEW",
            "INSERT",
            "INTERVAL",
            "PARTITIONED",
            "CLUSTERED",
        }
    )
    - {"AS", "FOR", "IS", "SET", "IN", "OVER", "NULLS", "ROWS"}
)


def _shortened(text: str) -> str:
    return text if len(text) <= 60 else text[:60] + "..."


#: The words that Spark's `sql_keywords()` lists as reserved.
RESERVED = frozenset((
    "ALL", "AND", "ANY", "AS", "AUTHORIZATION", "BOTH", "CALL", "CASE", "CAST", "CHECK", "COLLATE", "COLLATION",
    "COLLATIONS", "COLUMN", "CONSTRAINT", "CREATE", "CROSS", "CURRENT_DATE", "CURRENT_PATH", "CURRENT_SCHEMA",
    "CURRENT_TIME", "CURRENT_TIMESTAMP", "CURRENT_USER", "DISTINCT", "ELSE", "END", "ESCAPE", "EXCEPT",
    "EXECUTE", "FALSE", "FETCH", "FILTER", "FOR", "FOREIGN", "FROM", "FULL", "GRANT", "GROUP", "HAVING", "IN",
    "INNER", "INTERSECT", "INTO", "IS", "JOIN", "LATERAL", "LEADING", "LEFT", "LOCALTIME", "NATURAL", "NOT",
    "NULL", "OFFSET", "ON", "ONLY", "OR", "ORDER", "OUTER", "OVERLAPS", "PRIMARY", "RECURSIVE", "REFERENCES",
    "RIGHT", "SELECT", "SESSION_USER", "SOME", "SQL", "TABLE", "THEN", "TIME", "TO", "TRAILING", "UNION",
    "UNIQUE", "UNKNOWN", "USER", "USING", "WHEN", "WHERE", "WITH", "WITHIN",
))  # fmt: skip


class Cursor:
    """Reads tokens from left to right; `at` is the next one."""

    def __init__(self, tokens: Tokens, parameters: Parameters | None = None, dialect: Dialect = NEWEST) -> None:
        self.tokens = tokens
        self.parameters = parameters
        self.keys = tokens.keys
        self.kinds = tokens.kinds
        self.at = 0
        self.depth = 0
        #: How many items of select lists are being read, one within the other.
        self.naming = 0
        self.dialect = dialect
        #: Whether the text defines datasets of a declarative pipeline, which may be read as LIVE.name and STREAM(name).
        self.in_pipeline = False

    # -------------------------------------------------------------------------------------------- looking

    def peek(self, ahead: int = 0) -> str:
        """The key of a token further on; empty beyond the end."""
        i = self.at + ahead
        return self.keys[i] if i < len(self.keys) else ""

    def sees(self, *keys: str) -> bool:
        """Whether the next tokens are these, in order."""
        at = self.at
        return self.keys[at] == keys[0] and (len(keys) == 1 or self.keys[at : at + len(keys)] == [*keys])

    def sees_any(self, *keys: str) -> bool:
        """Whether the next token is one of these."""
        return self.keys[self.at] in keys

    @property
    def kind(self) -> str:
        """The kind of the next token."""
        return self.kinds[self.at]

    # -------------------------------------------------------------------------------------------- taking

    def accept(self, *keys: str) -> bool:
        """Take these tokens, in order, if they are next; whether they were."""
        if not self.sees(*keys):
            return False
        self.at += len(keys)
        return True

    def expect(self, *keys: str) -> None:
        """Take these tokens in order; ParseError where another stands."""
        for key in keys:
            if self.keys[self.at] != key:
                self.fail(f"missing {key!r}")
            self.at += 1

    def take(self) -> str:
        """Take the next token; its text. There must be one."""
        if self.kinds[self.at] == END:
            self.fail()
        text = self.tokens.texts[self.at]
        self.at += 1
        return text

    def take_text(self) -> str:
        """Take the next token, a quoted string; its value."""
        return unquote(self.take(), self.dialect.doubled_quotes_are_one)

    def is_identifier(self, strict: bool = False) -> bool:
        """Whether the next token can be a name; `strict` leaves out the join words."""
        kind = self.kinds[self.at]
        return kind == QUOTED or (kind == WORD and not (strict and self.keys[self.at] in JOIN_WORDS))

    def identifier(self) -> str:
        """Take a name, quotes removed."""
        kind = self.kind
        if kind == QUOTED:
            return self.take()[1:-1].replace("``", "`")
        if kind == WORD:
            if self.keys[self.at] == "IDENTIFIER" and self._names_by_text():
                if self.dialect.names_by_text_are_few:
                    raise self.syntax_error("a name was expected; the legacy setting has no IDENTIFIER here")
                self.came_with("IDENTIFIER() for an alias", self.at + 1)
                return self._named_by_text()
            if self.dialect.words_are_reserved and self.keys[self.at] in RESERVED:
                self.fail()
            return self.take()
        raise self.syntax_error("a name was expected")

    def _names_by_text(self) -> bool:
        """Whether IDENTIFIER ( 'text' ) follows, of one text or of several put together."""
        if self.peek(1) != "(" or self.kinds[self.at + 2] != STRING:
            return False
        ahead = 3
        while self.kinds[self.at + ahead] == STRING or (
            self.peek(ahead) == "||" and self.kinds[self.at + ahead + 1] == STRING
        ):
            ahead += 1
        return self.peek(ahead) == ")"

    def _text_of_name(self) -> str:
        self.at += 2
        text = ""
        while not self.accept(")"):
            text += "" if self.accept("||") else self.take_text()
        return text

    def _named_by_text(self) -> str:
        text = self._text_of_name()
        parts = name_parts(text)
        if len(parts) != 1:
            raise self.error("IDENTIFIER_TOO_MANY_NAME_PARTS", f"{text!r} is a name of several parts; one is wanted.")
        return parts[0]

    def integer(self) -> int:
        """Take a whole number."""
        # Python reads no number of more than 4,300 digits, and no table has so many of anything.
        if self.kind != NUMBER or not self.tokens.texts[self.at].isdecimal() or len(self.tokens.texts[self.at]) > 40:
            raise self.syntax_error("a whole number was expected")
        return int(self.take())

    def decimal(self) -> float:
        """Take a number without suffix."""
        try:
            return float(self.take())
        except ValueError:
            self.at -= 1
            raise self.syntax_error("a number was expected") from None

    def identifier_parts(self) -> tuple[str, ...]:
        """Take a dotted name, or the one that a text in IDENTIFIER gives."""
        if self.keys[self.at] == "IDENTIFIER" and self._names_by_text():
            self.came_with("IDENTIFIER()", self.at + 1)
            parts = list(name_parts(self._text_of_name()))
        else:
            parts = [self.identifier()]
        while self.peek() == "." and self.kinds[self.at + 1] in (WORD, QUOTED):
            self.longer(len(parts), "parts of a name")
            self.at += 1
            parts.append(self.identifier())
        return tuple(parts)

    def plain_name(self) -> None:
        """ParseError where a name that was just read goes on behind a hyphen."""
        if self.sees("-") and self.kinds[self.at + 1] in (WORD, NUMBER) and self._touches():
            raise self.error(
                "INVALID_IDENTIFIER",
                "A name with a hyphen needs backquotes around it.",
            )

    def _touches(self) -> bool:
        starts, ends = self.tokens.starts, self.tokens.ends
        return starts[self.at] == ends[self.at - 1] and starts[self.at + 1] == ends[self.at]

    def identifier_list(self) -> tuple[str, ...]:
        """Take ( name, name ... )."""
        self.expect("(")
        names = self.separated(self._listed)
        self.expect(")")
        return tuple(names)

    def _listed(self) -> str:
        name = self.identifier()
        self.plain_name()
        return name

    def clause_instead(self, *words: str) -> bool:
        """Whether the next clause begins where a list goes on: `SELECT a, FROM t` (Spark: `FROM AS t`)."""
        if self.kind != WORD or self.peek() not in words:
            return False
        if self.peek() in _BEFORE_BY:
            return self.peek(1) == "BY"
        return self.kinds[self.at + 1] in (WORD, QUOTED) and self.peek(1) not in CLAUSE_WORDS | JOIN_WORDS

    def ended(self) -> None:
        """ParseError where something stands that belongs to nothing before it."""
        if self.kind == WORD and self.peek() in _BEFORE_BY and self.peek(1) != "BY":
            self.at += 1
            self.fail("BY was expected")
        self.fail("extra input " + repr(self.tokens.texts[self.at]))

    def separated(self, read: Callable[[], T]) -> list[T]:
        """Read things with commas between."""
        out = [read()]
        while self.accept(","):
            out.append(read())
        return out

    def alias_word(self) -> bool:
        """Whether the next token is a name that can be an alias without AS."""
        if self.kinds[self.at] == QUOTED:
            return True
        if self.kinds[self.at] != WORD:
            return False
        key = self.keys[self.at]
        if self._nearest_follows():
            return False
        if key in JOIN_WORDS or (key == "INSERT" and self.keys[self.at + 1] in ("INTO", "OVERWRITE")):
            return False
        ends = self.kinds[self.at + 1] == END or self.keys[self.at + 1] == ")"
        return key not in CLAUSE_WORDS or (ends and key not in UNFINISHED)

    def _nearest_follows(self) -> bool:
        """Whether APPROX NEAREST or EXACT NEAREST follows, which belong to a join."""
        return self.keys[self.at] in ("APPROX", "EXACT") and self.keys[self.at + 1] == "NEAREST"

    def _without_time_zone(self, first: str) -> None:
        if first == "TIME" and self.sees("WITHOUT") and self.peek(1) == "TIME":
            self.at += 2
            self.expect("ZONE")

    def data_type(self) -> DataType:
        """Take a type name with its parameters."""
        start = self.at
        first = self.peek()
        if self.kind not in (WORD, QUOTED):
            self.fail("a data type was expected")
        self.at += 1
        if first in ("ARRAY", "MAP", "STRUCT") and self.sees_any("<", "<>"):
            depth = 0
            while True:
                key = self.peek()
                if depth > MAX_DEPTH:
                    raise self.error("TOO_DEEP", f"The type nests more than {MAX_DEPTH} levels deep here.")
                if key == "<>" and first != "STRUCT" and depth == 0:
                    self.fail("what the type holds was expected")
                depth += {"<": 1, ">": -1, ">>": -2, ">>>": -3}.get(key, 0)
                if self.kind == END:
                    self.fail("missing '>'")
                self.at += 1
                if depth <= 0:
                    break
        elif self.sees("("):
            while not self.sees(")"):
                if self.kind == END:
                    self.fail("missing ')'")
                if self.sees("-") or (self.sees("(") and self.peek(1) == ")"):
                    self.at += self.sees("(")
                    self.fail("a number was expected")
                self.at += 1
            self.at += 1
            if first in _LENGTHS and self.accept("COLLATE"):
                self.identifier_parts()
            self._without_time_zone(first)
        elif first == "INTERVAL":
            units = ("YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND")
            if self.sees_any(*units):
                self.came_with("a type INTERVAL of fields")
                self.at += 1
                if self.sees("TO") and self.peek(1) in units:
                    self.at += 2
        elif first == "TIMESTAMP" and self.sees_any("WITH", "WITHOUT") and self.peek(1) in ("TIME", "LOCAL"):
            while not self.accept("ZONE"):
                self.at += 1
        elif first == "STRING" and self.accept("COLLATE"):
            self.identifier_parts()
        elif first == "TIME":
            self._without_time_zone(first)
        elif first == "DOUBLE":
            self.accept("PRECISION")
            return parse_type("double")
        text = self.tokens.text[self.tokens.starts[start] : self.tokens.ends[self.at - 1]]
        if text.upper() in _LENGTHS:
            message = f'DataType "{text.upper()}" requires a length parameter, for example "{text.upper()}"(10).'
            raise self.error("DATATYPE_MISSING_SIZE", message, start)
        if self.dialect.timestamps_without_zone:
            text = _PLAIN_TIMESTAMP.sub("timestamp_ntz", text)
        try:
            return parse_type(text)
        except AnalysisError as e:
            raise self.error(e.error_class, str(e).partition("] ")[2], start) from None
        except Exception:
            self.at = start
            ours = TYPES.get(text.upper())
            hint = f" Spark's name for it is {ours}." if ours else ""
            message = f'Unsupported data type "{_shortened(text).upper()}".{hint}'
            raise self.error("UNSUPPORTED_DATATYPE", message) from None

    def collation(self) -> StringType:
        """Take the name of a collation: the text type that has it."""
        start = self.at
        parts = self.identifier_parts()
        try:
            return collated(collation_name(parts))
        except AnalysisError as e:
            raise self.error(e.error_class, str(e).partition("] ")[2], start) from None

    # -------------------------------------------------------------------------------------------- places and errors

    def placed(self, new: N, start: int, clause: int | None = None) -> N:
        """`new` with its place in the text: the token it starts with, where errors point to.

        `clause` is the word that asks for it (WHERE, JOIN): Spark's errors name the whole query's place, people look
        for the clause's.
        """
        if new.origin is None:
            starts = self.tokens.starts
            at = (starts[start],) if clause is None else (starts[start], starts[clause])
            place(new, (self.tokens.text, *at))
        return new

    def source(self, start: int, end: int | None = None) -> str:
        """The text from token `start` up to (not with) the next token."""
        last = (self.at if end is None else end) - 1
        return self.tokens.text[self.tokens.starts[start] : self.tokens.ends[last]]

    def error(self, error_class: str, message: str, at: int | None = None) -> ParseError:
        """A ParseError at a token (default: the next)."""
        line, column = line_and_column(self.tokens.text, self.tokens.starts[self.at if at is None else at])
        return ParseError(error_class, message, line=line, column=column)

    def fail(self, why: str = "") -> NoReturn:
        """Raise the syntax error at the next token."""
        raise self.syntax_error(why)

    def syntax_error(self, why: str = "") -> ParseError:
        """The syntax error at the next token."""
        at = min(self.at, len(self.kinds) - 1)
        near = "end of input" if self.kinds[at] == END else repr(_shortened(self.tokens.texts[at]))
        elsewhere = instead(self.tokens, at)
        why = elsewhere or why
        hint = self._quoted(at) or ("" if elsewhere else self._meant(at))
        return self.error("PARSE_SYNTAX_ERROR", f"Syntax error at or near {near}{': ' + why if why else ''}.{hint}", at)

    def _quoted(self, at: int) -> str:
        """How Spark quotes names, where they are quoted as in other databases: "t", [t]."""
        text = self.tokens.texts[at] if self.kinds[at] != END else ""
        if self.kinds[at] == STRING and text[0] == '"':
            return f" Spark quotes names with backquotes: `{_shortened(text[1:-1])}`."
        if text == "[" and self.kinds[at + 1] == WORD and self.keys[at + 2] == "]":
            return f" Spark quotes names with backquotes: `{_shortened(self.tokens.texts[at + 1])}`."
        return ""

    def _meant(self, at: int) -> str:
        """The keyword that the word here, or one just before it, is nearly: it reads as a name then, to no good end."""
        for i in range(at, max(at - 4, -1), -1):
            if self.tokens.texts[i] == ";":
                break
            word = self.keys[i]
            if self.kinds[i] != WORD or word in (*_KEYWORDS, "NULL") or not 4 <= len(word) < 20 or self._is_named(i):
                continue
            found = get_close_matches(word, _KEYWORDS, 1, 0.74)
            if found and (found[0] not in _BEFORE_BY or self.keys[i + 1] == "BY"):
                return f" Did you mean {found[0]} instead of {self.tokens.texts[i]!r}?"
        return ""

    def _is_named(self, at: int) -> bool:
        """Whether a word stands where a table's, a column's or an alias's name is sure to stand."""
        return at > 0 and self.keys[at - 1] in _BEFORE_NAMES

    def came_with(self, piece: str, at: int | None = None) -> None:
        """The syntax error of an older version at the next token, or at another, where it does not read this piece."""
        version = self.dialect.later.get(piece)
        if version is not None:
            self.at = self.at if at is None else at
            self.fail(f"Spark {self.dialect.version} does not read {piece}, which came with {version}")

    def longer(self, length: int, what: str, most: int = MAX_CHAIN) -> int:
        """One more than `length`, the number of `what` in a row so far; ParseError when there are too many."""
        if length >= most:
            raise self.error("TOO_DEEP", f"More than {most:,} {what} in a row; put some of them into views.")
        return length + 1

    def deeper(self) -> None:
        """Enter a nesting level; ParseError when there are too many. Leave with `self.depth -= 1`."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self.error(
                "TOO_DEEP",
                f"The query nests more than {MAX_DEPTH} levels deep here; split it with WITH or a view.",
            )

    def try_read(self, read: Callable[[], T]) -> T | ParseError:
        """Read something, or come back to where we were with the error."""
        at, depth = self.at, self.depth
        try:
            return read()
        except ParseError as e:
            if e.error_class == "TOO_DEEP":
                raise
            self.at, self.depth = at, depth
            return e


def further(a: ParseError | None, b: ParseError) -> ParseError:
    """The error that got further into the text."""
    if a is None or (a.line or 0, a.column or 0) < (b.line or 0, b.column or 0):
        return b
    return a
