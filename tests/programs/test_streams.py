"""Programs that read streams: what their batches are, what streams refuse, what is said of them."""

from __future__ import annotations

import re

import pytest

from planviz.config import OptimizerConfig
from planviz.programs import read_program

_STREAM = "from pyspark.sql import functions as F\ns = spark.readStream.schema('id long, ts timestamp').json('/in')\n"


def test_a_function_of_batches_is_given_rows_of_a_batch():
    text = (
        f"{_STREAM}def put(batch, number):\n    print(batch.isStreaming)\n"
        "    batch.groupBy('id').count().write.parquet('/out')\n"
        "s.filter('id > 3').writeStream.foreachBatch(put).start()\n"
    )
    program = read_program(text)
    started, batch = program.actions

    assert (program.error, started.name, batch.name) == (None, "writeStream.start", "write.parquet")
    assert "Filter (id#" in started.execution.text("analyzed")
    assert batch.execution.text("optimized").splitlines()[1:] == [
        "+- Project [id#4L]",
        "   +- LogicalRDD [id#4L, ts#5], false",
    ]


def test_columns_that_a_function_of_batches_asks_for_are_those_of_the_stream():
    text = (
        "def put(batch, number):\n    batch.select('price').write.parquet('/out')\n"
        "spark.readStream.table('orders').where('id > 3').writeStream.foreachBatch(put).start()\n"
    )
    started, batch = read_program(text).actions

    assert {a.name for a in started.execution.analyzed.output} == {"id", "price"}
    assert batch.execution.text("analyzed").startswith("Project [price#")


@pytest.mark.parametrize(
    ("call", "condition"),
    [
        ("s.show()", "_LEGACY_ERROR_TEMP_3102"),
        ("s.groupBy('id').count().collect()", "_LEGACY_ERROR_TEMP_3102"),
        ("s.join(spark.range(3), 'id').write.parquet('/x')", "CALL_ON_STREAMING_DATASET_UNSUPPORTED"),
        ("spark.range(3).writeStream.start()", "WRITE_STREAM_NOT_ALLOWED"),
        ("spark.read.parquet('/in').writeStream.start()", "WRITE_STREAM_NOT_ALLOWED"),
    ],
)
def test_what_spark_refuses_of_streams_and_batches(call, condition):
    program = read_program(f"{_STREAM}{call}\n")

    assert program.error is not None
    assert (program.error.condition, program.error.place.line) == (condition, 3)


@pytest.mark.parametrize("call", ["there.writeStream.start()", "spark.table('t').writeStream.start()", "s.explain()"])
def test_what_may_be_a_stream_is_not_refused(call):
    assert read_program(f"{_STREAM}{call}\n").error is None


_STATE = (
    "state info [ checkpoint = <unknown>, runId = 00000000-0000-0000-0000-000000000000, opId = {}, ver = 0, "
    "numPartitions = 200] stateStoreCkptIds = None"
)
_NEVER = "-9223372036854775808, -9223372036854775808"


def _plain(text):
    return re.sub(r"#\d+L?", "", text)


def _physical(query, more=""):
    program = read_program(f"{_STREAM}{more}{query}.writeStream.start()\n")
    assert program.error is None
    return [_plain(line.lstrip(" :+-")) for line in program.actions[-1].execution.text("physical").splitlines()]


def test_an_aggregate_restores_and_saves_its_state():
    lines = _physical("s.groupBy('id').count()")

    assert [line.split("(keys")[0].split(" [")[0] for line in lines if line] == [
        "*(4) HashAggregate", "StateStoreSave", "*(3) HashAggregate", "StateStoreRestore", "*(2) HashAggregate",
        "Exchange hashpartitioning(id, 200), REQUIRED_BY_STATEFUL_OPERATOR,", "*(1) HashAggregate",
        "*(1) Project", "StreamingRelation FileSource[/in],",
    ]  # fmt: skip
    assert lines[1] == f"StateStoreSave [id], {_STATE.format(0)}, Append, {_NEVER}, 2"
    assert lines[3] == f"StateStoreRestore [id], {_STATE.format(0)}, 2"


def test_operators_that_keep_state_are_numbered_from_the_top():
    lines = _physical("s.withWatermark('ts', '1 day').dropDuplicates(['id', 'ts']).limit(3)")

    assert lines[0] == f"StreamingGlobalLimit 3, {_STATE.format(0)}, Append"
    assert lines[2] == "StreamingLocalLimit 3"
    assert lines[3] == f"StreamingDeduplicate [id, ts-T86400000ms], {_STATE.format(1)}, {_NEVER}"
    assert lines[5] == "EventTimeWatermark 00000000-0000-0000-0000-000000000000, ts: timestamp, 1 days"


@pytest.mark.parametrize(
    ("condition", "cleanup"),
    [
        ("a.id = b.id", "left = null, right = null"),
        (
            "a.id = b.id and a.ts >= b.ts and a.ts <= b.ts + interval 1 hour",
            "left value predicate: (ts-T3600000ms <= -1000), right value predicate: (ts-T7200000ms <= -1000)",
        ),
        ("a.id = b.id and a.ts >= b.ts", "left value predicate: (ts-T3600000ms <= -1000), right = null"),
        (
            "a.ts = b.ts",
            "left key predicate: (input[0, timestamp, true] <= 0), right key predicate: "
            "(input[0, timestamp, true] <= 0)",
        ),
    ],
)
def test_what_a_join_of_streams_forgets(condition, cleanup):
    more = (
        "a = s.withWatermark('ts', '1 hour').alias('a')\n"
        "b = spark.readStream.schema('id long, ts timestamp').json('/b').withWatermark('ts', '2 hours').alias('b')\n"
    )
    (first, *_) = _physical(f"a.join(b, F.expr('{condition}'))", more)

    assert first.startswith("StreamingSymmetricHashJoin [")
    assert first.endswith(f"{_NEVER}, state cleanup [ {cleanup} ], 2, Append")


