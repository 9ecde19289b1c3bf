from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("tpch").getOrCreate()

orders = spark.table("orders").where(F.col("o_orderdate").between("1993-07-01", "1993-09-30"))
late = spark.table("lineitem").where("l_commitdate < l_receiptdate").select("l_orderkey").distinct()
(
    orders.join(late, orders.o_orderkey == late.l_orderkey, "left_semi")
    .groupBy("o_orderpriority")
    .count()
    .withColumnRenamed("count", "order_count")
    .orderBy("o_orderpriority")
    .show()
)
