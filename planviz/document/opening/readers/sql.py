"""SQL: statements, alone or in the cells and strings of something else."""

from __future__ import annotations

import re

from planviz.document.model import Document
from planviz.document.opening.embedded_sql import embedded_sql
from planviz.document.opening.readers.pasted import Pasted
from planviz.errors import ParseError

_SQL = re.compile(
    r"^\s*(?:--[^\n]*\n\s*|/\*.*?\*/\s*)*"
    r"((SELECT|WITH|EXPLAIN|INSERT|CREATE|MERGE|UPDATE|DELETE|FROM|VALUES|SET|DROP|ANALYZE|\(\s*SELECT)\b"
    r"|(TABLE|CACHE|UNCACHE|DECLARE|BEGIN|USE|SHOW|DESC|DESCRIBE|ALTER|TRUNCATE|REFRESH)\s+[\w`])",
    re.IGNORECASE | re.DOTALL,
)


def begins_as_sql(text: str) -> bool:
    """Whether a text begins as statements do, after comments."""
    return _SQL.match(text) is not None


def looks_like_sql(text: str) -> bool:
    """Whether a text begins as statements do or holds SQL in a cell or a program; a plan's text may, too, by chance."""
    return begins_as_sql(embedded_sql(text)[0])


def read(pasted: Pasted) -> Document | None:
    """The document of SQL; None for any other text. Raises ParseError for SQL that cannot be read."""
    # A line of SQL may look like an operator without marks; headings, logs and trees prove that it is none.
    if not looks_like_sql(pasted.text) or not pasted.may_be_other_than_a_plan or pasted.holds_tree:
        return None
    # Plan texts must open without the whole optimizer being loaded.
    from planviz.document.opening.sql import open_sql

    try:
        return open_sql(pasted.text, pasted.catalog, pasted.config)
    except ParseError:
        if not pasted.scanned.plans:
            raise
    return None
