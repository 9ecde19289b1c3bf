"""Strategies: how one logical operator, or a pattern of several, becomes physical ones (Spark: SparkStrategies).

join_selection.py   JoinSelection: the five joins
aggregation.py      Aggregation: the stages and their operators
file_source.py      FileSourceStrategy: scans with their filters and columns
limits.py           SpecialLimits: limits together with the sort beneath
basic.py            BasicOperators, Window, WindowGroupLimit: one to one
"""
