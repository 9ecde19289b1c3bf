from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("tpch").getOrCreate()

lineitem = spark.table("lineitem")
late = lineitem.filter(F.col("l_receiptdate") > F.col("l_commitdate"))
suppliers = lineitem.groupBy("l_orderkey").agg(F.countDistinct("l_suppkey").alias("n_supp"))
late_suppliers = late.groupBy("l_orderkey").agg(F.countDistinct("l_suppkey").alias("n_late"))
waiting = (
    late.select("l_orderkey", "l_suppkey")
    .join(suppliers, "l_orderkey")
    .join(late_suppliers, on=["l_orderkey"], how="inner")
    .where("n_supp > 1 AND n_late = 1")
)
saudi = spark.table("supplier").join(
    spark.table("nation").where(F.col("n_name") == "SAUDI ARABIA"), F.col("s_nationkey") == F.col("n_nationkey")
)
failed = spark.table("orders").where(F.col("o_orderstatus") == F.lit("F"))
(
    waiting.join(saudi, waiting.l_suppkey == saudi.s_suppkey)
    .join(failed, waiting.l_orderkey == failed.o_orderkey)
    .groupBy("s_name")
    .agg(F.count("*").alias("numwait"))
    .orderBy(F.col("numwait").desc(), F.col("s_name").asc())
    .limit(100)
    .show()
)
