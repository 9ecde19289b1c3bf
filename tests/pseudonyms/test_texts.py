"""Names and values go, everything else stays, the same in every kind of text, and the key brings them back."""

from __future__ import annotations

import json
import random
import re
import time
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from planviz.catalog.files import read_catalog
from planviz.document import open_sql
from planviz.errors import InputError
from planviz.pseudonyms import Key, anonymise, read_key, restore, write_key
from planviz.pseudonyms.key import moved, parse_key
from planviz.pseudonyms.vocabulary import is_common

SQL = """SELECT c_name, sum(l_price * (1 - l_discount)) AS revenue FROM acme.customer c JOIN Lineitem l ON c.id = l.cid
WHERE l_shipdate >= DATE '1995-03-15' AND l_qty < 24 AND l_tax BETWEEN 0.05 AND 0.07 AND c.tier IN (12, 345)
AND c_note LIKE '%promo 77%' AND c_zip IN ("85669", '86197') GROUP BY c_name LIMIT 100"""
PLAN = """== Physical Plan ==
CollectLimit 100
+- HashAggregate(keys=[c_name#3], functions=[partial_sum((l_price#5 * (1 - l_discount#6)))])
   +- Exchange hashpartitioning(c_name#3, 200), ENSURE_REQUIREMENTS, [plan_id=33]
      +- Filter ((l_shipdate#7 >= 1995-03-15) AND (l_qty#8 < 24.00))
         +- FileScan parquet spark_catalog.acme.lineitem[l_qty#8] Batched: true, Location: InMemoryFileIndex(1 paths)\
[hdfs://nn1.acme.example:8020/user/jsmith/lineitem], PushedFilters: [LessThan(l_qty,24.00), In(c_zip, [85669,86197])], \
ReadSchema: struct<l_qty:decimal(12,2)>
"""
PROGRAM = """df = spark.read.table("acme.lineitem").filter(F.col("l_qty") < 24).groupBy("c_name").agg(F.sum("x"))
spark.sql(f"SELECT c_name FROM acme.customer WHERE l_qty = 24 LIMIT 100")  # 10.1.2.3, jd@acme.example
"""
LOG = (
    '{"Event":"SparkListenerTaskEnd","Host":"ip-10-1-2-3.acme.example","User":"jsmith","Finish Time":1795198641175,'
    '"Plan":"+- Filter (l_qty#8 < 24)\\n   +- Scan ünits","value":"24"}\n{"Event":"Sparkl'
)
OWN = re.compile(r"acme|customer|lineitem|c_name|\bl_\w+|jsmith|promo|nn1|revenue|nits|tier",
                 re.IGNORECASE)  # fmt: skip


@pytest.mark.parametrize("text", [SQL, PLAN, PROGRAM, LOG], ids=["sql", "plan", "program", "log"])
def test_nothing_of_its_own_is_left_and_all_of_it_comes_back(text: str) -> None:
    key = Key.new(random.Random(5))
    made = anonymise(text, key)
    assert not OWN.search(made)
    assert [n for n, other in (key.names["number"] | key.names["address"]).items() if n == other] == []
    assert {"24"} <= set(key.names["number"])
    assert restore(made, key) == text
    assert anonymise(text, key) == made


def test_the_same_name_is_the_same_in_every_text_and_in_any_case() -> None:
    key = Key.new(random.Random(5))
    texts = [anonymise(text, key) for text in (SQL, PLAN, PROGRAM, LOG)]
    names = {name: key.names["word"][name] for name in ("l_qty", "c_name", "acme")}
    assert all(made in text for name, made in names.items() for text in texts[:3])
    assert names["l_qty"] in texts[3]
    assert key.names["word"]["Lineitem"].lower() == key.names["word"]["lineitem"].lower()
    number = key.names["number"]["24"]
    assert f"< {number} " in texts[0]
    assert f"{number}.00" in texts[1]
    assert f'"value":"{number}"' in texts[3]


def test_what_is_sparks_stays() -> None:
    made = anonymise(PLAN, Key.new(random.Random(5)))
    kept = ["CollectLimit 100", "#3", ", 200), ENSURE_REQUIREMENTS, [plan_id=33]", "partial_sum", "(1 - ",
            "decimal(12,2)", "Batched: true, Location: InMemoryFileIndex(1 paths)[hdfs://",
            "PushedFilters: [LessThan("]  # fmt: skip
    assert [words for words in kept if words not in made] == []


