from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("tpch").getOrCreate()

revenue = (
    spark.table("lineitem")
    .where(F.col("l_shipdate") >= F.lit("1994-01-01").cast("date"))
    .where(F.col("l_shipdate") < F.add_months(F.lit("1994-01-01").cast("date"), 12))
    .where(F.col("l_discount").between(0.05, 0.07))
    .where(F.col("l_quantity") < 24)
    .agg(F.sum(F.col("l_extendedprice") * F.col("l_discount")).alias("revenue"))
)
print(revenue.first()["revenue"])
