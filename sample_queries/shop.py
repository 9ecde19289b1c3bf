"""The data set behind the samples: a small shop, made of arithmetic on row numbers, so every run writes the same rows.

Five tables, written as parquet under one folder and registered in the session catalogue:

    stores   200 rows         store_id, name, city, country, opened
    items    5,000 rows       item_id, name, category, brand, price, tags (array)
    users    300,000 rows     user_id, name, email, country, tier, signed_up
    orders   1,000,000 rows   order_id, user_id, store_id, item_id, quantity, amount, status, ordered_at; by order_month
    events   2,000,000 rows   event_id, user_id (null for visitors without an account), kind, page, session, seen_at

User 7 makes one event in eight: a join on `user_id` is skewed. `orders` is partitioned by 24 months.
"""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import SparkSession

COUNTRIES = "array('AT', 'BR', 'CA', 'DE', 'FR', 'IN', 'JP', 'NL', 'PL', 'US')"

TABLES = {
    "stores": f"""
        SELECT CAST(id AS INT) AS store_id, concat('Store ', id) AS name, concat('City ', id % 60) AS city,
               element_at({COUNTRIES}, CAST(id % 10 AS INT) + 1) AS country,
               date_add(DATE'2010-01-01', CAST(id * 23 AS INT)) AS opened
        FROM range(1, 201)""",
    "items": """
        SELECT CAST(id AS INT) AS item_id, concat('Item ', id) AS name,
               element_at(array('books', 'games', 'garden', 'kitchen', 'music', 'office', 'sports', 'toys'),
                          CAST(id % 8 AS INT) + 1) AS category,
               concat('Brand ', id % 90) AS brand,
               CAST(pmod(xxhash64(id, 1), 20000) / 100 + 1 AS DECIMAL(10, 2)) AS price,
               array(concat('tag', id % 17), concat('tag', id % 5)) AS tags
        FROM range(1, 5001)""",
    "users": f"""
        SELECT id AS user_id, concat('User ', id) AS name, concat(hex(xxhash64(id, 2)), '@example.org') AS email,
               element_at({COUNTRIES}, CAST(pmod(xxhash64(id, 3), 10) AS INT) + 1) AS country,
               element_at(array('basic', 'plus', 'gold'), CAST(pmod(xxhash64(id, 4), 3) AS INT) + 1) AS tier,
               date_add(DATE'2020-01-01', CAST(pmod(xxhash64(id, 5), 2000) AS INT)) AS signed_up
        FROM range(1, 300001)""",
    "orders": """
        SELECT id AS order_id, pmod(xxhash64(id, 6), 300000) + 1 AS user_id,
               CAST(pmod(xxhash64(id, 7), 200) + 1 AS INT) AS store_id,
               CAST(pmod(xxhash64(id, 8), 5000) + 1 AS INT) AS item_id,
               CAST(pmod(xxhash64(id, 9), 5) + 1 AS INT) AS quantity,
               CAST(pmod(xxhash64(id, 10), 50000) / 100 + 1 AS DECIMAL(12, 2)) AS amount,
               element_at(array('open', 'paid', 'sent', 'returned'),
                          CAST(pmod(xxhash64(id, 11), 4) AS INT) + 1) AS status,
               timestamp_seconds(1735689600 + id * 63) AS ordered_at,
               date_format(timestamp_seconds(1735689600 + id * 63), 'yyyy-MM') AS order_month
        FROM range(0, 1000000)""",
    "events": """
        SELECT id AS event_id,
               CASE WHEN id % 10 = 0 THEN NULL WHEN id % 8 = 1 THEN 7
                    ELSE pmod(xxhash64(id, 12), 300000) + 1 END AS user_id,
               element_at(array('view', 'search', 'basket', 'buy', 'help'),
                          CAST(pmod(xxhash64(id, 13), 5) AS INT) + 1) AS kind,
               concat('/item/', pmod(xxhash64(id, 14), 5000) + 1) AS page,
               hex(xxhash64(id, 15)) AS session, timestamp_seconds(1767225600 + id * 15) AS seen_at
        FROM range(0, 2000000, 1, 8)""",
}


def write(spark: SparkSession, folder: Path) -> None:
    """Write the tables that are missing under `folder`: one parquet file each, events eight, orders one per month."""
    for name, query in TABLES.items():
        target = folder / name
        if (target / "_SUCCESS").exists():
            continue
        frame = spark.sql(query)
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
