"""WITH (...) behind a table: options as Spark's parsed plan prints them."""

from __future__ import annotations

from planviz.frontend import parse_plan


def test_the_options_of_a_table_stand_in_its_parsed_plan():
    plan = parse_plan("SELECT * FROM t WITH ('path' = 'x', a.b 3, c=true, d = -1) AS q")
    assert str(plan.children[0].children[0]).strip() == "'UnresolvedRelation [t], [path=x, a.b=3, c=true, d=-1], false"
