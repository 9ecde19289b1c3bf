"""One line of a logical operator: its columns, its expressions, and the line as it stands."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from planviz.expressions.core import AttributeReference, Expression, NamedExpression
from planviz.logical.plan import LogicalPlan
from planviz.replay.columns import Columns
from planviz.replay.expressions import Elaborator
from planviz.replay.found import Found
from planviz.replay.opaque import (
    OpaqueExpression,
    OpaqueOperator,
    PrintedOperator,
    PrintedRelation,
    kept_as_printed,
    own_columns_of,
)
from planviz.replay.term import Term, Unreadable
from planviz.replay.terms import SUBQUERY, Terms
from planviz.trees.memo import Memo
from planviz.types import UNKNOWN

#: What stands in the place of items that Spark left out (spark.sql.debug.maxToStringFields).
MORE = re.compile(r"\.\.\. \d+ more fields")
#: Operators of Python functions over whole tables, and the list of columns at the end of their lines.
_OF_TABLES = re.compile(r"(Python)?MapIn(Pandas|Arrow)$|FlatMap(Co)?GroupsIn(Pandas|Arrow)$")
_LAST_LIST = re.compile(r"\[([^\[\]]*)\](?:, (?:true|false))?$")
#: What stands in the place of items that Spark, or whoever pasted the text, left out.
ELIDED = re.compile(rf"{MORE.pattern}|\s*(?:\.\.\.|…)")
Scope = Mapping[int, AttributeReference]
#: Names of operators that read a source.
SOURCE = re.compile(r"Relation|Scan|RDD$")
_COLUMN = re.compile(r"([^,\[\]]*?|\([^\[\]]*?\))#(\d+)(L?)(?=, ?|\]|$)")
#: How many columns a relation or a projection gives that its line, cut by Spark, does not list.
LEFT_OUT: Memo[int] = Memo("left_out")


@dataclass
class Line:
    """An operator as it stands in a tree: its name and arguments, its inputs and its subqueries' plans."""

    op: str
    text: str
    inputs: tuple[LogicalPlan, ...]
    plans: tuple[LogicalPlan, ...]
    outer: Scope
    unresolved: bool = False
    #: The id of the column of a range.
    column: int = -1


def _has_opaque(plan: LogicalPlan) -> bool:
    """Whether an operator of a plan is opaque; the bits alone count those of subqueries, too."""
    return bool(plan.bits & OpaqueOperator.BIT) and any(isinstance(n, OpaqueOperator) for n in plan.walk())


#: Texts of one replay that may be given up before others get only as many readings as a text without doubts needs.
_PATIENCE = 2


