"""Numbers that tell columns and shared subexpressions apart (Spark: NamedExpression.newExprId)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar


class Ids:
    """Where a planning takes its numbers from: expressions from `start`, shared subexpressions from 0.

    Spark counts the latter apart, and over its whole session.
    """

    def __init__(self, start: int = 1) -> None:
        self.expressions: Iterator[int] = itertools.count(start)
        self.common = itertools.count()


#: The id of what no session has numbered yet.
UNNUMBERED = 0


def no_ids() -> Ids:
    """What numbers nothing: expressions read with it wait for the numbers of a session."""
    ids = Ids()
    ids.expressions = itertools.repeat(UNNUMBERED)
    return ids


_ids: ContextVar[Ids] = ContextVar("ids", default=Ids())  # noqa: B039


def next_id() -> int:
    """A fresh expression id, unique within the running planning."""
    return next(_ids.get().expressions)


def next_common_id() -> int:
    """A fresh id of a shared subexpression."""
    return next(_ids.get().common)


@contextmanager
def fresh_ids(start: int = 1) -> Iterator[None]:
    """Number expressions from `start` within this block, so that one query always gets the same ids."""
    with ids_from(Ids(start)):
        yield


@contextmanager
def ids_from(ids: Ids) -> Iterator[None]:
    """Take numbers from `ids` within this block; a later block may go on with them."""
    token = _ids.set(ids)
    try:
        yield
    finally:
        _ids.reset(token)
