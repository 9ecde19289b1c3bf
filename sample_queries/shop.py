"""The data set behind the samples: the shop of `planviz.spark.sample_data` at scale 1, as parquet under one folder and
registered in the session catalogue.
"""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import SparkSession

from planviz.spark.sample_data import TABLES, query


def write(spark: SparkSession, folder: Path) -> None:
    """Write the tables that are missing under `folder`: one parquet file each, events eight, orders one per month."""
    for name in TABLES:
        target = folder / name
        if (target / "_SUCCESS").exists():
            continue
        frame = spark.sql(query(name, 1, 8 if name == "events" else None))
        if name == "orders":
            frame.repartition("order_month").sortWithinPartitions("order_month", "order_id").write.partitionBy(
                "order_month"
            ).mode("overwrite").parquet(str(target))
        elif name == "events":
            frame.write.mode("overwrite").parquet(
                str(target)
            )  # eight files: a skewed partition is split by its writers
        else:
            frame.coalesce(1).write.mode("overwrite").parquet(str(target))


def register(spark: SparkSession, folder: Path) -> None:
    """Create the tables in the session catalogue over the files of `write`."""
    for name in TABLES:
        spark.sql(f"CREATE TABLE IF NOT EXISTS {name} USING parquet LOCATION '{folder / name}'")
    # A table made over existing folders starts without partitions: its scans would read nothing.
    spark.sql("MSCK REPAIR TABLE orders")
