"""The way in: a text is recognised as a program and read until nothing new is learned of guessed tables."""

from __future__ import annotations

import ast
import re
import sys

from planviz.catalog.tables import Catalog
from planviz.config import OptimizerConfig
from planviz.errors import ParseError, defect
from planviz.programs.dresses import is_notebook, undressed
from planviz.programs.guesses import Again, Guesses
from planviz.programs.hints import column_types
from planviz.programs.interpreter import Interpreter
from planviz.programs.java import java_tree, looks_like_java
from planviz.programs.model import Program, ProgramError
from planviz.programs.other_languages import other_language
from planviz.programs.recovery import Recovered, recovered
from planviz.programs.scala import looks_like_scala, scala_tree, without_prompts
from planviz.programs.sharing import shared_plans
from planviz.programs.syntax import nodes_of
from planviz.programs.undefined import Uses
from planviz.programs.values import Place
from planviz.trees.collector import collector_at_rest
from planviz.trees.executor import RuleExecutor

#: How often a program is read anew at most because more is known of a guessed table.
MOST_READINGS = 150
_ZONE = "spark.sql.session.timeZone"
_UNKNOWN_FUNCTIONS = "planviz.unknownFunctions"
#: What brings functions that the program itself does not tell.
_JAVA = re.compile(r"registerJava|\bjars?\b|\bcreate\s+(?:or\s+replace\s+)?(?:temporary\s+)?function\b", re.IGNORECASE)
_IMPORT = re.compile(r"^[^\S\n]*(?:from\s+pyspark[\w.]*\s+import\s|import\s+pyspark\b)", re.MULTILINE)
_CALLS = re.compile(
    # spark.sql.shuffle.partitions is a setting's name.
    r"^[^\n#\"']*\b(?:spark|sqlContext|sc|session)\s*\.\s*"
    r"(?:table|read|readStream|sql(?!\s*\.)|range|createDataFrame|conf)\b"
    r"|^[^\S\n]*\w+\s*=\s*+\(?\s*+\w+\s*\.\s*(?:select|filter|where|groupBy|withColumn|join)\("
    r"|^def model\(dbt,\s*session\)",
    re.MULTILINE,
)
#: A line of an event log: the plans and call sites within hold the words of programs.
_EVENTS = re.compile(r'(?m)^[^\S\n]*+\{"Event": ?"')


def looks_like_program(text: str) -> bool:
    """Whether a text is a PySpark program: it imports PySpark, or uses a session or DataFrames in Python's way."""
    if other_language(text) is not None or _EVENTS.search(text):
        return False
    # Cells of SQL alone are opened as SQL.
    if is_notebook(text) or re.search(r"^[^\S\n]*+(?:>>>|In \[\d*\]:)", text, re.MULTILINE):
        text = undressed(text)
    return looks_like_java(text) or looks_like_scala(text) or (_IMPORT.search(text) or _CALLS.search(text)) is not None


def imports_spark(text: str) -> bool:
    """Whether a text is surely a program, for it imports Spark."""
    if _EVENTS.search(text):
        return False
    return looks_like_java(text) or looks_like_scala(text) or _IMPORT.search(text) is not None


