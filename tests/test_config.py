from __future__ import annotations

import re
from pathlib import Path

import pytest

from planviz.config import PROFILES, OptimizerConfig
from planviz.errors import InputError
from planviz.execution import explain
from planviz.settings import SETTINGS

SOURCES = Path(__file__).resolve().parents[1] / "planviz"
THRESHOLD = "spark.sql.autoBroadcastJoinThreshold"


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        (THRESHOLD, "10MB", 10 << 20),
        (THRESHOLD, "1g", 1 << 30),
        (THRESHOLD, "512 KiB", 512 << 10),
        (THRESHOLD, "-1", -1),
        (THRESHOLD, "2048b", 2048),
        ("spark.sql.cbo.enabled", " TRUE ", True),
        ("spark.sql.shuffle.partitions", "7", 7),
        ("spark.sql.session.timeZone", "Europe/Berlin", "Europe/Berlin"),
    ],
)
def test_text_is_read_as_the_setting_s_type(key, text, value):
    assert OptimizerConfig.of(**{key: text}).get(key) == value


@pytest.mark.parametrize(
    ("key", "text", "message"),
    [
        (THRESHOLD, "much", "a size in bytes"),
        (THRESHOLD, "10q", "a size in bytes"),
        (THRESHOLD, "-2", "at least -1"),
        ("spark.sql.cbo.enabled", "yes", "true or false"),
        ("spark.sql.cbo.enabled", 1, "true or false"),
        ("spark.sql.shuffle.partitions", "0", "whole number of at least 1"),
        ("planviz.now", "yesterday", "a day and time as in 2026-11-22T09:30:00Z"),
        ("spark.sql.shuffle.partitions", "10m", "whole number"),
        ("spark.sql.shuffle.partitions", True, "whole number"),
    ],
)
def test_a_bad_value_is_refused_with_the_key(key, text, message):
    with pytest.raises(InputError, match=f"{re.escape(key)} must be .*{message}"):
        OptimizerConfig.of(**{key: text})


def test_an_unknown_key_is_kept_with_a_warning_that_names_the_nearest():
    config = OptimizerConfig.of(**{"spark.sql.cbo.enable": "true"})

    assert config.get("spark.sql.cbo.enable") == "true"
    assert "did you mean spark.sql.cbo.enabled?" in config.warnings[0]
    assert config.warnings[0] in explain("SELECT 1", config=config).warnings


def test_every_setting_that_the_code_reads_is_described():
    rooms = ("trees", "expressions", "logical", "frontend", "analysis", "optimizer", "physical")
    texts = [p.read_text(encoding="utf-8") for room in rooms for p in (SOURCES / room).rglob("*.py")]
    read = {k for text in texts for k in re.findall(r'"(spark\.sql\.[\w.]*\w)"', text)}

    assert read
    assert {k for k in read if not any(s.startswith(f"{k}.") for s in SETTINGS)} <= set(SETTINGS)


def test_profiles_differ_from_the_default_in_known_settings_only():
    for profile in PROFILES.values():
        assert set(profile.settings) <= set(SETTINGS)
    assert OptimizerConfig().get("spark.sql.ansi.enabled") is True
    assert OptimizerConfig.of("spark-3.0").get("spark.sql.ansi.enabled") is False
    assert OptimizerConfig.of("spark-3.0", **{"spark.sql.ansi.enabled": "true"}).get("spark.sql.ansi.enabled") is True


def test_another_profile_is_refused():
    with pytest.raises(InputError, match=r"spark-4\.3, .*spark-3\.0"):
        OptimizerConfig.of("spark-2.4")


def test_what_is_not_followed_yet_is_said():
    assert not OptimizerConfig.of("spark-3.0").warnings
    assert OptimizerConfig().warnings == []


def test_the_documentation_lists_every_setting():
    text = (SOURCES.parent / "docs" / "settings.md").read_text(encoding="utf-8")
    rows = [f"| `{s.key}` | {s.type} | {shown(s.default)} | {s.about} |" for s in SETTINGS.values()]

    assert [row for row in rows if row not in text] == []


def shown(value):
    return str(value).lower() if isinstance(value, bool) else str(value) or "(empty)"
