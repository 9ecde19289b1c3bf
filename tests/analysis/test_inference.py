from __future__ import annotations

from pathlib import Path

import pytest

from planviz.analysis.inference import infer
from planviz.analysis.inference.guesses import named_type
from planviz.catalog import Catalog, read_bundled
from planviz.errors import ParseError
from planviz.execution import Session, explain
from planviz.frontend import parse_plan, parse_script
from tests.steps import steps

QUERIES = sorted((Path(__file__).resolve().parents[3] / "shared/corpus/tpcds/queries").glob("*.sql"))


def guessed(sql, catalog=None):
    """Table name: {column: type}, and the warnings."""
    found, warnings = infer([parse_plan(sql)], catalog or Catalog())
    tables = {
        t.name: {c.name: c.data_type.simple_string for c in t.columns} for t in found.tables.values() if t.guessed
    }
    return tables, warnings


@pytest.mark.parametrize(
    ("condition", "type_"),
    [
        ("x = 5", "int"),
        ("x > 5000000000", "bigint"),
        ("x < 1.5", "double"),
        ("x = 'a'", "string"),
        ("x >= '2026-01-31'", "date"),
        ("x = DATE'2026-01-31'", "date"),
        ("x > TIMESTAMP'2026-01-31 10:00:00'", "date"),
        ("x", "boolean"),
        ("NOT x AND 1 = 1", "boolean"),
        ("x LIKE 'a%'", "string"),
        ("x IN (1, 2)", "int"),
        ("year(x) = 2026", "date"),
        ("upper(x) = 'A'", "string"),
        ("x + INTERVAL 1 DAY > current_date()", "date"),
        ("x[0] = 'a'", "array<string>"),
        ("x['k'] = 1", "map<string,int>"),
        ("x.y = 1", "struct<y:int>"),
        ("array_contains(x, 1)", "array<string>"),
        ("CASE WHEN x THEN 1 ELSE 2 END = 1", "boolean"),
        ("coalesce(x, 0) = 1", "int"),
        ("x IS NOT NULL", "string"),
        ("regexp_like(x, 'a')", "string"),
    ],
)
def test_a_use_tells_the_type(condition, type_):
    tables, _ = guessed(f"SELECT 1 FROM t WHERE {condition}")

    assert tables == {"t": {"x": type_}}


@pytest.mark.parametrize(
    ("name", "type_"),
    [
        ("order_date", "date"), ("l_shipdate", "date"), ("created_at", "timestamp"), ("customer_id", "bigint"),
        ("l_orderkey", "bigint"), ("is_open", "boolean"), ("unit_price", "decimal(18,2)"), ("qty", "int"),
        ("orderDate", "date"), ("last_update", None), ("name", None), ("monetary_rate", "double"),
    ],
)  # fmt: skip
def test_a_name_is_the_last_resort(name, type_):
    found = named_type(name)

    assert (found and found.simple_string) == type_


def test_what_is_joined_has_one_type():
    tables, _ = guessed("SELECT 1 FROM a JOIN b ON a.k = b.j JOIN c ON b.j = c.i WHERE c.i = 5")

    assert tables == {"a": {"k": "int"}, "b": {"j": "int"}, "c": {"i": "int"}}


def test_a_known_column_gives_its_type():
    tables, _ = guessed("SELECT 1 FROM t1 JOIN u ON u.k = t1.c", read_bundled("documents"))

    assert tables == {"u": {"k": "string"}}


def test_types_pass_through_queries_in_from_and_with():
    tables, _ = guessed(
        "WITH w AS (SELECT a AS x, max(b) AS y FROM t GROUP BY a) "
        "SELECT * FROM (SELECT x AS z, y FROM w) q WHERE z = 'k' AND q.y > DATE'2026-01-01'"
    )

    assert tables == {"t": {"a": "string", "b": "date"}}


def test_columns_are_seen_through_a_star():
    tables, warnings = guessed("SELECT q.a FROM (SELECT * FROM t) q WHERE q.b = 1")

    assert set(tables["t"]) == {"a", "b"}
    assert any(w.startswith("* reads all columns of t,") for w in warnings)


def test_a_star_over_nothing_known_still_has_a_column():
    text = explain("SELECT * FROM t", infer=True).text("optimized")

    assert text == "Relation spark_catalog.default.t[unknown#1] parquet\n"


