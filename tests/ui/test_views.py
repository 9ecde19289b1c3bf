"""View models: labels, addresses, badges, names."""

from __future__ import annotations

import pytest

from planviz.document import open_text
from planviz.errors import ExportError
from planviz.graph.words import title
from planviz.samples import load, samples
from planviz.ui import cache, queries, views
from planviz.units import duration
from tests.document.test_reconstructed import SUBQUERY_FIRST


def opened(name: str) -> cache.Opened:
    return cache.open_document(load(name))


def test_stages_are_in_the_order_of_the_text() -> None:
    tabs = views.tabs(opened("broadcast-and-merge-join"))
    assert [(tab.plan, tab.slug, tab.label) for tab in tabs] == [
        ("0", "parsed", "Parsed"),
        ("1", "analyzed", "Analyzed"),
        ("2", "optimized", "Optimized"),
        ("3", "physical", "Physical"),
    ]
    assert [tab.label for tab in views.tabs(opened("adaptive-skew-join"))] == ["Final", "Initial"]


@pytest.mark.parametrize("name", [sample.name for sample in samples()])
def test_every_plan_has_an_address_that_leads_back(name: str) -> None:
    document = opened(name)
    names = [tab.plan for tab in views.tabs(document)]
    names += [f"{step.number - 1}{side}" for step in views.steps(document) for side in "ba"]
    assert names
    assert len({tab.slug for tab in views.tabs(document)}) == len({tab.label for tab in views.tabs(document)})
    for plan in names:
        address = views.address_of_plan(document, plan)
        assert views.plan_of_address(document, address.get("stage", ""), address.get("step", "")) == plan
    assert views.first_plan(document) in names


@pytest.mark.parametrize(("stage", "step"), [("", ""), ("nothing", ""), ("after", "0"), ("after", "99"), ("", "²")])
def test_an_address_of_no_plan_is_none(stage: str, step: str) -> None:
    assert views.plan_of_address(opened("rule-log"), stage, step) is None


def test_several_executions_are_told_apart() -> None:
    tabs = views.tabs(opened("event-log"))
    assert [tab.label for tab in tabs] == ["Final 1", "Initial 1", "Final 2", "Initial 2"]


def test_an_event_log_opens_at_the_execution_that_took_longest() -> None:
    """It opened at the last one, here a failed one of a fraction of the slowest's time."""
    log = opened("event-log")
    first, second = queries.queries(log)
    assert [q.words.rpartition(" · ")[0] for q in (first, second)] == ["#20 · stores", "#21 · items, stores"]
    times = {q.first: log.document.plans[int(q.first)].milliseconds or 0 for q in (first, second)}
    assert len(set(times.values())) == 2
    assert views.first_plan(log) == max(times, key=lambda plan: times[plan])
    assert first.words.endswith(duration(times[first.first]))


def test_the_lines_around_an_error_mark_its_column() -> None:
    shown = views.around("SELECT a,\n\tb\nFROM t WHERE (b > 1\nGROUP BY b", 3, 14, most=1)
    assert shown == "2   b\n3  FROM t WHERE (b > 1\n                ^\n4  GROUP BY b"
    assert views.around("x", 1, None) == "1  x"
    assert views.around("y" * 900, 1, 800) == f"1  {'y' * 400}"


def test_badges_tell_the_truth() -> None:
    def words(name: str, plan: int) -> list[str]:
        return [truth.word for truth in views.truths(opened(name).document.plans[plan])]

    assert words("cost-with-statistics", 0) == ["estimated"]
    assert words("adaptive-skew-join", 0)[:1] == ["final"]
    assert words("adaptive-skew-join", 1)[:1] == ["initial"]
    assert "measured" in words("rest-execution", 0)
    assert words("broadcast-and-merge-join", 3) == ["not final", "truncated"]
    assert words("broadcast-and-merge-join", 0) == []


def test_a_text_without_a_name_is_called_by_its_tables() -> None:
    assert views.name_of(opened("broadcast-and-merge-join")) == "orders, events, stores"
    assert views.name_of(cache.open_document("== Physical Plan ==\nLocalTableScan [a#1]\n")) == "Pasted plan"
    assert views.name_of(cache.open_document(SUBQUERY_FIRST)) == "sales, items, dates"


def test_a_program_is_called_as_its_application_is_and_says_that_files_are_guessed() -> None:
    head = "from pyspark.sql import SparkSession\nspark = SparkSession.builder{}.getOrCreate()\n"
    text = f"{head}spark.read.parquet('/in/sales').filter('amount > 3').show()\n"
    named = cache.open_document(text.format(".appName('nightly sales')"))
    assert (views.name_of(named), views.tables_words(named)) == ("nightly sales", "guessed")
    nameless = cache.open_document(text.format(""))
    assert (views.name_of(nameless), views.tables_words(nameless)) == ("sales", "guessed")


