"""What a script writes to its own tables counts for the plans after it."""

from __future__ import annotations

import pytest

from planviz.config import OptimizerConfig
from planviz.execution import Session

QUERY = "SELECT * FROM x JOIN y ON x.a = y.a"
OFF = OptimizerConfig.of(**{"spark.sql.adaptive.enabled": False})


def join_after(script):
    *_, outcome = Session(config=OFF).run(f"{script}; {QUERY}", "physical")
    assert outcome.error is None
    text = outcome.execution.text("physical")
    return next(name for name in ("BroadcastHashJoin", "SortMergeJoin") if name in text)


@pytest.mark.parametrize(
    ("script", "join"),
    [
        ("CREATE TABLE x AS SELECT 1 AS a; CREATE TABLE y AS SELECT 2 AS a", "BroadcastHashJoin"),
        ("CREATE TABLE x(a INT); CREATE TABLE y(a INT); INSERT INTO y VALUES (1), (2)", "BroadcastHashJoin"),
        ("CREATE TABLE x(a INT); CREATE TABLE y(a INT)", "SortMergeJoin"),
        # What was in the table before the last INSERT counts, too.
        (
            "CREATE TABLE z(a INT); CREATE TABLE x(a INT); CREATE TABLE y(a INT); INSERT INTO y TABLE z;"
            "INSERT INTO y VALUES (1)",
            "SortMergeJoin",
        ),
        (
            "CREATE TABLE z(a INT); CREATE TABLE x(a INT); CREATE TABLE y(a INT); INSERT INTO y TABLE z;"
            "INSERT OVERWRITE y VALUES (1)",
            "BroadcastHashJoin",
        ),
    ],
)
def test_a_table_is_as_large_as_what_the_script_writes_to_it(script, join):
    assert join_after(script) == join


def test_a_table_of_the_catalogue_keeps_its_size():
    session = Session(config=OFF)
    list(session.run("CREATE TABLE y(a INT)"))
    catalog = session.catalog.with_statistics("default.y", size_in_bytes=10**12)
    list((other := Session(catalog, OFF)).run("INSERT INTO y VALUES (1)"))
    assert other.catalog.table(("y",)).size_in_bytes == 10**12
