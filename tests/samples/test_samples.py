"""The samples load, match their queries, and name no machine."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from planviz import samples as package
from planviz.document import open_text
from planviz.errors import InputError
from planviz.samples import load, samples

ROOT = Path(__file__).parents[2]
NAMES = [sample.name for sample in samples()]
PLAN_LINE = re.compile(r"^[ :]*(?:\+- |:- )", re.MULTILINE)


@pytest.mark.parametrize("sample", samples(), ids=NAMES)
def test_text_and_query_are_there(sample: package.Sample) -> None:
    text = load(sample.name)
    query = (ROOT / "sample_queries" / f"{sample.name}.sql").read_text(encoding="utf-8")
    assert len(text) > 1000
    assert sample.query == query
    assert f"-- title: {sample.title}\n" in query
    assert f"-- about: {sample.about}\n" in query
    assert sample.about.endswith(".")


@pytest.mark.parametrize("sample", samples(), ids=NAMES)
def test_recognised_as_its_kind(sample: package.Sample) -> None:
    document = open_text(load(sample.name))
    assert document.recognised == sample.kind
    assert not document.unparsed
    assert document.trace.steps if sample.kind == "rule log" else document.plans


def test_every_query_has_its_sample() -> None:
    assert sorted(NAMES) == sorted(path.stem for path in (ROOT / "sample_queries").glob("*.sql"))
    assert len(set(NAMES)) == len(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_nothing_of_the_machine_is_told(name: str) -> None:
    paths = set(re.findall(r"(?:file:|[\s\"'=(])(/[a-z][\w.-]*)/", load(name)))
    assert paths <= {"/data"}, paths


def test_sizes_on_screen() -> None:
    """One plan that fills a screen well comes first; one large plan is among the samples."""
    assert 28 <= len(PLAN_LINE.findall(load(NAMES[0]))) <= 40
    assert max(len(PLAN_LINE.findall(load(name))) for name in NAMES) >= 2000


def test_what_the_samples_are_there_to_show() -> None:
    """Each text shows the operators that its header promises."""
    promised = {
        "broadcast-and-merge-join": ["BroadcastHashJoin", "SortMergeJoin", "== Optimized Logical Plan =="],
        "distinct-in-four-stages": ["partial_count(distinct user_id", "merge_sum", "count(distinct user_id"],
        "several-distincts": ["Expand [", "gid#"],
        "window-top-n": [", Partial", ", Final", "WindowGroupLimit"],
        "adaptive-skew-join": ["SortMergeJoin(skew=true)", "AQEShuffleRead coalesced and skewed", "== Initial Plan =="],
        "dynamic-partition-pruning": ["dynamicpruningexpression", "SubqueryBroadcast", "ReusedExchange"],
        "subqueries": ["Subquery scalar-subquery", "ReusedSubquery"],
        "exists-and-not-in": ["LeftSemi", "LeftAnti, BuildRight, true"],
        "union-and-limit": ["TakeOrderedAndProject", "LocalLimit", "Union"],
        "cached-table": ["InMemoryRelation", "Scan In-memory table"],
        "python-udf": ["BatchEvalPython", "pythonUDF"],
        "explode-tags": ["Generate explode", "Generate posexplode"],
        "cost-with-statistics": ["rowCount=", "Statistics(sizeInBytes="],
        "rule-log": [
            "=== Applying Rule",
            "has no effect",
            "=== Result of Batch",
            "ConstantFolding",
            "PushDownPredicates",
        ],
        "event-log": ["SparkListenerSQLExecutionStart", "SparkListenerSQLAdaptiveExecutionUpdate", "Accumulables"],
        "rest-execution": ['"planDescription"', '"edges"', "number of output rows"],
        "plan-json": ['"num-children"', '"class":"org.apache.spark.sql.catalyst.plans.logical.Aggregate"'],
    }
    missing = {(name, word) for name, words in promised.items() for word in words if word not in load(name)}
    assert not missing


def test_package_stays_small() -> None:
    folder = Path(package.__file__).parent
    assert sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) < 1_500_000


def test_unknown_name_says_which_there_are() -> None:
    with pytest.raises(InputError, match=r"no sample called “nothing”.*revenue-by-country"):
        load("nothing")
