"""Event logs of Spark -> a catalogue of executions, as a PySpark job.

logs.py       which logs there are: plain, rolling, compacted, in progress
streams.py    the lines of a log's files, whatever they are compressed with
events.py     the events of one log folded into executions; memory does not grow with the log
executions.py one execution as a row of the catalogue
job.py        all logs, distributed, to Parquet; what was read is not read again
"""
