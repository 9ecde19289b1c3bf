"""What is recorded as planviz decides: data only.

refusals.py   guards of rules that said no; why a rule did not fire
"""
