from functools import reduce
from operator import or_

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("tpch").getOrCreate()

choices = [
    ("Brand#12", ["SM CASE", "SM BOX", "SM PACK", "SM PKG"], 1, 5),
    ("Brand#23", ["MED BAG", "MED BOX", "MED PKG", "MED PACK"], 10, 10),
    ("Brand#34", ["LG CASE", "LG BOX", "LG PACK", "LG PKG"], 20, 15),
]


def wanted(brand, containers, quantity, size):
    return (
        (F.col("p_brand") == brand)
        & F.col("p_container").isin(containers)
        & F.col("l_quantity").between(quantity, quantity + 10)
        & F.col("p_size").between(1, size)
    )


by_air = spark.table("lineitem").filter(
    F.col("l_shipmode").isin("AIR", "AIR REG") & (F.col("l_shipinstruct") == "DELIVER IN PERSON")
)
(
    by_air.join(spark.table("part"), F.col("p_partkey") == F.col("l_partkey"))
    .filter(reduce(or_, (wanted(*c) for c in choices)))
    .agg(F.sum(F.col("l_extendedprice") * (1 - F.col("l_discount"))).alias("revenue"))
    .show()
)
