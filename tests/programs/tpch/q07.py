from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("tpch").getOrCreate()

n1 = spark.table("nation").select(F.col("n_nationkey").alias("supp_key"), F.col("n_name").alias("supp_nation"))
n2 = spark.table("nation").select(F.col("n_nationkey").alias("cust_key"), F.col("n_name").alias("cust_nation"))
pairs = n1.crossJoin(n2).where(
    ((F.col("supp_nation") == "FRANCE") & (F.col("cust_nation") == "GERMANY"))
    | ((F.col("supp_nation") == "GERMANY") & (F.col("cust_nation") == "FRANCE"))
)
lines = spark.table("lineitem").where(F.col("l_shipdate").between("1995-01-01", "1996-12-31"))
shipping = (
    lines.join(spark.table("supplier"), F.col("s_suppkey") == F.col("l_suppkey"))
    .join(spark.table("orders"), F.col("o_orderkey") == F.col("l_orderkey"))
    .join(spark.table("customer"), F.col("c_custkey") == F.col("o_custkey"))
    .join(F.broadcast(pairs), (F.col("s_nationkey") == F.col("supp_key")) & (F.col("c_nationkey") == F.col("cust_key")))
    .select(
        "supp_nation",
        "cust_nation",
        F.year("l_shipdate").alias("l_year"),
        (F.col("l_extendedprice") * (F.lit(1) - F.col("l_discount"))).alias("volume"),
    )
)
keys = ["supp_nation", "cust_nation", "l_year"]
shipping.groupBy(*keys).agg(F.sum("volume").alias("revenue")).orderBy(*keys).show()
