from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("tpch").getOrCreate()


def t(name):
    return spark.read.table(name)


asia = t("region").filter("r_name = 'ASIA'")
orders = t("orders").filter((F.col("o_orderdate") >= "1994-01-01") & (F.col("o_orderdate") < "1995-01-01"))
(
    asia.join(t("nation"), F.col("n_regionkey") == F.col("r_regionkey"))
    .join(t("supplier"), F.col("s_nationkey") == F.col("n_nationkey"))
    .join(t("lineitem"), F.col("l_suppkey") == F.col("s_suppkey"))
    .join(orders, F.col("l_orderkey") == F.col("o_orderkey"))
    .join(t("customer"), (F.col("o_custkey") == F.col("c_custkey")) & (F.col("c_nationkey") == F.col("s_nationkey")))
    .groupBy("n_name")
    .agg(F.sum(F.col("l_extendedprice") * (1 - F.col("l_discount"))).alias("revenue"))
    .orderBy(F.col("revenue").desc())
    .show()
)
