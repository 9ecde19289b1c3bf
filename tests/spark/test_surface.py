"""The table of what Spark could reach: held against the Spark that is installed, and against what planviz refuses."""

from __future__ import annotations

import re

import pytest

from planviz.spark.function_options import OPTIONS, known_functions
from planviz.spark.tables import PROVIDERS
from tests.acceptance.engines import real_spark, skip_without_java
from tests.spark import surface


def rows(title):
    """The cells of a table of the page."""
    text = surface.TABLE.read_text(encoding="utf-8").split(f"## {title}\n", 1)[1].split("\n## ", 1)[0]
    lines = [line for line in text.splitlines() if line.startswith("|")][2:]
    cells = [re.split(r"(?<!\\)\|", line)[1:-1] for line in lines]
    return [[cell.strip().strip("`").replace("\\|", "|") for cell in row] for row in cells]


def test_every_function_of_the_table_is_known_and_no_other():
    assert {row[0].lower() for row in rows("Functions")} == known_functions()


def test_what_is_said_of_each_function_is_what_a_query_meets():
    for name, group, _, _, said in rows("Functions"):
        assert surface.verdict(name, "table" if group.endswith("(table)") else "") == said, name


def test_nothing_passes_that_was_seen_to_read_a_file_or_ask_an_address():
    seen = [row for row in rows("Functions") if row[3] != "nothing"]
    assert not [row for row in seen if row[4] == "passes"]
    options = rows("Options")
    seen = [row for row in options if "in functions" in row[2]]
    assert "rowValidationXSDPath" in {row[1] for row in seen}
    assert {row[3] for row in seen} == {"refused"}
    for source, option, _, said in options:
        assert surface.given_to(source, option) == said


def test_no_option_is_allowed_that_no_version_has():
    listed = {row[1].lower() for row in rows("Options")}
    for name, (_, allowed) in OPTIONS.items():
        if not name.endswith("protobuf"):  # its options are in a package that is not in the distribution
            assert allowed <= listed, name


@pytest.mark.spark
def test_the_table_has_every_function_option_and_source_of_the_installed_spark():
    skip_without_java()
    session = real_spark().spark
    assert set(surface.functions(session)) == {row[0] for row in rows("Functions")}
    listed = {(source, option) for source, names in surface.options(session).items() for option in names}
    assert listed == {(row[0], row[1]) for row in rows("Options")}
    assert set(surface.sources(session)) == {row[0] for row in rows("Data sources")}
    made = {row[0] for row in rows("Data sources") if row[2] != "refused"}
    assert {name.lower() for name in made} <= PROVIDERS
