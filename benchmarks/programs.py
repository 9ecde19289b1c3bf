"""How long PySpark jobs of some length take to the plans of all their actions.

    python -m benchmarks.programs [LINES ...] [--catalog] [--profile FILE] [--print]

The jobs (2,000 lines unless told otherwise) are written here in the way of real ones: a settings' dictionary, a few
functions, and stages that read tables, clean them column by column, join, aggregate, rank in windows, put parts
together in a loop and write. Without `--catalog` nothing describes their tables, so that the columns are guessed from
their use; with it they are tables of TPC-H. Shown are seconds of this process until the program is read, seconds until
every action has its physical plan, and how many actions there are. `--profile` writes what
cProfile counted, `--print` only shows the job.
"""

from __future__ import annotations

import argparse
import cProfile
import random
import time

from planviz.catalogs import find
from planviz.programs import read_program

_HEAD = '''"""Nightly job: {stages} stages."""
import argparse
from functools import reduce

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.window import Window

parser = argparse.ArgumentParser()
parser.add_argument("--date", required=True)
parser.add_argument("--target", default="gold")
args = parser.parse_args()

SETTINGS = {{"database": "gold", "rate": 1.19, "top": 5, "regions": ["north", "south", "west"]}}

spark = SparkSession.builder.appName("nightly").getOrCreate()
spark.conf.set("spark.sql.shuffle.partitions", "64")


def cleaned(df: DataFrame, *names: str) -> DataFrame:
    """Texts without blanks around them."""
    for name in names:
        df = df.withColumn(name, F.trim(F.col(name)))
    return df


def audited(df: DataFrame, stage: str) -> DataFrame:
    """With what is told of every row."""
    return df.withColumn("stage", F.lit(stage)).withColumn("run_date", F.lit(args.date))


def latest(df: DataFrame, keys: list, by: str) -> DataFrame:
    """The newest row of each key."""
    w = Window.partitionBy(*keys).orderBy(F.col(by).desc())
    return df.withColumn("rn", F.row_number().over(w)).filter(F.col("rn") == 1).drop("rn")

'''
_STAGE = '''
# ---------------------------------------------------------------------------------------------- stage {n}
orders_{n} = (
    spark.table("orders")
    .filter(F.col("o_orderdate") >= "1995-01-{day:02d}")
    .filter(F.col("o_orderstatus").isin("F", "O"))
    .withColumn("year", F.year("o_orderdate"))
    .withColumn("month", F.month("o_orderdate"))
    .withColumn("urgent", F.when(F.col("o_orderpriority") == "1-URGENT", 1).otherwise(0))
)
orders_{n} = cleaned(orders_{n}, "o_clerk", "o_comment")

items_{n} = spark.table("lineitem").filter(F.col("l_shipdate") > "1994-0{digit}-01")
items_{n} = items_{n}.withColumn("gross", F.col("l_extendedprice") * (1 - F.col("l_discount")))
items_{n} = items_{n}.withColumn("net", F.round(F.col("gross") / F.lit(SETTINGS["rate"]), 2))
items_{n} = items_{n}.withColumn("late", F.col("l_receiptdate") > F.col("l_commitdate"))
{steps}
customers_{n} = (
    spark.table("customer")
    .join(spark.table("nation"), F.col("c_nationkey") == F.col("n_nationkey"), "left")
    .select("c_custkey", "c_name", "c_mktsegment", "c_acctbal", F.col("n_name").alias("nation"))
    .na.fill({{"nation": "unknown"}})
)

joined_{n} = (
    orders_{n}.alias("o")
    .join(items_{n}.alias("i"), F.col("o.o_orderkey") == F.col("i.l_orderkey"))
    .join(customers_{n}.alias("c"), F.col("o.o_custkey") == F.col("c.c_custkey"), "left")
)
joined_{n} = audited(joined_{n}, "stage {n}")

by_customer_{n} = (
    joined_{n}.groupBy("c_custkey", "nation", "year")
    .agg(
        F.sum("net").alias("revenue"),
        F.count(F.lit(1)).alias("lines"),
        F.countDistinct("o_orderkey").alias("orders"),
        F.max("l_shipdate").alias("last_shipped"),
        F.avg(F.when(F.col("late"), 1).otherwise(0)).alias("late_share"),
    )
    .filter(F.col("revenue") > {limit})
)
top_{n} = (
    by_customer_{n}
    .withColumn("rank", F.dense_rank().over(Window.partitionBy("nation").orderBy(F.desc("revenue"))))
    .filter(F.col("rank") <= SETTINGS["top"])
)
top_{n}.write.mode("overwrite").saveAsTable("gold.top_customers_{n}")

last_{n} = latest(orders_{n}, ["o_custkey"], "o_orderdate").select("o_custkey", "o_orderkey", "o_totalprice")
unseen_{n} = customers_{n}.join(last_{n}, customers_{n}.c_custkey == last_{n}.o_custkey, "left_anti")
print("customers without orders", unseen_{n}.count())

parts_{n} = []
for year in (1995, 1996, 1997):
    part = joined_{n}.filter(F.col("year") == year).groupBy("c_mktsegment").agg(F.sum("gross").alias("gross"))
    parts_{n}.append(part.withColumn("year", F.lit(year)))
years_{n} = reduce(DataFrame.unionByName, parts_{n})
years_{n}.orderBy("year", F.desc("gross")).show(20, False)

spark.sql(f"""
    SELECT p_brand, count(*) AS parts, avg(p_retailprice) AS price
    FROM part JOIN partsupp ON p_partkey = ps_partkey
    WHERE ps_supplycost > {limit} AND p_size BETWEEN {digit} AND {day}
    GROUP BY p_brand
""").write.partitionBy("p_brand").parquet(f"/data/{{args.target}}/brands_{n}")
'''
_STEPS = (
    'items_{n} = items_{n}.withColumn("step_{k}", F.col("l_quantity") * {k})',
    'items_{n} = items_{n}.withColumn("step_{k}", F.coalesce(F.col("l_tax"), F.lit(0.{k})))',
    'items_{n} = items_{n}.withColumn("step_{k}", F.concat_ws("-", "l_shipmode", F.upper("l_returnflag")))',
    'items_{n} = items_{n}.withColumnRenamed("l_comment", "note_{k}").withColumnRenamed("note_{k}", "l_comment")',
    'items_{n} = items_{n}.filter(F.col("l_linenumber") < {k} + 7)',
)


