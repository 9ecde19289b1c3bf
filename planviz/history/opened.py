"""One execution as a document that every page and command opens."""

from __future__ import annotations

import json
from pathlib import PurePath

from planviz.document import open_text
from planviz.errors import InputError
from planviz.graph import PlanGraph
from planviz.history.catalogue import FILE, Catalogue, PastExecution

_EVENT = "org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart"


def find(catalogue: Catalogue, reference: str) -> PastExecution:
    """The execution of a name `LOG#ID`: LOG is a log's path, the last part of it, or an application's id.

    Raises InputError when there is none or more than one of that name.
    """
    import pyarrow.compute as pc

    log, _, number = reference.rpartition("#")
    if not log or not number.isascii() or not number.isdigit() or len(number) > 18:
        raise InputError(f"{reference}: an execution is named LOG#ID, such as app-20260921-0001#17.")
    named = set()
    for table in catalogue.tables([FILE, "log", "app_id"], pc.field("execution_id") == int(number)):
        for file, path, application in zip(*(column.to_pylist() for column in table.columns), strict=True):
            if path == log:
                return catalogue.executions([(file, int(number))])[0]
            if log in (application, PurePath(path).name):
                named.add((path, file))
    if not named:
        raise InputError(f"There is no execution {number} of {log} in this catalogue.")
    if len(named) > 1:
        several = ", ".join(f"{path}#{number}" for path, _ in sorted(named)[:5])
        raise InputError(f"{reference} could be {len(named)} executions. Name the log by its whole path: {several}.")
    return catalogue.executions([(named.pop()[1], int(number))])[0]


def document_text(catalogue: Catalogue, log: str, number: int, description: str = "") -> str:
    """The last plan with its measured values, as Spark's own event of an execution. Raises InputError without one."""
    plan = catalogue.plan(log, number)
    if plan is None:
        raise InputError(f"There is no execution {number} of {log} in this catalogue.")
    head = {"Event": _EVENT, "executionId": number, "description": description}
    return f'{json.dumps(head, separators=(",", ":"))[:-1]},"sparkPlanInfo":{plan}}}\n'


def plan_of(catalogue: Catalogue, log: str, number: int) -> PlanGraph:
    """The plan of an execution."""
    return open_text(document_text(catalogue, log, number)).plans[0]
