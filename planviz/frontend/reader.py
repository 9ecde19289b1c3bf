"""What the readers of expressions, special forms and paths need of each other."""

from __future__ import annotations

from planviz.expressions.core import Alias, Expression, SortOrder
from planviz.expressions.ids import next_id
from planviz.frontend.cursor import Cursor
from planviz.frontend.lexer import STRING

#: Words that begin a query.
_QUERY_START = frozenset(["SELECT", "WITH", "FROM", "VALUES", "TABLE", "MAP", "REDUCE"])


class Reader(Cursor):
    """Reads texts and names; expressions are read by the subclass."""

    def expression(self) -> Expression:
        """Any expression."""
        raise NotImplementedError

    def value(self, level: int = 0) -> Expression:
        """A value expression of operators at `level` of precedence and tighter."""
        raise NotImplementedError

    def sort_item(self) -> SortOrder:
        """One sort key with its direction."""
        raise NotImplementedError

    def case(self) -> Expression:
        """CASE ... END, the word CASE taken."""
        raise NotImplementedError

    def string(self) -> str:
        """Adjacent string tokens, joined."""
        if self.kind != STRING:
            self.fail("a string was expected")
        if self.tokens.texts[self.at][0] in "rR":
            self.came_with("a raw text")
        out = self.take_text()
        while self.kind == STRING:
            out += self.take_text()
        return out

    def _query_follows(self, ahead: int) -> bool:
        """Whether the parentheses that open `ahead` tokens further hold a query."""
        while self.peek(ahead) == "(":
            ahead += 1
        return self.peek(ahead) in _QUERY_START and self.peek(ahead + 1) not in (",", ")", ".")

    def _aliased(self) -> Expression:
        e = self.expression()
        if self.accept("AS") or self.alias_word():
            return Alias(e, self.identifier(), next_id())
        return e
