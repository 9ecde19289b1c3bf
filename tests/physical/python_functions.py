"""The Python functions of golden/python.txt: what planviz is told of them, and the functions themselves for Spark."""

from collections.abc import Iterator
from typing import Any

from planviz.execution import Session

PANDAS, ARROW = "SQL_GROUPED_AGG_PANDAS_UDF", "SQL_GROUPED_AGG_ARROW_UDF"
#: Name, type, kind, and whether equal arguments give equal values.
FUNCTIONS: tuple[tuple[str, str, str, bool], ...] = (
    ("py_mean", "double", PANDAS, True),
    ("py_count", "bigint", PANDAS, True),
    ("mean_rand", "double", PANDAS, False),
    ("arrow_mean", "double", ARROW, True),
    ("py_plus", "int", "udf", True),
    ("py_add", "int", "udf", True),
    ("py_test", "boolean", "udf", True),
    ("py_name", "string", "udf", True),
    ("py_long", "bigint", "udf", True),
    ("py_rand", "int", "udf", False),
    ("plain", "int", "SQL_BATCHED_UDF", True),
    ("arrow_plus", "int", "SQL_SCALAR_PANDAS_UDF", True),
    ("iter_plus", "int", "SQL_SCALAR_PANDAS_ITER_UDF", True),
)


def register(session: Session) -> None:
    """Make the functions known to planviz."""
    for name, returns, kind, deterministic in FUNCTIONS:
        session.register_python_function(name, returns, kind, deterministic)


def register_in_spark(spark: Any) -> None:
    """Make them known to a Spark; what they do does not matter, for no query runs."""
    for name, returns, kind, deterministic in FUNCTIONS:
        made = _made(returns, kind)
        spark.udf.register(name, made if deterministic else made.asNondeterministic())


def _made(returns: str, kind: str) -> Any:
    import pandas as pd
    import pyarrow as pa
    from pyspark.sql.functions import arrow_udf, pandas_udf, udf

    def mean(v: pd.Series, *more: pd.Series) -> float:
        return 0.0

    def arrow(v: pa.Array) -> float:
        return 0.0

    def plus(v: pd.Series) -> pd.Series:
        return v

    def each(batches: Iterator[pd.Series]) -> Iterator[pd.Series]:
        yield from batches

    if kind == ARROW:
        return arrow_udf(arrow, returns)
    if kind == "udf" or kind == "SQL_BATCHED_UDF":
        return udf(lambda *values: None, returns, useArrow=None if kind == "udf" else False)
    of = {PANDAS: mean, "SQL_SCALAR_PANDAS_UDF": plus, "SQL_SCALAR_PANDAS_ITER_UDF": each}
    return pandas_udf(of[kind], returns)
