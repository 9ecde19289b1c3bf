from __future__ import annotations

import difflib

import pytest

from planviz.analysis import names
from planviz.errors import AnalysisError
from planviz.execution import QueryExecution, Session, explain
from planviz.expressions.core import AttributeReference
from planviz.types import INT
from tests.plans import plan_text, small_catalog


@pytest.mark.parametrize(
    ("sql", "error_class", "column"),
    [
        ("select nosuch from t1", "UNRESOLVED_COLUMN.WITH_SUGGESTION", 8),
        ("select a from nosuch", "TABLE_OR_VIEW_NOT_FOUND", 15),
        ("select a from t1, t2", "AMBIGUOUS_REFERENCE", 8),
        ("select a + true from t1", "DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES", 8),
        ("select 'a' + 'b'", "DATATYPE_MISMATCH.BINARY_OP_WRONG_TYPE", 8),
        ("select a, sum(b) from t1", "MISSING_GROUP_BY", 1),
        ("select upper(a, b) from t1", "WRONG_NUM_ARGS.WITHOUT_SUGGESTION", 8),
        ("select a from t1 where b", "DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN", 1),
        ("select st.nofield from arr", "FIELD_NOT_FOUND", 8),
        ("select a from t1 order by 5", "ORDER_BY_POS_OUT_OF_RANGE", 27),
    ],
)
def test_an_error_has_spark_s_class_and_a_place(sql, error_class, column):
    with pytest.raises(AnalysisError) as e:
        plan_text(sql)

    assert e.value.error_class == error_class
    assert (e.value.line, e.value.column) == (1, column)
    assert str(e.value).startswith(f"[{error_class}]")


def test_the_nearest_name_comes_first():
    with pytest.raises(AnalysisError, match=r"\[`region`"):
        plan_text("select regoin from customer")


def test_the_nearest_table_is_named():
    with pytest.raises(AnalysisError, match="`customer`"):
        plan_text("select 1 from custmer")


def test_a_place_on_a_later_line():
    with pytest.raises(AnalysisError) as e:
        plan_text("select a\nfrom t1\nwhere nosuch = 1")

    assert (e.value.line, e.value.column) == (3, 7)


def test_an_unknown_function_is_an_opaque_call_with_a_warning():
    execution = QueryExecution("select my_udf(a) from t1", small_catalog())

    assert "my_udf(a#" in execution.text("analyzed")
    assert any("my_udf" in w for w in execution.warnings)


def test_the_same_text_always_gives_the_same_ids():
    sql = "select a, b + 1 as c from t1 where a > 1"

    assert explain(sql, small_catalog()).text("analyzed") == explain(sql, small_catalog()).text("analyzed")


def test_a_script_builds_its_catalogue():
    session = Session()
    outcomes = list(
        session.run(
            "create table t (a int, b string); create view v as select a + 1 as x from t;"
            "select x from v; select nosuch from v; create table u as select x, 'k' as k from v; select k from u"
        )
    )

    assert [o.error is None for o in outcomes] == [True, True, True, False, True, True]
    assert outcomes[2].execution is not None
    assert "SubqueryAlias spark_catalog.default.v" in outcomes[2].execution.text("analyzed")
    assert isinstance(outcomes[3].error, AnalysisError)
    assert [c.name for c in session.catalog.table(("u",)).columns] == ["x", "k"]


def test_every_effective_rule_stands_in_the_trace():
    execution = QueryExecution("select a from t1 where b = 1", small_catalog())
    last = execution.analyzed
    names = [a.rule.rsplit(".", 1)[-1] for a in execution.trace]

    assert names[:3] == ["Analyzer$ResolveRelations", "FindDataSourceTable", "Analyzer$ResolveReferences"]
    assert execution.trace.applications[-1].after is last


def test_a_recursion_whose_anchor_reads_an_unknown_column_is_refused():
    with pytest.raises(AnalysisError) as e:
        explain(
            "with recursive r(n) as (select nosuch from (select 1 as a) union all select n + 1 from r) select * from r"
        )
    assert e.value.error_class == "UNRESOLVED_COLUMN.WITH_SUGGESTION"


def test_names_without_end_are_compared_by_their_beginning(monkeypatch: pytest.MonkeyPatch) -> None:
    """The time of the comparison grows with the square of the letters, and programs make names in loops."""
    compared = []

    class Matcher(difflib.SequenceMatcher):  # type: ignore[type-arg]
        def __init__(self, junk: None, one: str, other: str) -> None:
            compared.append(max(len(one), len(other)))
            super().__init__(junk, one, other)

    monkeypatch.setattr(names, "SequenceMatcher", Matcher)
    columns = [AttributeReference(f"{'a' * 5_000}{n}", INT, True, n) for n in range(20)]
    columns.append(AttributeReference("b" * 5_000, INT, True, 20))
    assert names.nearest_names(("b" * 6_000,), columns, 1)[0].strip("`") == "b" * 5_000
    assert max(compared) <= 100
    before = len(compared)
    names.nearest_names(("b" * 6_000,), columns, 1)
    assert len(compared) == before
