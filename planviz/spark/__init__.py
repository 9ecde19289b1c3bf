"""A live Spark: sessions, capture, safety (inventory M1 to M7, F-002). The only importer of pyspark.

On the side of planviz:
    process.py     LiveSpark: a Spark in a process of its own, watched, replaced when it dies or hangs
    reach.py       whether anything answers at a Spark Connect address
    java.py        the JDK that it runs on
    capture_file.py  a capture as a file

In Spark's process (or in the process of a user who calls `capture`):
    worker.py      takes tasks, gives answers
    session.py     starts Spark; a session for each task
    capturing.py   everything that Spark knows of one query, as JSON values
    replay.py      the rules of analyzer, optimizer and preparations applied one by one
    measured.py    the plan as it ran, with rows, bytes and time per operator
    connect.py     the same as far as Spark Connect tells it
    tables.py      the tables of a catalogue, empty, with its statistics; folders of Parquet
    statistics.py  statistics of real tables, as ANALYZE makes them
    eventlog/      event logs -> a catalogue of executions
    tasks.py       what can be asked for, by name
    jvm.py         Scala's collections and options from Python

    safety.py      which SQL a live Spark is given at all
"""
