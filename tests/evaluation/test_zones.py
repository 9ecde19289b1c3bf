"""TIMESTAMP in a session whose time zone is not UTC; the texts are those of Spark 4.3."""

from __future__ import annotations

import pytest

from planviz.config import OptimizerConfig
from planviz.execution import QueryExecution


def computed(expression, zone="America/Los_Angeles", **settings):
    config = OptimizerConfig.of(**{"spark.sql.session.timeZone": zone, **settings})
    first = QueryExecution(f"SELECT {expression} AS x", config=config).text("optimized").splitlines()[0]
    return first.removeprefix("Project [").rpartition(" AS x#")[0]


@pytest.mark.parametrize(
    ("expression", "shown"),
    [
        ("array(TIMESTAMP'2020-01-01')", "[1577865600000000]"),
        ("map(TIMESTAMP'2020-07-01', DATE'2020-01-01')", "map(keys: [1593586800000000], values: [18262])"),
        ("struct(TIMESTAMP'2020-07-01', TIMESTAMP_NTZ'2020-07-01')", "[1593586800000000,1593561600000000]"),
        ("from_json('{\"a\":\"2020-01-01\"}', 'map<string, timestamp>')", "map(keys: [a], values: [1577865600000000])"),
        ("from_csv('01/02/2020', 'a timestamp', map('timestampFormat', 'dd/MM/yyyy'))", "[1580544000000000]"),
        ("array(TIME'10:11:12')", "[36672000000000]"),
    ],
)
def test_moments_inside_of_values_are_shown_as_stored(expression, shown):
    assert computed(expression) == shown


@pytest.mark.parametrize(
    ("expression", "shown"),
    [
        ("TIMESTAMP'2020-03-08 02:30:00'", "2020-03-08 03:30:00"),
        ("make_timestamp(2020, 3, 8, 2, 30, 0)", "2020-03-08 03:30:00"),
        ("TIMESTAMP'2020-03-07 02:30:00' + INTERVAL '1' DAY", "2020-03-08 03:30:00"),
        ("TIMESTAMP'2020-11-01 00:30:00' + INTERVAL 2 HOURS", "2020-11-01 01:30:00"),
        ("timestampadd(HOUR, 2, TIMESTAMP'2020-11-01 00:30:00')", "2020-11-01 01:30:00"),
        ("TIMESTAMP_NTZ'2020-11-01 00:30:00' + INTERVAL 2 HOURS", "2020-11-01 02:30:00"),
        ("TIMESTAMP'9999-12-31 23:59:59.999999'", "9999-12-31 23:59:59.999999"),
    ],
)
def test_hours_that_a_zone_skips_or_repeats(expression, shown):
    assert computed(expression) == shown


def test_null_safe_keys_have_the_beginning_of_time_in_their_place():
    config = OptimizerConfig.of(**{"spark.sql.session.timeZone": "America/Los_Angeles"})
    sides = (
        "(SELECT timestamp_seconds(id) AS t FROM range(9)) a JOIN (SELECT timestamp_seconds(id) AS t FROM range(8)) b"
    )
    text = QueryExecution(f"SELECT * FROM {sides} ON a.t <=> b.t", config=config).text("physical")
    assert ", 1969-12-31 16:00:00), isnull(" in text


def test_a_pivot_counts_moments_as_stored():
    config = OptimizerConfig.of(**{"spark.sql.session.timeZone": "America/Los_Angeles"})
    rows = "VALUES (TIMESTAMP'2020-01-01', 1) v(t, a)"
    text = QueryExecution(f"SELECT * FROM {rows} PIVOT (sum(a) FOR t IN (TIMESTAMP'2020-01-01'))", config=config)
    assert ", 1577865600000000, 0, 0)" in text.text("analyzed")
