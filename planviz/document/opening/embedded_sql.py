"""SQL that stands in something else: a notebook's cell, a program's string, a dbt model.

What is not SQL becomes blanks, so that every line and column is still that of the text which was pasted.
"""

from __future__ import annotations

import re

_BEGINS = r"(?:--[^\n]*\n\s*|/\*.*?\*/\s*)*(?:SELECT|WITH|EXPLAIN|INSERT|CREATE|MERGE|FROM|VALUES|CACHE|\(\s*SELECT)\b"
_PLAIN = re.compile(rf"\s*{_BEGINS}", re.IGNORECASE | re.DOTALL)
_CELL = re.compile(r"\s*(?:(?:#|--|//)\s*MAGIC\s+)?%%?(?:sql|sparksql|spark_sql)\b[^\n]*", re.IGNORECASE)
_MAGIC = re.compile(r"^(?:#|--|//)[ \t]*MAGIC\b ?", re.MULTILINE)
_CALL = re.compile(
    rf"\.sql\(\s*(?:sqlText\s*=\s*)?[a-zA-Z]{{0,2}}(?P<quotes>\"\"\"|'''|\"|')(?P<sql>\s*\|?\s*{_BEGINS}.*?)"
    r"(?P<end>(?P=quotes)(?P<margin>\.stripMargin)?)",
    re.IGNORECASE | re.DOTALL,
)
_MARGIN = re.compile(r"^[ \t]*\|", re.MULTILINE)
_JINJA = re.compile(r"\{\{-?\s*(?P<call>\w+)\s*\((?P<arguments>[^{}]*)\)\s*-?\}\}|\{#.*?#\}", re.DOTALL)
_TEXTS = re.compile(r"['\"]([^'\"]*)['\"]")


def embedded_sql(text: str) -> tuple[str, str]:
    """The SQL of a text, at its place, and what was taken off around it; the text itself and "" for plain SQL.

    Read are cells that begin with %sql, `spark.sql("...")` in Python and Scala, each string a statement, and
    `{{ ref('t') }}`, `{{ source('db', 't') }}` and `{{ config(...) }}` of dbt. Values put into strings while a program
    runs are not known: what stands for them is left, and is told as a syntax error.
    """
    cell = _CELL.match(text)
    if cell is not None:
        rest = text[cell.end() :]
        return _blank(cell[0]) + _MAGIC.sub(lambda m: _blank(m[0]), rest), "the notebook's %sql"
    strings = list(_CALL.finditer(text)) if ".sql(" in text and not _PLAIN.match(text) else []
    if strings:
        return _strings(text, strings), "the program around the SQL"
    if "{{" in text:
        found = _JINJA.sub(_named, text)
        return found, "dbt's braces around names" if found != text else ""
    return text, ""


def _strings(text: str, strings: list[re.Match[str]]) -> str:
    found, at = [], 0
    for match in strings:
        sql = match["sql"]
        if match["margin"]:
            sql = _MARGIN.sub(lambda m: _blank(m[0]), sql)
        found += [_blank(text[at : match.start("sql")]), sql, ";" + _blank(match["end"][1:])]
        at = match.end()
    return "".join(found) + _blank(text[at:])


def _named(match: re.Match[str]) -> str:
    """The table that a call of dbt means, as wide as the call; a call that means none stays as it is."""
    names = _TEXTS.findall(match["arguments"] or "")
    if match["call"] not in ("ref", "source", "config", None):
        return match[0]
    table = names[-1] if match["call"] == "ref" and names else ".".join(names) if match["call"] == "source" else ""
    return table + _blank(match[0])[len(table) :]


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)