@pytest.mark.parametrize(
    ("sql", "owner"),
    [
        ("SELECT l_tax FROM orders, lineitem WHERE orders.x = lineitem.y", "lineitem"),
        ("SELECT ss_item_sk FROM store, store_sales", "store_sales"),
        ("SELECT s_city FROM store_sales, store", "store"),
        ("SELECT user_name FROM orders o, users u", "users"),
        ("SELECT x FROM a, b WHERE b.x = 1", "b"),
        ("SELECT anything FROM a, b", "a"),
    ],
)
def test_a_column_without_its_table_is_placed_and_told(sql, owner):
    tables, warnings = guessed(sql)
    name = sql.split()[1]

    assert name in tables[owner]
    assert all(name not in columns for t, columns in tables.items() if t != owner)
    sure = "b.x" in sql
    assert any(f"Column {name} is written without its table: taken as one of {owner}" in w for w in warnings) != sure


def test_many_columns_without_their_tables_are_told_in_one_sentence():
    _, warnings = guessed("SELECT l_tax, l_price, o_total, o_date FROM orders, lineitem WHERE orders.x = lineitem.y")
    (told,) = [w for w in warnings if "without" in w and "olumn" in w]
    assert told.startswith("4 columns are written without their tables and were placed by their names (")
    assert "lineitem: l_tax, l_price" in told
    assert "orders: o_total, o_date" in told


def test_a_correlated_subquery_reads_the_query_around():
    tables, _ = guessed(
        "SELECT p_name FROM part WHERE p_size = (SELECT max(ps_size) FROM partsupp WHERE p_partkey = ps_partkey)"
    )

    assert "p_partkey" in tables["part"]
    assert set(tables["partsupp"]) == {"ps_size", "ps_partkey"}


def test_aliases_are_no_columns():
    tables, _ = guessed("SELECT year(d) AS y, sum(x) AS s, s * 2 FROM t GROUP BY y HAVING s > 1 ORDER BY s, y")

    assert set(tables["t"]) == {"d", "x"}


def test_generators_pivots_and_using():
    tables, _ = guessed("SELECT i FROM t LATERAL VIEW explode(xs) e AS i WHERE i = 5")
    assert tables == {"t": {"xs": "array<int>"}}

    tables, _ = guessed("SELECT * FROM (SELECT k, v FROM t) PIVOT (sum(v) FOR k IN ('a', 'b'))")
    assert tables["t"]["k"] == "string"

    tables, _ = guessed("SELECT a.v, k FROM a JOIN b USING (k) WHERE b.w = 1")
    assert set(tables["a"]) == {"v", "k"}
    assert set(tables["b"]) == {"w", "k"}


def test_every_guessed_column_is_marked():
    execution = explain("SELECT a FROM t", infer=True)
    table = execution.catalog.table(("t",))

    assert table is not None
    assert table.guessed == {"a"}
    assert "Guessed from the query" in execution.warnings[0]


def test_the_statements_of_a_script_share_their_tables():
    session = Session(infer=True)
    outcomes = list(session.run("CREATE VIEW v AS SELECT a, b FROM t; SELECT a FROM v; SELECT c FROM t WHERE a = 5"))

    assert [o.error for o in outcomes] == [None, None, None]
    table = session.catalog.table(("t",))
    assert table is not None
    assert [c.name for c in table.columns] == ["a", "b", "c"]
    assert table.type_of("a").simple_string == "int"


def test_without_being_asked_only_where_there_is_nothing():
    def errors(script):
        return [o.error is not None for o in Session(infer=None).run(script)]

    assert errors("SELECT a FROM t") == [False]
    assert errors("CREATE TABLE u (a INT); SELECT a FROM t") == [False, True]
    assert [o.error is not None for o in Session().run("SELECT a FROM t")] == [True]


def test_a_thousand_unions_are_walked():
    tables, _ = guessed(" UNION ALL ".join(["SELECT a FROM t"] * 1000))

    assert set(tables["t"]) == {"a"}


@pytest.mark.skipif(not QUERIES, reason="the captures are not at hand")
@pytest.mark.parametrize("path", QUERIES[::7], ids=lambda p: p.stem)
def test_a_real_query_plans_without_any_catalogue(path):
    execution = explain(path.read_text().strip().rstrip(";"), infer=True)

    assert execution.optimized.resolved
    known = read_bundled("tpcds")
    columns = [(t.name, c.name) for t in execution.catalog.tables.values() for c in t.columns]
    misplaced = [(t, c) for t, c in columns if known.table((t,)).type_of(c) is None]
    # web_ abbreviates web_site and web_sales alike.
    assert [c for c in misplaced if not c[1].startswith("web_")] == []


