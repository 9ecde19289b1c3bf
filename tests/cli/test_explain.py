"""`planviz explain`: plans as Spark prints them."""

from __future__ import annotations

import pytest

from planviz.cli.main import run


@pytest.mark.parametrize("mode", ["simple", "extended", "formatted", "cost"])
def test_what_it_prints_can_be_pasted_again(mode, tmp_path, capsys):
    from planviz.document import open_text

    path = tmp_path / "q.sql"
    path.write_text("SELECT o_orderstatus, count(*) FROM orders GROUP BY o_orderstatus")
    assert run(["explain", str(path), "--mode", mode, "--catalog", "tpch"]) == 0
    document = open_text(capsys.readouterr().out)
    physical = [plan for plan in document.plans if plan.stage == "physical"]
    assert [node.op for node in physical[0]][:3] == ["AdaptiveSparkPlan", "HashAggregate", "Exchange"]
    assert not document.unparsed


def test_a_query_that_fails_stops_no_other(tmp_path, capsys):
    path = tmp_path / "q.sql"
    path.write_text("SELECT nosuch FROM orders; SELECT 1")
    assert run(["explain", str(path), "--catalog", "tpch"]) == 2
    told = capsys.readouterr()
    assert "nosuch" in told.err
    assert "Scan OneRowRelation" in told.out


def test_a_plan_in_comments_or_behind_a_prompt_is_no_program(tmp_path, capsys):
    tree = ["== Physical Plan ==", "*(1) Project [id#1L, f(<lambda>) AS x#2]", "+- *(1) Range (0, 9, step=1, splits=2)"]
    for mark in ("", "// ", ">>> df.explain()\n"):
        path = tmp_path / "plan.txt"
        path.write_text("\n".join(mark + line if mark.strip() == "//" else line for line in tree))
        if mark.startswith(">"):
            path.write_text(mark + path.read_text())
        assert run(["explain", str(path)]) == 0, capsys.readouterr().err
        assert "Range (0, 9, step=1, splits=2)" in capsys.readouterr().out