class Operator:
    """Reads one line. `columns` are the types that texts told, `ansi` the session's mode."""

    def __init__(self, line: Line, columns: Columns, ansi: bool, found: Found) -> None:
        self.line, self.columns, self.found = line, columns, found
        self.inputs = line.inputs
        self.scope = {a.expr_id: a for p in line.inputs for a in p.output}
        self.inner = {a.expr_id: a for p in line.plans for a in p.output}
        self.text = line.text
        begin = [m.start() for m in SUBQUERY.finditer(line.text)]
        self.plans = dict(zip(begin, line.plans, strict=False))
        open = columns.shortened or any(map(_has_opaque, line.inputs))
        self.terms = Terms(self.text, self._names, open or line.unresolved, self._also)
        if len(columns.unreadable) >= _PATIENCE:
            self.terms.left = 2 * len(self.text)
        self.elaborator = Elaborator(self.scope, line.outer, self.plans, ansi, found, columns.python, columns.zone)
        self.at = len(line.op) + 1

    def _also(self) -> frozenset[str]:
        """The names of the inputs' columns."""
        return frozenset(a.name for a in self.scope.values())

    def _names(self, expr_id: int) -> tuple[str, ...] | None:
        if expr_id in self.scope and expr_id not in self.inner and expr_id not in self.line.outer:
            return (self.scope[expr_id].name,)
        found = [s[expr_id].name for s in (self.scope, self.line.outer, self.inner) if expr_id in s]
        return tuple(dict.fromkeys(found)) or None

    # -------------------------------------------------------------------------------------------- pieces

    def opaque(self) -> OpaqueOperator:
        """The line as it stands."""
        pieces, read, at = [], [], 0
        for start in sorted(self.terms.columns):
            term = self.terms.columns[start]
            pieces.append(self.text[at:start])
            read.append(self.elaborator.expression(term))
            at = term.end
        pieces.append(self.text[at:])
        given: tuple[AttributeReference, ...] = ()
        if not self.inputs:
            # Behind the source in words of its own, a stream's relation lists its columns last.
            text = self.text[self.text.rfind(" [") :] if self.line.op.startswith("Streaming") else self.text
            given = tuple(self._column(n, i, bool(long), "") for n, i, long in columns_of(text))
            kind: type[OpaqueOperator] = PrintedRelation if SOURCE.search(self.line.op) else OpaqueOperator
            kind = PrintedOperator if kept_as_printed(self.line.op) and kind is OpaqueOperator else kind
            return kind((self.text,), (), (), given, frozenset(a.expr_id for a in given))
        if kept_as_printed(self.line.op):
            own = own_columns_of(self.line.op, self.text) or self._of_function()
            return PrintedOperator(tuple(pieces), tuple(read), self.inputs, own, frozenset(a.expr_id for a in own))
        missing = frozenset(
            r.expr_id for r in read if isinstance(r, AttributeReference) and r.expr_id not in self.scope
        )
        return OpaqueOperator(tuple(pieces), tuple(read), self.inputs, (), missing)

    def _of_function(self) -> tuple[AttributeReference, ...]:
        """The columns of a Python function of whole tables, which stand in the last list of its line."""
        last = _OF_TABLES.match(self.line.op) and _LAST_LIST.search(self.text)
        return tuple(self._column(n, i, bool(long), "") for n, i, long in columns_of(last.group(1))) if last else ()

    def _column(self, name: str, expr_id: int, long: bool, table: str) -> AttributeReference:
        nullable = expr_id not in self.columns.never_null
        return AttributeReference(name, self.columns.type_of(expr_id, table, name, long), nullable, expr_id)

    def own_columns(self, text: str, table: str = "") -> tuple[AttributeReference, ...]:
        """The columns that a leaf gives: `[a#1,b#2L]`."""
        made = [self._column(n, i, long, table) for n, i, long in columns_of(text)]
        return (*made, *self._left_out(text, made, table))

    def _left_out(self, text: str, made: list[AttributeReference], table: str) -> list[AttributeReference]:
        """The columns that a shortened list leaves out, as far as other lines mention them: the columns of a leaf have
        numbers that follow each other, or, where only some are read, numbers that rise."""
        more = MORE.search(text)
        ids = [a.expr_id for a in made]
        if more is None or not made or ids != sorted(ids):
            return []
        last, number = ids[-1], int(re.findall(r"\d+", more.group())[0])
        if last - ids[0] == len(made) - 1:
            between: Iterable[int] = range(last + 1, last + 1 + number)
        else:
            between = self.columns.left_out(ids[0], last)[:number]
        mentioned = ((i, self.columns.mentioned.get(i)) for i in between)
        return [self._column(said[0], i, said[1], table) for i, said in mentioned if said is not None]

    def listed(self) -> tuple[Term, ...]:
        """The next list in brackets."""
        if self.text[self.at : self.at + 1] != "[":
            raise Unreadable(self.text[:80])
        items, end = self.terms.listed(self.at + 1)
        self.at = end + 1
        return tuple(i for i in items if not ELIDED.fullmatch(i.text))

    def expressions(self) -> tuple[Expression, ...]:
        """The expressions of the next list in brackets."""
        return tuple(self.elaborator.expression(t) for t in self.listed())

    def named(self, terms: tuple[Term, ...] | None = None) -> tuple[Expression, ...]:
        """The columns that an operator gives, each with a name. Raises Unreadable where one has none."""
        return self.with_names(
            self.expressions() if terms is None else tuple(self.elaborator.expression(t) for t in terms)
        )

    @staticmethod
    def with_names(made: tuple[Expression, ...]) -> tuple[Expression, ...]:
        """The same expressions. Raises Unreadable where one has no name."""
        for e in made:
            if not isinstance(e, NamedExpression):
                raise Unreadable(e.text[:80])
        return made

    def calls(self) -> tuple[OpaqueExpression, ...]:
        """The items of the next list in brackets as they stand: calls of functions that only a program knows."""
        start, depth, items = self.at + 1, 0, []
        for at in range(self.at, len(self.text)):
            depth += (self.text[at] in "[(") - (self.text[at] in "])")
            if (depth == 1 and self.text.startswith(", ", at)) or depth == 0:
                items.append(self._as_it_stands(start, at))
                start = at + 2
            if depth == 0:
                self.at = at + 1
                return tuple(items)
        raise Unreadable(self.text[:80])

    def _as_it_stands(self, start: int, end: int) -> OpaqueExpression:
        pieces, read, at = [], [], start
        for begin in sorted(b for b in self.terms.columns if start <= b < end):
            term = self.terms.columns[begin]
            pieces.append(self.text[at:begin])
            read.append(self.elaborator.expression(term))
            at = term.end
        return OpaqueExpression((*pieces, self.text[at:end]), tuple(read), UNKNOWN)

    def skip(self, text: str) -> bool:
        """Whether the text goes on so; it is then behind it."""
        if self.text.startswith(text, self.at):
            self.at += len(text)
            return True
        return False

    @property
    def rest(self) -> str:
        """What is not read yet."""
        return self.text[self.at :]

    @property
    def child(self) -> LogicalPlan:
        """The only input."""
        (only,) = self.inputs
        return only


def columns_of(text: str) -> list[tuple[str, int, bool]]:
    """Names, ids and L of `a#1,b c#2L`: names may hold anything but what ends an item, in round brackets that too:
    `percentile(a#1, 0.5)#2`."""
    inside = text[text.index("[") + 1 :] if "[" in text else text
    found, at = [], 0
    balanced = inside.count("(") == inside.count(")")
    for m in re.finditer(r"#(\d+)(L?)(?=,|\]|$| parquet)", inside):
        name = inside[at : m.start()].removeprefix(",").removeprefix(" ")
        if balanced and name.count("(") != name.count(")"):
            continue
        found.append((name, int(m.group(1)), bool(m.group(2))))
        at = m.end()
    return found


def cut_items(text: str) -> int:
    """How many items a list lacks that Spark has cut."""
    more = MORE.search(text)
    return int(re.findall(r"\d+", more.group())[0]) if more is not None else 0
