"""Spark started, and a session for each task: nobody sees another one's settings or temporary views."""

from __future__ import annotations

import logging
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import planviz
from planviz.spark.reach import is_connect

#: Settings that make what Spark prints complete.
WHOLE_TEXTS = {"spark.sql.debug.maxToStringFields": "100000", "spark.sql.maxMetadataStringLength": "100000"}
#: Safety that a session cannot switch off again: Spark 4.3 refuses methods of Java in SQL by this list.
_STATIC = {"spark.sql.reflect.allowList": "^$"}
#: Safety that holds as long as no SET reaches the session: no table that is a path, no ${env:NAME} in a text.
_SAFE = {"spark.sql.runSQLOnFiles": "false", "spark.sql.variable.substitute": "false"}
_LOG4J = """rootLogger.level = error
rootLogger.appenderRef.stdout.ref = console
appender.console.type = Console
appender.console.name = console
appender.console.target = SYSTEM_ERR
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = %p %c: %m%n
"""


@dataclass
class Spark:
    """A running Spark: `session` is its first session, `jvm_process` that of the JVM (None over Spark Connect)."""

    session: Any
    master: str
    jvm_process: subprocess.Popen[bytes] | None

    @property
    def is_connect(self) -> bool:
        """Whether this is a client of Spark Connect, without a JVM of its own."""
        return is_connect(self.master)

    def described(self) -> dict[str, Any]:
        """Version, master and, of a JVM, its process id."""
        pid = None if self.jvm_process is None else self.jvm_process.pid
        return {"version": self.session.version, "master": self.master, "jvm": pid}

    def gone(self, within: float = 0.0) -> bool:
        """Whether the JVM has ended, or does within so many seconds."""
        if self.jvm_process is None:
            return False
        try:
            self.jvm_process.wait(within)
        except subprocess.TimeoutExpired:
            return False
        return True

    def alive(self) -> bool:
        """Ask Spark for a sign of life; a hung JVM never answers."""
        if self.is_connect:
            return True
        return not self.session.sparkContext._jsc.sc().isStopped()

    def label_jobs(self, task: int) -> None:
        """Let the jobs of this thread be those of a task, by its number."""
        if not self.is_connect:
            context = self.session.sparkContext
            context.clearJobTags()
            context.addJobTag(f"planviz-{task}")
            context.setInterruptOnCancel(True)

    def cancel_jobs(self, task: int) -> None:
        """Cancel the jobs of a task; Spark Connect ends them when its client has gone."""
        if not self.is_connect:
            self.session.sparkContext.cancelJobsWithTag(f"planviz-{task}")

    def send_planviz(self) -> None:
        """Give planviz itself to Spark's Python workers elsewhere; those on this machine see the same folders."""
        if self.master.startswith("local"):
            return
        package = Path(planviz.__file__).parent
        with tempfile.TemporaryDirectory() as folder:
            archive = shutil.make_archive(f"{folder}/planviz", "zip", package.parent, package.name)
            if self.is_connect:
                self.session.addArtifacts(archive, pyfile=True)
            else:
                self.session.sparkContext.addPyFile(archive)

    @contextmanager
    def task_session(self, conf: dict[str, str]) -> Iterator[Any]:
        """A session for one task, with its settings, safe and with whole texts."""
        session = self._another()
        for key, value in {**WHOLE_TEXTS, **conf, **_SAFE}.items():
            session.conf.set(key, value)
        try:
            yield session
        finally:
            if self.is_connect:
                session.stop()

    def _another(self) -> Any:
        if self.is_connect:
            from pyspark.sql.connect.session import SparkSession as ConnectSession

            return ConnectSession.builder.remote(self.master).create()
        return self.session.newSession()


def start(settings: dict[str, Any]) -> Spark:
    """Start Spark, or connect to one; `settings` has master, conf, memory, and a folder for what it writes."""
    # 4.x writes every SQL error as JSON through this logger.
    logging.getLogger("SQLQueryContextLogger").setLevel(logging.CRITICAL + 1)
    master = settings["master"]
    if is_connect(master):
        from pyspark.sql.connect.session import SparkSession as ConnectSession

        return Spark(ConnectSession.builder.remote(master).create(), master, None)
    from pyspark.sql import SparkSession

    folder = Path(settings["folder"])
    if "SPARK_CONF_DIR" not in os.environ:
        (folder / "conf").mkdir(exist_ok=True)
        (folder / "conf" / "log4j2.properties").write_text(_LOG4J, encoding="utf-8")
        os.environ["SPARK_CONF_DIR"] = str(folder / "conf")
    builder = SparkSession.builder.master(master).appName("planviz")
    for key, value in {**_defaults(master, settings["memory"], folder), **settings["conf"], **_STATIC}.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    gateway: Any = session.sparkContext._gateway
    return Spark(session, master, gateway.proc)


def _defaults(master: str, memory: str, folder: Path) -> dict[str, str]:
    found = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.memory": memory,
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.sql.catalogImplementation": "in-memory",
    }
    if master.startswith("local"):
        # Nothing listens where others could reach it.
        found |= {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
    return found
