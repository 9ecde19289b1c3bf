"""Sessions that come from where the text does not show: a helper of another file, a base class, a fixture."""

from __future__ import annotations

import re

from planviz.programs.values import Unknown

#: What programs call their session.
NAMES = ("spark", "session", "sqlContext", "sql_context", "spark_session", "sparkSession", "ss", "sqlc", "dlt")
#: What nothing but a session has, and what only one that is called so surely is.
_ONLY = frozenset(["createDataFrame", "readStream", "sparkContext", "newSession"])
_OTHERS = frozenset(
    ["sql", "table", "read", "range", "conf", "catalog", "udf", "builder", "createDataset", "implicits"]
)
_CALLED = re.compile(r"spark|session$|^sql_?context$|^(?:ss|sqlc)$", re.IGNORECASE)


def is_session(value: Unknown, name: str) -> bool:
    """Whether a value that nobody knows is a session, by what it is called and what is asked of it."""
    words = re.findall(r"\w+", value.what)
    return name in _ONLY or (name in _OTHERS and bool(words) and _CALLED.search(words[-1]) is not None)
