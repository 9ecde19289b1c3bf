"""SQL with the placeholders of dbt, Airflow, Databricks and Python, and parameters without values."""

from __future__ import annotations

import re

import pytest

from planviz.config import OptimizerConfig
from planviz.document import open_text
from planviz.document.opening.templates import read_template
from planviz.graph import PlanGraph
from tests.steps import steps


def sql(text: str) -> str:
    template = read_template(text)
    return " ".join((text if template is None else template.sql).split())


def tight(text: str) -> str:
    """A text without the blanks beside brackets and commas, which only keep columns in their places."""
    return re.sub(r"\s*([(),])\s*", r"\1", " ".join(text.split()))


def conditions(plan: PlanGraph) -> list[str]:
    return [str(node.arguments["condition"]) for node in plan if node.op == "Filter"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("select * from {{ ref('pkg', 'orders') }}", "select * from orders"),
        ("select * from {{ source(\"raw\", 'orders') }} o", "select * from raw.orders o"),
        ("{{ config(x='y') }} {# why #} select 1 from {{ this }}", "select 1 from this"),
        ("select 1 from t {% if a %} where b {% else %} where c {% endif %}", "select 1 from t where b"),
        (
            "select {% for c in cs %} {{ c }}_x{% if not loop.last %},{% endif %} {% endfor %} from t",
            "select c_x from t",
        ),
        ("{% macro f(x) %} drop {{ x }} {% endmacro %} select 1", "select 1"),
        ("{% set n = 3 %}{% set t = 'orders' %} select * from {{ t }} limit {{ n }}", "select * from orders limit 3"),
        ("select * from t where a > {{ var('days', 7) }}", "select * from t where a > 7"),
        ("select * from ${db}.orders where n = ${hivevar:n}", "select * from db.orders where n = 1"),
        (
            "select * from {schema}.orders where {cond} and a in ({ids})",
            "select * from schema.orders where true and a in (1 )",
        ),
        ("select * from t where {col} = 5 and {other} is null", "select * from t where col = 5 and other is null"),
        ("select * from t where a between ${x} and ${y}", "select * from t where a between 1 and 1"),
        ("select %(cols)s from t where a = %s", "select cols from t where a = 1"),
        ("select a %s, 5 %(b)s from t", "select a %s, 5 %(b)s from t"),
        ("select '{{ ds }}', \"${x}\", '{y}' -- {z}", "select '{{ ds }}', \"${x}\", '{y}' -- {z}"),
        ("select map('a', 1) from t", "select map('a', 1) from t"),
        ("select {{ unfinished", "select {{ unfinished"),
    ],
)
def test_a_template_is_read_as_far_as_the_text_tells(text: str, expected: str) -> None:
    assert sql(text) == expected


def test_lines_and_columns_stay() -> None:
    text = "{{ config(\n  a=1) }}\nselect *\nfrom {{ ref('orders') }} o where o.a = {{ var('long_name') }}\n and o.b"
    template = read_template(text)
    assert template is not None
    assert len(template.sql) == len(text)
    assert template.sql.index("and o.b") == text.index("and o.b")


def test_what_is_left_out_and_what_stands_in_place_is_told() -> None:
    document = open_text(
        "select * from {{ ref('orders') }} {% if a %} where x = {{ x }} {% else %} where y {% endif %}"
        " {% for z in zs %}{% endfor %}"
    )
    assert document.error is None
    assert document.notes[-4:] == (
        "Taken off before reading: dbt's braces around names.",
        "Of the template's branches ({% if %}) the first is read.",
        "The body of the template's loop ({% for %}) is read once.",
        "Values that the text does not tell (x) stand as names, as 1 or as true in the query.",
    )


def test_many_tags_take_time_in_step_with_their_number() -> None:
    for text in ("{{" * 50_000, "{%" * 50_000, "{" * 100_000, "${" * 50_000, "%(" * 50_000):
        assert read_template(f"select {text}") is None
    template = read_template("select " + ", ".join(["{{ x }}"] * 5_000) + " from t")
    assert template is not None
    assert template.sql.count("x") == 5_000
    nested = read_template("{% if a %}" * 20_000 + "select 1" + "{% endif %}" * 20_000)
    assert nested is not None
    assert nested.sql.strip() == "select 1"


