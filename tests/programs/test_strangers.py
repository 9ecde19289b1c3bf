"""Ways of writing programs that real ones have, and what came out of them."""

from __future__ import annotations

import pytest

from planviz.catalogs import find
from planviz.config import OptimizerConfig
from planviz.programs import read_program


def read(text, **settings):
    return read_program(text, find("tpch"), OptimizerConfig().with_settings(settings) if settings else None)


def shown(text, stage="optimized"):
    program = read(text)
    assert program.error is None, program.error
    return [a.execution.text(stage) for a in program.actions]


@pytest.mark.parametrize("use", ["p.select('o_orderstatus', 'HIGH')", "p.select(p.HIGH + 1)", "p.filter('HIGH > 3')"])
def test_a_pivot_of_described_tables_has_the_values_that_later_lines_name(use):
    (plan,) = shown(
        f"p = spark.table('orders').groupBy('o_orderstatus').pivot('o_orderpriority').count()\n{use}.show()\n"
    )
    assert "pivotfirst(o_orderpriority#" in plan or "HIGH" in plan


def test_what_no_pivot_can_have_is_an_error_still():
    error = read("spark.table('orders').groupBy('o_orderstatus').count().select('HIGH').show()").error
    assert error is not None
    assert error.condition == "UNRESOLVED_COLUMN.WITH_SUGGESTION"


@pytest.mark.parametrize(("version", "own"), [("4.3", False), ("4.2", False), ("4.1", True), ("3.5", True)])
def test_a_function_registered_under_a_name_of_sparks_own_is_hidden_by_it_since_4_2(version, own):
    text = (
        "spark.udf.register('upper', lambda s: s, 'string')\n"
        "spark.table('orders').selectExpr('upper(o_clerk) AS u').show()\n"
    )
    (action,) = read_program(text, find("tpch"), OptimizerConfig.of(f"spark-{version}")).actions
    first = action.execution.text("analyzed").splitlines()[0]
    assert (")#" in first) == own, first


def test_the_session_of_a_context_and_templates_of_texts():
    (plan,) = shown(
        "from pyspark.sql import SQLContext\nfrom string import Template\nspark = SQLContext(sc).sparkSession\n"
        "q = Template('SELECT $what FROM ${table}').substitute(what='o_orderkey', table='orders')\n"
        "spark.sql(q).show()\n"
    )
    assert plan.startswith("Project [o_orderkey#")


def test_sorting_looks_at_no_argument_that_it_does_not_know():
    (plan,) = shown("spark.table('orders').orderBy('o_orderkey', descending=True).show()")
    assert plan.startswith("Sort [o_orderkey#1L ASC")


def test_when_behind_otherwise_is_told_as_pyspark_does():
    error = read(
        "from pyspark.sql import functions as F\nF.when(F.lit(True), 1).otherwise(2).when(F.lit(True), 3)"
    ).error
    assert error is not None
    assert error.message == "when() cannot be applied once otherwise() is applied"


def test_folders_of_files_come_last_and_their_filter_stays_as_it_is_written():
    (_, plan) = shown(
        "d = spark.createDataFrame([(1, 'a', 2.0)], 'id int, kind string, amount double')\n"
        "d.write.partitionBy('kind').parquet('/out')\n"
        "spark.read.schema('id int, kind string, amount double').parquet('/out')"
        ".where(\"kind = 'a' and amount > 1\").show()\n"
    )
    assert "Relation [id#6,amount#7,kind#8] parquet" in plan
    assert plan.startswith("Filter ((isnotnull(kind#8) AND isnotnull(amount#7)) AND ((kind#8 = a) AND")


def test_tables_of_catalogues_that_the_settings_name_are_guessed():
    plans = shown(
        "from pyspark.sql import SparkSession\n"
        "spark = SparkSession.builder.config('spark.sql.catalog.lake', 'org.apache.iceberg.spark.SparkCatalog')"
        ".getOrCreate()\n"
        "spark.table('lake.db.t').filter('a > 1').show()\n"
        "spark.sql('select x, count(*) from lake.db.u group by x').show()\n"
        "spark.sql('merge into lake.db.u t using orders s on t.x = s.o_orderkey when matched then delete')\n"
    )
    assert "Relation lake.db.t[a#" in plans[0]
    assert "Relation lake.db.u[x#" in plans[1]
    assert plans[2].startswith("Join Inner")


