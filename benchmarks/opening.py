"""How long opening takes, in processor time: commands from their start, pasted plans, programs, scripts.

    python -m benchmarks.opening [--operators 30 500 2000 10000] [--actions 560] [--queries 500] [--rounds 3]

Commands are run in processes of their own. Of a pasted plan the time ends when the data of its first picture is there,
of a program and a script when their document is, which then has the plans of all actions or queries. Each figure is the
least of the rounds: a busy machine only adds to it.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.plans import plan_text
from planviz.document import open_text
from planviz.trees.collector import collector_rarely
from planviz.ui import views
from planviz.ui.opened import Opened, Source, facts_of

_HEAD = """from pyspark.sql import SparkSession, functions as F
spark = SparkSession.builder.getOrCreate()
orders = spark.table("orders")
items = spark.table("lineitem")
customers = spark.table("customer")
"""
_ACTIONS = (
    'large_{n} = orders.filter(F.col("o_totalprice") > {n})\n'
    'sums_{n} = large_{n}.groupBy("o_custkey").agg(F.sum("o_totalprice").alias("s"))\nsums_{n}.show()\n',
    'known_{n} = orders.join(customers, F.col("o_custkey") == F.col("c_custkey"))\n'
    'known_{n}.withColumn("x", F.col("o_totalprice") * {n}).write.mode("overwrite").parquet("/out/{n}")\n',
    'print(items.filter(F.col("l_quantity") > {n}).select("l_orderkey").distinct().count())\n',
    'spark.sql("SELECT c_name, count(*) n FROM customer WHERE c_acctbal > {n} GROUP BY c_name ORDER BY n").show()\n',
    'lines_{n} = items.join(orders, items.l_orderkey == orders.o_orderkey, "left").groupBy("o_orderstatus").count()\n'
    'rows_{n} = lines_{n}.orderBy("count").collect()\n',
)
_QUERY = "SELECT a, count(*) AS n{n} FROM t{t} JOIN u{u} ON t{t}.id = u{u}.id WHERE b > {n} GROUP BY a;\n"


def program(actions: int) -> str:
    """A program with so many actions, each over a DataFrame of a few steps."""
    return _HEAD + "".join(_ACTIONS[n % len(_ACTIONS)].format(n=n) for n in range(actions))


def script(queries: int) -> str:
    """So many queries over eighty tables."""
    return "".join(_QUERY.format(n=n, t=n % 50, u=n % 30) for n in range(queries))


def first_look(text: str) -> None:
    """Open a pasted plan and make the data of its first picture."""
    document = open_text(text)
    opened = Opened("0", Source(text, ""), facts_of(document), here=document)
    views.workbench(opened, views.first_plan(opened), None)


def command(*arguments: str) -> None:
    """Run planviz in a process of its own."""
    subprocess.run([sys.executable, "-m", "planviz", *arguments], stdout=subprocess.DEVNULL, check=True)


def least(work: Callable[[int], object], rounds: int) -> float:
    """The least seconds of processor time, of this process and those that it started, that a round takes."""

    def spent() -> float:
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        return time.process_time() + children.ru_utime + children.ru_stime

    found = []
    for number in range(rounds):
        start = spent()
        work(number)
        found.append(spent() - start)
    return min(found)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--operators", type=int, nargs="*", default=[30, 500, 2_000, 10_000])
    parser.add_argument("--actions", type=int, default=560)
    parser.add_argument("--queries", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    collector_rarely()

    def told(what: str, work: Callable[[int], object]) -> None:
        print(f"{what:45} {least(work, options.rounds) * 1000:8.0f} ms", flush=True)

    with tempfile.TemporaryDirectory() as folder:
        plan, query = Path(folder, "plan.txt"), Path(folder, "query.sql")
        plan.write_text("== Physical Plan ==\n" + plan_text("mixed", 30))
        query.write_text("SELECT 1")
        told("planviz --help", lambda _: command("--help"))
        told("planviz parse, a plan of 30 operators", lambda _: command("parse", str(plan)))
        told("planviz explain, SELECT 1", lambda _: command("explain", str(query)))
    for size in options.operators:
        texts = [plan_text("mixed", size, seed=n + 1) for n in range(options.rounds)]
        told(f"first picture of {size:,} operators", lambda n, texts=texts: first_look(texts[n]))
    told(f"a program of {options.actions} actions", lambda _: open_text(program(options.actions)))
    told(f"a script of {options.queries} queries", lambda _: open_text(script(options.queries)))


if __name__ == "__main__":
    main()
