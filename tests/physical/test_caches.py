"""Cached tables, views and queries, as real Spark 4.3 planned them: golden/caches.txt.

Each script starts with `=== adaptive off` or `on`; every statement stands behind `-- `, below it the plan of a query or
the class of an error. Ids are numbered by their first appearance, the places of files are left out.
"""

from __future__ import annotations

import pytest

from planviz.config import OptimizerConfig
from planviz.errors import AnalysisError, ParseError
from planviz.execution import Session
from tests.physical.test_golden_plans import GOLDEN, canonical, empty_tables  # noqa: F401 (a fixture)

Script = list[tuple[str, str]]


def scripts() -> list[tuple[bool, Script]]:
    """Whether adaptive execution is on, and the statements with what became of them."""
    found: list[tuple[bool, Script]] = []
    for block in (GOLDEN / "caches.txt").read_text(encoding="utf-8").split("\n\n"):
        if block.startswith("=== "):
            mode, _, block = block.partition("\n")
            found.append((mode.endswith("on"), []))
        statement, _, plan = block.strip("\n").partition("\n")
        if statement:
            found[-1][1].append((statement.removeprefix("-- "), plan))
    return found


@pytest.mark.parametrize(("adaptive", "script"), scripts())
def test_every_statement_of_a_script_is_planned_as_by_spark(adaptive, script, empty_tables):  # noqa: F811
    settings = {"spark.sql.adaptive.enabled": adaptive, "spark.sql.shuffle.partitions": 4}
    config = OptimizerConfig().with_settings({**settings, "spark.sql.session.timeZone": "UTC"})
    text = ";\n".join(statement for statement, _ in script)
    for outcome, (statement, expected) in zip(Session(empty_tables, config).run(text, "physical"), script, strict=True):
        if outcome.error is not None:
            assert isinstance(outcome.error, AnalysisError | ParseError), statement
            found = f"ERROR {outcome.error.error_class}"
        else:
            found = "" if outcome.execution is None else canonical(outcome.execution.text("physical"))
        assert found == expected, statement
