"""What Spark shortens in the lines of scans (spark.sql.maxMetadataValueLength) counts as far as it is there."""

from __future__ import annotations

import re

import pytest

from planviz.catalogs import read as read_catalog
from planviz.config import OptimizerConfig
from planviz.document import open_text
from planviz.document.opening.replays import replays
from planviz.execution import QueryExecution
from planviz.expressions.ids import Ids
from planviz.replay import compared
from planviz.replay.result import Replay

TABLES = (
    "CREATE TABLE flights (id BIGINT, tail STRING, departure TIMESTAMP, origin STRING, goal STRING, "
    "crew STRUCT<pilot: STRING, copilot: STRING>, fare DECIMAL(9,2), seats INT) USING parquet;"
)
SQL = "SELECT * FROM flights WHERE origin <> goal AND (tail = 'a' OR goal = 'b') AND NOT (origin = 'c' AND tail = 'd')"
_VALUE = re.compile(r"\b(DataFilters|PushedFilters|ReadSchema): (.*?)(?=, [A-Z]\w+: |$)")


def shortened(text: str, longest: int = 100) -> str:
    """A text as it comes from a Spark that shows so many characters of a value."""

    def one(m: re.Match[str]) -> str:
        value = m[2] if len(m[2]) <= longest else m[2][: longest - 3] + "..."
        return f"{m[1]}: {value}"

    return "\n".join(_VALUE.sub(one, line) if "FileScan " in line else line for line in text.split("\n"))


def explained(mode: str) -> str:
    return QueryExecution(SQL, read_catalog(TABLES), OptimizerConfig(), ids=Ids(100)).explain_string(mode)


def replayed(text: str) -> Replay:
    (made,) = replays(open_text(text))
    return made


@pytest.mark.parametrize("longest", [60, 100, 150, 1000])
@pytest.mark.parametrize("mode", ["extended", "simple"])
def test_shortened_filters_and_schemas_are_compared_as_far_as_they_go(mode: str, longest: int) -> None:
    made = replayed(shortened(explained(mode), longest))
    assert made.verdicts["physical"] == "equal", made.differences
    assert made.differences == {}


def test_a_difference_in_what_is_shown_is_seen() -> None:
    text = shortened(explained("extended"))
    assert (
        "[isnotnull(origin#103), isnotnull(goal#104), NOT (origin#103 = goal#104), ((tail#101 = a) OR (goa..." in text
    )
    other = text.replace("DataFilters: [isnotnull(origin#103), ", "DataFilters: [isnotnull(tail#101), ")
    assert other != text
    made = replayed(other)
    assert made.verdicts["physical"] == "shape"
    assert len(made.differences["physical"]) == 1
    other = text.replace("ReadSchema: struct<id:bigint", "ReadSchema: struct<id:int")
    assert replayed(other).verdicts["physical"] == "shape"


def without_last_fields(text: str, most: int) -> str:
    """A text as it comes from a Spark that shows so many items of the columns of relations, scans and projections."""

    def one(m: re.Match[str]) -> str:
        between = ", " if ", " in m[2] else ","
        items = m[2].split(between)
        left = f"{between}... {len(items) - most} more fields"
        return m[1] + (m[2] if len(items) <= most else between.join(items[:most]) + left) + "]"

    return re.sub(r"((?:Relation \S*?|Project |FileScan \S+ [\w.]+|output=)\[)((?:\w+#\d+L?(?:, ?)?)+)\]", one, text)


@pytest.mark.parametrize("mode", ["extended", "simple"])
def test_lists_of_which_fields_are_left_out_are_compared_as_far_as_they_go(mode: str) -> None:
    text = shortened(without_last_fields(explained(mode), 6))
    assert "crew#105,... 2 more fields]" in text
    made = replayed(text)
    assert made.verdicts["physical"] == "equal", made.differences
    assert made.verdicts["optimized"] == ("equal" if mode == "extended" else "absent"), made.differences


