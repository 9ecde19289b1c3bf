"""Event logs of Spark -> a catalogue of executions, as a PySpark job.

logs.py       which logs there are: plain, rolling, compacted, in progress
streams.py    the text of a log's files, whatever they are compressed with
blocks.py     files of compressed blocks as Java's lz4, snappy and lzf write them
events.py     the lines of one log to its executions, through planviz.plantext.eventlog
executions.py one execution as a row of the catalogue
catalogue.py  the catalogue: Parquet that many may write, and what is known of logs
job.py        all logs, distributed, to Parquet; what was read is not read again
"""
