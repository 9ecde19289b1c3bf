"""Functions of other systems: what Spark has instead is told where they are used."""

from __future__ import annotations

from planviz.execution import QueryExecution
from planviz.functions.elsewhere import INSTEAD
from planviz.functions.registry import names, nearest
from tests.plans import small_catalog


def test_none_of_them_is_one_of_spark_s():
    assert not {name.lower() for name in INSTEAD} & set(names())


def test_what_says_the_same_is_told_in_the_note():
    execution = QueryExecution("select group_concat(a) from t1", small_catalog())
    execution.text("optimized")
    assert execution.warnings == [
        "The function group_concat is not known; its type stays open. "
        "Spark has no group_concat; array_join(collect_list(x), ',') says the same."
    ]


def test_other_names_have_the_nearest_of_spark_s():
    assert nearest("substrng") == " Did you mean substring or substr?"
