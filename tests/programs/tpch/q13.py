from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("tpch").getOrCreate()

orders = spark.table("orders").where(~F.col("o_comment").like("%special%requests%"))
customers = spark.table("customer")
c_orders = (
    customers.join(orders, customers.c_custkey == orders.o_custkey, how="left")
    .groupBy(customers.c_custkey)
    .agg(F.count("o_orderkey").alias("c_count"))
)
c_orders.groupBy("c_count").agg(F.count(F.lit(1)).alias("custdist")).orderBy(
    F.desc("custdist"), F.desc("c_count")
).show()
