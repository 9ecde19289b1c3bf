from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("tpch").getOrCreate()

tables = {name: spark.table(name) for name in ["part", "supplier", "lineitem", "partsupp", "orders", "nation"]}
profit = (
    tables["lineitem"]
    .join(tables["part"].filter(F.col("p_name").contains("green")), F.col("p_partkey") == F.col("l_partkey"))
    .join(tables["supplier"], F.col("s_suppkey") == F.col("l_suppkey"))
    .join(
        tables["partsupp"],
        (F.col("ps_suppkey") == F.col("l_suppkey")) & (F.col("ps_partkey") == F.col("l_partkey")),
    )
    .join(tables["orders"], F.col("o_orderkey") == F.col("l_orderkey"))
    .join(tables["nation"], F.col("s_nationkey") == F.col("n_nationkey"))
    .withColumns(
        {
            "nation": F.col("n_name"),
            "o_year": F.year("o_orderdate"),
            "amount": F.col("l_extendedprice") * (1 - F.col("l_discount"))
            - F.col("ps_supplycost") * F.col("l_quantity"),
        }
    )
)
profit.groupBy("nation", "o_year").sum("amount").toDF("nation", "o_year", "sum_profit").orderBy(
    "nation", "o_year", ascending=[True, False]
).show()
