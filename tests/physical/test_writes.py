"""INSERT and CREATE TABLE AS: the command over its query, as Spark plans both."""

from __future__ import annotations

import pytest

from planviz.config import OptimizerConfig
from planviz.execution import Session
from planviz.execution.query import QueryExecution

TABLES = """
CREATE TABLE raw (id BIGINT, amount DECIMAL(12,2), status STRING, d DATE) USING parquet;
CREATE TABLE plain (id BIGINT, amount DECIMAL(12,2), status STRING) USING parquet;
CREATE TABLE parts (id BIGINT, amount DECIMAL(12,2), status STRING, d DATE) USING parquet PARTITIONED BY (status, d);
CREATE TABLE narrow (a INT, b STRING) USING csv;
CREATE TABLE texts (a CHAR(5), b VARCHAR(3)) USING parquet;
"""


def outcome_of(statement: str, profile: str = "spark-4.3", **settings: object):
    config = OptimizerConfig(profile=profile).with_settings({"spark.sql.adaptive.enabled": False} | settings)
    session = Session(config=config, infer=None)
    *_, last = session.run(f"{TABLES}{statement}", "physical")
    return last


def planned(statement: str, profile: str = "spark-4.3", **settings: object) -> QueryExecution:
    outcome = outcome_of(statement, profile, **settings)
    assert outcome.error is None
    assert outcome.execution is not None
    return outcome.execution


def lines(statement: str, profile: str = "spark-4.3") -> list[str]:
    return planned(statement, profile).text("physical").split("\n")


def test_a_dynamic_partition_is_sorted_and_a_fixed_one_is_not() -> None:
    first, *rest = lines("INSERT OVERWRITE parts PARTITION (status = 'done', d) SELECT id, amount, d FROM raw")
    assert first.startswith(
        "Execute InsertIntoHadoopFsRelationCommand file:/spark-warehouse/parts, [status=done], false,"
    )
    assert ", Overwrite, `spark_catalog`.`default`.`parts`, " in first
    assert first.endswith(", [id, amount, status, d]")
    assert rest[0] == "+- WriteFiles"
    assert rest[1].startswith("   +- *(1) Sort [d#")
    assert "done AS status#" in rest[2]


def test_names_of_partition_are_the_table_s_whatever_their_case_and_order() -> None:
    fixed = lines("INSERT INTO parts PARTITION (STATUS = 'a', D) SELECT id, amount, d FROM raw")[0]
    assert "/parts, [status=a], false, [" in fixed
    moved = planned("INSERT INTO parts PARTITION (d, status) SELECT id, amount, status, d FROM raw").text("optimized")
    assert "Sort [status#" in moved
    (guessed,) = Session(infer=True).run("INSERT INTO t PARTITION (day, region = 'EU') SELECT id, o.day FROM orders o")
    assert guessed.execution is not None
    assert "Sort [day#" in guessed.execution.text("optimized")


def test_the_query_s_columns_take_the_names_and_types_of_the_table() -> None:
    execution = planned("INSERT INTO narrow (b, a) SELECT status, id FROM raw")
    assert "cast(a#" in execution.text("analyzed").split("\n")[1]
    assert "AS b#" in execution.text("analyzed").split("\n")[2]
    assert "[a, b]" in execution.text("physical").split("\n")[0]
    missing = planned("INSERT INTO narrow (b) SELECT status FROM raw").text("optimized")
    assert "Project [null AS a#" in missing


def test_before_41_columns_that_have_the_names_already_stay() -> None:
    insert = "INSERT INTO plain SELECT id, amount, status FROM raw"
    assert " AS id#" in planned(insert).text("analyzed")
    assert " AS id#" not in planned(insert, "spark-4.0").text("analyzed")


def test_lengths_of_texts_are_checked() -> None:
    analyzed = planned("INSERT INTO texts SELECT status, status FROM raw").text("analyzed")
    assert "charTypeWriteSideCheck(cast(status#" in analyzed
    assert "varcharTypeWriteSideCheck(cast(status#" in analyzed


def test_the_whole_command_is_planned_anew_where_its_query_is() -> None:
    insert = "INSERT INTO plain SELECT id, sum(amount), status FROM raw GROUP BY id, status"
    adaptive = {"spark.sql.adaptive.enabled": True}
    first, second, *_ = planned(insert, **adaptive).text("physical").split("\n")
    assert first == "AdaptiveSparkPlan isFinalPlan=false"
    assert second.startswith("+- Execute InsertIntoHadoopFsRelationCommand")
    first, second, *_ = planned(insert, "spark-3.3", **adaptive).text("physical").split("\n")
    assert first.startswith("Execute InsertIntoHadoopFsRelationCommand")
    assert second == "+- AdaptiveSparkPlan isFinalPlan=false"


