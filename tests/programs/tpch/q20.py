from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("tpch").getOrCreate()

shipped = (
    spark.table("lineitem")
    .filter(F.col("l_shipdate").between("1994-01-01", "1994-12-31"))
    .groupBy("l_partkey", "l_suppkey")
    .agg((F.lit(0.5) * F.sum("l_quantity")).alias("half"))
)
forest = spark.table("part").filter(F.col("p_name").like("forest%")).select("p_partkey").dropDuplicates()
excess = (
    spark.table("partsupp")
    .join(forest, F.col("ps_partkey") == F.col("p_partkey"), "left_semi")
    .join(shipped, (F.col("ps_partkey") == F.col("l_partkey")) & (F.col("ps_suppkey") == F.col("l_suppkey")))
    .filter(F.col("ps_availqty") > F.col("half"))
    .select("ps_suppkey")
    .distinct()
)
(
    spark.table("supplier")
    .join(spark.table("nation").filter(F.col("n_name") == "CANADA"), F.col("s_nationkey") == F.col("n_nationkey"))
    .join(excess, F.col("s_suppkey") == F.col("ps_suppkey"), "left_semi")
    .select("s_name", "s_address")
    .orderBy("s_name")
    .show()
)
