"""Unions by name of inputs that have a column twice, and of one input with itself."""

from __future__ import annotations

import pytest

from planviz.dataframe import session
from planviz.errors import AnalysisError
from planviz.programs import read_program


@pytest.mark.parametrize("missing", [False, True])
def test_a_column_twice_is_refused(missing):
    d = session().createDataFrame([(1, 2)], ["id", "dt"])
    twice = d.join(d, "id")

    with pytest.raises(AnalysisError) as refused:
        twice.unionByName(d, allowMissingColumns=missing)
    assert refused.value.error_class == "COLUMN_ALREADY_EXISTS"


def test_both_sides_of_a_guessed_join_united_with_itself_get_a_column_that_is_named_later():
    text = (
        "d = spark.table('events').join(spark.table('users'), ['user_id'], 'left')\n"
        "d.where('kind = 1').union(d.where('kind = 2')).dropDuplicates(['user_id', 'ts']).count()\n"
    )
    program = read_program(text)

    assert program.error is None
    assert {a.name for a in program.actions[0].execution.analyzed.output} == {"user_id", "kind", "ts"}
