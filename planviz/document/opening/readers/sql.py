"""SQL: statements, alone or in the cells and strings of something else."""

from __future__ import annotations

import re
from dataclasses import replace

from planviz.document.model import Document
from planviz.document.opening.embedded_sql import embedded_sql
from planviz.document.opening.readers.pasted import Pasted
from planviz.document.opening.refusals import other_engine
from planviz.errors import NotAPlan, ParseError

_SQL = re.compile(
    # No comment is read again as a part of a longer one: sixty of them and no statement would take for ever.
    r"^\s*+(?:--[^\n]*+\n\s*+|/\*.*?\*/\s*+)*+"
    r"((SELECT|WITH|EXPLAIN|INSERT|CREATE|MERGE|UPDATE|DELETE|FROM|VALUES|SET|DROP|ANALYZE|\(\s*SELECT)\b"
    r"|(TABLE|CACHE|UNCACHE|DECLARE|BEGIN|USE|SHOW|DESC|DESCRIBE|ALTER|TRUNCATE|REFRESH)\s+[\w`]"
    r"|EXECUTE\s+IMMEDIATE\b)",
    re.IGNORECASE | re.DOTALL,
)
_MORE_OF_A_STATEMENT = re.compile(
    r"(?:\s|--[^\n]*\n|/\*.*?\*/)*+(?:WITH\s+(?:RECURSIVE\s+)?[\w`]+\s*(?:\([^()]*\)\s*)?AS\b|FROM\s+[\w`.(]+.*?\bSELECT\b"
    r"|\(?\s*+(?!WITH\b|FROM\b)\w+\b.*?\b(?:SELECT|FROM|INTO|TABLE|VALUES|AS|SET|DATABASE|VIEW|WHERE)\b)",
    re.IGNORECASE | re.DOTALL,
)
#: `:name`, and no cast `::type`.
_NAMED = re.compile(r"(?<![:\w]):([A-Za-z_]\w*)")


def begins_as_sql(text: str) -> bool:
    """Whether a text begins as statements do, after comments."""
    return _SQL.match(text) is not None


def begins_with_a_statement(text: str) -> bool:
    """Whether a text begins with more of a statement than its first word, which prose may begin with, too: `With 3.5 I
    get`, `From the docs:`, `Show me`."""
    return begins_as_sql(text) and _MORE_OF_A_STATEMENT.match(text) is not None


def looks_like_sql(text: str) -> bool:
    """Whether a text begins as statements do or holds SQL in a cell or a program; a plan's text may, too, by chance."""
    return begins_as_sql(embedded_sql(text)[0])


def read(pasted: Pasted) -> Document | None:
    """The document of SQL; None for any other text. Raises ParseError for SQL that cannot be read."""
    # A line of SQL may look like an operator without marks; headings, logs and trees prove that it is none.
    # What the lines tell is there already; to look for SQL in strings took a fifth of the time of a large plan.
    if not pasted.may_be_other_than_a_plan or pasted.holds_tree or not looks_like_sql(pasted.text):
        return None
    # Plan texts must open without the whole optimizer being loaded.
    from planviz.document.opening.sql import open_sql

    try:
        document = open_sql(pasted.text, pasted.catalog, pasted.config)
        if getattr(document.error, "error_class", "") == "UNBOUND_SQL_PARAMETER":
            return _with_unknown_values(pasted) or document
        return document
    except ParseError:
        if not pasted.scanned.plans:
            # Whoever pastes another engine's plan has its EXPLAIN above it.
            if (known := other_engine(pasted.text)) is not None:
                raise NotAPlan(f"No Spark plan was found. {known}", line=1, column=1) from None
            raise
    return None


def _with_unknown_values(pasted: Pasted) -> Document | None:
    """The document with parameters of which only the name is known; None where a value decides what is planned.

    Spark refuses them. Who pastes a query has the values elsewhere, and asks for its plan.
    """
    from planviz.document.opening.sql import open_sql
    from planviz.expressions.objects import Placeholder
    from planviz.types import STRING

    names = sorted({*_NAMED.findall(pasted.text)})
    by_name = {name: Placeholder(name, STRING) for name in names}
    by_place = [Placeholder(f"?{place}", STRING) for place in range(1, pasted.text.count("?") + 1)]
    for values in (by_name, by_place):
        try:
            document = open_sql(pasted.text, pasted.catalog, pasted.config, params=values) if values else None
        except ParseError:  # both kinds in one text
            continue
        if document is not None and document.error is None:
            told = ", ".join(map(str, by_name.values() if values is by_name else by_place))
            note = (
                f"Parameters without values ({told}) stand in the plan by their names; nothing is calculated from them."
            )
            return replace(document, notes=(*document.notes, note))
    return None
