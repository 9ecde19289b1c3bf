"""SQL that stands in something else: a notebook's cell, a program's string, a dbt model.

What is not SQL becomes blanks, so that every line and column is still that of the text which was pasted.
"""

from __future__ import annotations

import re
from functools import lru_cache

#: As long as SQL may be (planviz.frontend.statement, which opens with all of the parser).
MAX_LENGTH = 2_000_000
_WORDS = r"(?:SELECT|WITH|EXPLAIN|INSERT|CREATE|MERGE|FROM|VALUES|CACHE|\(\s*SELECT)\b"
#: A comment is never read again as a part of a longer one: sixty of them and no statement would take for ever.
_PLAIN = re.compile(rf"\s*+(?:--[^\n]*+\n\s*+|/\*.*?\*/\s*+)*+{_WORDS}", re.IGNORECASE | re.DOTALL)
#: In a string a comment has a bound, too: where none is closed, every string would be looked through to the text's end.
_BEGINS = rf"(?:--[^\n]*+\n\s*+|/\*.{{0,1000}}?\*/\s*+)*+{_WORDS}"
_CELL = re.compile(r"\s*(?:(?:#|--|//)\s*MAGIC\s+)?%%?(?:sql|sparksql|spark_sql)\b[^\n]*", re.IGNORECASE)
_MAGIC = re.compile(r"^(?:#|--|//)[ \t]*MAGIC\b ?", re.MULTILINE)
_CALL = re.compile(
    rf"(?:\.sql\(\s*(?:sqlText\s*=\s*)?|\b(?:sql|query|hql|statement)\s*=\s*)[a-zA-Z]{{0,2}}(?P<quotes>\"\"\"|'''|\"|')(?P<sql>\s*+\|?\s*+{_BEGINS}.*?)"
    r"(?P<end>(?P=quotes)(?P<margin>\.stripMargin)?)",
    re.IGNORECASE | re.DOTALL,
)
#: What a program of Python begins with, as a query of Hive may.
_IMPORT = re.compile(r"\s*from\s+[\w.]+\s+import\b")
_MARGIN = re.compile(r"^[ \t]*\|", re.MULTILINE)


@lru_cache(maxsize=1)  # asked for its kind first, and then for its queries
def embedded_sql(text: str) -> tuple[str, tuple[str, ...]]:
    """The SQL of a text, at its place, and what is to be said of that; the text itself and () for plain SQL.

    Read are cells that begin with %sql, `spark.sql("...")` in Python and Scala, `sql="..."` of an operator of Airflow,
    each string a statement, and templates. A text that is longer than SQL may be stands as it is.
    """
    if len(text) > MAX_LENGTH:
        return text, ()
    cell = _CELL.match(text)
    if cell is not None:
        rest = text[cell.end() :]
        sql = _blank(cell[0]) + _MAGIC.sub(lambda m: _blank(m[0]), rest)
        return _filled(sql, "Taken off before reading: the notebook's %sql.")
    strings = _strings_of(text)
    if strings:
        return _filled(_strings(text, strings), "Taken off before reading: the program around the SQL.")
    return _filled(text)


def holds_sql(text: str) -> bool:
    """Whether a program holds SQL in its strings that can be opened without it."""
    return bool(_strings_of(text))


def _strings_of(text: str) -> list[re.Match[str]]:
    """Strings of SQL: what `.sql(` is given, or where nothing is called so, what is named sql or query."""
    if _PLAIN.match(text) and not _IMPORT.match(text):
        return []
    called = ".sql(" in text
    return [found for found in _CALL.finditer(text) if found[0].startswith(".") is called]


def _filled(sql: str, *notes: str) -> tuple[str, tuple[str, ...]]:
    if not any(sign in sql for sign in ("{", "%(", "%s")):
        return sql, notes
    # The parser of templates takes long to be loaded, and few texts are any.
    from planviz.document.opening.templates import read_template

    template = read_template(sql)
    return (sql, notes) if template is None else (template.sql, (*notes, *template.notes))


def _strings(text: str, strings: list[re.Match[str]]) -> str:
    found, at = [], 0
    for match in strings:
        sql = match["sql"]
        if match["margin"]:
            sql = _MARGIN.sub(lambda m: _blank(m[0]), sql)
        found += [_blank(text[at : match.start("sql")]), sql, ";" + _blank(match["end"][1:])]
        at = match.end()
    return "".join(found) + _blank(text[at:])


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)
