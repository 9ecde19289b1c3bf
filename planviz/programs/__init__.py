"""Programs: PySpark read as text, its queries planned, nothing of it run.

interpreter.py   one reading: calls, limits, actions      statements.py   assignments, branches, loops, definitions
expressions.py   what expressions stand for               attributes.py   which attributes of values may be read
library.py       Python's built-ins and known modules     spark.py        PySpark's modules
session.py       the session of a program                 hints.py        types that uses of columns tell
schema_inference.py   columns of guessed tables, as the uses of DataFrames tell them
guesses.py       what is guessed                          retyping.py     types that refusals prove wrong
placeholders.py  values in SQL that nobody knows          undefined.py    names that a snippet does not define
ml.py, glue.py, lakehouse.py   models, AWS Glue, Databricks          rest.py   what is made and never used
values.py        unknown values, functions, classes       model.py        what comes out
dresses.py       prompts, notebooks, exports              recovery.py     other indentation, Python 2, prose
scala.py         Scala as the Python that means the same  objects.py      rows that functions of objects make
scala_rows.py    rows of Scala's sequences                scala_functions.py   Scala's functions as columns
frames.py        pandas and numpy                         sharing.py      what several actions compute again
known_rows.py    rows that the program itself tells       rdds.py         what functions make of the rows of RDDs
scala_imports.py names that a Scala text imports          scala_text.py   values in Scala's texts
matching.py      the statement match                      iterations.py    itertools
regular_expressions.py   re                               containers.py    collections
session_names.py sessions from elsewhere                  java.py, java_calls.py   Java, by way of Scala's methods
reading.py       the way in                               other_languages.py   what is not read, and its name
"""

from planviz.programs.model import Action, Program, ProgramError
from planviz.programs.other_languages import other_language
from planviz.programs.reading import imports_spark, looks_like_program, read_program

__all__ = [
    "Action", "Program", "ProgramError", "imports_spark", "looks_like_program", "other_language", "read_program",
]  # fmt: skip
