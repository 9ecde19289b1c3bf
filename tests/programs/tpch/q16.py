from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("tpch").getOrCreate()

sizes = [49, 14, 23, 45, 19, 3, 36, 9]
complaints = spark.table("supplier").filter(F.col("s_comment").rlike("Customer.*Complaints")).select("s_suppkey")
parts = spark.table("part").filter(
    (F.col("p_brand") != "Brand#45") & ~F.col("p_type").startswith("MEDIUM POLISHED") & F.col("p_size").isin(sizes)
)
(
    parts.join(spark.table("partsupp"), F.col("p_partkey") == F.col("ps_partkey"))
    .join(complaints, F.col("ps_suppkey") == F.col("s_suppkey"), "left_anti")
    .groupBy("p_brand", "p_type", "p_size")
    .agg(F.countDistinct("ps_suppkey").alias("supplier_cnt"))
    .orderBy(F.desc("supplier_cnt"), "p_brand", "p_type", "p_size")
    .show()
)
