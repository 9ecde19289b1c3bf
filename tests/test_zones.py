"""Names of time zones, as Spark takes them in timestamps and settings."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from planviz.document import open_text
from planviz.types.zones import zone_of

WINTER = datetime(2024, 1, 15, 12)


@pytest.mark.parametrize(
    ("name", "hours"),
    [
        ("CET", 1), ("EST5EDT", -5), ("Etc/GMT+5", -5), ("America/Port_of_Spain", -4), ("Europe/Paris", 1),
        ("UTC", 0), ("Z", 0), ("+02:00", 2), ("GMT-3", -3), ("UTC+0530", 5.5), ("PST", -8), ("EST", -5),
    ],
)  # fmt: skip
def test_names_that_are_zones(name, hours) -> None:
    zone = zone_of(name)
    assert zone is not None
    assert zone.utcoffset(WINTER) == timedelta(hours=hours)


@pytest.mark.parametrize("name", ["", "cet", "Mars/Base", "+19:00", "+01:60", "../etc/passwd", "posix/UTC", "a" * 500])
def test_names_that_are_none(name) -> None:
    assert zone_of(name) is None


@pytest.mark.parametrize(
    ("zone", "instant"),
    [
        ("CET", "2024-01-15 11:00:00"),
        ("EST5EDT", "2024-01-15 17:00:00"),
        ("Etc/GMT+5", "2024-01-15 17:00:00"),
        ("America/Port_of_Spain", "2024-01-15 16:00:00"),
    ],
)
def test_timestamps_name_any_zone(zone, instant) -> None:
    for expression in (f"TIMESTAMP '2024-01-15 12:00:00 {zone}'", f"cast('2024-01-15 12:00:00 {zone}' AS TIMESTAMP)"):
        document = open_text(f"SELECT {expression} AS t")
        (optimized,) = [plan for plan in document.plans if plan.stage == "optimized"]
        assert f"[{instant} AS t#" in optimized[0].text, expression
