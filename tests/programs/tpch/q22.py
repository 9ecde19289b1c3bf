from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("tpch").getOrCreate()

CODES = ["13", "31", "23", "29", "30", "18", "17"]
customers = (
    spark.table("customer")
    .withColumn("cntrycode", F.substring("c_phone", 1, 2))
    .filter(F.col("cntrycode").isin(*CODES))
)
average = customers.filter(F.col("c_acctbal") > 0.00).agg(F.avg("c_acctbal").alias("avg_bal"))
(
    customers.crossJoin(F.broadcast(average))
    .filter(F.col("c_acctbal") > F.col("avg_bal"))
    .join(spark.table("orders"), F.col("c_custkey") == F.col("o_custkey"), "left_anti")
    .groupBy("cntrycode")
    .agg(F.count(F.lit(1)).alias("numcust"), F.sum("c_acctbal").alias("totacctbal"))
    .sort("cntrycode")
    .show()
)
