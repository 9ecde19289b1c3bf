"""Statements that Spark 4.3 refuses, and the error class that it gives."""

from __future__ import annotations

import pytest

from planviz.config import OptimizerConfig
from planviz.execution import Session

FRAME = "select sum(n) over ({}) from p"
#: What every statement may read.
SETUP = "create temp view p as select * from values (1, 'a', 1.5), (2, 'b', null) p(n, s, d)"
_CATEGORY = "UNSUPPORTED_SUBQUERY_EXPRESSION_CATEGORY"
REFUSED = [
    (FRAME.format("order by s range between 1 preceding and current row"), "SPECIFIED_WINDOW_FRAME_UNACCEPTED_TYPE"),
    (FRAME.format("order by n rows between 0.5 preceding and current row"), "SPECIFIED_WINDOW_FRAME_UNACCEPTED_TYPE"),
    (FRAME.format("order by n rows between 3 following and 2 following"), "SPECIFIED_WINDOW_FRAME_WRONG_COMPARISON"),
    (
        FRAME.format("order by n rows between current row and unbounded preceding"),
        "SPECIFIED_WINDOW_FRAME_INVALID_BOUND",
    ),
    (FRAME.format("order by n, s range between 1 preceding and current row"), "RANGE_FRAME_MULTI_ORDER"),
    ("select rank() over (order by n rows 2 preceding) from p", "_LEGACY_ERROR_TEMP_1036"),
    ("select sum(distinct n) over (partition by s) from p", "DISTINCT_WINDOW_FUNCTION_UNSUPPORTED"),
    ("select ntile(n) over (order by n) from p", "NON_FOLDABLE_INPUT"),
    ("select sum(rand(1)) from p", "AGGREGATE_FUNCTION_WITH_NONDETERMINISTIC_EXPRESSION"),
    ("select s from p qualify s = 'a'", "QUALIFY_REQUIRES_WINDOW_FUNCTION"),
    ("select 1 + explode(array(n)) from p", "UNSUPPORTED_GENERATOR.NESTED_IN_EXPRESSIONS"),
    ("select * from explode(explode(array(array(1))))", "UNSUPPORTED_GENERATOR.NESTED_IN_EXPRESSIONS"),
    ("select * from range(1, 5, 0)", "FAILED_FUNCTION_CALL"),
    ("select interval 1 fake_unit", "PARSE_SYNTAX_ERROR"),
    ("select interval 1 year to month", "_LEGACY_ERROR_TEMP_0027"),
    ("select interval 1 year '2-1' year to month", "_LEGACY_ERROR_TEMP_0024"),
    ("select interval '10-9' year to month '2-1' year to month", "_LEGACY_ERROR_TEMP_0024"),
    ("select interval '178956970-8' year to month", "INVALID_INTERVAL_FORMAT.INTERVAL_PARSING"),
    ("select interval '106751992 04' day to hour", "_LEGACY_ERROR_TEMP_0063"),
    ("select interval 10 nanoseconds", "INVALID_INTERVAL_FORMAT.INVALID_UNIT"),
    ("select s from p order by explode(array(n))", "UNSUPPORTED_GENERATOR.OUTSIDE_SELECT"),
    ("select explode(array(1)), explode(array(2)) from p group by s", "UNSUPPORTED_GENERATOR.MULTI_GENERATOR"),
    ("select map(n, s) from p union select map(1, 'b')", "UNSUPPORTED_FEATURE.SET_OPERATION_ON_MAP_TYPE"),
    ("select * from p a join p b on a.n = b.n and sum(a.n) > 1", "UNSUPPORTED_EXPR_FOR_OPERATOR"),
    ("select * from p right join lateral (select 1) on true", "INVALID_LATERAL_JOIN_TYPE"),
    ("select * from values (rand())", "INVALID_INLINE_TABLE.CANNOT_EVALUATE_EXPRESSION_IN_INLINE_TABLE"),
    ("select sum(n) over w from p window w as (order by n), w as ()", "REPETITIVE_WINDOW_DEFINITION"),
    (
        "select s, (select max(q.n) from p q where q.n = p.n) from p group by s",
        "SCALAR_SUBQUERY_IS_IN_GROUP_BY_OR_AGGREGATE_FUNCTION",
    ),
    (
        FRAME.format("order by date'2024-01-01' range between interval 1 hour preceding and current row"),
        "RANGE_FRAME_INVALID_TYPE",
    ),
    (
        "select listagg(s, ',') within group (order by s) over (order by n) from p",
        "INVALID_WINDOW_SPEC_FOR_AGGREGATION_FUNC",
    ),
    ("select listagg(encode(s, 'utf-8'), ',') from p", "DATA_DIFF_TYPES"),
    ("select approx_count_distinct(n, 0.5) from p", "FAILED_FUNCTION_CALL"),
    ("select * from p natural cross join p q", "INCOMPATIBLE_JOIN_TYPES"),
    ("select * from p natural join lateral (select 1 as n)", "INCOMPATIBLE_JOIN_TYPES"),
    ("select * from p join lateral (select 1 as n) q using (n)", "UNSUPPORTED_FEATURE.LATERAL_JOIN_USING"),
    ("select * from p q tablesample (10 percent)", "PARSE_SYNTAX_ERROR"),
    ("with r(n) max recursion level 3 as (select 1) select * from r", "_LEGACY_ERROR_TEMP_0035"),
    (
        "with recursive r(n) as (select 1 union all select n + 1L from r) select * from r",
        "CANNOT_MERGE_INCOMPATIBLE_DATA_TYPE",
    ),
    ("with recursive r(n) as (select 1 union all select n, 2 from r) select * from r", "NUM_COLUMNS_MISMATCH"),
    ("select * from (select map(s, n) m, n from p) pivot (sum(n) for m in (map('a', 1)))", "INCOMPARABLE_PIVOT_COLUMN"),
    ("select * from values ((select 1)) as t(a)", "UNSUPPORTED_SUBQUERY_EXPRESSION_CATEGORY.SCALAR_SUBQUERY_IN_VALUES"),
    (
        "select transform(array(n), x -> x + (select 1)) from p",
        "UNSUPPORTED_SUBQUERY_EXPRESSION_CATEGORY.HIGHER_ORDER_FUNCTION",
    ),
    (
        "select transform(array(n), x -> (select x)) from p",
        "UNSUPPORTED_SUBQUERY_EXPRESSION_CATEGORY.HIGHER_ORDER_FUNCTION",
    ),
    ("select n + sum(n) from p group by all", "UNRESOLVED_ALL_IN_GROUP_BY"),
    ("select sum(n) over (order by n) from p group by all", "UNRESOLVED_ALL_IN_GROUP_BY"),
    ("select n in (values (1), (2)) from p", "UNRESOLVED_ROUTINE"),
    (
        "select n from p order by exists (select 1 from p q where q.n = p.n)",
        f"{_CATEGORY}.UNSUPPORTED_IN_EXISTS_SUBQUERY",
    ),
    ("select n from p sort by all", "UNRESOLVED_COLUMN.WITH_SUGGESTION"),
    ("select * from p where struct(n, s) in (select struct(n, s) from p)", "IN_SUBQUERY_LENGTH_MISMATCH"),
    ("select extract('year' from current_date)", "PARSE_SYNTAX_ERROR"),
    ("select extract(day from interval '10:11' hour to minute)", "INVALID_EXTRACT_FIELD"),
    ("select extract(month from interval '3' year)", "INVALID_EXTRACT_FIELD"),
    ("select greatest(map('a', 1), map('b', 2))", "INVALID_ORDERING_TYPE"),
    ("select concat(map('a', 1), map('b', 2))", "UNEXPECTED_INPUT_TYPE"),
    ("select map_concat(map('a', 1), map(1, 1))", "DATA_DIFF_TYPES"),
    ("select to_json(n) from p", "INVALID_JSON_SCHEMA"),
    ("select to_csv(array(n)) from p", "UNSUPPORTED_INPUT_TYPE"),
    ("select from_xml(s, 'array<int>') from p", "INVALID_XML_SCHEMA"),
    ("select json_tuple(s, 1) from p", "NON_STRING_TYPE"),
    ("select array_sort(array(1), (a, b) -> 'x')", "UNEXPECTED_RETURN_TYPE"),
    ("select sort_array(array(1), n) from p", "NON_FOLDABLE_INPUT"),
    ("select array_insert(array(1), '1', 2)", "UNEXPECTED_INPUT_TYPE"),
    ("select to_binary(s, 'foo') from p", "INVALID_ARG_VALUE"),
    ("select raise_error(s, n) from p", "WRONG_NUM_ARGS.WITHOUT_SUGGESTION"),
    ("select mask('abc', str => 'x')", "DUPLICATE_ROUTINE_PARAMETER_ASSIGNMENT.BOTH_POSITIONAL_AND_NAMED"),
    ("select cast(struct(n) as variant) from p", "CAST_WITHOUT_SUGGESTION"),
]