@pytest.mark.parametrize(
    ("theirs", "ours", "verdict"),
    [
        ("Project [a#1, b#2, ... 2 more fields]", "Project [a#1, b#2, c#3, d#4]", "equal"),
        ("Project [a#1, b#2, ... 2 more fields]", "!Project [a#1, b#2]", "equal"),
        ("Project [a#1, b#2, ... 2 more fields]", "Project [a#1, c#2, c#3, d#4]", "shape"),
        ("Sort [a#1, ... 1 more fields], true, 0", "Sort [a#1, b#2], true, 0", "equal"),
        ("Sort [a#1, ... 1 more fields], true, 0", "Sort [a#1, b#2], true, 1", "shape"),
        ("Expand [[a#1, ... 2 more fields], [b#2, ... 3 more fields]]", "Expand [[a#1, x#3], [b#2, y#4]]", "equal"),
        ("Scan [a#1], Location: [x], ... 3 more fields", "Scan [a#1], Location: [x], Filters: [], Schema: []", "equal"),
    ],
)
def test_a_line_counts_without_the_fields_that_are_left_out(theirs: str, ours: str, verdict: str) -> None:
    assert compared.verdict(theirs, ours) == verdict
    below = "\n+- Relation t[a#1,b#2,... 2 more fields] parquet"
    more = "\n+- LocalRelation [a#1]"
    assert compared.distance(theirs + below, ours + "\n+- Relation t[a#1,b#2,c#3] parquet") == (verdict != "equal")
    assert compared.distance(theirs + below, ours + more) == (1 if verdict == "equal" else 2)


_TYPES = ("INT", "STRING", "DATE", "DOUBLE")
WIDE = f"CREATE TABLE wide ({', '.join(f'c{i} {_TYPES[i % 4]}' for i in range(12))}) USING parquet;"


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT *, row_number() OVER (PARTITION BY c1 ORDER BY c2) AS rn FROM wide",
        "SELECT c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11 FROM "
        "(SELECT *, row_number() OVER (PARTITION BY c1 ORDER BY c2) AS rn FROM wide) WHERE rn <= 3",
        "SELECT * FROM wide w WHERE c9 = 'x'",
    ],
)
def test_a_list_that_is_as_long_as_its_input_is_wide_is_all_of_it(sql: str) -> None:
    execution = QueryExecution(sql, read_catalog(WIDE), OptimizerConfig(), ids=Ids(100))
    text = shortened(without_last_fields(execution.explain_string("extended"), 8), 60)
    assert re.search(r"Project \[c0#\d+.*\.\.\. \d more fields\]", text)
    made = replayed(text)
    assert made.verdicts == {"optimized": "equal", "physical": "equal"}, made.differences


@pytest.mark.parametrize("profile", ["spark-4.3", "spark-3.3"])
@pytest.mark.parametrize(
    "sql", ["SELECT * FROM flights", "SELECT * FROM flights UNION ALL SELECT * FROM flights WHERE id = 3"]
)
def test_what_a_schema_lacks_the_line_above_the_analyzed_plan_tells(sql: str, profile: str) -> None:
    config = OptimizerConfig.of(profile)
    text = QueryExecution(sql, read_catalog(TABLES), config, ids=Ids(100)).explain_string("extended")
    made = replayed(shortened(text, 60))
    assert made.verdicts == {"optimized": "equal", "physical": "equal"}, made.differences
    assert [read.open for read in made.read.values()] == [0, 0]


def test_keys_of_rows_that_nobody_sees_are_not_null() -> None:
    rows = "VALUES (1, 'a', DATE'2020-01-01'), (2, 'b', NULL)"
    sql = f"SELECT * FROM {rows} AS t(k, v, d) JOIN range(0, 10, 2) r ON k = id"
    text = QueryExecution(sql, read_catalog(TABLES), OptimizerConfig(), ids=Ids(100)).explain_string("extended")
    made = replayed(text)
    assert made.verdicts == {"optimized": "equal", "physical": "equal"}, made.differences
    assert "spark.sql.constraintPropagation.enabled" not in [s.key for s in made.settings]


def test_the_columns_of_the_first_rows_of_an_order_may_be_cut() -> None:
    sql = "SELECT * FROM flights ORDER BY id LIMIT 5"
    text = QueryExecution(sql, read_catalog(TABLES), OptimizerConfig(), ids=Ids(100)).explain_string("simple")
    text = shortened(without_last_fields(text, 6))
    assert "crew#105,... 2 more fields])" in text
    made = replayed(text)
    assert made.verdicts["physical"] == "equal", made.differences
    assert [t for read in made.read.values() for t in read.opaque_operators] == []
