"""Physical planning: which operators run the optimized plan, where rows move, and why.

plan.py, operators.py, scans.py, joins.py, aggregates.py, exchanges.py, codegen.py   the operators
distribution.py, projection.py   how rows are spread and sorted, asked for and given
strategies/     logical to physical operators, with the decisions taken
preparations/   exchanges, sorts, reuse and generated stages
query.py        all of it for one query
planner.py      what the planner consists of, as data (inventory D)
"""
