"""The order of a dictionary's entries beside that which Spark 4.3 printed for DataFrame.replace and agg."""

from __future__ import annotations

import re

import pytest

from planviz.dataframe import session
from planviz.dataframe.maps import scala_order

TITLES = "Mlle Mme Ms Dr Major Lady"
MORE = f"{TITLES} Countess Jonkheer Col Rev Capt Sir Don US UK x y zz abc Abc"


@pytest.mark.parametrize(
    ("keys", "order"),
    [
        (TITLES.split(), ["Dr", "Lady", "Mme", "Ms", "Mlle", "Major"]),
        (["b", "a", "c"], ["a", "b", "c"]),
        ([5, 3, 1, 2, 20, 17, 33], [5, 20, 1, 33, 2, 17, 3]),
        ([5, 3, 1], [1, 3, 5]),
        ([33, 17, 1], [33, 17, 1]),
        ([5.5, 3.0, 1.0, 2.25, -1.0, 100.0], [1.0, -1.0, 2.25, 100.0, 5.5, 3.0]),
        ([5.5, 3.0, 1.0], [1.0, 5.5, 3.0]),
        ([-1, -5, 100, 70000, -70000, 3, 2**33], [-70000, -5, 3, -1, 100, 2**33, 70000]),
    ],
)
def test_entries_come_as_spark_walks_through_them(keys, order):
    assert [k for k, _ in scala_order(dict.fromkeys(keys))] == order


def test_no_entry_is_lost():
    assert sorted(k for k, _ in scala_order(dict.fromkeys(MORE.split()))) == sorted(MORE.split())
    assert len(scala_order(dict.fromkeys(["Aa", "BB", "AaAa", "BBBB", "AaBB", "BBAa"]))) == 6


def test_replace_asks_in_that_order():
    frame = session().sql("SELECT 'x' AS s")
    plan = frame.replace(dict.fromkeys(TITLES.split(), "z")).execution.text("analyzed")

    assert re.findall(r"= (\w+)\) THEN", plan) == ["Dr", "Lady", "Mme", "Ms", "Mlle", "Major"]
