"""Programs: PySpark read as text, its queries planned, nothing of it run.

interpreter.py   one reading: calls, limits, actions      statements.py   assignments, branches, loops, definitions
expressions.py   what expressions stand for               attributes.py   which attributes of values may be read
library.py       Python's built-ins and known modules     spark.py        PySpark's modules
session.py       the session, and tables that are guessed hints.py        types that uses of columns tell
values.py        unknown values, functions, classes       model.py        what comes out
dresses.py       prompts, notebooks, exports    reading.py     the way in
"""

from planviz.programs.model import Action, Program, ProgramError
from planviz.programs.reading import looks_like_program, read_program

__all__ = ["Action", "Program", "ProgramError", "looks_like_program", "read_program"]
