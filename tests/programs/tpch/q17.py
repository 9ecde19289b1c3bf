from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("tpch").getOrCreate()

parts = spark.table("part").filter("p_brand = 'Brand#23' AND p_container = 'MED BOX'")
lines = spark.table("lineitem").join(F.broadcast(parts), F.col("l_partkey") == F.col("p_partkey"))
usual = lines.groupBy("p_partkey").agg((0.2 * F.avg("l_quantity")).alias("low_quantity"))
(
    lines.join(usual, "p_partkey")
    .filter(F.col("l_quantity") < F.col("low_quantity"))
    .agg((F.sum("l_extendedprice") / 7.0).alias("avg_yearly"))
    .show()
)
