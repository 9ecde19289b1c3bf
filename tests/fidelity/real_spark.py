"""What a real Spark prints of statements; run by the Python of an environment that has that Spark.

Standard input: {"conf": {KEY: VALUE}, "scripts": [{"conf", "setup": [SQL], "statistics", "statements": [SQL],
"explain": [MODE]}]}; every script has its own tables and settings, and `statistics` has for a table {"sizeInBytes",
"rowCount", "columns": {NAME: {KEY: TEXT}}} as the catalogue keeps them. The last line of standard output: {"version",
"plans": [[{"analyzed", "optimized", "physical", MODE...} or {"error": CONDITION}]]}, in their order.

Spark is asked over py4j, without the pyspark package itself: that of Spark 3.0 to 3.3 needs an older Python. A newer
Java than theirs opens what they reach into.
"""

import importlib.util
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import time

from py4j.java_gateway import GatewayParameters, JavaGateway
from py4j.protocol import Py4JJavaError

STAGES = {"analyzed": "analyzed", "optimized": "optimizedPlan", "physical": "executedPlan"}
_OPENED = (
    "java.lang java.lang.invoke java.lang.reflect java.io java.net java.nio java.util java.util.concurrent "
    "java.util.concurrent.atomic sun.nio.ch sun.nio.cs sun.security.action sun.util.calendar"
)


def started(folder, conf):
    """A Spark as a process of its own, and the gateway to it."""
    home = importlib.util.find_spec("pyspark").submodule_search_locations[0]
    told = os.path.join(folder, "connection")
    opens = " ".join(f"--add-opens=java.base/{name}=ALL-UNNAMED" for name in _OPENED.split())
    environment = {**os.environ, "SPARK_HOME": home, "JDK_JAVA_OPTIONS": opens, "_PYSPARK_DRIVER_CONN_INFO_PATH": told}
    settings = [part for key, value in conf.items() for part in ("--conf", f"{key}={value}")]
    with open(os.path.join(folder, "log"), "w") as log:
        command = [os.path.join(home, "bin", "spark-submit"), *settings, "pyspark-shell"]
        process = subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=log, stderr=log, cwd=folder)
    while not os.path.exists(told):
        if process.poll() is not None:
            sys.exit(f"Spark did not start; {os.path.join(folder, 'log')} says why.")
        time.sleep(0.1)
    with open(told, "rb") as file:
        port, length = struct.unpack("!ii", file.read(8))
        token = file.read(length).decode()
    return process, JavaGateway(gateway_parameters=GatewayParameters(port=port, auth_token=token))


def planned(spark, sql, modes=None):
    """The plans of a statement, or the condition that it is refused with: the exception's class where it has none.

    `modes`: by name those in which EXPLAIN is asked, too.
    """
    try:
        execution = spark.sql(sql).queryExecution()
        found = {stage: getattr(execution, method)().toString() for stage, method in STAGES.items()}
        return {**found, **{name: execution.explainString(mode) for name, mode in (modes or {}).items()}}
    except Py4JJavaError as error:
        thrown = error.java_exception
        for name in ("getCondition", "getErrorClass"):
            try:
                condition = getattr(thrown, name)()
            except Exception:
                continue
            if condition:
                return {"error": condition}
        return {"error": thrown.getClass().getSimpleName(), "message": str(thrown.getMessage())[:500]}


def kept(gateway, spark, table, statistics):
    """Puts statistics into the catalogue, as ANALYZE TABLE would after counting rows."""
    jvm = gateway.jvm
    catalog = "org.apache.spark.sql.catalyst.catalog."

    def as_map(values):
        known = jvm.java.util.HashMap()
        for key, value in values.items():
            known.put(key, value)
        return jvm.org.apache.spark.api.python.PythonUtils.toScalaMap(known)

    def column(name, values):
        told = {f"{name}.{key}": value for key, value in {"version": "2", **values}.items()}
        return jvm.org.apache.spark.sql.catalyst.catalog.CatalogColumnStat.fromMap(table, name, as_map(told)).get()

    def number(value):
        # Some(BigInt): one on its own would come here as a number of Python, and go back as another class.
        return column("n", {"distinctCount": str(value)}).distinctCount()

    size, rows = number(statistics["sizeInBytes"]), number(statistics["rowCount"])
    arguments = jvm.java.util.ArrayList()
    arguments.addAll(jvm.scala.collection.JavaConverters.seqAsJavaList(size.toList()))
    arguments.add(rows)
    arguments.add(as_map({name: column(name, values) for name, values in statistics["columns"].items()}))
    made = jvm.java.lang.Class.forName(f"{catalog}CatalogStatistics").getConstructors()[0]
    stats = jvm.scala.Option.apply(made.newInstance(arguments.toArray()))
    spark.sharedState().externalCatalog().alterTableStats("default", table, stats)
    spark.catalog().refreshTable(table)


def activated(gateway, spark):
    """Makes the session the thread's own: what plans print, timestamps above all, follows the active one's settings."""
    owner = gateway.jvm
    for part in spark.getClass().getName().split("."):
        owner = getattr(owner, part)
    owner.setActiveSession(spark)


def answered(gateway, spark, script):
    """What Spark prints of a script's statements, in a session of its own whose tables are gone afterwards."""
    activated(gateway, spark)
    for key, value in script.get("conf", {}).items():
        spark.conf().set(key, value)
    for sql in script["setup"]:
        planned(spark, sql)
    for table, statistics in script.get("statistics", {}).items():
        kept(gateway, spark, table, statistics)
    known = gateway.jvm.org.apache.spark.sql.execution.ExplainMode
    modes = {name: known.fromString(name) for name in script.get("explain", ())}
    plans = [planned(spark, sql, modes) for sql in script["statements"]]
    for row in spark.catalog().listTables("default").collectAsList():
        kind = "VIEW" if row.tableType() == "VIEW" else "TABLE"
        if not row.isTemporary():
            planned(spark, f"DROP {kind} IF EXISTS default.`{row.name()}`")
    return plans


def main():
    asked = json.load(sys.stdin)
    folder = tempfile.mkdtemp()
    try:
        own = {
            "spark.master": "local[1]",
            "spark.ui.enabled": "false",
            "spark.driver.host": "127.0.0.1",
            "spark.sql.warehouse.dir": os.path.join(folder, "warehouse"),
        }
        process, gateway = started(folder, {**own, **asked["conf"]})
        spark = gateway.jvm.org.apache.spark.sql.SparkSession.builder().getOrCreate()
        spark.sparkContext().setLogLevel("OFF")
        plans = [answered(gateway, spark.newSession(), script) for script in asked["scripts"]]
        print(json.dumps({"version": spark.version(), "plans": plans}))
        gateway.close()
        process.stdin.close()
        process.wait()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


main()
