"""BEGIN ... END: scripts of SQL with variables, conditions and loops, read as the statements that stand in them.

Source: https://spark.apache.org/docs/latest/sql-ref-scripting.html
"""

from __future__ import annotations

import re
from abc import abstractmethod
from dataclasses import replace

from planviz.errors import ParseError
from planviz.expressions.core import Expression
from planviz.expressions.subqueries import SubqueryExpression
from planviz.expressions.unresolved import UnresolvedAlias
from planviz.frontend.definitions import DefinitionReader
from planviz.frontend.lexer import END, STRING, WORD, line_and_column
from planviz.frontend.model import Statement
from planviz.logical.operators import Project
from planviz.logical.plan import LogicalPlan
from planviz.logical.relations import OneRowRelation
from planviz.types import BOOLEAN, UNKNOWN

#: What stands before a word that begins a statement inside BEGIN ... END.
_STARTS = frozenset((";", "BEGIN", "THEN", "ELSE", "DO", "LOOP", "REPEAT", ":"))
_LABELLED = ("BEGIN", "WHILE", "REPEAT", "LOOP", "FOR")
#: Statements that only say where a script goes on, and those about cursors.
_STEERING = ("OPEN", "FETCH", "CLOSE")
#: How deep blocks, branches and loops may stand in each other.
MAX_NESTING = 64