def test_parameters_without_values_keep_their_names() -> None:
    document = open_text("SELECT * FROM orders WHERE id = :id AND ds >= :from_day")
    assert document.error is None
    assert conditions(document.plans[-1]) == [
        "((isnotnull(id#1L) AND isnotnull(ds#2)) AND (id#1L = cast(<id> as bigint))) AND (ds#2 >= <from_day>)"
    ]
    assert document.notes[-1].startswith(
        "Parameters without values (<from_day>, <id>) stand in the plan by their names"
    )
    by_place = open_text("SELECT * FROM orders WHERE id = ?")
    assert conditions(by_place.plans[-1]) == ["isnotnull(id#1L) AND (id#1L = cast(<?1> as bigint))"]


def test_parameters_that_decide_what_is_planned_are_still_asked_for() -> None:
    document = open_text("SELECT * FROM orders LIMIT :n")
    assert document.error is not None
    assert "unbound parameter: n" in str(document.error)


def test_a_column_whose_path_is_taken_is_guessed_a_variant() -> None:
    document = open_text("SELECT id, data:name::string AS name FROM events WHERE data:age::int > 3")
    assert document.error is None
    assert "cast(variant_get(data#4, $.age, VariantType, true" in conditions(document.plans[1])[0]


def test_a_text_that_a_template_fills_in_is_no_date_that_cannot_be_read():
    tables = "create table o (k bigint, d date, s string) using parquet;\n"
    query = (
        "select k from o where d = '{{ ds }}' and d >= date_sub('${hiveconf:dt}', 7) and d < date '%(to)s'"
        " and k = '{id}' and s = '{{ word }}' and s rlike 'a{4}'"
    )
    document = open_text(tables + query)
    assert document.error is None
    (condition,) = conditions(document.plans[-1])
    for part in (
        "d#2 = cast(<ds> as date)",
        "date_sub(cast(<hiveconf:dt> as date), 7)",
        "cast(<to> as date)",
        "k#1L = cast(<id> as bigint)",
        "s#3 = {{ word }}",  # a text among texts stays as it is written
        "RLIKE(s#3, a{4})",
    ):
        assert part in condition
    assert any("<ds>, <hiveconf:dt>, <id>, <to>" in note for note in document.notes)


@pytest.mark.parametrize("profile", ["spark-3.5", "spark-4.3"])
def test_where_a_cast_of_it_would_give_null_it_is_not_calculated_either(profile):
    text = "create table o (d date) using parquet;\nselect * from o where d = to_date('{{ ds }}', 'yyyy-MM-dd')"
    document = open_text(text, config=OptimizerConfig.of(profile))
    assert document.error is None
    (condition,) = conditions(document.plans[-1])
    assert "<ds>" in condition


