"""Run the queries of this folder on a real Spark and keep what it prints as planviz's samples.

    python sample_queries/capture.py [NAME ...] [--data /data/shop]

Every `*.sql` file says in its header how it is captured (`-- capture:`); the last statement is the query, those before
it are run first. Texts go to `planviz/samples/texts/`, the list of samples to `planviz/samples/index.json`. What Spark
printed is kept as it is; `planviz/samples/README.md` says what was removed from the event log, and why.
Needs PySpark 4.3, Java 17, about 200 MB under `--data`, and two minutes.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import io
import json
import os
import re
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import shop
from pyspark.sql import DataFrame, SparkSession

HERE = Path(__file__).parent
SAMPLES = HERE.parent / "planviz" / "samples"
GZIP_FROM = 60_000  # characters; below, a plain file reads and diffs better

#: What planviz calls the text, by how it was captured.
KINDS = {
    "explain simple": "explain",
    "executed": "explain · adaptive",
    "rest json": "SQL REST",
    "plan json": "plan as JSON",
}

#: The order in which the samples are offered: the best picture first, then by what they teach.
ORDER = (
    "revenue-by-country",
    "broadcast-and-merge-join",
    "distinct-in-four-stages",
    "several-distincts",
    "window-top-n",
    "adaptive-skew-join",
    "dynamic-partition-pruning",
    "subqueries",
    "exists-and-not-in",
    "union-and-limit",
    "cached-table",
    "python-udf",
    "explode-tags",
    "cost-with-statistics",
    "rule-log",
    "event-log",
    "rest-execution",
    "plan-json",
    "two-years-of-reports",
)


def header(sql: str) -> dict[str, str]:
    """The `-- key: value` lines at the top of a query file."""
    found: dict[str, str] = {}
    for line in sql.splitlines():
        match = re.fullmatch(r"-- ([a-z ]+): (.*)", line)
        if match is None:
            break
        found[match[1]] = match[2]
    return found


def statements(sql: str) -> list[str]:
    """The statements of a query file, without its header. No sample holds a semicolon inside a literal."""
    body = "\n".join(line for line in sql.splitlines() if not line.startswith("-- "))
    return [part.strip() for part in body.split(";") if part.strip()]


def start(data: Path, **conf: str) -> SparkSession:
    """A local Spark with its defaults, apart from where it works and that it names no machine."""
    os.environ.update(SPARK_LOCAL_IP="127.0.0.1", SPARK_LOCAL_HOSTNAME="localhost", SPARK_USER="analyst")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local[2]").appName("shop")
    fixed = {
        "spark.driver.memory": "3g",
        "spark.driver.host": "localhost",
        "spark.sql.warehouse.dir": str(data.parent / "warehouse"),
        "spark.sql.session.timeZone": "UTC",
        "spark.ui.showConsoleProgress": "false",
        "spark.eventLog.enabled": "false",
    }
    for key, value in (fixed | {key.replace("__", "."): value for key, value in conf.items()}).items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    shop.write(spark, data)
    shop.register(spark, data)
    spark.udf.register("price_band", lambda price: "high" if price > 120 else "low", "string")
    spark.udf.register("loud", lambda text: text.endswith("7"), "boolean")
    return spark


@contextlib.contextmanager
def settings(spark: SparkSession, text: str) -> Iterator[None]:
    """The settings of a header (`key=value, key=value`), for as long as the query runs."""
    pairs = [pair.strip().split("=", 1) for pair in text.split(",")] if text else []
    for key, value in pairs:
        spark.conf.set(key, value)
    try:
        yield
    finally:
        for key, _ in pairs:
            spark.conf.unset(key)
        spark.catalog.clearCache()


def explained(frame: DataFrame, mode: str) -> str:
    """What `explain` prints in one of its modes."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        frame.explain(mode=mode)
    return printed.getvalue()


def executed(frame: DataFrame) -> str:
    """What `explain` prints once the query has run: the adaptive plan, final and initial."""
    frame.collect()
    return explained(frame, "simple")


def rest_json(frame: DataFrame) -> str:
    """The newest execution of the application, after the query has run, from Spark's own REST interface."""
    context = frame.sparkSession.sparkContext
    frame.collect()
    time.sleep(1)
    url = f"http://localhost:{context.uiWebUrl.rsplit(':', 1)[1]}/api/v1/applications/{context.applicationId}/sql"
    with urllib.request.urlopen(f"{url}?length=1000") as answer:
        newest = max(entry["id"] for entry in json.load(answer))
    with urllib.request.urlopen(f"{url}/{newest}?details=true&planDescription=true") as answer:
        return str(answer.read().decode())


