"""Logical operators.

plan.py        LogicalPlan and what every operator gives
operators.py   the operators that stay: Project, Filter, Join, Aggregate ...
writes.py      INSERT, CREATE TABLE AS and the commands that write files
unresolved.py  what the parser writes and analysis resolves away
"""