def test_a_name_in_a_subquery_is_one_of_its_own_tables():
    tables, _ = guessed("SELECT u.region FROM users u WHERE u.region IN (SELECT region FROM regions WHERE active)")

    assert tables == {"users": {"region": "string"}, "regions": {"active": "boolean", "region": "string"}}


def test_a_name_with_the_prefix_of_a_table_around_is_one_of_that():
    known = read_bundled("tpch")
    sql = "SELECT o_orderkey FROM orders WHERE EXISTS (SELECT 1 FROM returned r WHERE r.k = o_orderkey)"

    assert guessed(sql, known)[0] == {"returned": {"k": "bigint"}}


def test_functions_without_parentheses_are_no_columns():
    tables, _ = guessed("SELECT id, current_user FROM t WHERE until > current_date AND seen < current_timestamp")

    assert tables == {"t": {"until": "date", "seen": "timestamp", "id": "bigint"}}


def test_an_earlier_state_of_a_guessed_table_has_its_columns():
    sql = "SELECT id FROM delta.`/lake/t` VERSION AS OF 12 WHERE day > '2026-01-31'"
    assert guessed(sql)[0] == {"/lake/t": {"day": "date", "id": "bigint"}}

    outcome = list(Session(infer=True).run(sql, "physical"))[-1]
    assert outcome.error is None
    assert "columns and statistics that it has now" in " ".join(outcome.execution.warnings)


def test_only_tables_that_keep_earlier_states_have_some():
    def error(provider):
        made = f"CREATE TABLE t (id INT) USING {provider}; SELECT id FROM t TIMESTAMP AS OF '2026-01-31'"
        return list(Session().run(made, "physical"))[-1].error

    assert error("iceberg") is None
    assert error("parquet").error_class == "UNSUPPORTED_FEATURE.TIME_TRAVEL"


@pytest.mark.parametrize(
    ("sql", "columns"),
    [
        ("SELECT a, count(*) AS c FROM t GROUP BY ALL HAVING c > 1 ORDER BY ALL", {"a": "string"}),
        ("SELECT sum(v) OVER (ORDER BY x RANGE BETWEEN INTERVAL 7 DAYS PRECEDING AND CURRENT ROW) FROM t",
         {"v": "double", "x": "date"}),
        ("SELECT window.start, avg(v) FROM t GROUP BY window(seen_at, '5 minutes')",
         {"seen_at": "timestamp", "v": "double"}),
        ("SELECT a & b AS x, ~c AS y FROM t", {"a": "int", "b": "int", "c": "int"}),
        ("SELECT transform_values(m, (k, v) -> v) FROM t", {"m": "map<string,string>"}),
        ("SELECT inline(arrays_zip(xs, ys)) FROM t", {"xs": "array<string>", "ys": "array<string>"}),
    ],
)  # fmt: skip
def test_what_is_no_column_is_not_guessed_and_the_query_has_a_plan(sql, columns):
    assert guessed(sql)[0] == {"t": columns}
    assert list(Session(infer=True).run(sql, "physical"))[-1].error is None


def test_a_script_of_views_and_copies_reads_tables_that_are_elsewhere():
    script = "CREATE TEMP VIEW v AS SELECT id FROM raw; CREATE TABLE kept AS SELECT id FROM v; SELECT id FROM kept"
    assert [o.error for o in Session(infer=None).run(script, "physical")] == [None] * 3
    complete = "CREATE TABLE t (id INT); SELECT id FROM u"
    assert list(Session(infer=None).run(complete))[-1].error.error_class == "TABLE_OR_VIEW_NOT_FOUND"


def test_a_table_of_another_catalogue_keeps_its_name():
    outcome = list(Session(infer=True).run("SELECT o.id FROM main.gold.orders o WHERE o.id > 1", "physical"))[-1]

    assert outcome.error is None
    assert "FileScan parquet main.gold.orders[id#" in outcome.execution.text("physical")


def test_ddl_of_tables_with_versions_is_taken_as_it_is_pasted():
    columns = "(id BIGINT, ts TIMESTAMP, d DATE GENERATED ALWAYS AS (CAST(ts AS DATE)))"
    script = f"""CREATE OR REPLACE TABLE main.gold.t {columns} USING delta PARTITIONED BY (d);
    CREATE TABLE raw.u (id INT) USING parquet;
    SELECT t.id FROM main.gold.t t JOIN raw.u ON t.id = u.id WHERE d = DATE'2026-01-31';
    DELETE FROM main.gold.t WHERE id = 1"""

    assert [o.error for o in Session(infer=None).run(script, "physical")] == [None] * 4