def job(lines: int, seed: int = 1) -> str:
    """A job of about so many lines."""
    rng = random.Random(seed)
    stages: list[str] = []
    height = _HEAD.count("\n")
    while height < lines:
        n = len(stages) + 1
        steps = "\n".join(rng.choice(_STEPS).format(n=n, k=k) for k in range(1, 11))
        limit = rng.randrange(10, 900)
        stages.append(
            _STAGE.format(n=n, steps=steps, day=rng.randrange(10, 29), digit=rng.randrange(1, 9), limit=limit)
        )
        height += stages[-1].count("\n")
    return _HEAD.format(stages=len(stages)) + "".join(stages)


def measured(text: str, catalog: str | None) -> tuple[float, float, int]:
    """Seconds to read, seconds to all physical plans, and how many actions there are."""
    known = find(catalog) if catalog else None
    start = time.process_time()
    program = read_program(text, known)
    read = time.process_time() - start
    for action in program.actions:
        _ = action.execution.physical
    return read, time.process_time() - start, len(program.actions)


def main() -> None:
    """Measure, or print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lines", nargs="*", type=int, default=[2_000])
    parser.add_argument("--catalog", action="store_true")
    parser.add_argument("--profile")
    parser.add_argument("--print", action="store_true", dest="printed")
    given = parser.parse_args()
    for lines in given.lines or [2_000]:
        text = job(lines)
        if given.printed:
            print(text)
            continue
        profile = cProfile.Profile(time.process_time) if given.profile else None
        if profile:
            profile.enable()
        read, planned, actions = measured(text, "tpch" if given.catalog else None)
        if profile:
            profile.disable()
            profile.dump_stats(given.profile)
        print(f"{text.count(chr(10)):6} lines: read {read:6.2f} s, planned {planned:6.2f} s, {actions} actions")


if __name__ == "__main__":
    main()
