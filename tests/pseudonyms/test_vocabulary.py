"""Spark's own names stay, whatever planviz has learned since; words of planviz's own English are somebody's columns."""

from __future__ import annotations

import random
import re

import pytest

from planviz.document import open_sql
from planviz.errors import ParseError
from planviz.functions.signatures import SIGNATURES
from planviz.physical.preparations.rules import preparation_classes
from planviz.physical.strategies.reference import strategy_classes
from planviz.pseudonyms import Key, anonymise
from planviz.pseudonyms.vocabulary import is_common
from planviz.reference import entries
from planviz.settings import SETTINGS
from planviz.versions.unread import UNREAD


def _changed(names: list[str]) -> list[str]:
    key = Key.new(random.Random(3))
    return [name for name in names if anonymise(name, key) != name]


#: Kinds of names that are Spark's; findings are planviz's own.
NAMES = {
    **{kind: [name for k, name in entries() if k == kind] for kind in ("rule", "operator", "batch", "setting")},
    "strategy": [*strategy_classes()],
    "preparation": [*preparation_classes()],
    # A function of one letter is a column of everybody's.
    "function": [name for name in {*SIGNATURES, *(n for k, n in entries() if k == "function")} if len(name) > 1],
}


@pytest.mark.parametrize("kind", NAMES)
def test_names_of_sparks_stay(kind: str) -> None:
    assert len(NAMES[kind]) > 5
    assert _changed(NAMES[kind]) == [], "run `python -m tools.vocabulary`"


def test_settings_stay_wherever_they_stand() -> None:
    for setting in (*SETTINGS, *UNREAD):
        for text in (f"SET {setting}=1234", f'conf.set("{setting}", "true")', f'{{"{setting}": "true"}}'):
            assert anonymise(text, Key.new(random.Random(3))) == text


CLAUSES = [
    "SELECT sum({0}) OVER (PARTITION BY {0} ORDER BY {0} ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) FROM {1}",
    "CREATE TABLE {1} ({0} INT COMMENT 'its key') USING parquet PARTITIONED BY ({0}) TBLPROPERTIES ('p' = 'q')",
    "CREATE EXTERNAL TABLE {1} ({0} INT) STORED AS ORC LOCATION '/data/{1}'",
    "SELECT * FROM {1} UNPIVOT INCLUDE NULLS (v FOR n IN ({0}))",
    "SELECT convert_timezone('Etc/UTC', 'America/New_York', {0}) FROM {1} TABLESAMPLE (10 PERCENT) REPEATABLE (4)",
    "INSERT OVERWRITE TABLE {1} SELECT trim(LEADING 'x' FROM {0}) FROM {1}",
]


@pytest.mark.parametrize("clause", CLAUSES)
def test_clauses_stay_clauses(clause: str) -> None:
    """`UNBOUNDED PRECEDING` and `PARTITIONED BY` were renamed, and the text was SQL no more."""
    text = clause.format("amount_due", "invoices")
    hidden = anonymise(text, Key.new(random.Random(3)))
    assert "amount_due" not in hidden
    assert "invoices" not in hidden
    for sql in (text, hidden):
        assert [s.error for s in open_sql(sql).statements if isinstance(s.error, ParseError)] == []
    assert [word for word in re.findall(r"[A-Z_]{2,}|Etc/UTC|America/New_York", text) if word not in hidden] == []


def test_folders_called_like_a_time_zone_are_hidden() -> None:
    hidden = anonymise("SELECT * FROM parquet.`/lake/America/Chicago/orders`", Key.new(random.Random(3)))
    assert "Chicago" not in hidden


@pytest.mark.parametrize("word", ["folders", "inside", "placed", "built", "frequency", "parser", "card", "parallelism"])
def test_plain_words_are_somebodys_columns(word: str) -> None:
    assert not is_common(word)
    assert word not in anonymise(f"SELECT {word} FROM t WHERE t.{word} > 1", Key.new(random.Random(3)))
