"""DataFrames without Spark: PySpark's method names building logical plans, which planviz analyzes and optimizes.

spark = session(catalog)
df = spark.table("t1").filter(col("a") > 1).groupBy("c").agg(functions.sum("b"))
df.explain("extended")          # or df.execution.optimized, df.execution.trace

column.py      Column and its operators          functions.py   SQL functions by name
frame.py       DataFrame                         shaping.py     methods that change columns
grouped.py     groupBy, rollup, cube, pivot      window.py      Window specifications
typed.py       as, map, groupByKey of Datasets   encoders.py    classes of typed Datasets
python.py      udf, pandas_udf, arrow_udf      (functions written in Python)
session.py     table, range, createDataFrame, sql   storage.py   levels of persist
rows.py        types of rows, and their checks   signatures.py  the parameters of PySpark's functions
refusals.py    what PySpark refuses by itself
"""

from planviz.dataframe import functions
from planviz.dataframe.column import Column
from planviz.dataframe.encoders import Encoders
from planviz.dataframe.frame import DataFrame
from planviz.dataframe.functions import col, expr, lit
from planviz.dataframe.session import SparkSession, session
from planviz.dataframe.storage import StorageLevel
from planviz.dataframe.window import Window

__all__ = [
    "Column",
    "DataFrame",
    "Encoders",
    "SparkSession",
    "StorageLevel",
    "Window",
    "col",
    "expr",
    "functions",
    "lit",
    "session",
]
