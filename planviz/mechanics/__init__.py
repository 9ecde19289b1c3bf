"""What the operators of a plan do with rows, on rows small enough to be shown.

buffers.py   aggregate functions by their buffers
rows.py      the rows of a plan whose tables' rows are known
stages.py    rows through the stages of an aggregate
"""
