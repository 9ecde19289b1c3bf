"""Texts of views, caches and grouping sets read back: columns that the view alone shows, types that the cached plan
alone tells, lists as Scala prints them."""

from __future__ import annotations

import pytest

from planviz.config import OptimizerConfig
from planviz.document import open_text
from planviz.document.opening.replays import replays
from planviz.execution import Session

_SETUP = (
    "CREATE TABLE t (a INT, b STRING, v DOUBLE) USING parquet; CREATE TABLE u (a INT, b STRING) USING parquet;"
    "CREATE VIEW w AS SELECT a, b FROM t UNION ALL SELECT a, b FROM u; CACHE LAZY TABLE u;"
    "CREATE VIEW high AS SELECT a AS x, v AS y FROM t WHERE a > 1; CACHE LAZY TABLE high;"
)


def verdicts(version: str, sql: str) -> dict[str, str]:
    """How the query's own text, pasted alone, comes out when it is planned again."""
    config = OptimizerConfig.of(f"spark-{version}", **{"spark.sql.adaptive.enabled": False})
    *_, outcome = Session(config=config).run(f"{_SETUP} {sql}", "physical")
    assert outcome.execution is not None, outcome.error
    text = outcome.execution.explain_string("extended")
    made = list(replays(open_text(text[text.index("== Analyzed") :])))
    return dict(made[-1].verdicts)


@pytest.mark.parametrize("version", ["3.0", "3.1", "3.2", "4.3"])
@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM w WHERE a = 5",
        "SELECT count(*) FROM w",
        "SELECT sum(y) FROM high WHERE x > 3",
        "SELECT t.v FROM t JOIN u ON t.a = u.a",
        "SELECT b, count(*) FROM (SELECT b, a + 1 AS c FROM t) GROUP BY CUBE (b, c)",
        "SELECT * FROM (SELECT a, first(b) AS f, collect_list(v) AS l FROM t GROUP BY a) WHERE a > 3",
        "SELECT a, sum(v) FROM (SELECT a, v FROM t) GROUP BY ROLLUP (a)",
    ],
)
def test_a_text_is_planned_again(version, sql):
    assert verdicts(version, sql) == {"optimized": "equal", "physical": "equal"}
