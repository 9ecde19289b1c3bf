"""Views in views: each is analyzed on its own, as deep as Spark goes."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from planviz.catalog.bundled import read_bundled
from planviz.errors import AnalysisError
from planviz.execution import Session
from planviz.execution.session import Outcome
from planviz.trees.executor import RuleExecutor
from tests.steps import steps


def chained(n: int, step: str = "SELECT a + 1 AS a, b FROM {}") -> str:
    made = [f"CREATE TEMPORARY VIEW v{i} AS {step.format(f'v{i - 1}' if i else 't1')};" for i in range(n)]
    return "\n".join([*made, f"SELECT * FROM v{n - 1};"])


def outcomes(sql: str) -> Sequence[Outcome]:
    return list(Session(read_bundled("documents")).run(sql, "physical"))


@pytest.mark.slow
def test_views_nest_as_deep_as_spark_goes() -> None:
    found = outcomes(chained(100))
    assert [o.error for o in found if o.error] == []
    last = found[-1].execution
    assert last is not None
    assert last.text("optimized").count("Project") == 1


@pytest.mark.slow
def test_a_view_too_deep_is_refused_by_the_setting_s_name() -> None:
    found = outcomes(chained(102))
    errors = [o.error for o in found if o.error]

    assert isinstance(errors[0], AnalysisError)
    assert errors[0].error_class == "VIEW_EXCEED_MAX_NESTED_DEPTH"
    assert "spark.sql.view.maxNestedViewDepth" in str(errors[0])
    assert found.index(next(o for o in found if o.error)) == 101
    script = "SET spark.sql.view.maxNestedViewDepth = 2;\n" + chained(3, "SELECT a FROM {}")
    assert [e.error_class for o in outcomes(script) if isinstance(e := o.error, AnalysisError)] == [
        "VIEW_EXCEED_MAX_NESTED_DEPTH"
    ]


@pytest.mark.slow
def test_a_view_one_deeper_takes_the_steps_of_one_more(monkeypatch) -> None:
    monkeypatch.setattr(RuleExecutor, "standing", ())

    def read(n: int) -> int:
        session = Session(read_bundled("documents"))
        *made, query = chained(n).split("\n")
        assert not [o.error for o in session.run("\n".join(made)) if o.error]
        return steps(lambda: list(session.run(query)))

    read(2)
    # Walks over higher plans take more calls for each operator.
    assert read(80) < 3.5 * read(40)


def test_what_is_wrong_within_a_view_is_said_once_it_is_made() -> None:
    (made, read) = outcomes("CREATE TEMPORARY VIEW v AS SELECT nothing FROM t1;\nSELECT * FROM v")
    assert made.error is not None
    assert "UNRESOLVED_COLUMN" in str(made.error.error_class)  # type: ignore[attr-defined]
    assert "TABLE_OR_VIEW_NOT_FOUND" in str(read.error.error_class)  # type: ignore[union-attr]


def test_a_view_in_a_subquery_sees_nothing_of_the_query_around() -> None:
    script = """CREATE TEMPORARY VIEW v AS SELECT b FROM t2 WHERE a > 1;
SELECT * FROM t1 WHERE EXISTS (SELECT 1 FROM v WHERE v.b = t1.b)"""
    assert [o.error for o in outcomes(script) if o.error] == []
