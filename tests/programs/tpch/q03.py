from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("tpch").getOrCreate()

cutoff = "1995-03-15"
customer = spark.table("customer").filter(F.col("c_mktsegment") == "BUILDING")
orders = spark.table("orders").filter(F.col("o_orderdate") < F.to_date(F.lit(cutoff)))
lineitem = spark.table("lineitem").filter(F.col("l_shipdate") > F.to_date(F.lit(cutoff)))

result = (
    customer.join(orders, customer["c_custkey"] == orders["o_custkey"])
    .select("o_orderkey", "o_orderdate", "o_shippriority")
    .join(lineitem, F.col("o_orderkey") == lineitem["l_orderkey"])
    .withColumn("volume", F.expr("l_extendedprice * (1 - l_discount)"))
    .groupBy("l_orderkey", "o_orderdate", "o_shippriority")
    .agg(F.sum("volume").alias("revenue"))
    .select("l_orderkey", "revenue", "o_orderdate", "o_shippriority")
    .sort(F.col("revenue").desc(), F.col("o_orderdate"))
    .limit(10)
)
result.show()
