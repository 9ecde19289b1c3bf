from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("tpch").getOrCreate()

returned = (
    spark.table("customer")
    .alias("c")
    .join(spark.table("orders").alias("o"), F.col("c.c_custkey") == F.col("o.o_custkey"))
    .join(spark.table("lineitem").alias("l"), F.col("l.l_orderkey") == F.col("o.o_orderkey"))
    .join(spark.table("nation").alias("n"), F.col("c.c_nationkey") == F.col("n.n_nationkey"))
    .where("o.o_orderdate >= '1993-10-01' AND o.o_orderdate < '1994-01-01' AND l.l_returnflag = 'R'")
)
by = ["c_custkey", "c_name", "c_acctbal", "c_phone", "n_name", "c_address", "c_comment"]
(
    returned.groupBy(by)
    .agg(F.sum(F.col("l_extendedprice") * (1 - F.col("l_discount"))).alias("revenue"))
    .select("c_custkey", "c_name", "revenue", "c_acctbal", "n_name", "c_address", "c_phone", "c_comment")
    .orderBy(F.col("revenue").desc())
    .show(20)
)
