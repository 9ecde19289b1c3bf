"""Logical operators.

plan.py        LogicalPlan and what every operator gives
operators.py   the operators that stay: Project, Filter, Join, Aggregate ...
unresolved.py  what the parser writes and analysis resolves away
"""
