"""The catalogue: every entry says something, is found by its name, and leads to entries that are there."""

from __future__ import annotations

import re
from base64 import b64decode

import pytest

from planviz.catalogs import find
from planviz.config import OptimizerConfig
from planviz.document import open_sql
from planviz.errors import InputError
from planviz.findings import checks
from planviz.optimizer.reference import rule_references
from planviz.reference import KINDS, entries, entry_named, search
from planviz.reference.demonstrations import BY_OPERATOR
from planviz.reference.shown import effect, other_values, plan_of, step_of
from planviz.settings import SETTINGS
from planviz.ui import catalogue
from planviz.versions import PROFILES


def test_every_kind_is_there_and_nothing_of_it_is_missing() -> None:
    names = {kind: {name for k, name in entries() if k == kind} for kind in KINDS}
    assert names["rule"] >= set(rule_references())
    assert names["setting"] == set(SETTINGS)
    assert names["finding"] == set(checks())
    assert {"SortMergeJoin", "BroadcastHashJoin", "ShuffleExchange", "HashAggregate"} <= names["operator"]
    assert {"Join", "Aggregate", "Filter (logical)", "LogicalRelation"} <= names["operator"]
    assert len(names["function"]) > 400


def test_every_entry_says_something_and_leads_somewhere() -> None:
    for one in entries().values():
        assert one.summary.endswith("."), one.name
        assert one.family
        for kind, name in one.related:
            assert entry_named(f"{kind}:{name}").kind == kind


def test_versions_of_a_setting_and_a_rule() -> None:
    versions = dict(entry_named("spark.sql.ansi.enabled").versions)
    assert len(versions) == len(PROFILES)
    assert (versions["4.0"], versions["3.5"]) == ("true", "false")
    rule = dict(entry_named("InferWindowGroupLimit").versions)
    assert rule["3.4"] == "no"
    assert rule["3.5"] != "no"


def test_names_in_any_case_and_the_nearest_of_wrong_ones() -> None:
    assert entry_named("combinefilters").name == "CombineFilters"
    assert entry_named("setting:spark.sql.shuffle.partitions").kind == "setting"
    with pytest.raises(InputError, match=r"CombineFilters"):
        entry_named("CombineFilter")


def test_search_puts_names_first() -> None:
    found = search("broadcast", ["setting"])
    assert found[0].name == "spark.sql.broadcastTimeout"
    assert all("broadcast" in one.words for one in found)
    assert search("no such words anywhere") == []
    assert len(search("", ["batch"])) == sum(kind == "batch" for kind, _ in entries())


def test_search_puts_what_is_about_the_words_before_what_mentions_them() -> None:
    """`not in null` began with BooleanSimplification; what it means stood below the screen."""
    assert search("not in null")[0].name == "not-in-nulls"
    assert [one.kind for one in search("small files")[:1]] == ["finding"]


def test_an_example_is_planned_now() -> None:
    shown = step_of(entry_named("BooleanSimplification"))
    assert "\n+" in shown
    assert "\n-" in shown
    assert step_of(entry_named("spark.sql.ansi.enabled")) == ""


def test_a_setting_on_a_query() -> None:
    sql = "SELECT count(*) FROM customer JOIN nation ON c_nationkey = n_nationkey"
    execution = open_sql(sql, find("tpch")).statements[0].execution
    assert execution is not None
    told = effect("spark.sql.autoBroadcastJoinThreshold", "-1", execution)
    assert "BroadcastHashJoin" in told
    assert "SortMergeJoin" in told.partition("→")[2]
    assert effect("spark.sql.caseSensitive", "true", execution) == "the same plan"
    assert "-1" in other_values("spark.sql.autoBroadcastJoinThreshold", OptimizerConfig())


@pytest.mark.parametrize("name", BY_OPERATOR)
def test_the_example_of_an_operator_has_it_in_its_plan(name: str) -> None:
    shown = plan_of(entry_named(f"operator:{name}"))
    assert any(line.startswith("+") for line in shown.splitlines()), shown


def test_the_operators_that_users_meet_have_an_example_and_bases_are_none() -> None:
    met = {
        "BroadcastHashJoin",
        "SortMergeJoin",
        "ShuffledHashJoin",
        "HashAggregate",
        "ShuffleExchange",
        "Window",
        "Expand",
    }
    assert met <= set(BY_OPERATOR)
    names = {one.name for one in entries().values() if one.kind == "operator"}
    assert not names & {"UnaryNode", "BinaryNode", "LeafNode", "Printed", "Source", "ExceptInOneWord"}


def test_a_join_operator_comes_with_the_tree_by_which_it_is_chosen_the_path_lit() -> None:
    shown = catalogue.example(entry_named("operator:ShuffledHashJoin"))
    pictures = [b64decode(found).decode() for found in re.findall(r'src="data:image/svg\+xml;base64,([^"]+)"', shown)]
    assert len(pictures) == 2, "one for each theme"
    assert all("Shuffled Hash Join, Inner" in picture and "SHUFFLE_HASH left" in picture for picture in pictures)
    assert "/joins?" in shown
    assert "<img" not in catalogue.example(entry_named("operator:Filter"))
