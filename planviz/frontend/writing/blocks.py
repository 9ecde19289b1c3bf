"""A SELECT under construction: its clauses as expressions, and what each attribute id is called inside it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import IntEnum

from planviz.expressions.core import AttributeReference, Expression
from planviz.logical.plan import LogicalPlan
from planviz.types import quote_if_needed


@dataclass(frozen=True)
class Column:
    """A column of one of the block's sources."""

    source: str
    name: str

    def text(self, qualified: bool) -> str:
        """`source.name`, or the name alone where there is one source only."""
        name = quote_if_needed(self.name)
        return f"{quote_if_needed(self.source)}.{name}" if qualified else name


@dataclass(frozen=True)
class Existence:
    """The column of an ExistenceJoin: whether `plan` has a row for which `condition` holds."""

    plan: LogicalPlan
    condition: Expression | None


Scope = dict[int, "Column | Existence"]


class Clause(IntEnum):
    """The last clause that a block has; a later one may still be added, an earlier one needs a block around it."""

    FROM = 0
    LATERAL_VIEW = 1
    WHERE = 2
    SELECT = 3
    HAVING = 4
    ORDER_BY = 5
    LIMIT = 6


@dataclass
class Block:
    """One SELECT.

    `source` is the text of FROM (empty: one row), `sources` how many relations it names, `scope` what ids are called
    in it, `output` the columns it gives in order. Without `select` it gives what it reads.
    """

    source: str
    sources: int
    scope: Scope
    output: tuple[AttributeReference, ...]
    clause: Clause = Clause.FROM
    where: list[Expression] = field(default_factory=list)
    select: tuple[Expression, ...] | None = None
    distinct: bool = False
    grouping: tuple[Expression, ...] | None = None
    having: list[Expression] = field(default_factory=list)
    order: tuple[Expression, ...] = ()
    order_words: str = "ORDER BY"
    limit: Expression | None = None
    offset: Expression | None = None
    hints: list[str] = field(default_factory=list)
    #: A whole query that is no SELECT (a union): taken as it is, or wrapped.
    whole: str | None = None


def unique_names(names: list[str]) -> list[str]:
    """The names, those that were there before with a number behind; SQL compares names without case."""
    taken: set[str] = set()
    out = []
    for name in names:
        name = " ".join(name.splitlines())
        new, n = name, 2
        while new.lower() in taken:
            new, n = f"{name}_{n}", n + 1
        taken.add(new.lower())
        out.append(new)
    return out


def view_names(columns: tuple[AttributeReference, ...]) -> list[str]:
    """Names for the columns of a LATERAL VIEW, which Spark keeps with their quotes when they need some."""
    return unique_names([re.sub(r"\W", "_", a.name) for a in columns])
