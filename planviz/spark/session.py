"""Spark started, and a session for each task: nobody sees another one's settings or temporary views."""

from __future__ import annotations

import logging
import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, cast

import planviz
from planviz.jsontypes import JsonObject
from planviz.spark.jvm import JavaObject
from planviz.spark.reach import is_connect, is_loopback
from planviz.spark.secrets import is_secret, without_secrets
from planviz.spark.sharing import Sharing

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: Settings that make what Spark prints complete.
WHOLE_TEXTS = {"spark.sql.debug.maxToStringFields": "100000", "spark.sql.maxMetadataStringLength": "100000"}
#: Safety that a session cannot switch off again: Spark 4.3 refuses methods of Java in SQL by this list.
_STATIC = {"spark.sql.reflect.allowList": "^$"}
#: Safety that holds as long as no SET reaches the session: no table that is a path, no ${env:NAME} in a text.
_SAFE = {"spark.sql.runSQLOnFiles": "false", "spark.sql.variable.substitute": "false"}
#: XML in a query must not make its reader fetch anything: Java's own switch, for every reader of the process.
_JAVA = "-Djavax.xml.accessExternalDTD= -Djavax.xml.accessExternalSchema="
_JAVA_OPTIONS = ("spark.driver.extraJavaOptions", "spark.executor.extraJavaOptions")
#: How often a client of Spark Connect tries again, within about three seconds.
_RETRIES = 5
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
    """A running Spark: `session` is its first session, `jvm_process` that of the JVM (None over Spark Connect).

    `folder` is for files that live as long as it does; `sharing` says who may work in it at once.
    """

    session: SparkSession
    master: str
    jvm_process: subprocess.Popen[bytes] | None
    folder: Path
    sharing: Sharing = field(default_factory=Sharing)
    _sent: bool = False
    _apart: dict[str, SparkSession] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def is_connect(self) -> bool:
        """Whether this is a client of Spark Connect, without a JVM of its own."""
        return is_connect(self.master)

    def described(self) -> dict[str, object]:
        """Version, master and, of a JVM, its process id."""
        pid = None if self.jvm_process is None else self.jvm_process.pid
        return {"version": self.session.version, "master": without_secrets(self.master), "jvm": pid}

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

    def stopped(self) -> bool:
        """Whether Spark stopped under its tasks, as it does where its memory is full, before its JVM ends."""
        try:
            return not self.alive()
        except Exception:  # py4j's, of a connection that broke: nobody is there any more
            return True

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
        with self._lock:
            if self._sent:
                return
            package = Path(planviz.__file__).parent
            # A worker that starts later fetches it then, so it stays.
            archive = shutil.make_archive(str(self.folder / "planviz"), "zip", package.parent, package.name)
            if self.is_connect:
                self.session.addArtifacts(archive, pyfile=True)
            else:
                self.session.sparkContext.addPyFile(archive)
            self._sent = True

    @contextmanager
    def task_session(self, conf: dict[str, str], tables: str = "") -> Iterator[SparkSession]:
        """A session for one task, with its settings, safe and with whole texts.

        `tables` names what tables are made for it ("": none): tasks of another name neither see them nor clash.
        """
        session = self._another(tables)
        for key, value in {**WHOLE_TEXTS, **conf, **_SAFE}.items():
            session.conf.set(key, value)
        try:
            yield session
        finally:
            if self.is_connect:
                session.stop()

    def _another(self, tables: str) -> SparkSession:
        if self.is_connect:
            return _connected(self.master)
        if not tables:
            return self.session.newSession()
        with self._lock:
            if tables not in self._apart:
                self._apart[tables] = self._session_apart()
            return self._apart[tables].newSession()

    def _session_apart(self) -> SparkSession:
        """A session whose catalogue and cache are shared with none of the others, and never a metastore's."""
        from pyspark.sql import SparkSession

        context = self.session.sparkContext
        jvm: JavaObject = context._jvm
        options = jvm.java.util.HashMap()
        options.put("spark.sql.catalogImplementation", "in-memory")
        warehouse = self.session.conf.get("spark.sql.warehouse.dir")
        options.put("spark.sql.warehouse.dir", f"{warehouse}/{len(self._apart)}")
        return SparkSession(context, jvm.org.apache.spark.sql.classic.SparkSession(context._jsc.sc(), options))


def start(settings: JsonObject) -> Spark:
    """Start Spark, or connect to one; `settings` has master, conf, memory, and a folder for what it writes."""
    # 4.x writes every SQL error as JSON through this logger.
    logging.getLogger("SQLQueryContextLogger").setLevel(logging.CRITICAL + 1)
    master, folder = settings["master"], Path(settings["folder"])
    if is_connect(master):
        return Spark(_connected(master), master, None, folder)
    from pyspark.sql import SparkSession

    conf = {**_defaults(master, settings["memory"], folder), **settings["conf"], **_STATIC}
    for key in _JAVA_OPTIONS:
        conf[key] = f"{conf.get(key, '')} {_JAVA}".strip()
    if "SPARK_CONF_DIR" not in os.environ:
        os.environ["SPARK_CONF_DIR"] = str(_conf_folder(folder, conf))
    builder = SparkSession.builder.master(master).appName("planviz")
    for key, value in conf.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    gateway: JavaObject = session.sparkContext._gateway
    return Spark(session, master, gateway.proc, folder)


def _connected(url: str) -> SparkSession:
    """A session of a Spark Connect server, whose client gives up in seconds where it would try on for minutes."""
    from pyspark.sql.connect.client.retries import DefaultPolicy
    from pyspark.sql.connect.session import SparkSession as ConnectSession

    session = ConnectSession.builder.remote(url).create()
    session.client.set_retry_policies([DefaultPolicy(max_retries=_RETRIES, initial_backoff=100, max_backoff=1000)])
    return cast("SparkSession", session)


def _conf_folder(folder: Path, conf: dict[str, str]) -> Path:
    """A folder of Spark's settings: those that are secret go there, and not onto a command line, where all see them."""
    made = folder / "conf"
    made.mkdir(exist_ok=True)
    (made / "log4j2.properties").write_text(_LOG4J, encoding="utf-8")
    secrets = {key: conf.pop(key) for key in [*conf] if is_secret(key, conf)}
    lines = [f"{key} {_property(value)}\n" for key, value in secrets.items()]
    (made / "spark-defaults.conf").write_text("".join(lines), encoding="ascii")
    return made


def _property(value: str) -> str:
    """A value as Java's property files have it."""
    return "".join(c if c.isascii() and c.isalnum() else f"\\u{ord(c):04x}" for c in value)


def _defaults(master: str, memory: str, folder: Path) -> dict[str, str]:
    found = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.memory": memory,
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.sql.catalogImplementation": "in-memory",
    }
    if is_loopback(master):
        # Nothing listens where others could reach it.
        found |= {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
    return found
