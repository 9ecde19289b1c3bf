from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("tpch").getOrCreate()

lineitem = spark.table("lineitem")

disc_price = F.col("l_extendedprice") * (1 - F.col("l_discount"))
charge = disc_price * (1 + F.col("l_tax"))

(
    lineitem.filter(F.col("l_shipdate") <= F.date_sub(F.lit("1998-12-01").cast("date"), 90))
    .groupBy("l_returnflag", "l_linestatus")
    .agg(
        F.sum("l_quantity").alias("sum_qty"),
        F.sum("l_extendedprice").alias("sum_base_price"),
        F.sum(disc_price).alias("sum_disc_price"),
        F.sum(charge).alias("sum_charge"),
        F.avg("l_quantity").alias("avg_qty"),
        F.avg("l_extendedprice").alias("avg_price"),
        F.avg("l_discount").alias("avg_disc"),
        F.count("*").alias("count_order"),
    )
    .orderBy("l_returnflag", "l_linestatus")
    .show()
)
