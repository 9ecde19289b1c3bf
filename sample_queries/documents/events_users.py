"""Events and their users as a DataFrame program: averages of a join, of which only the errors are wanted.

The same as events_users.sql. `planviz.dataframe.session()` plans it without Spark; PySpark's session runs it as it is.
"""

from __future__ import annotations

from typing import Any

EVENTS = "CREATE TABLE events (event_id bigint, user_id int, status string, duration double) USING parquet"
USERS = "CREATE TABLE users (user_id int, name string, loc string) USING parquet"


def errors(spark: Any) -> Any:
    """The average duration of errors by place; `spark` is a session that has both tables."""
    events, users = spark.table("events"), spark.table("users")
    joined = events.join(users, events.user_id == users.user_id)
    stats = joined.groupBy("loc", "status").avg("duration")
    return stats.where(stats.status == "ERR")


if __name__ == "__main__":
    from planviz.dataframe import session

    spark = session()
    spark.sql(EVENTS)
    spark.sql(USERS)
    errors(spark).explain("extended")
