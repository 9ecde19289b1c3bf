"""What the operators of a plan do with rows, on rows small enough to be shown.

rows.py   the rows of a plan whose tables' rows are known
"""
