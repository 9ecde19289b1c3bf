"""What programs come dressed in: prompts with output, notebooks, exports of Databricks. Lines stay where they are.

Only a notebook's file (.ipynb) is another text than it looks like: its cells of code, one after the other.
"""

from __future__ import annotations

import json
import re

_PROMPT = re.compile(r"^\s*(?:>>>|In \[\d*\]:)(?: |$)")
_GOES_ON = re.compile(r"^\s*(?:\.\.\.|\s{2,}\.\.\.+:)(?: |$)")
_MAGIC = re.compile(r"^# MAGIC ?")
_SQL = re.compile(r"^\s*%%?(?:sql|sparksql|spark_sql)\b(.*)$", re.IGNORECASE)
_LINE = re.compile(r"^(\s*)([%!?].*)$")


def undressed(text: str) -> str:
    """The Python of a text as people paste it; the text itself where there is nothing to take off."""
    found = _notebook(text)
    if found is not None:
        return "\n".join(map(_cell, found))
    lines = text.replace("\r\n", "\n").split("\n")
    if any(_PROMPT.match(line) for line in lines):
        lines = _without_prompts(lines)
    if any(line.startswith("# MAGIC") for line in lines):
        lines = _without_exports(lines)
    return "\n".join(_plain(line) for line in lines)


def _notebook(text: str) -> list[str] | None:
    """The code of a notebook's cells, None for any other text."""
    if not text.lstrip().startswith("{") or '"cells"' not in text:
        return None
    try:
        cells = json.loads(text)["cells"]
        code = [c["source"] for c in cells if c.get("cell_type") == "code"]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    return ["".join(map(str, s)) if isinstance(s, list) else str(s) for s in code]


def _cell(code: str) -> str:
    first, _, rest = code.partition("\n")
    sql = _SQL.match(first)
    if sql is not None:
        return _query(f"{sql[1]}\n{rest}")
    if first.startswith("%%") and not first.startswith(("%%time", "%%capture", "%%pyspark", "%%spark")):
        return "\n".join("# " + line for line in code.split("\n"))
    return "\n".join(_plain(line) for line in code.split("\n"))


def _query(sql: str) -> str:
    quoted = sql.strip("\n").rstrip().rstrip(";").replace("\\", "\\\\").replace('"""', "'''")
    return f'display(spark.sql("""{quoted} """))'


def _plain(line: str) -> str:
    """A line of Python: magics and commands of the shell are left out."""
    found = _LINE.match(line)
    if found is None:
        return line
    sql = _SQL.match(line)
    return found[1] + (_query(sql[1]) if sql is not None and sql[1].strip() else f"pass  # {found[2]}")


def _without_prompts(lines: list[str]) -> list[str]:
    """The lines behind prompts; what was printed is left out."""
    made = []
    for line in lines:
        found = _PROMPT.match(line) or _GOES_ON.match(line)
        made.append("" if found is None else line[found.end() :])
    return made


def _without_exports(lines: list[str]) -> list[str]:
    """Cells of SQL in a Databricks export as queries; other languages stay comments."""
    made: list[str] = []
    at = 0
    while at < len(lines):
        end = at
        while end < len(lines) and lines[end].startswith("# MAGIC"):
            end += 1
        if end == at:
            made.append(lines[at])
            at += 1
            continue
        block = [_MAGIC.sub("", line) for line in lines[at:end]]
        sql = _SQL.match(block[0])
        if sql is None:
            made += lines[at:end]
        else:
            # As many lines as before.
            shown = _query("\n".join([sql[1], *block[1:]])).split("\n")
            made += shown + [""] * (end - at - len(shown))
        at = end
    return made