def plan_json(frame: DataFrame) -> str:
    """The optimized plan as `TreeNode.toJSON` writes it."""
    return str(frame._jdf.queryExecution().optimizedPlan().toJSON()) + "\n"


CAPTURES: dict[str, Callable[[DataFrame], str]] = {
    "explain simple": lambda frame: explained(frame, "simple"),
    "explain extended": lambda frame: explained(frame, "extended"),
    "explain formatted": lambda frame: explained(frame, "formatted"),
    "explain cost": lambda frame: explained(frame, "cost"),
    "executed": executed,
    "rest json": rest_json,
    "plan json": plan_json,
}


def capture(spark: SparkSession, sql: str) -> str:
    """What Spark prints for one query file."""
    words = header(sql)
    with settings(spark, words.get("settings", "")):
        *before, query = statements(sql)
        for statement in before:
            spark.sql(statement)
        return CAPTURES[words["capture"]](spark.sql(query))


def rule_log(spark: SparkSession, sql: str, stderr: Path) -> str:
    """The driver's log while the query is planned, as log4j's default layout writes it to standard error."""
    with settings(spark, header(sql)["settings"]):
        begin = stderr.stat().st_size
        for statement in statements(sql):
            spark.sql(statement)._jdf.queryExecution().executedPlan()
        return stderr.read_bytes()[begin:].decode()


def event_log(data: Path, sql: str) -> str:
    """The plain event log of an application that runs the file's queries and nothing else."""
    with tempfile.TemporaryDirectory(dir=data.parent) as folder:
        conf = {"enabled": "true", "dir": folder, "compress": "false", "rolling__enabled": "false"}
        spark = start(data, **{f"spark__eventLog__{key}": value for key, value in conf.items()})
        with settings(spark, header(sql).get("settings", "")):
            for statement in statements(sql):
                spark.sparkContext.setJobDescription(" ".join(statement.split()))
                spark.sql(statement).collect()
        spark.stop()
        (log,) = (path for path in Path(folder).rglob("*") if path.is_file() and not path.name.startswith("."))
        return without_setup(log.read_text().splitlines(keepends=True))


def without_setup(lines: list[str]) -> str:
    """The event log from the start of the application on, without the statements that registered the tables."""
    first = next(i for i, line in enumerate(lines) if "SQLExecutionStart" in line and '"description":"SELECT' in line)
    begin = next(i for i, line in enumerate(lines) if "SparkListenerApplicationStart" in line) + 1
    return "".join(kept(line) for line in lines[:begin] + lines[first:])


def kept(line: str) -> str:
    """One line of the event log, without what describes the machine instead of the run."""
    event: dict[str, Any] = json.loads(line)
    if event["Event"] == "SparkListenerEnvironmentUpdate":
        spark = {key: value for key, value in event["Spark Properties"].items() if key.startswith("spark.sql.")}
        return json.dumps({"Event": event["Event"], "Spark Properties": spark}, separators=(",", ":")) + "\n"
    if event["Event"] in {"SparkListenerJobStart", "SparkListenerStageSubmitted"}:
        names = event["Properties"]
        event["Properties"] = {k: v for k, v in names.items() if k.startswith(("spark.sql.", "spark.job.", "sql"))}
        return json.dumps(event, separators=(",", ":")) + "\n"
    return line