@pytest.mark.parametrize(("sql", "error_class"), REFUSED)
def test_a_statement_is_refused_with_spark_s_class(sql, error_class):
    session = Session()
    *_, outcome = session.run(f"{SETUP}; {sql}")

    assert outcome.error is not None
    assert outcome.error.error_class in (
        error_class,
        f"DATATYPE_MISMATCH.{error_class}",
        f"INVALID_SQL_SYNTAX.{error_class}",
    )


def test_a_scalar_subquery_that_may_give_more_rows_becomes_a_join_that_fails_on_the_second():
    *_, outcome = Session().run(f"{SETUP}; select n, (select q.s from p q where q.n = p.n) from p", "optimized")

    assert "Join LeftSingle, (n#" in outcome.execution.text("optimized")


def test_a_subquery_of_a_join_s_condition_reads_one_of_its_sides():
    asked = "exists (select 1 from p c where c.n = a.n and c.s = b.s)"
    *_, outcome = Session().run(f"{SETUP}; select * from p a join p b on a.n = b.n and {asked}", "optimized")

    assert outcome.error.error_class.endswith(".UNSUPPORTED_CORRELATED_EXPRESSION_IN_JOIN_CONDITION")


def test_before_spark_4_a_lambda_may_hold_a_subquery():
    config = OptimizerConfig.of("spark-3.5")
    *_, outcome = Session(config=config).run(f"{SETUP}; select transform(array(n), x -> x + (select 1)) from p")

    assert outcome.error is None


