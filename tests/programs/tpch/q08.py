from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("tpch").getOrCreate()

NATION, REGION, TYPE = "BRAZIL", "AMERICA", "ECONOMY ANODIZED STEEL"

n1 = spark.table("nation").alias("n1")
n2 = spark.table("nation").alias("n2")
all_nations = (
    spark.table("part")
    .filter(F.col("p_type") == TYPE)
    .join(spark.table("lineitem"), F.expr("p_partkey = l_partkey"))
    .join(spark.table("supplier"), F.expr("s_suppkey = l_suppkey"))
    .join(spark.table("orders"), F.expr("l_orderkey = o_orderkey"))
    .join(spark.table("customer"), F.expr("o_custkey = c_custkey"))
    .join(n1, F.col("c_nationkey") == F.col("n1.n_nationkey"))
    .join(spark.table("region"), F.col("n1.n_regionkey") == F.col("r_regionkey"))
    .join(n2, F.col("s_nationkey") == F.col("n2.n_nationkey"))
    .filter((F.col("r_name") == REGION) & F.col("o_orderdate").between("1995-01-01", "1996-12-31"))
    .selectExpr("year(o_orderdate) AS o_year", "l_extendedprice * (1 - l_discount) AS volume", "n2.n_name AS nation")
)
share = F.sum(F.when(F.col("nation") == NATION, F.col("volume")).otherwise(0)) / F.sum("volume")
all_nations.groupBy("o_year").agg(share.alias("mkt_share")).orderBy("o_year").show()