def large_query() -> str:
    """The SQL of `two-years-of-reports`: six small reports for each month, one below the other."""
    months = [f"{year}-{month:02d}" for year in (2025, 2026) for month in range(1, 13)]
    reports = (
        "SELECT '{m}' AS month, 'country' AS report, u.country AS name, sum(o.amount) AS value FROM orders o"
        " JOIN users u ON u.user_id = o.user_id JOIN stores s ON s.store_id = o.store_id"
        " WHERE o.order_month = '{m}' AND s.country <> u.country GROUP BY u.country",
        "SELECT '{m}', 'category', i.category, sum(o.quantity * i.price) FROM orders o"
        " JOIN items i ON i.item_id = o.item_id WHERE o.order_month = '{m}' GROUP BY i.category",
        "SELECT '{m}', 'tier', u.tier, count(DISTINCT o.user_id) FROM orders o JOIN users u ON u.user_id = o.user_id"
        " WHERE o.order_month = '{m}' AND o.status = 'paid' GROUP BY u.tier",
        "SELECT '{m}', 'store', s.name, count(*) FROM stores s JOIN orders o ON o.store_id = s.store_id"
        " WHERE o.order_month = '{m}' AND o.status = 'returned' GROUP BY s.name",
        "SELECT '{m}', 'visits', u.country, count(e.session) FROM orders o JOIN events e ON e.user_id = o.user_id"
        " JOIN users u ON u.user_id = o.user_id WHERE o.order_month = '{m}' AND e.kind = 'buy' GROUP BY u.country",
        "SELECT '{m}', 'brand', i.brand, sum(o.amount) FROM orders o JOIN items i ON i.item_id = o.item_id"
        " JOIN stores s ON s.store_id = o.store_id LEFT ANTI JOIN (SELECT user_id FROM events WHERE kind = 'help') h"
        " ON h.user_id = o.user_id WHERE o.order_month = '{m}' AND s.opened < DATE'2015-01-01' GROUP BY i.brand",
    )
    branches = [report.format(m=month) for month in months for report in reports]
    return (
        "-- title: Two years of reports in one query (over 2,000 operators)\n"
        "-- about: The kind of plan that a loop of unions writes: six reports for each of 24 months.\n"
        "-- look at: the shape repeats; fold it, search for one month, and compare two branches.\n"
        "-- catalogue: shop\n-- tables: orders, users, items, stores\n-- capture: explain simple\n"
        "SELECT report, name, max(value) AS best, count(*) AS months FROM (\n"
        + "\nUNION ALL\n".join(branches)
        + "\n) GROUP BY report, name ORDER BY report, best DESC LIMIT 100\n"
    )


def keep(name: str, text: str) -> None:
    """Write one sample's text, compressed when long; the archive holds no time: equal texts give equal files."""
    text = text.replace(f"{HERE}/", "")  # in call sites: `collect at capture.py:126`
    folder = SAMPLES / "texts"
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob(f"{name}.*"):
        old.unlink()
    suffix = ".json" if text.startswith(("{", "[")) else ".txt"
    if len(text) < GZIP_FROM:
        (folder / f"{name}{suffix}").write_text(text, encoding="utf-8")
    else:
        (folder / f"{name}{suffix}.gz").write_bytes(gzip.compress(text.encode(), 9, mtime=0))


def write_index() -> None:
    """`index.json`: what the loader needs to know of each sample without opening its text."""
    entries = []
    for name in ORDER:
        sql = (HERE / f"{name}.sql").read_text(encoding="utf-8")
        (file,) = (SAMPLES / "texts").glob(f"{name}.*")
        words = header(sql)
        entries.append(
            {
                "name": name,
                "title": words["title"],
                "about": words["about"],
                "kind": KINDS.get(words["capture"], words["capture"]),
            }
            | {"file": file.name, "query": sql}
        )
    (SAMPLES / "index.json").write_text(json.dumps(entries, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def main() -> None:
    """Capture what was asked for and write the index."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", default=ORDER, metavar="NAME", help="samples to capture (default: all)")
    parser.add_argument("--data", type=Path, default=Path("/data/shop"), help="where the shop's tables are written")
    options = parser.parse_args()
    (HERE / "two-years-of-reports.sql").write_text(large_query(), encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        stderr = Path(folder) / "stderr"
        with stderr.open("wb") as sink:  # the driver's JVM inherits this: it is the log a user would copy from
            os.dup2(sink.fileno(), 2)
        spark = None
        # Statistics would change the plans of all later samples; the event log needs an application of its own.
        last = ("cost-with-statistics", "event-log")
        for name in sorted(
            options.names, key=lambda name: (*(name == other for other in reversed(last)), ORDER.index(name))
        ):
            sql = (HERE / f"{name}.sql").read_text(encoding="utf-8")
            begin = time.perf_counter()
            if header(sql)["capture"] == "event log":
                if spark is not None:
                    spark.stop()
                text = event_log(options.data, sql)
            else:
                spark = spark or start(options.data)
                log = header(sql)["capture"] == "rule log"
                text = rule_log(spark, sql, stderr) if log else capture(spark, sql)
            keep(name, text)
            print(f"{name}: {len(text):,} characters, {time.perf_counter() - begin:.1f} s")
    write_index()


if __name__ == "__main__":
    main()