def test_the_operator_of_a_subquery_keeps_its_number() -> None:
    line = "Subquery:1 Hosting operator id = 33 Hosting Expression = ((total#4 > 33) AND (tier#5 = Subquery scalar#7))"
    made = anonymise(line, Key.new(random.Random(5)))
    assert made.startswith("Subquery:1 Hosting operator id = 33 Hosting Expression = ((")
    assert "> 33)" not in made


def test_a_query_and_its_catalogue_still_fit_and_give_the_same_plan() -> None:
    catalog = """{"format": "planviz-catalog/1", "tables": {"acme_orders": {"columns": [{"name": "cust", "type": "int"},
        {"name": "total", "type": "int"}], "stats": {"rowCount": 9, "sizeInBytes": 100, "columns": {"cust": {"min": "3",
        "max": "77", "distinctCount": 4}}}}}}"""
    sql = "SELECT Cust, sum(total) FROM acme_orders WHERE CUST = 33 GROUP BY cust"
    key = Key.new(random.Random(5))
    plans = []
    for text, tables in ((sql, catalog), (anonymise(sql, key), anonymise(catalog, key))):
        plan = open_sql(text, read_catalog(json.loads(json.dumps(tables)))).plans[-1]
        plans.append([(node.op, node.depth) for node in plan])
    assert plans[0] == plans[1]
    assert '"max"' not in anonymise(catalog, key)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.text(max_size=80))
@example("\\_ 0\\u0000 0000-00-000.0.0.0")
def test_any_text_comes_back(text: str) -> None:
    key = Key.new(random.Random(5))
    made = anonymise(text, key)
    if text.lstrip()[:1] not in ("{", "["):
        assert restore(made, key) == text


@given(st.dates(), st.integers(-20_000, 20_000))
def test_dates_move_and_come_back(day: object, days: int) -> None:
    assert moved(moved(str(day), days), -days) == str(day)


@given(st.lists(st.integers(0, 2**31 - 1), unique=True, max_size=30))
def test_other_numbers_are_as_long_as_different_and_of_the_same_type(numbers: list[int]) -> None:
    key = Key.new(random.Random(5))
    made = [key.number(str(number)) for number in numbers]
    assert len(set(made)) == len(numbers)
    assert [len(one) for one in made] == [len(str(number)) for number in numbers]
    assert all(int(one) < 2**31 for one in made)


def test_zero_and_one_stay_and_ten_does_not() -> None:
    key = Key.new(random.Random(5))
    made = {number: key.number(number) for number in map(str, range(200))}
    assert len(set(made.values())) == 200
    assert [number for number, other in made.items() if number == other][:2] == ["0", "1"]
    assert made["10"] != "10"
    assert made["100"] != "100"
    text = " AND ".join(f"(a#1 = {number})" for number in made)
    assert restore(anonymise(text, key), key) == text


def test_pseudonyms_are_words_of_nobody() -> None:
    key = Key.new(random.Random(5))
    made = [key.word(f"name_{at}") for at in range(500)]
    assert len({one.lower() for one in made}) == 500
    assert not any(is_common(one) for one in made)


def test_a_key_is_kept_in_a_file_that_its_owner_alone_reads(tmp_path: Path) -> None:
    path = tmp_path / "new" / "team.key"
    key = Key.new(random.Random(5))
    made = anonymise(SQL, key)
    write_key(key, path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert restore(made, read_key(path)) == SQL
    assert anonymise(SQL, read_key(path)) == made


@pytest.mark.parametrize("text", ["", "[]", '{"format": "planviz-key/1"}', '{"format": "planviz-key/1", "days": 1,'
                                  ' "names": {"word": {"a": "x", "b": "x"}}}'])  # fmt: skip
def test_what_is_no_key_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="key"):
        parse_key(text)


def test_ten_thousand_names_are_invented_in_step_with_their_number() -> None:
    begun = time.process_time()
    key = Key.new(random.Random(1))
    made = {key.word(f"ColumnOfMine{n}x") for n in range(10_000)}
    assert len(made) == 10_000
    assert time.process_time() - begun < 2.5  # each beside all others that there are: 20 seconds
