"""Stands in for Spark's process where no JVM is needed: the same lines, and tasks that misbehave on demand."""

from __future__ import annotations

import json
import os
import sys
import time


def give(message):
    print(json.dumps(message), flush=True)


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
    elif task == "refuse":
        give({"id": number, "error": {"kind": "StatementRefused", "message": "No."}})
    elif task == "misspell":
        error = {"kind": "AnalysisError", "error_class": "X", "message": "no y", "line": 2, "column": 3}
        give({"id": number, "error": error})
    else:
        give({"id": number, "value": [os.getpid(), arguments, sorted(os.environ)]})
