from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("tpch").getOrCreate()

german = (
    spark.table("partsupp")
    .join(spark.table("supplier"), F.col("ps_suppkey") == F.col("s_suppkey"))
    .join(spark.table("nation").where(F.col("n_name") == "GERMANY"), F.col("s_nationkey") == F.col("n_nationkey"))
    .withColumn("value", F.col("ps_supplycost") * F.col("ps_availqty"))
)
total = german.agg((F.sum("value") * 0.0001).alias("threshold"))
(
    german.groupBy("ps_partkey")
    .agg(F.sum("value").alias("value"))
    .crossJoin(total)
    .where(F.col("value") > F.col("threshold"))
    .drop("threshold")
    .orderBy(F.col("value").desc())
    .show()
)
