"""What programs come dressed in: prompts with output, notebooks, exports of Databricks. Lines stay where they are.

Only a notebook's file (Jupyter's, Zeppelin's) is another text than it looks like: its cells of code in order.
"""

from __future__ import annotations

import ast
import json
import re
import warnings

from planviz.programs.recovery import NO_FILE

_PROMPT = re.compile(r"^\s*(?:>>>|In \[\d*\]:)(?: |$)")
_GOES_ON = re.compile(r"^(?:\s*\.\.\.|\s{2,}\.\.\.+:)(?: |$)")
#: A notebook's prompt on a line of its own, as rendered notebooks are copied: the cell stands below it.
_CELL = re.compile(r"^\s*In \[[\d ]*\]:\s*$")
_ENDS_CELL = re.compile(r"^\s*(?:In|Out) ?\[[\d ]*\]:")
#: What may be the first line of what a cell printed, and Python as well: root of printSchema(), 42 of count().
_WORD = re.compile(r"^\s*(?:\w+\s*)?$")
#: How often the code of a cell is cut back to what is Python.
_MOST_CUTS = 25
_MAGIC = re.compile(r"^# MAGIC ?")
_SQL = re.compile(r"^\s*%%?(?:sql|sparksql|spark_sql)\b(.*)$", re.IGNORECASE)
_SQL_WORDS = ("sql", "sparksql", "spark.sql", "spark_sql")
#: A cell of another language, by Jupyter's, Zeppelin's and Databricks' magics.
_OTHER = re.compile(
    r"^%%?(sql|sparksql|spark\.sql|spark_sql|md|markdown|sh|bash|scala|r|html|javascript|js|latex|writefile|angular)\b(.*)$",
    re.IGNORECASE,
)
#: What a paragraph of Zeppelin begins with.
_INTERPRETER = re.compile(r"\s*%([\w.]+)(?:\([^)\n]*\))?[ \t]*\n?")
_PYTHON_NAMES = ("pyspark", "spark.pyspark", "python", "spark.ipyspark")
#: A line that is surely Python behind a cell that no line ends.
_PYTHON = re.compile(
    r"^(?:from\s+\w[\w.]*\s+import|import\s+\w|def\s|@|\w+(?:\[[^\]]*\])?\s*=[^=]|display\(|print\(|\w+\.\w+\()"
)
_LINE = re.compile(r"^(\s*)((?:%%?[A-Za-z]|[!?]).*)$")


def undressed(text: str) -> str:
    """The Python of a text as people paste it; the text itself where there is nothing to take off."""
    found = _notebook(text)
    if found is not None:
        return "\n".join(map(_cell, found))
    if "# MAGIC" not in text and _is_python(text):
        return text
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if any(_PROMPT.match(line) for line in lines):
        lines = _without_prompts(lines)
    if any(line.startswith("# MAGIC") for line in lines):
        lines = _without_exports(lines)
    return "\n".join(_cells(lines))


def _is_python(text: str) -> bool:
    """Whether a text is Python as it stands: what looks like a prompt or a magic in it is something else."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text, NO_FILE)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _cells(lines: list[str]) -> list[str]:
    """Lines with cells of other languages among them: SQL becomes queries, the rest comments."""
    made: list[str] = []
    at = 0
    while at < len(lines):
        other = _OTHER.match(lines[at])
        if other is None:
            made.append(_plain(lines[at]))
            at += 1
            continue
        end = at + 1
        while end < len(lines) and not _ends_cell(lines, at, end):
            end += 1
        block = [other[2], *lines[at + 1 : end]]
        if other[1].lower() in _SQL_WORDS and any(b.strip() for b in block):
            made += _query("\n".join(block)).split("\n")
        else:
            made += ["# " + line for line in lines[at:end]]
        made += [""] * (end - len(made))
        at = end
    return made


def _ends_cell(lines: list[str], begin: int, at: int) -> bool:
    """Whether a cell of another language that begins at one line is over before another one."""
    line = lines[at]
    if line.startswith(("%", "# COMMAND")) or _PROMPT.match(line):
        return True
    whole = lines[begin].startswith("%%")
    return not whole and _PYTHON.match(line) is not None


def is_notebook(text: str) -> bool:
    """Whether a text may be a notebook's file, of Jupyter or of Zeppelin."""
    return text.lstrip().startswith("{") and ('"cells"' in text or '"paragraphs"' in text)


