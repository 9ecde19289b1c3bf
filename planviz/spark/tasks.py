"""What Spark's process can be asked to do, by name."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from planviz.spark.session import Spark

#: Says what a task is at: "planning", "running" ...
Progress = Callable[[str], None]
Task = Callable[[Spark, dict[str, Any], Progress], Any]

_PLACE = re.compile(r"\(line (\d+), pos (\d+)\)")


def ping(spark: Spark, arguments: dict[str, Any], progress: Progress) -> bool:
    """A sign of life."""
    return spark.alive()


def describe(spark: Spark, arguments: dict[str, Any], progress: Progress) -> dict[str, Any]:
    """Which Spark this is."""
    return spark.described()


TASKS: dict[str, Task] = {"ping": ping, "describe": describe}


def spark_error(error: Exception) -> dict[str, Any] | None:
    """Spark's own error as JSON values, with its class and place; None for any other."""
    condition = getattr(error, "getCondition", getattr(error, "getErrorClass", None))
    if condition is None:
        return None
    name = condition()
    text = str(error)
    place = _PLACE.search(text)
    # Behind the sentence Spark prints the query and the plan.
    sentence = re.split(r"\n\n?== SQL|;\n'|\n\nJVM stacktrace|\(line \d+, pos \d+\)", text)[0].strip()
    sentence = sentence.removeprefix(f"[{name}]").strip()
    if not name:
        return {"kind": "SparkError", "message": f"Spark says: {sentence[:1000]}"}
    kind = "ParseError" if type(error).__name__ == "ParseException" else "AnalysisError"
    told: dict[str, Any] = {"kind": kind, "error_class": name, "message": sentence[:1000]}
    if place is not None:
        told |= {"line": int(place[1]), "column": int(place[2]) + 1}
    return told
