"""Past executions, searched and ranked out of a catalogue that `planviz spark ingest` wrote. No Spark is needed.

catalogue.py   the catalogue's Parquet files: columns read as far as they are asked for, logs and their faults
questions.py   what is asked: a ranking, filters, how many
ranked.py      the executions that come first
changed.py     queries whose plan is not what it was, with their times before and after
difference.py  how two plans differ, in words
opened.py      one execution as a document that every page and command opens
"""