def _notebook(text: str) -> list[str] | None:
    """The code of a notebook's cells, None for any other text."""
    if not is_notebook(text):
        return None
    try:
        file = json.loads(text)
        if "paragraphs" in file:
            return _paragraphs([p.get("text") or "" for p in file["paragraphs"]])
        code = [c["source"] for c in file["cells"] if c.get("cell_type") == "code"]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    return ["".join(map(str, s)) if isinstance(s, list) else str(s) for s in code]


def _paragraphs(texts: list[str]) -> list[str]:
    """The cells of a note of Zeppelin: those of one language, Python's or Scala's, with the SQL between them."""
    found = [(m[1].lower(), t[m.end() :]) if (m := _INTERPRETER.match(t)) else ("spark", t) for t in map(str, texts)]
    python = any(name in _PYTHON_NAMES for name, _ in found)
    cells = []
    for name, code in found:
        if name.endswith("sql"):
            cells.append(f"%%sql\n{code}" if python else _query(code).replace("display(", "(", 1))
        elif name in (_PYTHON_NAMES if python else ("spark", "spark.spark")):
            cells.append(code)
    return cells


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
    """The lines behind prompts, what goes on from them, and statements between; what was printed is left out."""
    made: list[str] = []
    open_brackets, prompted, printed = 0, False, True
    below = _code_below_prompts(lines)
    for at, line in enumerate(lines):
        if at in below:
            made.append(line)
            open_brackets, prompted, printed = 0, True, True
            continue
        # What was printed may begin with dots, too.
        found = _PROMPT.match(line) or (None if printed else _GOES_ON.match(line))
        going_on = open_brackets > 0 or bool(made and made[-1].rstrip().endswith("\\"))
        if (
            found is None
            and not going_on
            and not (_PYTHON.match(line) or (not prompted and line.startswith((" ", "#"))))
        ):
            made.append("")
            open_brackets, printed = 0, True
            continue
        printed = found is None and not going_on
        prompted = prompted or found is not None
        made.append(line if found is None else line[found.end() :])
        code = re.sub(r"'[^']*'|\"[^\"]*\"|#.*", "", made[-1])
        if found is not None and _PROMPT.match(line):
            open_brackets = 0
        open_brackets = max(0, open_brackets + sum(map(code.count, "([{")) - sum(map(code.count, ")]}")))
    return made


def _code_below_prompts(lines: list[str]) -> set[int]:
    """The lines of cells whose prompts stand on lines of their own: as much below each as is Python."""
    found: set[int] = set()
    for at, line in enumerate(lines):
        if not _CELL.match(line):
            continue
        end = at + 1
        while end < len(lines) and not _ENDS_CELL.match(lines[end]):
            end += 1
        found.update(range(at + 1, at + 1 + _leading_code([_plain(s) for s in lines[at + 1 : end]])))
    return found


def _leading_code(lines: list[str]) -> int:
    """How many of the lines are code: the first that are Python together, without the words that output begins with."""
    many = len(lines)
    for _ in range(_MOST_CUTS):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                ast.parse("\n".join(lines[:many]), NO_FILE)
        except SyntaxError as e:
            many = min(many - 1, max(0, (e.lineno or 1) - 1))
            while many and _WORD.match(lines[many - 1]):
                many -= 1
        except (ValueError, RecursionError, MemoryError):
            return 0
        else:
            return many
    return 0


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