def test_a_view_may_hold_a_with_clause():
    *_, outcome = Session().run(
        "create temp view v as with c as (select 1 as one) select one + 1 as two from c; table v"
    )

    assert outcome.error is None
    assert "CTERelationRef 0" in outcome.execution.text("analyzed")


ARGUMENTS = [
    ("array(1, array(2))", "DATA_DIFF_TYPES"),
    ("map(map(1, 2), 3)", "INVALID_MAP_KEY_TYPE"),
    ("map(1, 2, 'a', 3, true, 4)", "CREATE_MAP_KEY_DIFF_TYPES"),
    ("named_struct(n, 2)", "CREATE_NAMED_STRUCT_WITHOUT_FOLDABLE_STRING"),
    ("array_contains(array(n), 'a')", "ARRAY_FUNCTION_DIFF_TYPES"),
    ("array_contains(array(n), null)", "NULL_TYPE"),
    ("array_union(array(n), n)", "BINARY_ARRAY_DIFF_TYPES"),
    ("flatten(array(n))", "UNEXPECTED_INPUT_TYPE"),
    ("element_at(map(s, 1), array(2))", "MAP_FUNCTION_DIFF_TYPES"),
    ("date_add(current_date(), 1.5)", "UNEXPECTED_INPUT_TYPE"),
    ("aggregate(array(n), 'a', (x, y) -> y)", "UNEXPECTED_INPUT_TYPE"),
    ("percentile(n, 1.5)", "VALUE_OUT_OF_RANGE"),
    ("percentile_approx(n, 0.5, 0)", "VALUE_OUT_OF_RANGE"),
    ("collect_set(map(n, s))", "UNSUPPORTED_INPUT_TYPE"),
    ("ntile(0) over (order by n)", "VALUE_OUT_OF_RANGE"),
    ("ntile(2L) over (order by n)", "UNEXPECTED_INPUT_TYPE"),
    ("nth_value(n, 0) over (order by n)", "VALUE_OUT_OF_RANGE"),
    ("rand(n)", "SEED_EXPRESSION_IS_UNFOLDABLE"),
    ("lag(n) over ()", "WINDOW_FUNCTION_FRAME_NOT_ORDERED"),
    ("upper(s) over (order by n)", "UNSUPPORTED_EXPR_FOR_WINDOW"),
    ("percentile_cont(0.5) within group (order by n) over (order by n)", "INVALID_WINDOW_SPEC_FOR_AGGREGATION_FUNC"),
    ("sum(n) within group (order by n)", "FUNCTION_WITH_UNSUPPORTED_SYNTAX"),
    ("percentile_cont(0.5)", "INVALID_WITHIN_GROUP_EXPRESSION.WITHIN_GROUP_MISSING"),
    ("mode(n) within group (order by n)", "INVALID_WITHIN_GROUP_EXPRESSION.WRONG_NUM_ORDERINGS"),
    ("mode(distinct n)", "INVALID_WITHIN_GROUP_EXPRESSION.DISTINCT_UNSUPPORTED"),
    ("listagg(distinct s) within group (order by n)", "INVALID_WITHIN_GROUP_EXPRESSION.MISMATCH_WITH_DISTINCT_INPUT"),
    ("s:a", "COLUMN_IS_NOT_VARIANT_TYPE"),
]


