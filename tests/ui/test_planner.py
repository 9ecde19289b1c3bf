"""The Planner page: stages of the open document, classes, tables."""

from __future__ import annotations

import re
from pathlib import Path

from streamlit.testing.v1 import AppTest

from planviz.catalog import read_bundled
from planviz.document import open_sql, open_text
from planviz.samples import load
from planviz.ui import planner

PAGE = Path(__file__).parents[2] / "pages" / "planner.py"


def test_it_marks_the_stages_that_the_document_has() -> None:
    assert planner.reached(open_sql("SELECT 1")) == {"parsed", "analyzed", "optimized", "sparkPlan", "executedPlan"}
    html = planner.overview(open_sql("SELECT 1"))
    assert re.findall(r'<li class="pv-there"><b>(\w+)</b>', html) == [
        "parsed",
        "analyzed",
        "optimized",
        "sparkPlan",
        "executedPlan",
    ]
    assert "not in this document" not in html


def test_without_a_document_no_stage_is_marked() -> None:
    html = planner.overview(None)
    assert "document</em>" not in html
    assert "pv-there" not in html


def test_a_pasted_physical_plan_is_the_executed_one() -> None:
    assert "executedPlan" in planner.reached(open_text(load("two-years-of-reports")))


def test_the_page_runs() -> None:
    app = AppTest.from_file(str(PAGE), default_timeout=60).run()
    assert not app.exception
    assert any("JoinSelection" in element.proto.body for element in app.get("html"))


def test_every_operator_s_way_through_the_stages_is_told() -> None:
    sql = "SELECT o.order_id, u.name FROM orders o JOIN users u ON o.user_id = u.user_id WHERE o.amount > 1"
    html = planner.overview(open_sql(sql, read_bundled("shop")))
    table = html.split("Every operator through the stages")[2].split("</table>")[0]
    head = re.findall(r'<th scope="col">(\w+)</th>', table)
    assert head == ["parsed", "analyzed", "optimized", "sparkPlan", "executedPlan"]
    rows = [re.findall(r"<td>(.*?)</td>", row) for row in table.split("<tr>")[2:]]
    (join,) = (row for row in rows if "Join" in row[2])
    assert "Broadcast" in join[3]
    assert join[3] == join[4]
    assert "Every operator" not in planner.overview(open_text("== Physical Plan ==\n*(1) Range (0, 5, step=1)\n"))


def test_what_the_slides_tell_beside_their_examples_is_there() -> None:
    html = planner.overview(None)
    for words in ("scale factor 1000", "425 columns analyzed in 14 minutes", "the geometric mean is 2.2", "SPARK-16026",
                  "only the columns that queries use"):  # fmt: skip
        assert words in html


def test_what_the_planner_put_in_has_rows_and_a_join_says_which_it_is() -> None:
    document = open_sql(
        "SELECT u.name, i.brand FROM orders o JOIN users u ON o.user_id = u.user_id "
        "JOIN items i ON o.item_id = i.item_id",
        read_bundled("shop"),
    )
    found = re.search(r"<h2>Every operator through the stages</h2>.*?</table>", planner.overview(document), re.DOTALL)
    assert found is not None
    rows = [re.findall(r"<td>(.*?)</td>", row) for row in re.findall(r"<tr>(<td>.*?)</tr>", found[0])]
    optimized, executed = [row[2] for row in rows], [row[4] for row in rows]
    assert "Inner Join on item_id = item_id" in optimized
    assert "Inner Join on user_id = user_id" in optimized
    added = [row for row in rows if row[4].startswith("+ ")]
    physical = document.plans[-1]
    assert len(added) + sum(not cell.startswith(("+", "–")) for cell in executed) == len(physical)
    assert any("Exchange" in row[4] for row in added)
    assert all(row[:3] == ["–"] * 3 for row in added)
    # Above what it reads: the first exchange stands right over the operators of its input.
    at = next(i for i, row in enumerate(rows) if "Exchange" in row[4])
    assert rows[at + 1][4] != "–"
