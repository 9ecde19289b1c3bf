"""What Spark's process can be asked to do, by name."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from planviz.catalog.files import FORMAT
from planviz.errors import SparkError, StatementRefused
from planviz.jsontypes import JsonObject
from planviz.spark.capturing import active_session, capture_frame
from planviz.spark.connect import explained_error
from planviz.spark.eventlog.job import ingest
from planviz.spark.jvm import jvm_of
from planviz.spark.safety import check_functions, check_with_server, check_with_spark, queries_of
from planviz.spark.sample_data import TABLES, catalogue_entries, check_scale, make_sample_data
from planviz.spark.session import Spark
from planviz.spark.sharing import cleared_away, is_private, statements_of
from planviz.spark.statistics import Way, analyze_table, table_names
from planviz.spark.tables import made_by, register_catalog, register_data

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: Says what a task is at: "planning", "running" ...
Progress = Callable[[str], None]
Task = Callable[[Spark, JsonObject, Progress], object]

_PLACE = re.compile(r"[(;] ?line (\d+),? pos (\d+)")


def ping(spark: Spark, arguments: dict[str, object], progress: Progress) -> bool:
    """A sign of life."""
    return spark.alive()


def cancel(spark: Spark, arguments: JsonObject, progress: Progress) -> None:
    """Cancel the jobs of another `task`, by its number."""
    spark.cancel_jobs(arguments["task"])


def describe(spark: Spark, arguments: dict[str, object], progress: Progress) -> dict[str, object]:
    """Which Spark this is."""
    return spark.described()


def capture(spark: Spark, arguments: JsonObject, progress: Progress) -> JsonObject:
    """One query of the text `sql` captured; executed when `run` says so, else planned only.

    `conf` are settings of the session, `catalog` a planviz-catalog/1 text, `data` a folder of Parquet tables, `setup`
    SQL of the user that is executed first, unchecked.
    """
    sql = str(arguments["sql"])
    queries = queries_of(sql)
    if len(queries) != 1:
        raise StatementRefused("One query at a time is given to a live Spark.")
    with _prepared(spark, arguments.get("conf") or {}, arguments, progress) as session:
        progress("reading the query")
        check_functions(session, queries[0])
        if spark.is_connect:
            explained = "\n".join(session.sql(f"EXPLAIN EXTENDED {sql}").toArrow().column(0).to_pylist())
            if (error := explained_error(explained)) is not None:
                raise error
            check_with_server(explained)
        else:
            check_with_spark(jvm_of(session), session._jsparkSession, sql)
        return capture_frame(session.sql(sql), sql=sql, run=bool(arguments.get("run")), progress=progress)


@contextmanager
def _prepared(spark: Spark, conf: dict[str, str], arguments: JsonObject, progress: Progress) -> Iterator[SparkSession]:
    """A session with its tables, together with other tasks or, where its SQL could be seen by them, alone."""
    setup = statements_of(arguments.get("setup") or "")
    private = spark.is_connect or is_private(setup)
    if not private:
        progress("waiting until no other query is at work")
    made = made_by(arguments.get("catalog"), arguments.get("data"))
    with spark.sharing.together() if private else spark.sharing.alone(), spark.task_session(conf, made) as session:
        progress("preparing the tables")
        _register(spark, session, arguments)
        with nullcontext() if private else cleared_away(session):
            for statement in setup:
                session.sql(statement)
            yield session


def _register(spark: Spark, session: SparkSession, arguments: JsonObject) -> None:
    if arguments.get("catalog"):
        if spark.is_connect:
            raise SparkError(
                "A planviz catalogue needs a Spark that planviz starts itself; Connect has its own tables."
            )
        register_catalog(session, arguments["catalog"])
    if arguments.get("data"):
        register_data(session, arguments["data"])


def ingest_logs(spark: Spark, arguments: JsonObject, progress: Progress) -> dict[str, object]:
    """The event logs under `paths` read into `catalogue`; see `eventlog.job.ingest`."""
    spark.send_planviz()
    environment = arguments.get("environment") or {}
    return ingest(spark.session, arguments["paths"], arguments["catalogue"], progress, environment)


def tables(spark: Spark, arguments: JsonObject, progress: Progress) -> list[str]:
    """The tables that `tables` names, patterns among them."""
    with _with_tables(spark, arguments) as session:
        return table_names(session, arguments["tables"])


def analyze(spark: Spark, arguments: JsonObject, progress: Progress) -> dict[str, object]:
    """The entry of `table` in a catalogue, with statistics; `exact`, `histograms` and `sample` are those of `Way`."""
    way = Way(bool(arguments.get("exact")), bool(arguments.get("histograms")), str(arguments.get("sample") or ""))
    with _with_tables(spark, arguments) as session:
        return analyze_table(session, arguments["table"], way, progress)


def sample_data(spark: Spark, arguments: JsonObject, progress: Progress) -> dict[str, object]:
    """The shop of `planviz.spark.sample_data` at `scale`, written under `folder` (a folder or URL, seen by Spark).

    `tables` names some of its tables (default: all). Returns `folder`, `tables`, `rows` by table, and `catalogue`, a
    planviz-catalog/1 document with their statistics; where the folder is of this machine, it is `catalog.json` there.
    """
    folder, chosen = str(arguments["folder"]), arguments.get("tables") or list(TABLES)
    with spark.task_session({"spark.sql.session.timeZone": "UTC"}) as session:
        rows = make_sample_data(session, folder, check_scale(arguments.get("scale", 1)), chosen, progress)
        entries = catalogue_entries(session, folder, chosen, progress)
    document = {"format": FORMAT, "name": "shop", "description": "The sample shop", "tables": entries}
    if entries and "://" not in folder:
        Path(folder, "catalog.json").write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    return {"folder": folder, "tables": chosen, "rows": rows, "catalogue": document}


@contextmanager
def _with_tables(spark: Spark, arguments: dict[str, object]) -> Iterator[SparkSession]:
    conf = {"spark.sql.session.timeZone": "UTC"}
    with (
        _prepared(spark, conf, arguments, lambda at: None) as session,
        nullcontext() if spark.is_connect else active_session(session),
    ):
        yield session


TASKS: dict[str, Task] = {
    "ping": ping,
    "cancel": cancel,
    "describe": describe,
    "capture": capture,
    "ingest": ingest_logs,
    "tables": tables,
    "analyze": analyze,
    "sample_data": sample_data,
}


def spark_error(error: Exception) -> dict[str, object] | None:
    """Spark's own error as JSON values, with its class and place; None for any other."""
    condition = getattr(error, "getCondition", getattr(error, "getErrorClass", None))
    if condition is None:
        return None
    name = condition()
    text = str(error)
    place = _PLACE.search(text)
    # Behind the sentence Spark prints the query and the plan.
    sentence = re.split(r"\n\n?== SQL|;\n'|\n\nJVM stacktrace|[(;] ?line \d+,? pos \d+", text)[0].strip()
    sentence = " ".join(sentence.removeprefix(f"[{name}]").split())
    if not name:
        return {"kind": "SparkError", "message": f"Spark says: {sentence[:1000]}"}
    kind = "ParseError" if type(error).__name__ == "ParseException" else "AnalysisError"
    told: dict[str, object] = {"kind": kind, "error_class": name, "message": sentence[:1000]}
    if place is not None:
        told |= {"line": int(place[1]), "column": int(place[2]) + 1}
    return told
