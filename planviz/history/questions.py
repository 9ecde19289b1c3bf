"""What is asked of a catalogue."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from planviz.errors import InputError
from planviz.history.catalogue import Catalogue

if TYPE_CHECKING:
    import pyarrow.compute as pc

#: The rankings, and what stands first in each.
RANKS = {
    "slowest": "the longest from start to end",
    "spill": "the most bytes spilled to disk",
    "shuffle": "the most bytes written to shuffles",
    "estimate": "rows expected and rows that came, the furthest apart in either direction",
    "changed": "queries whose plan is not what it was, the largest change of time",
    "failed": "failed, the last one first",
    "latest": "the last one first",
}
STATUSES = ("succeeded", "failed", "incomplete")
MOST = 10_000


@dataclass(frozen=True)
class Question:
    """A ranking of at most `limit` executions out of those that all filters let through.

    `application` is a name or an id, `text` is part of the description or the error, capital letters or not; `since`
    is the first moment in UTC and `until` the first one after; `operator` and `join` are Spark's names. Raises
    InputError for a ranking or status that there is not.
    """

    rank: str = "slowest"
    application: str = ""
    text: str = ""
    since: datetime | None = None
    until: datetime | None = None
    operator: str = ""
    join: str = ""
    status: str = ""
    limit: int = 50

    def __post_init__(self) -> None:
        if self.rank not in RANKS:
            raise InputError(f"There is no ranking {self.rank}. There are {', '.join(RANKS)}.")
        if self.status and self.status not in STATUSES:
            raise InputError(f"There is no status {self.status}. There are {', '.join(STATUSES)}.")
        if not 0 < self.limit <= MOST:
            raise InputError(f"The limit is {self.limit:,}; it is a number from 1 to {MOST:,}.")


def moment(text: str, *, end: bool = False) -> datetime:
    """A day or a time as ISO 8601 writes it, in UTC where it names no zone; with `end` the moment after a whole day.

    Raises InputError for anything else.
    """
    try:
        found = datetime.fromisoformat(text.strip())
    except ValueError:
        raise InputError(f"{text}: this is no day or time. Write it like 2026-09-21 or 2026-09-21T14:30.") from None
    if end and len(text.strip()) <= len("2026-09-21"):
        found += timedelta(days=1)
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)


def as_named(catalogue: Catalogue, question: Question) -> Question:
    """The question with operator and join strategy as Spark writes them, capital letters or not.

    Raises InputError for one that no execution has.
    """

    def named(asked: str, what: str, names: tuple[str, ...]) -> str:
        if not asked:
            return ""
        for name in names:
            if name.lower() == asked.lower():
                return name
        raise InputError(f"No execution has the {what} {asked}. There are: {', '.join(names) or 'none'}.")

    if not question.operator and not question.join:
        return question
    known = catalogue.contents()
    return replace(
        question,
        operator=named(question.operator, "operator", known.operators),
        join=named(question.join, "join strategy", known.joins),
    )


def condition(question: Question) -> pc.Expression | None:
    """The filters as a condition of pyarrow's, None when there are none. Files of other days are not even opened."""
    import pyarrow.compute as pc

    parts = []
    if question.application:
        asked = question.application
        parts.append((pc.field("app_name") == asked) | (pc.field("app_id") == asked))
    if question.status:
        parts.append(pc.field("status") == question.status)
    if question.since is not None:
        parts += [pc.field("day") >= question.since.date(), pc.field("started") >= question.since]
    if question.until is not None:
        parts += [pc.field("day") <= question.until.date(), pc.field("started") < question.until]
    for column, name in (("operators", question.operator), ("joins", question.join)):
        if name:
            parts.append(pc.map_lookup(pc.field(column), query_key=name, occurrence="first").is_valid())
    if question.text:
        texts = (pc.field("description"), pc.field("error"))
        found = [pc.match_substring(text, question.text, ignore_case=True) for text in texts]
        parts.append(found[0] | found[1])
    whole = None
    for part in parts:
        whole = part if whole is None else whole & part
    return whole
