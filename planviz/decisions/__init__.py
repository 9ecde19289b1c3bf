"""What is recorded as planviz decides: data only.

refusals.py   guards of rules that said no; why a rule did not fire
branches.py   the way that a rule took when it fired, through its logic as pseudo-code
estimates.py  how many rows and bytes an operator is thought to give, and by which formula
choices.py    what the planner chose, on which checks, and what it rejected
stages.py     the stages of an aggregate
flips.py      the smallest changes that would flip a decision
join_tree.py  every question of join selection, and where its answers lead
"""
