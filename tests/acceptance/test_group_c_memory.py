"""Where aggregates keep their groups, item by item: what the documents tell, and the operators played on rows."""

from __future__ import annotations

from planviz.config import OptimizerConfig
from planviz.execution import explain
from planviz.mechanics import Play
from planviz.physical import planner
from tests.mechanics.plays import aggregates_of
from tests.plans import small_catalog

ROWS = "VALUES (1, 2), (2, 3), (1, 4), (1, 9) AS t(a, b)"
NAMES = "VALUES (1, 'x'), (2, 'y'), (1, 'z') AS t(a, c)"


def told(operator: str, about: str) -> str:
    section = next(s for s in planner.sections() if s.name == "memory")
    (found,) = (row[2] for row in section.rows if row[0] == operator and row[1] == about)
    return found


def last(sql: str) -> Play:
    """The final stage, in which the buffers of a group meet."""
    return aggregates_of(sql)[-1]


def words(play: Play) -> list[str]:
    return [step.text for step in play.steps]


def nodes(sql: str, **settings: str) -> list[str]:
    execution = explain(sql, small_catalog(), OptimizerConfig().with_settings(settings))
    return [node.node_name for node in execution.spark_plan.walk()]


def test_c_037_before_2_2_collecting_functions_sorted() -> None:
    assert "collect_list, collect_set" in told("ObjectHashAggregate", "before Spark 2.2.0")
    assert "SortAggregate" in told("ObjectHashAggregate", "before Spark 2.2.0")
    sql = "SELECT a, collect_set(b) FROM t1 GROUP BY a"
    assert "ObjectHashAggregate" in nodes(sql)
    # As it was then: without the operator they sort.
    before = nodes(sql, **{"spark.sql.execution.useObjectHashAggregateExec": "false"})
    assert "SortAggregate" in before
    assert "ObjectHashAggregate" not in before


def test_c_040_an_item_of_the_map_is_a_key_with_its_buffer() -> None:
    layout = told("HashAggregate", "UnsafeFixedWidthAggregationMap")
    assert "key and buffer are UnsafeRows" in layout
    assert "off-heap" in layout
    assert "(group key, aggregation buffer)" in told("HashAggregate", "BytesToBytesMap")
    assert "one for each partition" in told("HashAggregate", "TungstenAggregationIterator")
    play = last(f"SELECT a, count(*), sum(b) FROM {ROWS} GROUP BY a")
    assert dict(play.facts)["Buffer"] == "count bigint, sum bigint"


def test_c_041_a_new_key_gets_an_empty_buffer_a_known_one_its_own() -> None:
    assert "appends the key with an empty buffer" in told("HashAggregate", "UnsafeFixedWidthAggregationMap")
    said = words(last(f"SELECT a, sum(b) FROM {ROWS} GROUP BY a"))
    new = [text for text in said if "is not in the map. A new buffer" in text]
    known = [text for text in said if "is in the map" in text]
    assert len(new) == 2
    assert known
    assert all("→" in text for text in new + known)


def test_c_045_hash_comes_first_for_it_needs_no_sort() -> None:
    reason = told("HashAggregate", "why it comes first")
    assert "no sort is needed" in reason
    assert "garbage collector" in reason
    hashed = explain("SELECT a, sum(b) FROM t1 GROUP BY a", small_catalog()).physical.tree_string
    sorted_ = explain("SELECT a, max(c) FROM t1 GROUP BY a", small_catalog()).physical.tree_string
    assert "HashAggregate" in hashed
    assert "Sort " not in hashed
    assert "SortAggregate" in sorted_
    assert "Sort [a#" in sorted_


def test_c_051_a_sort_aggregate_keeps_one_buffer() -> None:
    about = told("SortAggregate", "SortBasedAggregationIterator")
    assert "keeps one buffer, that of the current group" in about
    assert "off-heap if all types are mutable, else on the heap" in about
    said = words(aggregates_of(f"SELECT a, max(c) FROM {NAMES} GROUP BY a")[-1])
    begun = done = 0
    for text in said:
        # A group is given before the next one begins: there are never two buffers.
        done += "the group is done" in text
        begun += "begins a group" in text
        assert begun - done in (0, 1)
    assert begun == done > 1


def test_c_060_an_object_hash_aggregate_keeps_java_objects_on_the_heap() -> None:
    about = told("ObjectHashAggregate", "ObjectAggregationMap")
    assert "on the heap" in about
    assert "SpecificInternalRows" in about
    play = aggregates_of(f"SELECT a, collect_list(c) FROM {NAMES} GROUP BY a")[0]
    assert play.operator == "ObjectHashAggregate"
    assert any("[] → [x]" in text for text in words(play))