CLAUSES = [
    ("select * except (n, n) from p", "EXCEPT_OVERLAPPING_COLUMNS"),
    ("select n.* from p", "_LEGACY_ERROR_TEMP_1050"),
    ("select struct(n)[0] from p", "INVALID_EXTRACT_FIELD_TYPE"),
    ("select sum(n) as x, sum(x) over () from p", "UNSUPPORTED_FEATURE.LATERAL_COLUMN_ALIAS_IN_WINDOW"),
    ("select * from p unpivot (v for k in (n, s))", "UNPIVOT_VALUE_DATA_TYPE_MISMATCH"),
    ("select * from p pivot (n for s in ('a'))", "_LEGACY_ERROR_TEMP_1006"),
    ("select * from p pivot (sum(d) for n in ('a'))", "CAST_INVALID_INPUT"),
    ("select * from p pivot (sum(d) for (n, s) in (1))", "PIVOT_VALUE_DATA_TYPE_MISMATCH"),
    ("select upper(str => s) from p", "NAMED_PARAMETERS_NOT_SUPPORTED"),
    ("select mask(str => s, nope => 'x') from p", "UNRECOGNIZED_PARAMETER_NAME"),
    ("select mask(lowerChar => 'x') from p", "REQUIRED_PARAMETER_NOT_FOUND"),
    ("select mask(str => s, 'x') from p", "UNEXPECTED_POSITIONAL_ARGUMENT"),
]


@pytest.mark.parametrize(("sql", "error_class"), CLAUSES)
def test_clauses_that_do_not_fit_are_refused_with_spark_s_class(sql, error_class):
    test_a_statement_is_refused_with_spark_s_class(sql, error_class)


@pytest.mark.parametrize(("expression", "error_class"), ARGUMENTS)
def test_arguments_that_do_not_fit_are_refused_with_spark_s_class(expression, error_class):
    test_a_statement_is_refused_with_spark_s_class(f"select {expression} from p", error_class)


def test_a_path_into_a_variant_names_its_column():
    *_, outcome = Session().run("select v:a[0]['x y'], v:k::int from (select parse_json('{}') as v)")

    assert outcome.execution.text("parsed").startswith("'Project [semistructuredextract('v, $.a[0]['x y']) AS x y#")
    first = outcome.execution.text("analyzed").partition("\n")[0]
    assert "variant_get(v#" in first
    assert "$.k, VariantType, true, Some(" in first
    assert " as int) AS k#" in first


def test_arguments_by_name_come_in_the_order_of_the_parameters():
    *_, outcome = Session().run("select mask('aB1', digitChar => 'd', upperChar => 'U')")

    assert "mask(aB1, digitChar => d, upperChar => U)" in outcome.execution.text("parsed")
    assert "mask(aB1, U, x, d, null)" in outcome.execution.text("analyzed")


def test_grouping_analytics_may_follow_grouping_sets():
    *_, outcome = Session().run(f"{SETUP}; select n, s, d from p group by grouping sets ((n, s)), cube(d)")

    assert "groupingsets(Vector(0, 1), 'n, 's), cube(Vector(0), 'd)" in outcome.execution.text("parsed")
    assert outcome.error is None


def test_a_field_of_null_is_null():
    *_, outcome = Session().run("select x.a, x[0] from (select null as x)")

    assert outcome.execution.text("analyzed").startswith("Project [null AS a#")


FORMATS = [
    ("''", "EMPTY"),
    ("'9x'", "UNEXPECTED_TOKEN"),
    ("'PR9'", "UNEXPECTED_TOKEN"),
    ("'S'", "WRONG_NUM_DIGIT"),
    ("'9.9.9'", "WRONG_NUM_TOKEN"),
    ("'SS9'", "WRONG_NUM_TOKEN"),
    ("'9$'", "CUR_MUST_BEFORE_DIGIT"),
    ("'9.9,9'", "THOUSANDS_SEPS_MUST_BEFORE_DEC"),
    ("'9,,9'", "CONT_THOUSANDS_SEPS"),
]