def test_what_delta_tells_of_a_table_is_no_table_of_that_name():
    (plan,) = shown("spark.sql('DESCRIBE HISTORY delta.`/mnt/x`').select('version').show()")
    assert "version#" in plan


def test_columns_of_both_sides_of_a_join_of_glue_are_told_apart():
    (plan,) = shown(
        "from awsglue.context import GlueContext\nfrom awsglue.transforms import Join, SelectFields\n"
        "g = GlueContext(sc)\na = g.create_dynamic_frame.from_catalog(database='default', table_name='orders')\n"
        "b = g.create_dynamic_frame.from_catalog(database='default', table_name='orders')\n"
        "b = b.select_fields(['o_orderkey', 'o_clerk']).rename_field('o_clerk', 'clerk')\n"
        "j = Join.apply(a, b, 'o_orderkey', 'o_orderkey')\n"
        "SelectFields.apply(j, paths=['o_orderkey', 'clerk']).toDF().show()\n"
    )
    assert plan.startswith("Project [o_orderkey#1L, clerk#")


def guessed(text):
    program = read_program(text)
    assert program.error is None, program.error
    return [a.execution.text("optimized") for a in program.actions]


def test_names_for_all_columns_tell_how_many_a_guessed_table_has():
    plans = guessed(
        "spark.read.csv('x.csv').toDF('a', 'b', 'c').filter('a > 1').show()\n"
        "spark.table('t').filter('q > 1').toDF('x', 'y').show()\n"
    )
    assert plans[0].startswith("Project [_c0#1 AS a#")
    assert "Relation [_c0#1,_c1#2,_c2#3] csv" in plans[0]
    assert "[q#" in plans[1]
    assert ",_c1#" in plans[1]


def test_what_is_renamed_is_a_column_of_the_guessed_table():
    _, plan = guessed(
        "e = spark.table('emp')\nd = spark.table('dep')\ne.join(d, e.dept_id == d.dept_id).count()\n"
        "e.crossJoin(d.withColumnRenamed('dept_id', 'did')).filter('dept_id < did').select('emp_id', 'did').show()\n"
    )
    assert "AS did#" in plan
    assert plan.count("did#") >= 2
    assert "emp[dept_id#1L,emp_id#" in plan


def test_writers_that_are_told_what_nobody_knows_write_all_the_same():
    program = read_program(
        "import yaml\nc = yaml.safe_load(open('c.yml'))\nd = spark.table('orders')\n"
        "d.write.mode(c['mode']).save(c['out'])\nd.write.mode(c['mode']).format(c['f']).saveAsTable(c['t'])\n"
        "s = spark.readStream.table('orders')\n"
        "s.writeStream.outputMode(c['m']).trigger(processingTime=c['every']).start(c['out'])\n",
        find("tpch"),
    )
    assert [a.name for a in program.actions] == ["write.save", "write.saveAsTable", "writeStream.start"]


def test_types_have_pysparks_names():
    (plan,) = shown(
        "from pyspark.sql.types import IntegerType, LongType\nassert IntegerType().typeName() == 'integer'\n"
        "assert LongType().typeName() == 'long'\nassert LongType().simpleString() == 'bigint'\n"
        "d = spark.table('orders')\n"
        "d.select([f.name for f in d.schema.fields if f.dataType.typeName() == 'long']).show()\n"
    )
    assert plan.startswith("Project [o_orderkey#1L, o_custkey#2L]")


def test_a_mapping_of_glue_takes_fields_of_guessed_structs():
    (plan,) = guessed(
        "from awsglue.context import GlueContext\nfrom awsglue.transforms import ApplyMapping\ng = GlueContext(sc)\n"
        "a = g.create_dynamic_frame.from_catalog(database='d', table_name='t')\n"
        "ApplyMapping.apply(frame=a, mappings=[('p.id', 'string', 'pid', 'string'), ('x', 'string', 'x', 'int')])"
        ".toDF().show()\n"
    )
    assert "p#1.id AS pid#" in plan


