from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("tpch").getOrCreate()

revenue = (
    spark.table("lineitem")
    .where("l_shipdate >= date '1996-01-01' AND l_shipdate < date '1996-01-01' + interval 3 months")
    .groupBy(F.col("l_suppkey").alias("supplier_no"))
    .agg(F.sum(F.expr("l_extendedprice * (1 - l_discount)")).alias("total_revenue"))
)
revenue.createOrReplaceTempView("revenue")
top = spark.sql("SELECT max(total_revenue) AS top_revenue FROM revenue")
(
    spark.table("supplier")
    .join(spark.table("revenue"), F.col("s_suppkey") == F.col("supplier_no"))
    .join(top, F.col("total_revenue") == F.col("top_revenue"))
    .select("s_suppkey", "s_name", "s_address", "s_phone", "total_revenue")
    .orderBy("s_suppkey")
    .show()
)