@pytest.mark.parametrize(("text", "subclass"), FORMATS)
def test_a_number_format_that_is_none_is_refused(text, subclass):
    for call in (f"to_char(n, {text})", f"to_number(s, {text})"):
        *_, outcome = Session().run(f"{SETUP}; select {call} from p")
        assert outcome.error is not None
        assert outcome.error.error_class == f"INVALID_FORMAT.{subclass}"


@pytest.mark.parametrize("text", ["'S$9,999.99'", "'$0G999D00PR'", "'9MI'", "'.99'", "'999.'"])
def test_a_number_format_is_taken(text):
    *_, outcome = Session().run(f"{SETUP}; select to_number(s, {text}) from p")
    assert outcome.error is None


def test_variants_are_no_keys_of_groups():
    test_a_statement_is_refused_with_spark_s_class(
        "select count(*) from p group by parse_json(s)", "GROUP_EXPRESSION_TYPE_IS_NOT_ORDERABLE"
    )


def test_what_a_range_is_made_of_may_be_computed():
    *_, outcome = Session().run("select * from range(bigint('+5'), 2 + 6)")
    assert outcome.error is None
    assert "Range (5, 8, step=1" in outcome.execution.text("analyzed")


@pytest.mark.parametrize(
    ("sql", "near"),
    [
        ("select countif(n > 1) over () from p", "Did you mean count_if?"),
        ("select sume(n) over () from p", "Did you mean sum"),
    ],
)
def test_an_unknown_function_is_refused_with_the_nearest_names(sql, near):
    assert "UNRESOLVED_ROUTINE" in told(sql)
    assert near in told(sql)


def test_what_a_position_stands_for_is_what_is_wrong():
    assert "UNRESOLVED_COLUMN" in told("select nope, count(*) from p group by 1")


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        ("select * from p where a = 1 && b = 2", "AND says the same"),
        ("select n from p limit 5, 10", "LIMIT 10 OFFSET 5 says the same"),
        ("select n from p fetch first 5 rows only", "LIMIT 5 says the same"),
        ("select n from p where s ~ 'x'", "RLIKE says the same"),
        ("select * exclude (s) from p", "EXCEPT (...) says the same"),
        ("select * from p cross apply (select 1) x", "CROSS JOIN LATERAL (...) says the same"),
        ("select * from p outer apply (select 1) x", "LEFT JOIN LATERAL (...) ON true says the same"),
        ("select safe_cast(s as int64) from p", "TRY_CAST says the same"),
        ("select * from unnest(array[1, 2])", "array(...) says the same"),
        ("select d at time zone 'UTC' from p", "from_utc_timestamp(t, zone)"),
        ("select * from p a, p b where a.n = b.n(+)", "LEFT JOIN ... ON says the same"),
        ("select * from p with (nolock)", "take it away"),
        ("select cast(n as text) from p", "Spark's name for it is STRING"),
        ("select n::int8 from p", "Spark's name for it is BIGINT"),
        ("select * from p where current_date() > 2024-01-31", "the date is DATE '2024-01-31'"),
        ("select * from p where a = 1 || b = 2 && s = 'x'", "AND says the same"),
    ],
)
def test_what_others_read_is_refused_with_what_spark_has(sql, words):
    assert words in told(sql)
    assert "Did you mean" not in told(sql)


def told(sql: str) -> str:
    """What is wrong with the last statement."""
    config = OptimizerConfig().with_settings({"planviz.unknownFunctions": "refuse"})
    *_, outcome = Session(config=config).run(f"{SETUP}; {sql}")
    return str(outcome.error)


@pytest.mark.parametrize(
    ("sql", "column"),
    [
        # Spark points to the word of a predicate, and to the call whose argument is wrong.
        ("select n in (select n, s from p) from p", 10),
        ("select n, s not in (select n, s from p) from p", 13),
        ("select 1 + date_part('foo', d) from p", 12),
    ],
)
def test_errors_stand_where_spark_says(sql, column):
    *_, outcome = Session().run(f"{SETUP};\n{sql}")
    assert outcome.error is not None
    assert (outcome.error.line, outcome.error.column) == (2, column)