def test_what_is_of_the_jvm_is_not_known_and_no_mistake():
    (plan,) = shown(
        "d = spark.table('orders')\nprint(d._jdf.queryExecution().toString())\n"
        "fs = spark._jvm.org.apache.hadoop.fs.FileSystem.get(spark.sparkContext._jsc.hadoopConfiguration())\n"
        "spark.sparkContext._jvm.java.lang.System.gc()\nd._sc.setJobGroup('a', 'b')\nd.show()\n"
    )
    assert plan.startswith("Relation ")


def test_a_program_has_the_columns_that_it_insists_on_where_they_are_guessed():
    text = (
        "def need(d, names):\n    missing = [n for n in names if n not in d.columns]\n    if missing:\n"
        "        raise ValueError(f'missing: {missing}')\n    return d\n"
        "need(spark.table('orders'), ['o_orderkey', 'o_nothing']).select('o_orderkey').show()\n"
    )
    (plan,) = guessed(text)
    assert plan.startswith("Relation spark_catalog.default.orders[o_orderkey#")
    error = read(text).error
    assert error is not None
    assert (error.condition, error.place.line) == ("ValueError", 4)


@pytest.mark.parametrize(
    "query",
    [
        "spark.table('orders').where(f\"o_orderdate >= '{day}'\").select('o_orderkey')",
        "spark.table('orders').where(F.col('o_orderdate') >= f'{day}-01').select('o_orderkey')",
        "spark.sql(f\"select o_orderkey from orders where o_orderdate >= '{day}'\")",
        "spark.sql(f\"select o_orderkey from orders where o_orderdate >= '{day}' and o_custkey > {day}\")",
        "spark.sql(f\"select o_orderkey from orders where o_orderdate between date '{day}' and '{day}'\")",
        "spark.sql(f\"select o_orderkey from orders where o_orderdate >= timestamp '{day} 00:00:00'\")",
        'spark.sql(f"select o_orderkey from orders where o_orderdate > (select max(o_orderdate) from orders "\n'
        "    f\"where o_orderdate < '{day}')\")",
    ],
)
def test_texts_that_nobody_knows_are_no_dates_that_cannot_be(query):
    (plan,) = shown(f"import sys\nfrom pyspark.sql import functions as F\nday = sys.argv[1]\n{query}.show()\n")
    assert "cast(<sys.argv[1]" in plan or "<= cast(<sys.argv[1]" in plan


def test_texts_in_angle_brackets_that_a_program_writes_are_texts():
    (plan,) = shown("spark.table('orders').where(\"o_clerk = '<none>'\").show()")
    assert "EqualTo" in read("spark.table('orders').where(\"o_clerk = '<none>'\").show()").actions[0].execution.text(
        "physical"
    )
    assert "(o_clerk#" in plan


def test_a_table_of_another_catalogue_is_the_described_one_of_that_database():
    (plan,) = shown("spark.table('main.default.orders').groupBy('o_orderstatus').count().show()")
    assert "Relation main.default.orders[o_orderkey#" in plan


@pytest.mark.parametrize(
    "made",
    ["dict(a.split('=') for a in sys.argv[1:])", "{k: v for k, v in (a.split('=') for a in sys.argv[1:])}"],
)
def test_keys_out_of_what_nobody_knows_may_be_any(made):
    (plan,) = shown(f"import sys\nargs = {made}\nspark.table('orders').where(f\"o_clerk = '{{args['who']}}'\").show()")
    assert "(o_clerk#7 = <who>)" in plan


def test_the_plan_that_fills_a_cache_tells_its_stages():
    text = "d = spark.table('orders').filter('o_orderkey > 1').cache()\nd.select('o_orderkey').explain('formatted')\n"
    (action,) = read(text, **{"spark.sql.adaptive.enabled": False}).actions
    shown = action.execution.explain_string("formatted")
    assert "\n(1) InMemoryTableScan\n" in shown
    assert "ColumnarToRow [codegen id : 1]\n" in shown
    assert "Filter [codegen id : 1]\n" in shown