@collector_at_rest()
def read_program(
    text: str,
    catalog: Catalog | None = None,
    config: OptimizerConfig | None = None,
    infer: bool | None = None,
) -> Program:
    """A program with the plans of its actions. Nothing of it is imported or run.

    `infer` says to guess tables that neither the catalogue nor the program has; None: where there is no catalogue.
    Raises ParseError, with line and column, for a text that is no Python.
    """
    found = _parsed(text)
    text, tree = found.text, found.tree
    config = _zoned(config or OptimizerConfig())
    guesses = Guesses(infer if infer is not None else catalog is None or not catalog.tables, column_types(tree))
    if not guesses.tables and found.language == "PySpark" and _UNKNOWN_FUNCTIONS not in config.settings:
        config = config if _brings_functions(tree, text) else config.with_settings({_UNKNOWN_FUNCTIONS: "refuse"})
    uses = Uses(tree)
    lines = text.split("\n")

    def place(line: int, column: int) -> Place:
        # Python counts columns in bytes of UTF-8.
        shown = lines[line - 1] if 0 < line <= len(lines) else ""
        return Place(line, len(shown.encode("utf-8", "replace")[:column].decode("utf-8", "ignore")) + 1)

    for _ in range(MOST_READINGS):
        guesses.used.clear()
        guesses.readings += 1
        reader = Interpreter(text, tree, catalog, config, guesses, place, uses)
        reader.applies = found.language in ("Scala", "Java")
        try:
            program = reader.read()
        except Again:
            continue
        except Exception as e:  # a program is never lost: what was read so far stays
            if RuleExecutor.guarded is False:
                raise
            if reader.session.learning:
                continue
            program = reader.program
            program.error = program.error or ProgramError("INTERNAL_ERROR", str(defect("Reading", e)), Place(1, 1))
        break
    else:
        program = Program(text)
        program.error = ProgramError("TOO_MANY_GUESSES", "Too many columns would have to be guessed.", Place(1, 1))
    _tell(program, found, reader)
    return program


def _tell(program: Program, found: Recovered, reader: Interpreter) -> None:
    """Note what was left out of the text, what is computed several times, and what was guessed."""
    program.not_understood[:0] = found.left_out
    if found.left_out and found.error is not None:
        program.error = ProgramError(type(found.error).__name__, f"This is no Python: {found.error.msg}.", found.place)
    program.notes += reader.session.notes
    program.language = found.language
    program.shared = shared_plans(program)
    program.notes += [str(s) for s in program.shared[:5]]
    names = [name for name in reader.guesses.columns if name in reader.guesses.used]
    if names:
        program.notes.append(
            f"Guessed from their use, types too: {', '.join(names)}. A catalogue or a schema would make the plans sure."
        )


def _brings_functions(tree: ast.AST, text: str) -> bool:
    """Whether SQL may know functions beside Spark's own and those that the program registers: of Java, of libraries."""
    if _JAVA.search(text):
        return True
    imported = [a.name for n in nodes_of(tree) if isinstance(n, ast.Import) for a in n.names]
    imported += [n.module or "." for n in nodes_of(tree) if isinstance(n, ast.ImportFrom)]
    known = sys.stdlib_module_names | {"pyspark", "pandas", "numpy"}
    return any(name.partition(".")[0] not in known for name in imported)


def _parsed(text: str) -> Recovered:
    """Python's tree of a text in one of the languages. Raises ParseError."""
    if is_notebook(text):
        text = undressed(text)
    language, tree_of = ("Java", java_tree) if looks_like_java(text) else ("Scala", scala_tree)
    if language == "Scala" and not looks_like_scala(text):
        return parse(undressed(text))
    plain = text if language == "Java" else without_prompts(text)
    try:
        tree, passed = tree_of(plain)
    except RecursionError:
        message = f"The {language} text nests too deep to be read."
        raise ParseError(f"{language.upper()}_SYNTAX_ERROR", message) from None
    return Recovered(tree, plain, passed, language=language)


def _zoned(config: OptimizerConfig) -> OptimizerConfig:
    """Plans of programs show the zone UTC, as drivers of Spark are run, unless another one was chosen."""
    if config.get(_ZONE) != OptimizerConfig().get(_ZONE):
        return config
    return config.with_settings({_ZONE: "UTC"})


def parse(text: str) -> Recovered:
    """Python's own tree of a text, as far as it is Python. Raises ParseError with the place of a syntax error."""
    try:
        return recovered(text)
    except SyntaxError as e:
        column = None if e.offset is None else max(1, e.offset)
        raise ParseError("PYTHON_SYNTAX_ERROR", f"This is no Python: {e.msg}.", line=e.lineno, column=column) from None
    except (ValueError, RecursionError, MemoryError) as e:
        raise ParseError("PYTHON_SYNTAX_ERROR", f"This is no Python that can be read: {e}.") from None
