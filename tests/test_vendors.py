"""Vendors' runtimes by name: the table, the names that people write, and what is told of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from planviz.config import PROFILE_VARIABLE, OptimizerConfig, default_profile, profile_of
from planviz.document import open_text
from planviz.errors import InputError
from planviz.execution import explain
from planviz.versions import PROFILES
from planviz.versions.vendors import RUNTIMES, VENDORS, runtime_of, vendor_of

SETTINGS = Path(__file__).resolve().parents[1] / "docs" / "settings.md"
PLAN = "== Physical Plan ==\nProject [a#1]\n+- LocalTableScan [a#1]\n"


def test_every_runtime_has_a_profile_and_a_source_and_stands_in_the_documentation() -> None:
    text = SETTINGS.read_text(encoding="utf-8")
    for runtime in RUNTIMES.values():
        assert runtime.profile in PROFILES, runtime
        assert runtime.source.startswith("https://"), runtime
        assert f"`{runtime.name}` ({runtime.spark})" in text, runtime
        assert runtime_of(runtime.name) is runtime
    assert sum(len(vendor.runtimes) for vendor in VENDORS) == len(RUNTIMES)


@pytest.mark.parametrize(
    ("name", "runtime", "profile"),
    [
        ("databricks-15.4", "databricks-15.4", "spark-3.5"),
        ("DBR 13.3 LTS", "databricks-13.3", "spark-3.4"),
        ("15.4.x-scala2.12", "databricks-15.4", "spark-3.5"),
        ("12.2.x-cpu-ml-scala2.12", "databricks-12.2", "spark-3.3"),
        ("emr-7.1", "emr-7.1.0", "spark-3.5"),
        ("emr-6.15.0", "emr-6.15.0", "spark-3.4"),
        ("glue-4.0", "glue-4.0", "spark-3.3"),
        ("fabric-1.2", "fabric-1.2", "spark-3.4"),
        ("cdp-7.1.9", "cloudera-7.1.9", "spark-3.3"),
        ("dataproc-2.2", "dataproc-2.2", "spark-3.5"),
    ],
)
def test_names_are_read_as_vendors_write_them(name: str, runtime: str, profile: str) -> None:
    config = OptimizerConfig.of(name)
    assert (config.runtime, config.profile) == (runtime, profile)
    assert config.with_settings({"spark.sql.cbo.enabled": True}).runtime == runtime


def test_versions_are_read_without_their_prefix_and_patch() -> None:
    assert profile_of("3.5") == profile_of("3.5.4") == profile_of("spark-3.5") == "spark-3.5"
    assert OptimizerConfig.of("3.5").runtime == ""


def test_a_wrong_runtime_names_those_of_its_vendor() -> None:
    with pytest.raises(InputError, match=r"There is no profile “emr-9”.*emr-7\.10\.0"):
        OptimizerConfig.of("emr-9")
    with pytest.raises(InputError, match=r"spark-4\.3.*spark-3\.0\.$"):
        OptimizerConfig.of("spark-9.9")


def test_what_a_vendor_adds_is_told_beside_the_plan() -> None:
    warnings = explain("SELECT 1", config=OptimizerConfig.of("databricks-15.4")).warnings
    assert "Databricks Runtime 15.4 LTS is planned as Spark 3.5" in warnings[0]
    assert vendor_of(RUNTIMES["databricks-15.4"]).differs in warnings[0]
    assert explain("SELECT 1", config=OptimizerConfig.of("spark-3.5")).warnings == []


def test_the_default_version_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(PROFILE_VARIABLE, raising=False)
    assert default_profile() == "spark-4.3"
    monkeypatch.setenv(PROFILE_VARIABLE, "emr-7.1")
    assert OptimizerConfig.of(default_profile()).profile == "spark-3.5"
    monkeypatch.setenv(PROFILE_VARIABLE, "spark-9.9")
    with pytest.raises(InputError, match=r"spark-9\.9"):
        default_profile()


@pytest.mark.parametrize(
    ("line", "words", "bound"),
    [
        ("Spark Version: 3.5.0-databricks", "Spark 3.5.0-databricks (Databricks)", (3, 5)),
        ("Spark Version: 3.4.1-amzn-0", "Spark 3.4.1-amzn-0 (Amazon EMR or AWS Glue)", (3, 4)),
        ("Running Spark version 3.3.2.3.3.7190.0-91", "Spark 3.3.2.3.3.7190.0-91 (Cloudera)", (3, 3)),
        (
            "spark.databricks.clusterUsageTags.sparkVersion=15.4.x-scala2.12",
            "Spark 3.5.0 (Databricks Runtime 15.4 LTS)",
            (3, 5),
        ),
    ],
)
def test_texts_tell_their_vendor(line: str, words: str, bound: tuple[int, int]) -> None:
    printed = open_text(f"{line}\n\n{PLAN}").printed
    assert (printed.words, printed.first, printed.last) == (words, bound, bound)