class BlockReader(DefinitionReader):
    """Reads a script's statements in the order of the text: of a branch whatever its condition, of a loop once.

    A query of a block is of the kind "explain": a live Spark is given whole scripts or nothing of them.
    """

    #: The labels around the cursor, and the names that are declared in each block around it, the outermost first.
    labels: tuple[str, ...] = ()
    scopes: tuple[set[str], ...] = ()

    @abstractmethod
    def statements(self) -> list[Statement]:
        """What stands before the next semicolon."""

    @abstractmethod
    def _set_variables(self, start: int, words: int = 2) -> Statement: ...

    @abstractmethod
    def _declare(self, start: int) -> Statement: ...

    def script_block(self) -> list[Statement]:
        """A whole BEGIN ... END; where it cannot be read, one statement with the error, and the cursor behind it."""
        start = self.at
        try:
            found = self._block("")
            self._end()
        except ParseError as error:
            self.at, self.depth, self.labels, self.scopes = start, 0, (), ()
            self._skip()
            text = self.source(start)
            return [Statement("unsupported", text, self.tokens.starts[start], words="BEGIN", error=error)]
        # An empty script is a statement, too.
        return [replace(s, in_block=True) for s in found] or [
            Statement("unsupported", self.source(start), self.tokens.starts[start], words="BEGIN")
        ]

    def _skip(self) -> None:
        """Go behind the END of the block at the cursor, or to the end of the text where it is never closed."""
        depth, before = 0, ""
        while self.kind != END:
            key = self.keys[self.at]
            # WHILE ... DO and FOR ... DO end with END WHILE and END FOR.
            starts = key in ("IF", "WHILE", "FOR", "LOOP", "REPEAT") and before in _STARTS
            opens = key == "BEGIN" or starts or (key == "CASE" and before != "END")
            depth += opens - (key == "END")
            before = key
            self.at += 1
            if depth == 0:
                break
        while self.kind != END and not self.sees(";"):
            self.at += 1

    # ------------------------------------------------------------------------------------------------ blocks

    def _block(self, label: str) -> list[Statement]:
        start = self.at
        self.expect("BEGIN")
        self.accept("NOT", "ATOMIC")
        if self.kind == END or self.sees(";"):
            self.fail("a block that begins with BEGIN ends with END")
        self.scopes = (*self.scopes, set())
        found = self._until("END", least=0)
        self.expect("END")
        self._closing(label)
        *around, own = self.scopes
        self.scopes = tuple(around)
        # What a block declares is gone behind it, unless a block around has a variable of that name.
        gone = [n for n in sorted(own) if not any(n in scope for scope in around)]
        at = self.tokens.starts[start]
        return [*found, *(Statement("drop_variable", "END", at, name=(n,), words="IF EXISTS") for n in gone)]

    def _until(self, *ends: str, least: int = 1) -> list[Statement]:
        """Statements with a semicolon behind each, `least` of them at least, up to one of these words."""
        if len(self.labels) + len(self.scopes) > MAX_NESTING:
            raise self.error("TOO_DEEP", f"Blocks stand in each other more than {MAX_NESTING} deep.")
        found: list[Statement] = []
        begun, blocks = False, ends == ("END",)
        while not self.sees_any(*ends):
            if self.kind == END:
                self.fail("a block that begins with BEGIN ends with END")
            if self.sees("DECLARE") and not self.sees("DECLARE", "EXIT") and not self.sees("DECLARE", "CONTINUE"):
                self._check_declaration(blocks, begun)
            elif self.sees("DECLARE"):
                if begun:
                    told = "Handlers are declared before the other statements of a block."
                    raise self.error("INVALID_HANDLER_DECLARATION.WRONG_PLACE_OF_DECLARATION", told)
            else:
                begun = True
            found += self._inner()
            self.expect(";")
            least -= 1
        if least > 0:
            # The word is taken for the beginning of a statement.
            self.at += 1
            self.fail("a branch or loop has one statement at least")
        return found

    def _check_declaration(self, of_block: bool, begun: bool) -> None:
        if not of_block:
            raise self.error(
                "INVALID_VARIABLE_DECLARATION.NOT_ALLOWED_IN_SCOPE", "Variables are declared right behind BEGIN."
            )
        if begun:
            raise self.error(
                "INVALID_VARIABLE_DECLARATION.ONLY_AT_BEGINNING",
                "Variables are declared before the other statements of a block.",
            )

    def _inner(self) -> list[Statement]:
        """One statement of a block, without its semicolon."""
        start = self.at
        label = ""
        if self.kind == WORD and self.peek(1) == ":" and self.peek(2) in _LABELLED:
            label = self.identifier().lower()
            self.at += 1
            if label in self.labels:
                raise self.error(
                    "LABEL_OR_FOR_VARIABLE_ALREADY_EXISTS", f"There is a label `{label}` around it already.", start
                )
        before = self.labels
        self.labels = (*before, label)
        reader = {
            "BEGIN": self._block,
            "IF": self._if,
            "CASE": self._case,
            "WHILE": self._while,
            "REPEAT": self._repeat,
            "LOOP": self._loop,
            "FOR": self._for,
        }.get(self.peek())
        found = self._plain(start) if reader is None else reader(label)
        self.labels = before
        return found

    def _closing(self, label: str) -> None:
        """The label behind an END, which is that before its beginning."""
        if self.kind != WORD or self.sees_any(";"):
            return
        if not label:
            raise self.error("END_LABEL_WITHOUT_BEGIN_LABEL", "There is no label that it could close.")
        if self.identifier().lower() != label:
            raise self.error("LABELS_MISMATCH", f"The label before it is `{label}`.", self.at - 1)

    # ------------------------------------------------------------------------------------- branches and loops

    def _if(self, _: str) -> list[Statement]:
        self.expect("IF")
        found = self._condition()
        self.expect("THEN")
        found += self._until("ELSEIF", "ELSE", "END")
        while self.accept("ELSEIF"):
            found += self._condition()
            self.expect("THEN")
            found += self._until("ELSEIF", "ELSE", "END")
        if self.accept("ELSE"):
            found += self._until("END")
        self.expect("END", "IF")
        return found

    def _case(self, _: str) -> list[Statement]:
        self.expect("CASE")
        compares = not self.sees("WHEN")
        found = self._condition(compares) if compares else []
        while self.accept("WHEN"):
            found += self._condition(compares)
            self.expect("THEN")
            found += self._until("WHEN", "ELSE", "END")
        if self.accept("ELSE"):
            found += self._until("END")
        self.expect("END", "CASE")
        return found

    def _while(self, label: str) -> list[Statement]:
        self.expect("WHILE")
        found = self._condition()
        self.expect("DO")
        found += self._until("END")
        self.expect("END", "WHILE")
        self._closing(label)
        return found

    def _repeat(self, label: str) -> list[Statement]:
        self.expect("REPEAT")
        found = self._until("UNTIL")
        self.expect("UNTIL")
        found += self._condition()
        self.expect("END", "REPEAT")
        self._closing(label)
        return found

    def _loop(self, label: str) -> list[Statement]:
        self.expect("LOOP")
        found = self._until("END")
        self.expect("END", "LOOP")
        self._closing(label)
        return found

    def _for(self, label: str) -> list[Statement]:
        self.expect("FOR")
        row = ""
        if self.kind == WORD and self.peek(1) == "AS":
            row = self.identifier()
            self.at += 1
        start = self.at
        plan = self._query_before_do()
        text, at = self.source(start), self.tokens.starts[start]
        self.expect("DO")
        over = Statement("explain", text, at, plan)
        rows = Statement("declare", text, at, plan, (row,) if row else (), words="FOR")
        body = self._until("END")
        self.expect("END", "FOR")
        self._closing(label)
        return [over, rows, *body]

    def _query_before_do(self) -> LogicalPlan:
        """The query that a FOR goes over; DO behind it is no name of a table."""
        depth, at = 0, self.at
        while self.kinds[at] != END and not (depth == 0 and self.keys[at] in ("DO", ";")):
            depth += {"(": 1, ")": -1}.get(self.keys[at], 0)
            at += 1
        if self.keys[at] != "DO":
            self.at = at
            self.fail("missing 'DO'")
        kept = self.keys[at], self.kinds[at]
        self.keys[at], self.kinds[at] = ";", self.kinds[at] if self.kinds[at] != WORD else "symbol"
        try:
            return self.query()
        finally:
            self.keys[at], self.kinds[at] = kept

    def _condition(self, compared: bool = False) -> list[Statement]:
        """A condition, or a value that is `compared` with others: a query of its own where it asks one."""
        start = self.at
        e = self.expression()
        if e.foldable and not e.bits & SubqueryExpression.BIT:
            if not compared and e.resolved and e.data_type not in (BOOLEAN, UNKNOWN):
                told = f"A condition is true or false, which {self.source(start)} is not."
                raise self.error("INVALID_BOOLEAN_STATEMENT", told, start)
            return []
        # A condition that names no column of a query is a query of one row for Spark, too.
        return [Statement("explain", self.source(start), self.tokens.starts[start], _one_row(e))]

    # ------------------------------------------------------------------------------------------ single statements

    def _plain(self, start: int) -> list[Statement]:
        if self.sees_any("LEAVE", "ITERATE"):
            self.at += 1
            label = self.identifier().lower()
            if label not in self.labels:
                raise self.error("INVALID_LABEL_USAGE.DOES_NOT_EXIST", f"There is no label `{label}` around it.", start)
            return []
        if self.sees_any(*_STEERING):
            self._rest(Statement("unsupported", "", 0), start)
            return []
        if self.sees("DROP", "TEMPORARY", "VARIABLE"):
            raise self.error(
                "UNSUPPORTED_FEATURE.SQL_SCRIPTING_DROP_TEMPORARY_VARIABLE",
                "DROP TEMPORARY VARIABLE stands in no script: a block's variables end with it.",
            )
        if self.sees("DECLARE"):
            return self._declaration(start)
        if self.sees("SET") and self.peek(1) not in ("VAR", "VARIABLE"):
            return [self._set_variables(start, 1)]
        found = self.try_read(self.statements)
        if isinstance(found, ParseError):
            if found.error_class == "PARSE_SYNTAX_ERROR" and self._is_told_at(found, start) and self.kind == WORD:
                # Any word may begin a statement of a block; what stands behind it may not.
                self.at = start + 1
                self.fail()
            raise found
        return [replace(s, kind="explain") if s.kind == "query" else s for s in found]

    def _is_told_at(self, error: ParseError, token: int) -> bool:
        place = line_and_column(self.tokens.text, self.tokens.starts[token])
        return (error.line, error.column) == place

    def _declaration(self, start: int) -> list[Statement]:
        """DECLARE of a variable, a condition, a cursor or a handler, whose statement is one of the block's."""
        if self.peek(1) in ("EXIT", "CONTINUE") and self.peek(2) == "HANDLER":
            if self.peek(1) == "CONTINUE":
                told = "Handlers that CONTINUE are not supported; EXIT leaves the block."
                raise self.error("UNSUPPORTED_FEATURE.CONTINUE_EXCEPTION_HANDLER", told)
            self.at += 3
            self.expect("FOR")
            self._check_conditions(self.separated(self._handled), start)
            begins = self.sees("BEGIN")
            handled = self._inner()
            # What a handler sets may be anything; Spark looks when a condition arises.
            return handled if begins else [h for h in handled if h.kind == "explain"]
        if self.peek(2) == "CONDITION":
            self._rest(Statement("unsupported", "", 0), start)
            return []
        if "CURSOR" in (self.peek(2), self.peek(3)):
            while not self.accept("FOR"):
                self.take()
            at = self.at
            plan = self.query()
            return [Statement("explain", self.source(at), self.tokens.starts[at], plan)]
        if self.sees("DECLARE", "OR", "REPLACE"):
            told = "A block's variables are declared once: write DECLARE without OR REPLACE."
            raise self.error("INVALID_VARIABLE_DECLARATION.REPLACE_LOCAL_VARIABLE", told)
        made = self._declare(start)
        for name in made.name:
            if name.lower() in self.scopes[-1]:
                raise self.error("VARIABLE_ALREADY_EXISTS", f"The block declares `{name}` twice.", start)
            self.scopes[-1].add(name.lower())
        return [replace(made, words="REPLACE")]

    def _check_conditions(self, conditions: list[str], start: int) -> None:
        if len(set(conditions)) < len(conditions):
            told = "A handler names every condition once."
            raise self.error("INVALID_HANDLER_DECLARATION.DUPLICATE_CONDITION_IN_HANDLER_DECLARATION", told, start)
        if len(conditions) > 1 and {"SQLEXCEPTION", "NOT FOUND"} & set(conditions):
            told = "SQLEXCEPTION and NOT FOUND stand for many conditions and beside no other."
            raise self.error("INVALID_HANDLER_DECLARATION.INVALID_CONDITION_COMBINATION", told, start)

    def _handled(self) -> str:
        """A condition that a handler is for, in capitals."""
        if self.accept("NOT", "FOUND"):
            return "NOT FOUND"
        if self.accept("SQLSTATE"):
            self.accept("VALUE")
            if self.kind != STRING:
                self.fail("five characters in quotes were expected")
            at = self.at
            state = self.string()
            if not re.fullmatch("(?!00|01|XX)[0-9A-Z]{5}", state):
                raise self.error("INVALID_SQLSTATE", f"'{state}' is no SQLSTATE of an error.", at)
            return f"SQLSTATE {state}"
        return ".".join(self.identifier_parts()).upper()


def _one_row(e: Expression) -> LogicalPlan:
    return Project((UnresolvedAlias(e),), OneRowRelation())
