from datetime import date

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("tpch").getOrCreate()

start, end = date(1995, 9, 1), date(1995, 10, 1)
sold = spark.table("lineitem").filter((F.col("l_shipdate") >= start) & (F.col("l_shipdate") < end))
volume = F.col("l_extendedprice") * (1 - F.col("l_discount"))
promo = F.when(F.col("p_type").startswith("PROMO"), volume).otherwise(F.lit(0))
(
    sold.join(spark.table("part"), sold["l_partkey"] == F.col("p_partkey"))
    .select((100.00 * F.sum(promo) / F.sum(volume)).alias("promo_revenue"))
    .show()
)
