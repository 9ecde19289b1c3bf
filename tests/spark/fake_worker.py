"""Stands in for Spark's process where no JVM is needed: the same lines, and tasks that misbehave on demand."""

from __future__ import annotations

import json
import os
import sys
import time

from tests.spark.made_capture import capture


def give(message):
    print(json.dumps(message), flush=True)


def table(name):
    columns = [{"name": "a", "type": "int", "nullable": True}]
    counted = {"a": {"distinctCount": 9, "nullCount": 0, "min": "1", "max": "9", "avgLen": 4, "maxLen": 4}}
    stats = {"rowCount": 1234, "sizeInBytes": 5678, "columns": counted}
    return {"provider": "parquet", "columns": columns, "partition_columns": [], "stats": stats}


settings = json.loads(sys.stdin.readline())
if settings["conf"].get("start") == "fails":
    give({"failed": {"kind": "SparkError", "message": "The master cannot be reached."}})
    sys.exit(0)
if settings["conf"].get("start") == "hangs":
    time.sleep(60)
give({"ready": {"version": "4.3.0", "master": settings["master"], "jvm": os.getpid()}})
stubborn = settings["conf"].get("cancel") == "never"
for line in sys.stdin:
    message = json.loads(line)
    number, task, arguments = message["id"], message["task"], message["arguments"]
    # A query that only reads as one says what is to become of it.
    task = {"SELECT die": "die", "SELECT work": "work", "SELECT plan": "plan", "SELECT misspell": "misspell"}.get(
        arguments.get("sql"), task
    )
    if task == "die":
        give({"id": number, "progress": "planning"})
        time.sleep(0.05)
        give({"died": "its JVM was ended by signal 9"})
        os._exit(3)
    elif task == "fill memory":
        print("java.lang.OutOfMemoryError: Java heap space", file=sys.stderr, flush=True)
        os._exit(1)
    elif task == "hang":
        give({"id": number, "progress": "running"})
        time.sleep(60)
    elif task == "work":
        give({"id": number, "progress": "running"})
    elif task == "plan":
        give({"id": number, "progress": "planning"})
    elif task == "cancel" and not stubborn:
        error = {"kind": "SparkError", "message": "Spark says: Job 1 cancelled."}
        give({"id": arguments["task"], "error": error})
    elif task == "garbage":
        for line in ("no JSON", "5", "[]", '"text"', "{}", '{"id": 99}', '{"id": {}}', "\x00\xff"):
            print(line, flush=True)
        give({"id": number, "value": "an answer"})
    elif task == "answer nothing":
        give({"id": number})
    elif task == "fail":
        give({"id": number, "error": {"kind": "SparkError", "message": arguments["message"]}})
    elif task == "refuse":
        give({"id": number, "error": {"kind": "StatementRefused", "message": "No."}})
    elif task == "misspell":
        error = {"kind": "AnalysisError", "error_class": "X", "message": "no y", "line": 2, "column": 3}
        give({"id": number, "error": error})
    elif task == "capture":
        give({"id": number, "progress": "planning"})
        give({"id": number, "value": capture(settings["master"], **arguments)})
    elif task == "tables":
        give({"id": number, "value": ["t", "u"]})
    elif task == "analyze":
        give({"id": number, "progress": f"counting {arguments['table']}"})
        give({"id": number, "value": table(arguments["table"])})
    else:
        give({"id": number, "value": [os.getpid(), arguments, sorted(os.environ)]})
