from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("tpch").getOrCreate()

large = (
    spark.table("lineitem")
    .groupBy("l_orderkey")
    .agg(F.sum("l_quantity").alias("quantity"))
    .filter(F.col("quantity") > 300)
)
(
    spark.table("orders")
    .join(large, F.col("o_orderkey") == F.col("l_orderkey"), "leftsemi")
    .join(spark.table("customer"), F.col("c_custkey") == F.col("o_custkey"))
    .join(spark.table("lineitem"), F.col("o_orderkey") == F.col("l_orderkey"))
    .groupBy("c_name", "c_custkey", "o_orderkey", "o_orderdate", "o_totalprice")
    .agg({"l_quantity": "sum"})
    .orderBy(F.col("o_totalprice").desc(), "o_orderdate")
    .limit(100)
    .toPandas()
)
