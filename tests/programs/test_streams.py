"""Programs that read streams: what their batches are, what streams refuse, what is said of them."""

from __future__ import annotations

import pytest

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


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("s", "one trigger takes."),
        ("s.groupBy('id').count()", "Spark adds StateStoreRestore and StateStoreSave."),
        ("s.dropDuplicates(['id'])", "Spark adds StreamingDeduplicate."),
        ("s.join(s.select('id'), 'id')", "Spark adds StreamingSymmetricHashJoin."),
        ("s.join(spark.range(3), 'id')", "one trigger takes."),
    ],
)
def test_what_a_batch_does_not_show_is_said(query, told):
    (note,) = read_program(f"{_STREAM}{query}.writeStream.start()\n").notes[:1]

    assert note.startswith("Line 3: a streaming query is planned as the batch of what one trigger takes")
    assert note.endswith(told)


def test_sources_whose_columns_are_always_the_same():
    text = (
        "from pyspark.sql import functions as F\nk = spark.readStream.format('kafka').option('subscribe', 't').load()\n"
        "k.select(F.col('value').cast('string')).writeStream.start()\n"
    )
    assert read_program(text).actions[0].execution.text("optimized").startswith("Project [cast(value#")
