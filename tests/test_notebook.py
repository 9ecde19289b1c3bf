"""`planviz.show`, `diff`, `explain` and the magic, as a notebook uses them."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest

import planviz
from planviz.catalogs import find
from planviz.dataframe import session
from planviz.errors import AnalysisError, InputError, ParseError
from tests.acceptance.engines import real_spark, skip_without_java

QUERY = "SELECT c_name FROM customer JOIN orders ON c_custkey = o_custkey"
PASTED = "== Physical Plan ==\n*(1) Filter (a#1 > 5)\n+- *(1) Range (0, 10, step=1, splits=2)\n"


def page_of(shown: planviz.notebook.Shown) -> str:
    return unescape(re.search(r'srcdoc="([^"]*)"', shown._repr_html_())[1])


def test_sql_is_shown_with_all_its_stages_in_a_frame_that_sees_nothing_of_the_notebook():
    shown = planviz.show(QUERY, catalog="tpch")

    frame = shown._repr_html_()
    assert 'sandbox="allow-scripts allow-downloads"' in frame
    assert page_of(shown) == shown.html
    assert "Content-Security-Policy" in shown.html
    assert "BroadcastHashJoin" in repr(shown) or "SortMergeJoin" in repr(shown)
    for stage in ("Parsed Logical Plan", "Analyzed Logical Plan", "Optimized Logical Plan", "Physical Plan"):
        assert stage in shown.html


@pytest.mark.parametrize("kind", ["text", "file", "frame", "execution", "document"])
def test_whatever_holds_a_plan_is_shown(kind, tmp_path: Path):
    from planviz.document import open_text

    (tmp_path / "plan.txt").write_text(PASTED)
    source = {
        "text": PASTED,
        "file": tmp_path / "plan.txt",
        "frame": session(find("tpch")).table("nation").where("n_nationkey > 5"),
        "execution": planviz.explain("SELECT * FROM nation WHERE n_nationkey > 5", catalog="tpch"),
        "document": open_text(PASTED),
    }[kind]

    assert "Filter" in repr(planviz.show(source))


def test_settings_and_profile_reach_the_planner():
    hashed = planviz.show(QUERY, catalog="tpch", conf={"spark.sql.adaptive.enabled": False})
    assert "AdaptiveSparkPlan" not in repr(hashed)
    assert "AdaptiveSparkPlan" in repr(planviz.show(QUERY, catalog="tpch"))
    assert planviz.explain("SELECT 1", profile="spark-3.5").config.profile == "spark-3.5"


def test_two_plans_are_compared_with_effects_in_words():
    shown = planviz.diff(
        planviz.explain(QUERY, catalog="tpch"),
        planviz.explain(QUERY, catalog="tpch", conf={"spark.sql.autoBroadcastJoinThreshold": 10**15}),
        names=("now", "raised"),
    )

    assert "join-strategy" in {effect.kind for effect in shown.difference.effects}
    assert repr(shown).startswith("now → raised: ")
    assert shown.html.startswith("<!doctype html>")


def test_what_cannot_be_shown_is_said():
    with pytest.raises(InputError, match="A int cannot be shown"):
        planviz.show(3)
    with pytest.raises(ParseError):
        planviz.show("SELECT a FRM t")
    with pytest.raises(AnalysisError):
        planviz.show("SELECT no_such FROM nation", catalog="tpch")
    with pytest.raises(InputError, match="2 queries"):
        planviz.explain("SELECT 1; SELECT 2")
    with pytest.raises(InputError, match="no_such_file"):
        planviz.show(Path("no_such_file"))
    with pytest.raises(AttributeError):
        planviz.nonsense  # noqa: B018


def test_what_can_be_planned_of_a_text_is_shown_and_the_rest_said(capsys):
    shown = planviz.show("SELECT n_name FROM nation; SELECT no_such FROM nation", catalog="tpch")

    assert "nation" in shown.html
    assert "no_such" in capsys.readouterr().err


class Shell:
    """As much of IPython's shell as an extension uses."""

    def __init__(self, **names: object) -> None:
        self.user_ns, self.magics = names, {}

    def register_magic_function(self, func, magic_kind, magic_name):
        self.magics[magic_kind, magic_name] = func


@pytest.fixture
def shell() -> Shell:
    made = Shell(query=QUERY)
    planviz.load_ipython_extension(made)
    return made


def test_the_magic_shows_a_cell_or_a_variable(shell):
    magic = shell.magics["line_cell", "planviz"]

    assert "Join" in repr(magic("--catalog tpch --conf spark.sql.adaptive.enabled=false", QUERY))
    assert repr(magic("query --catalog tpch")) == repr(planviz.show(QUERY, catalog="tpch"))


@pytest.mark.parametrize(
    ("line", "cell", "message"),
    [
        ("none", None, "There is no variable none"),
        ("", None, "Name one variable"),
        ("--catalog", "SELECT 1", "expected one argument"),
        ("'", "SELECT 1", "No closing quotation"),
        ("", "SELECT a FRM t", "line 1"),
    ],
)
def test_the_magic_says_what_is_wrong_in_one_line(shell, capsys, line, cell, message):
    assert shell.magics["line_cell", "planviz"](line, cell) is None

    told = capsys.readouterr().err
    assert told.startswith("planviz: ")
    assert message in told


@pytest.mark.spark
def test_a_live_dataframe_is_shown():
    skip_without_java()
    shown = planviz.show(real_spark().spark.range(10).where("id > 5"))

    assert "Filter" in repr(shown)
    assert "Optimized Logical Plan" in shown.html


def test_what_planviz_offers_is_listed_and_a_plan_says_what_it_is():
    from planviz.document import open_sql, open_text

    assert {"explain", "show", "diff", "capture"} <= set(dir(planviz))
    assert "TYPE_CHECKING" not in dir(planviz)
    assert all(hasattr(planviz, name) for name in dir(planviz))
    plan = open_text(PASTED).plan
    assert repr(plan) == "<PlanGraph physical: 2 operators, Filter>"
    with pytest.raises(InputError, match="no plan"):
        _ = open_sql("CREATE TABLE t (a INT) USING parquet").plan


def test_the_plan_of_a_document_is_the_one_that_the_app_opens():
    """Behind a formatted plan with a subquery the subquery's initial plan may stand last."""
    from planviz.document import open_sql, open_text

    sql = "SELECT c_name FROM customer WHERE c_acctbal > (SELECT avg(c_acctbal) FROM customer)"
    (statement,) = open_sql(sql, find("tpch")).statements
    document = open_text(statement.execution.explain_string("formatted"))
    assert document.plan.stage == "physical"
    assert document.plan[0].op == "AdaptiveSparkPlan"
    assert "c_name" in open_sql(f"{sql}; SELECT 1", find("tpch")).plan[1].text
