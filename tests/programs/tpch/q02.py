from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.window import Window

spark = SparkSession.builder.appName("tpch").getOrCreate()

SIZE, TYPE, REGION = 15, "BRASS", "EUROPE"

part, supplier, partsupp = (spark.table(t) for t in ("part", "supplier", "partsupp"))
nation, region = spark.table("nation"), spark.table("region")

european = (
    region.where(F.col("r_name") == REGION)
    .join(nation, F.col("r_regionkey") == F.col("n_regionkey"))
    .join(supplier, F.col("n_nationkey") == F.col("s_nationkey"))
    .join(partsupp, F.col("s_suppkey") == F.col("ps_suppkey"))
)
brass = part.where((F.col("p_size") == SIZE) & F.col("p_type").endswith(TYPE)).join(
    european, F.col("p_partkey") == F.col("ps_partkey")
)
w = Window.partitionBy("ps_partkey")
cheapest = brass.withColumn("min_cost", F.min("ps_supplycost").over(w)).filter("ps_supplycost = min_cost")
(
    cheapest.select("s_acctbal", "s_name", "n_name", "p_partkey", "p_mfgr", "s_address", "s_phone", "s_comment")
    .orderBy(F.desc("s_acctbal"), "n_name", "s_name", "p_partkey")
    .limit(100)
    .show(100, truncate=False)
)