def test_a_name_from_a_plan_is_one_safe_line() -> None:
    text = "== Physical Plan ==\nFileScan parquet x.a\x1b]0;owned\x07\u202eb[c#1] Batched: true, PushedFilters: []\n"
    name = views.name_of(cache.open_document(text))
    assert name.isprintable()


@pytest.mark.parametrize(
    ("name", "slug", "file"),
    [
        ("Revenue by country", "physical", "revenue-by-country-physical"),
        ("../../etc/passwd", "", "etc-passwd"),
        ("данные", "", "plan"),
        ("x" * 200, "", "x" * 80),
    ],
)
def test_file_names(name: str, slug: str, file: str) -> None:
    assert views.file_name(name, slug) == file


def test_what_was_not_understood_is_counted() -> None:
    text = "== Physical Plan ==\nRange (0, 1)\n+- Range (0, 2)\n\nsome words of a colleague\nand more of them\n"
    document = cache.open_document(text)
    if open_text(text).unparsed:
        assert any("not understood" in note for note in views.notes(document, "0"))


def test_a_format_that_a_plan_is_too_large_for_is_refused_before_anybody_tries() -> None:
    large, small = opened("two-years-of-reports"), opened("window-top-n")
    for document in (large, small):
        views.workbench(document, "0", None)
    assert str(views.too_large(large, "0", "png")).startswith("Too large: ")
    with pytest.raises(ExportError):
        views.exported(large, "0", "png", "light", "Years")
    assert views.too_large(large, "0", "svg") is None
    assert views.too_large(small, "0", "png") is None


def test_a_markdown_snippet_keeps_its_fence() -> None:
    small = views.exported(opened("window-top-n"), "0", "md", "light", "Top")
    assert small.startswith(b"```mermaid\n")
    large = views.exported(opened("two-years-of-reports"), "0", "md", "light", "Years").decode()
    assert large.startswith("```text\n")
    assert large.count("```") == 2


def test_the_plans_of_several_queries_are_told_apart() -> None:
    extended = load("broadcast-and-merge-join")
    opened = cache.open_document(f"{extended}\nand another:\n\n{extended}")
    labels = [tab.label for tab in views.tabs(opened)]
    assert labels[0] == "Query 1 · Parsed Logical Plan"
    assert labels[-1].startswith("Query 2 · Physical Plan")
    assert len(set(labels)) == len(labels)


def test_a_plan_of_sql_is_told_as_spark_s_explain_tells_it() -> None:
    query = cache.open_document("SELECT o_orderstatus, count(*) FROM orders GROUP BY o_orderstatus", "tpch")
    texts = [views.exported(query, plan, "txt", "light", "orders").decode() for plan in "0124"]
    assert texts[0] == texts[1]
    assert texts[1].startswith("== Parsed Logical Plan ==")
    assert texts[2].startswith("== Optimized Logical Plan ==")
    assert "Statistics(sizeInBytes=" in texts[2]
    assert "Aggregate Attributes [1]: [count#" in texts[3]
    assert views.execution_of(opened("window-top-n"), "0") is None


def test_a_script_opens_at_its_first_query_and_tells_of_that_alone() -> None:
    script = "SELECT a.x FROM aa a WHERE a.z > 3;\nSELECT b.nothing_here FROM (SELECT 1 AS x) b;\nSELECT c.x FROM cc c"
    document = cache.open_document(script, cache.NO_CATALOG)
    assert views.first_plan(document) == "4"
    told = views.notes(document, "3")
    assert len(told) == len(set(told))
    assert len([note for note in told if note.startswith("Guessed")]) == 1
    # An error of another statement is no noise: it stays.
    assert any("Statement 2, line 2" in note for note in told)
    assert not any("Statement 3" in note for note in told)
    # For the text as a whole what is true of several statements is said once.
    notes = document.document.notes
    assert len([note for note in notes if "Guessed" in note]) == 1


def test_tables_that_the_text_creates_are_not_guessed() -> None:
    made = cache.open_document("CREATE TABLE t (a INT); SELECT a FROM t")
    assert made.catalog == cache.NO_CATALOG
    assert views.tables_words(made) == "made in the text"
    assert views.tables_words(cache.open_document("SELECT a FROM nowhere_known")) == "guessed"
    assert views.tables_words(cache.open_document("SELECT 1 AS one")) == "no tables"


def test_a_table_of_hive_is_called_by_its_name_alone() -> None:
    relation = "HiveTableRelation `default`.`test`, org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe, [a#1]"
    for text in (f"HiveTableScan [a#1], {relation}", "Scan hive `default`.`test`, LazySimpleSerDe [a#1]"):
        document = cache.open_document(f"== Physical Plan ==\n{text}\n")
        assert "LazySimple" not in views.name_of(document)
        assert "LazySimple" not in title(next(iter(document.graph("0"))))