def test_windows_are_as_late_as_the_moments_they_are_made_of():
    program = read_program(
        f"{_STREAM}w = s.withWatermark('ts', '10 minutes')\n"
        "w.groupBy(F.window('ts', '5 minutes')).count().writeStream.start()\n"
        "w.groupBy(F.session_window('ts', '5 minutes'), 'id').count().writeStream.start()\n"
    )
    window, session = program.actions

    assert window.execution.text("analyzed").startswith("~Aggregate [window#")
    assert window.execution.text("analyzed").splitlines()[0].count("-T600000ms") == 2
    assert "MergingSessions List(id), true, 200, [session_window" in _plain(session.execution.text("physical"))


@pytest.mark.parametrize(
    ("call", "condition"),
    [
        ("s.withWatermark('id', '1 day')", "EVENT_TIME_IS_NOT_ON_TIMESTAMP_TYPE"),
        ("s.withWatermark('ts', 'soon')", "CANNOT_PARSE_INTERVAL"),
        ("s.withWatermark('nope', '1 day')", "UNRESOLVED_COLUMN.WITH_SUGGESTION"),
        ("spark.readStream.json('/in')", "_LEGACY_ERROR_TEMP_2048"),
    ],
)
def test_what_spark_refuses_of_watermarks_and_sources(call, condition):
    program = read_program(f"{_STREAM}{call}\n")

    assert program.error is not None
    assert (program.error.condition, program.error.place.line) == (condition, 3)


def test_the_plan_of_a_stream_read_by_sql_is_refused_as_spark_refuses_it():
    program = read_program(f"{_STREAM}s.createOrReplaceTempView('v')\nspark.sql('select id from v').explain()\n")

    assert program.error is not None
    assert (program.error.condition, program.error.place.line) == ("_LEGACY_ERROR_TEMP_3102", 4)


def test_filters_pass_a_watermark_unless_they_read_its_column():
    lines = _physical("s.withWatermark('ts', '1 day').where('id > 3 and ts > \"2024-01-01\"')")

    assert [line.split(" ")[0] for line in lines] == [
        "*(2)", "EventTimeWatermark", "*(1)", "StreamingRelation",
    ]  # fmt: skip
    assert "-T86400000ms" in lines[0]
    assert "isnotnull(id)" in lines[2]


def test_a_stream_is_marked_since_spark_4_and_named_since_4_2():
    def parsed(profile):
        (action,) = read_program(f"{_STREAM}s.explain()\n", None, OptimizerConfig(profile=profile)).actions
        return action.execution.text("parsed"), action.execution.text("analyzed")

    asked, found = parsed("spark-4.3")
    assert asked.splitlines()[0] == "'NamedStreamingRelation name=<Unassigned>"
    assert found.startswith("StreamingRelation FileSource[/in], [id#")
    assert parsed("spark-4.1")[0].startswith("UnresolvedDataSource format: json, isStreaming: true, paths: 1 provided")
    assert parsed("spark-4.1")[1].startswith("~StreamingRelation DataSource(org.apache.spark.sql.classic.SparkSession@")
    assert parsed("spark-3.5")[1].startswith("StreamingRelation DataSource(org.apache.spark.sql.SparkSession@")


def test_sources_whose_columns_are_always_the_same():
    text = (
        "from pyspark.sql import functions as F\nk = spark.readStream.format('kafka').option('subscribe', 't').load()\n"
        "k.select(F.col('value').cast('string')).writeStream.start()\n"
    )
    assert read_program(text).actions[0].execution.text("optimized").startswith("~Project [cast(value#")


def test_a_stream_read_twice_is_put_together_by_name():
    program = read_program(f"{_STREAM}s.unionByName(s.select('id', 'ts')).select('id').writeStream.start()\n")

    assert program.error is None
    assert [line.lstrip(" :+-") for line in _plain(program.actions[0].execution.text("optimized")).splitlines()] == [
        "~Union false, false", "~Project [id]", "StreamingRelation FileSource[/in], [id, ts], name=<Unassigned>",
        "~Project [id]", "StreamingRelation FileSource[/in], [id, ts], name=<Unassigned>",
    ]  # fmt: skip


def test_saved_sessions_are_in_no_order():
    lines = _physical("s.groupBy('id', F.session_window('ts', '5 minutes')).count()")

    assert lines[0].split("(keys")[0].endswith("HashAggregate")


def test_what_is_counted_in_a_stream_may_be_null():
    lines = _physical("s.groupBy('id').count().where('count > 3')")

    assert lines[0] == "*(4) Filter (isnotnull(count) AND (count > 3))"


@pytest.mark.parametrize(
    ("call", "profile", "kept"),
    [
        ("sample(0.5, seed=3)", "spark-4.3", False),
        ("sample(0.5, 3)", "spark-4.3", True),
        ("sample(fraction=0.5, seed=3)", "spark-4.3", True),
        ("sample(0.5, seed=3)", "spark-3.5", True),
    ],
)
def test_a_seed_by_its_name_is_forgotten_behind_a_share(call, profile, kept):
    (action,) = read_program(f"spark.range(9).{call}.show()\n", None, OptimizerConfig(profile=profile)).actions

    shown = action.execution.text("analyzed").splitlines()[0].split(", ")
    assert (shown[3] == "3") is kept