def test_a_brace_in_a_text_is_no_value_of_a_template():
    text = "select cast('{\"a\": 1}' as date), from_json('{\"a\": 1}', 'a int')"
    assert not any("template" in note for note in open_text(text).notes)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "{% set ms = ['card', 'gift card'] %}select {% for m in ms %}sum(case when m = '{{ m }}' then 1 end) as "
            "{{ m | replace(' ', '_') }}_n{% if not loop.last %}, {% endif %}{% endfor %} from t",
            "select sum(case when m = 'card' then 1 end) as card_n, "
            "sum(case when m = 'gift card' then 1 end) as gift_card_n from t",
        ),
        (
            "{% set d = {'a': 'sum', 'b': 'max'} %}select {% for c, f in d.items() %}{{ f }}({{ c }}) {{ f ~ '_' ~ c }}"
            "{{ ', ' if not loop.last }}{% endfor %} from t",
            "select sum(a) sum_a, max(b) max_b from t",
        ),
        ("{% for i in range(1, 4) %}select {{ i }}{{ ' union all ' if not loop.last }}{% endfor %}",
         "select 1 union all select 2 union all select 3"),
        ("{% set n = 3 %}select 1 {% if n > 3 %} a {% elif n == 3 and n is odd %} b {% else %} c {% endif %}",
         "select 1 b"),
        ("{% set xs = [] %}select 1{% for x in xs %}, {{ x }}{% else %}, 2{% endfor %}", "select 1 , 2"),
        (
            "{% macro dollars(c, scale=2) -%} round({{ c }} / 100, {{ scale }}) -- whole cents\n {%- endmacro %}"
            "select {{ dollars('amount') }} a, {{ dollars('tax', scale=4) }} b from t",
            "select round(amount / 100, 2) a, round(tax / 100, 4) b from t",
        ),
        ("{% set where %}\n a > 1 {# no #}\n{% endset %}select * from t where {{ where }}",
         "select * from t where a > 1"),
        ("{% set cs = [] %}{% for x in 'a b'.split() %}{% do cs.append('t.' ~ x) %}{% endfor %}"
         "select {{ cs | join(', ') }}",
         "select t.a, t.b"),
        ("{% set ns = namespace(n=0) %}{% for x in [1, 2] %}{% set ns.n = ns.n + x %}{% endfor %}select {{ ns.n }}",
         "select 3"),
        ("select {{ dbt_utils.star(ref('t'), except=['a']) }} from t {{ dbt_utils.group_by(2) }}",
         "select * except (a) from t group by 1, 2"),
        ("select {{ dbt.date_trunc('month', 'd') }} from t", "select date_trunc('month', d) from t"),
        ("{% for x in [1, 2] if x > 1 %}select {{ x }}{% endfor %}", "select 2"),
        ("{% set t = ref('orders') %}select * from {{ t }} -- {{ t }}", "select * from orders -- {{ t }}"),
    ],
)  # fmt: skip
def test_loops_branches_and_macros_whose_values_the_text_tells_are_followed(text: str, expected: str) -> None:
    assert tight(sql(text)) == tight(expected)


def test_what_a_loop_repeats_stays_on_its_lines() -> None:
    text = (
        "select\n  a,\n{% for m in ['x', 'y', 'z'] %}\n  max({{ m }}) as {{ m }}_max, -- the largest\n{% endfor %}\n"
        "  b\nfrom t\ngroup by nowhere"
    )
    template = read_template(text)
    assert template is not None
    lines = [tight(line) for line in template.sql.split("\n")]
    assert lines[3:5] == ["max(x)as x_max,-- the largest", "max(y)as y_max,max(z)as z_max,"]
    assert lines[5:] == ["b", "from t", "group by nowhere"]
    assert template.notes == ()


MAKES_MUCH = {
    "loops in loops": "select 1 {% for i in range(999) %}{% for j in range(999) %}, {{ i }}{% endfor %}{% endfor %}",
    "a macro in itself": "{% macro f() %}{{ f() }}, {{ f() }}{% endmacro %}select {{ f() }}",
    "a text doubled": "{% set a = 'x' %}" + "{% set a = a ~ a %}" * 60 + "select {{ a }}",
    "a number squared": "{% set a = 3 %}" + "{% set a = a * a %}" * 60 + "select {{ a }}",
    "a list of itself twice": "{% set a = [1] %}" + "{% set a = [a, a] %}" * 60 + "select {{ a }} {{ a | join }}",
    "a list in itself": "{% set a = [1] %}{% do a.append(a) %}select {{ a }} {{ a == [a] }}",
    "a long text, often": "{% set a = 'x' %}" + "{% set a = a ~ a %}" * 16 + "select " + "{{ a }}, " * 5_000,
    "brackets": "select {{ " + "(" * 3_000 + " }} {% if " + "not " * 900 + "x %}{% endif %}",
    "powers": "select {{ 10 ** 10 ** 10 }} {{ 5 | round(-1000000000) }} {{ range(10 ** 30) }} {{ 'x' * 1000000000 }}",
    "deep loops": "{% for a in [1] %}" * 500 + "select 1" + "{% endfor %}" * 500,
    "loops without an end": "select 1 {% for x in range(1000) %}" * 30,
    "deep texts": "{% set x %}" * 300 + "{% endset %}" * 300,
}


@pytest.mark.parametrize("text", MAKES_MUCH.values(), ids=MAKES_MUCH.keys())
def test_a_template_that_makes_much_of_itself_is_read_in_bounded_time(text: str) -> None:
    assert steps(lambda: read_template(text)) < 3_000_000
