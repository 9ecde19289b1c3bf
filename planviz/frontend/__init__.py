"""SQL text to unresolved plans, by Spark's grammar (SqlBaseParser.g4) rather than through another tool's tree.

    lexer.py        text to tokens
    cursor.py       the token cursor and its errors
    literals.py     numbers, strings, dates, intervals
    parameters.py   values of :name and ?
    expression.py   expressions
    relation.py     FROM: tables, joins, pivots
    query.py        SELECT, set operations, WITH
    definitions.py  CREATE and DROP
    statement.py    whole statements and scripts
    model.py        a statement as data

A tree of another tool keeps too little: whether a cast was written as a function, which function name was used, how a
chain of AND was nested, where a word stood. Spark's parsed plan shows all of these.
"""

from planviz.frontend.model import Statement
from planviz.frontend.parameters import Parameters
from planviz.frontend.statement import parse_constant, parse_expression, parse_plan, parse_script

__all__ = ["Parameters", "Statement", "parse_constant", "parse_expression", "parse_plan", "parse_script"]