def test_the_formatted_mode_tells_what_comes_in_and_where_it_goes() -> None:
    text = planned("INSERT INTO plain SELECT id, amount, status FROM raw").explain_string("formatted")
    command = text[text.index(") Execute Insert", text.index("WriteFiles\nInput [3]: [id#")) :]
    assert command.split("\n")[1] == "Input: []"
    assert command.split("\n")[2].startswith("Arguments: file:/spark-warehouse/plain, false, Parquet, [path=")


def test_estimates_are_told_of_all_but_the_command() -> None:
    first, second, *_ = planned("INSERT INTO plain SELECT id, amount, status FROM raw").cost_text.split("\n")
    assert first.endswith("[id, amount, status]")
    assert second.startswith("+- WriteFiles, Statistics(sizeInBytes=")


def test_create_table_as_shows_the_write_that_it_runs_and_says_so() -> None:
    execution = planned("CREATE TABLE made USING orc PARTITIONED BY (status) AS SELECT status, id FROM raw")
    first, *rest = execution.text("physical").split("\n")
    assert first.endswith("ORC, [path=file:/spark-warehouse/made], Overwrite, [id, status]")
    assert "Sort [status#" in rest[1]
    assert any("EXPLAIN of CREATE TABLE AS ends" in w for w in execution.warnings)


def test_a_table_that_nobody_describes_has_the_query_s_columns() -> None:
    session = Session(infer=True)
    (outcome,) = session.run("INSERT INTO mart.daily PARTITION (region = 'EU', day) SELECT id, o.day FROM orders o")
    assert outcome.execution is not None
    first = outcome.execution.text("optimized").split("\n")[0]
    assert first.startswith(
        "InsertIntoHadoopFsRelationCommand file:/spark-warehouse/mart.db/daily, [region=EU], false, ["
    )
    assert first.endswith("[id, region, day]")
    assert "The table mart.daily is not described" in " ".join(outcome.execution.warnings)


@pytest.mark.parametrize(
    ("insert", "error"),
    [
        ("INSERT INTO plain SELECT id, amount FROM raw", "INSERT_COLUMN_ARITY_MISMATCH.NOT_ENOUGH_DATA_COLUMNS"),
        ("INSERT INTO parts PARTITION (nosuch = 1) SELECT 1", "PARTITIONS_NOT_FOUND"),
        ("INSERT INTO parts PARTITION (status = 'a') SELECT id, amount, d FROM raw", "_LEGACY_ERROR_TEMP_1169"),
        ("INSERT INTO parts PARTITION (d = 'a', status) SELECT id, amount, status FROM raw", "_LEGACY_ERROR_TEMP_1147"),
        ("INSERT OVERWRITE plain SELECT * FROM plain", "UNSUPPORTED_OVERWRITE.TABLE"),
        ("INSERT INTO plain (id, nosuch) SELECT 1, 2", "UNRESOLVED_COLUMN.WITH_SUGGESTION"),
    ],
)
@pytest.mark.parametrize("before", ["", "EXPLAIN "])
def test_what_does_not_fit_is_refused_explained_or_not(before: str, insert: str, error: str) -> None:
    found = outcome_of(before + insert).error
    assert found is not None
    assert getattr(found, "error_class", "") == error


def test_tables_of_other_formats_keep_the_query_s_plan_and_a_word_about_it() -> None:
    script = "CREATE TABLE lake (id BIGINT) USING delta; INSERT INTO lake SELECT id FROM raw"
    execution = planned(script)
    assert "Insert" not in execution.text("physical")
    assert any("whose rows are written" in w for w in execution.warnings)


@pytest.mark.parametrize("layout", ["PARTITIONED BY (z)", "CLUSTERED BY (z) INTO 4 BUCKETS"])
def test_a_table_is_laid_out_by_columns_that_it_has(layout: str) -> None:
    found = outcome_of(f"CREATE TABLE made USING parquet {layout} AS SELECT id, status FROM raw").error
    assert getattr(found, "error_class", "") == "COLUMN_NOT_DEFINED_IN_TABLE"


@pytest.mark.parametrize(
    "target", ["t PARTITION (a, b) SELECT 1", "t (a, b) SELECT 1", "t PARTITION (a) SELECT 1 AS a, 2"]
)
def test_a_target_that_fits_no_query_is_not_guessed(target: str) -> None:
    (outcome,) = Session(infer=True).run(f"INSERT INTO {target}")
    assert outcome.error is None
    assert outcome.execution is not None
    assert "Insert" not in outcome.execution.text("optimized")