@pytest.mark.parametrize("mode", ["", "EXTENDED", "FORMATTED", "COST", "CODEGEN"])
def test_the_query_of_an_explain_is_planned(mode):
    outcome = list(Session(infer=True).run(f"EXPLAIN {mode} SELECT id FROM t", "physical"))[-1]

    assert (outcome.statement.kind, outcome.error) == ("query", None)


def test_names_of_fields_do_not_matter_to_in():
    sql = "CREATE TABLE t (a INT, b INT) USING parquet; SELECT a FROM t WHERE (a, b) IN ((1, 2), (3, 4))"
    outcome = list(Session().run(sql, "physical"))[-1]

    assert outcome.error is None


def listed(n):
    """One value beside n columns, all of one type."""
    return f"SELECT * FROM t WHERE a IN ({', '.join(f'c{i}' for i in range(n))})"


def chained(n):
    """Columns that agree one after the other, each with the one before."""
    return "SELECT * FROM t WHERE " + " AND ".join(f"c{i + 1} = c{i}" for i in range(n))


@pytest.mark.parametrize("make", [listed, chained])
def test_columns_that_agree_take_time_in_step_with_their_number(make):
    guessed(make(3))

    assert steps(lambda: guessed(make(800))) < 11 * steps(lambda: guessed(make(100)))


def test_the_first_name_that_says_something_counts_for_all_that_agree():
    tables, _ = guessed("SELECT 1 FROM t WHERE a = b_date AND b_date = c_count AND z = a")

    assert set(tables["t"].values()) == {"date"}


def test_a_warning_names_the_first_of_many_columns():
    _, warnings = guessed(listed(1000))

    assert any("(a, c0, c1," in w and "c18 and 981 more)" in w for w in warnings)
    assert max(map(len, warnings)) < 300


def planned(script: str) -> list[str]:
    """The optimized plans of a script whose tables are guessed; no statement may fail."""
    outcomes = list(Session(infer=True).run(script, stage="optimized"))
    assert [o.error for o in outcomes if o.error is not None] == []
    return [o.execution.text("optimized") for o in outcomes if o.execution is not None]


def test_what_is_read_through_a_view_or_a_copy_is_guessed_of_its_table():
    view = planned("create temp view v as select * from raw where x > 1; select a, sum(b) from v group by a")
    assert "raw[x#" in view[-1]
    copy = planned("create table silver.v as select * from raw where x > 1; select a, sum(b) from silver.v group by 1")
    assert "Relation spark_catalog.silver.v[" in copy[-1]


def test_tables_of_one_name_in_two_databases_are_two():
    plans = planned("create table silver.orders as select id from bronze.orders; select id from silver.orders")
    assert "bronze.orders" in plans[0]
    assert "silver.orders" in plans[1]


def test_a_view_that_replaces_itself_reads_the_one_before():
    plans = planned(
        "create or replace temp view v as select * from raw;"
        "create or replace temp view w as select a from v where b > 1;"
        "select * from w"
    )
    assert "raw[" in plans[-1]


def test_a_session_variable_is_no_column_of_a_guessed_table():
    plans = planned("declare variable cutoff date default date'2026-01-01'; select id from people where born > cutoff")
    assert "cutoff" not in plans[-1]


def test_the_datasets_of_a_pipeline_are_views():
    plans = planned(
        "create or refresh streaming table clean (constraint ok expect (amount > 0) on violation drop row) "
        "as select * from stream(live.raw) where status <> 'x';"
        "create materialized view daily as select day, sum(amount) from live.clean group by day"
    )
    assert len(plans) == 2
    assert "Aggregate [day#" in plans[1]
    assert "raw[" in plans[1]


@pytest.mark.parametrize(
    ("sql", "warned"),
    [
        ("select row_number() over (order by x) rn from t where rn < 5", True),
        ("select id, sum(x) as total from t where total > 5 group by id", True),
        ("select upper(name) as name from t where name = 'x'", False),
        ("select a as b from t where t.b > 1", False),
        ("select * from (select row_number() over (order by x) rn from t) where rn < 5", False),
    ],
)
def test_an_alias_that_where_cannot_read_is_told(sql, warned):
    _, warnings = guessed(sql)
    assert any("in WHERE is taken for a column" in w for w in warnings) is warned


@pytest.mark.parametrize(
    "text", ["create streaming", "create live", "create or refresh private", "create materialized"]
)
def test_a_pipeline_s_dataset_that_breaks_off_says_what_is_missing(text):
    with pytest.raises(ParseError, match="TABLE or VIEW was expected"):
        parse_script(text)