@pytest.mark.parametrize(
    "made",
    [
        'StructType.fromJson(json.loads(\'{"type":"struct","fields":[{"name":"a","type":"long"},'
        '{"name":"b","type":{"type":"array","elementType":"date","containsNull":true}}]}\'))',
        "StructType.fromJson(json.loads(StructType([StructField('a', LongType()),"
        " StructField('b', ArrayType(DateType()))]).json()))",
        "StructType.fromDDL('a bigint, b array<date>')",
        "_parse_datatype_string('a bigint, b array<date>')",
    ],
)
def test_schemas_are_read_from_their_texts(made):
    imports = "import json\nfrom pyspark.sql.types import *\nfrom pyspark.sql.types import _parse_datatype_string\n"
    program = read(f"{imports}d = spark.createDataFrame([], {made})\nd.selectExpr('b[0]', 'a + 1').show()\n")
    assert (program.error, program.not_understood) == (None, [])
    assert [f.name for f in program.actions[0].execution.analyzed.children[0].output] == ["a", "b"]


def test_where_reading_stops_its_line_is_told():
    program = read("from pyspark.sql.types import *\nt = StringType()\nfor i in range(99):\n    t = ArrayType(t)\n" * 2)
    assert program.error is None or program.error.place.line > 1
    program = read("x = 'a'\nfor i in range(99):\n    x = x + x\n")
    assert [line for line, why in program.not_understood if why.startswith("Reading stopped")] == [3]


RENDERED = """# Lesson 3

In [1]:
def daily(d, days=["2024-01-01"]):
    made = d.groupBy("o_orderdate")

    return made.count()

In [2]:
daily(spark.table("orders")).show()
+-----------+-----+
|o_orderdate|count|
+-----------+-----+

In [3]:
%%time
o = spark.table("orders")

o.printSchema()
root
 |-- o_orderkey: long (nullable = true)

Some words about it, which are no code.

In [ ]:
o.count()
Out[4]:
42
"""


def test_cells_below_prompts_on_lines_of_their_own_are_read_and_their_output_is_not():
    program = read(RENDERED)
    assert (program.error, program.not_understood) == (None, [])
    assert [(a.name, a.place.line) for a in program.actions] == [("show", 10), ("count", 26)]


def test_many_prompts_without_code_are_read_in_time():
    program = read("In [1]:\n" + "words and words\n" * 3_000 + "In [2]:\n" * 3_000 + "spark.table('orders').show()\n")
    assert [a.name for a in program.actions] == ["show"]


def test_a_star_import_of_deltas_tables_brings_no_other_names():
    text = "from delta.tables import *\nt = DeltaTable.forPath(spark, '/t')\n"
    merge = "t.alias('t').merge(new.alias('n'), 't.id = n.id').whenMatchedUpdateAll().execute()\n"
    program = read_program(text + merge)
    assert [a.name for a in program.actions] == ["merge"]


@pytest.mark.parametrize(
    ("write", "condition"),
    [
        ("d.select('o_orderkey').write.insertInto('nation')", "INSERT_COLUMN_ARITY_MISMATCH.NOT_ENOUGH_DATA_COLUMNS"),
        ("d.write.insertInto('nation')", "INSERT_COLUMN_ARITY_MISMATCH.TOO_MANY_DATA_COLUMNS"),
        (
            "spark.range(1).selectExpr('array(id)', \"'a'\", 'id', \"'b'\").write.insertInto('nation')",
            "INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_SAFELY_CAST",
        ),
        ("d.write.saveAsTable('nation')", "TABLE_OR_VIEW_ALREADY_EXISTS"),
        ("d.collect().filter('o_orderkey > 1')", "AttributeError"),
    ],
)
def test_writes_and_lists_that_cannot_be_are_errors(write, condition):
    error = read(f"d = spark.table('orders')\n{write}\n").error
    assert error is not None
    assert (error.condition, error.place.line) == (condition, 2)


@pytest.mark.parametrize("mode", ["append", "overwrite", "ignore"])
def test_a_table_that_is_there_may_be_written_once_more(mode):
    assert read(f"spark.table('orders').write.mode('{mode}').saveAsTable('nation')\n").error is None


def test_guessed_rows_may_have_more_columns_than_their_folders():
    program = read_program("d = spark.read.csv('/in', header=True)\nd.write.partitionBy('day').parquet('/out')\n")
    assert program.error is None


def test_columns_that_are_filled_stay_never_null_where_duplicates_are_dropped():
    (plan,) = shown(
        "d = spark.table('orders').na.fill('?', ['o_clerk']).dropDuplicates(['o_orderkey'])\n"
        "d.selectExpr('count(o_clerk) AS n').show()\n"
    )
    assert plan.startswith("Aggregate [count(1) AS n#")
