"""Texts in other languages: the catalogues are complete, and what is looked up in them comes out whole."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from planviz.findings import findings
from planviz.language import LANGUAGES, Message, Texts, messages, read_catalogue, texts, translations
from tests.findings.test_checks import cases, plans
from tests.steps import steps
from tools.texts import faults, python_texts, script_texts, updated, written
from tools.texts import texts as texts_there

TOLD = Texts(
    {
        "Open": "打开",
        "{rows} row{s}": "{rows} 行",
        "{name} was read in {n} scans": "{name} 由 {n} 次扫描读取",
        ", twice": "，两次",
        "Join order: {code}": "连接顺序：{code}",
        "{first} to {last}": "{first} 至 {last}",
        "a scan": "一次扫描",
    }
)
#: Words of SQL, of Spark and of its formats, which stay in every language.
SPARKS_OWN = frozenset(
    re.findall(
        r"\w+",
        "asc desc nulls first last is not null and or in on as true false spark pickle parquet repartition coalesce "
        "map filter key fetchsize hash max min sum count condition function string int double date orders with "
        "timestamp bigint",
    )
)
ENGLISH = re.compile(r"(?<![\w.`'\"\-/#(=])[a-z]{3,}(?![\w.(=`'\"#\-/])", re.ASCII)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_text_of_the_code_is_translated_with_its_values(language: str) -> None:
    known = messages(language)
    now = updated(known, texts_there())
    assert faults(now) == []
    # Nothing that the code has no longer, and no place that moved.
    assert {message.english for message in now} == set(known), "python -m tools.texts --update"


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_catalogue_is_written_as_it_was_read(language: str) -> None:
    locale = LANGUAGES[language][0]
    file = Path(__file__).parents[1] / "planviz" / "locale" / locale / "LC_MESSAGES" / "planviz.po"
    source = file.read_text("utf-8")
    assert written(read_catalogue(source).values(), locale) == source


def test_a_catalogue_without_a_translation_or_with_another_value_has_faults() -> None:
    wrong = [Message("Open"), Message("{rows} rows", "{row} 行"), Message("{n} row{s}", "{n} 行")]
    assert faults(wrong) == ["not translated: Open", "other values: {rows} rows -> {row} 行"]


@pytest.mark.parametrize(
    ("english", "other"),
    [
        ("Open", "打开"),
        (" Open ", " 打开 "),
        ("1 row", "1 行"),
        ("3 rows", "3 行"),
        ("t1 was read in 2 scans", "t1 由 2 次扫描读取"),
        ("t1 was read in 2 scans, twice", "t1 由 2 次扫描读取，两次"),
        ("Open · 3 rows", "打开 · 3 行"),
        ("Join order: (a of rivers) ⋈ b", "连接顺序：(a of rivers) ⋈ b"),
        ("1 to 3", "1 至 3"),
    ],
)
def test_a_text_comes_out_whole(english: str, other: str) -> None:
    assert TOLD.told(english) == other


@pytest.mark.parametrize(
    "own", ["opening_hours", "SELECT a FROM t", "the way to school", "watermarks of rivers", "rows", "Opened"]
)
def test_what_is_no_message_stays_as_it_is(own: str) -> None:
    assert TOLD.told(own) == own


@pytest.mark.parametrize("depth", range(2, 6))
def test_what_is_no_message_is_looked_up_once(depth: int) -> None:
    """A name that many separators do not part was once parted by each of them again and again: 16,807 look-ups."""
    name = " ".join(["Databricks Runtime 14.2 (Spark 3.5)"] * depth)
    fresh = Texts(translations("zh"))  # keeps no answer yet
    assert steps(lambda: fresh.told(name)) < 500
    assert fresh.told(name) == name


def test_a_table_may_be_called_as_a_message_is() -> None:
    told = texts("zh").told
    assert told("category") != "category"
    assert told("category: 1 of 2 columns read are used by no operator above: a.").startswith("category：")
    assert "最多的来自 category" in told("5 tables in 7 scans; most from category: ≈288M rows")


def test_a_count_is_a_number_and_an_operator_is_no_sentence() -> None:
    assert TOLD.told("Sort Merge") == "Sort Merge"
    assert Texts({"{n} Sort": "{n} 排序"}).told("Merge Sort") == "Merge Sort"
    assert Texts({"{n} Sort": "{n} 排序"}).told("3 Sort") == "3 排序"


def test_a_language_that_there_is_none_of_is_english() -> None:
    assert texts("xx").told("Open") == "Open"


def test_what_a_page_alone_needs_is_a_part_of_all() -> None:
    part = translations("zh", ("planviz/render/web/",))
    assert part["Zoom in (+)"] == "放大（+）"
    assert len(part) < len(translations("zh")) / 2


def test_every_finding_is_told_in_chinese() -> None:
    """Findings are put together of pieces; here are those of all cases, each with its numbers and operators."""
    chinese, left = texts("zh"), []
    for case in cases():
        for text in case.values[1:]:
            for plan in plans(str(text)):
                for finding in findings(plan):
                    for told in (finding.title, finding.evidence, finding.why, finding.advice, finding.cost):
                        shown = re.sub(r"`[^`]*`|\w+\([^()]*\)", "", chinese.told(told))
                        words = set(ENGLISH.findall(shown)) - SPARKS_OWN
                        if words:
                            left.append((told, shown))
    assert left == []


def test_texts_are_found_where_they_are_written() -> None:
    told = """return f"{n.rows} row{'' if n == 1 else 's'} of it", "<b>See why</b>"\n"""
    python = f'def f(n):\n    "Not shown, but read"\n    {told}'
    assert [text for text, _ in python_texts(python)] == ["{rows} row{s} of it", "See why"]
    script = 'x.append(button("pv-go", `${at} of ${all}`, "Go there"), /a b/); // not this'
    assert [text for text, _ in script_texts(script)] == ["{at} of {all}", "Go there"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_message_is_looked_for_in_more_than_one_way(language: str) -> None:
    """Texts of a plan are looked up, too: one that repeats a message of many values took minutes, or a browser."""
    for patterns in texts(language)._patterns.values():
        for part in (part.pattern for pattern in patterns for part in pattern.parts):
            plain = re.sub(r"\\.", "", part.removesuffix(r"\Z")).replace("s?", "")
            assert not re.search(r"[*+?{(\[|]", plain), part


@pytest.mark.parametrize("language", LANGUAGES)
def test_longer_texts_than_any_message_are_not_looked_up(language: str) -> None:
    assert texts(language).told("rows " * 400) == "rows " * 400
