"""The documents' DataFrame program beside its SQL: the filter ends at the scan of the events (inventory F-005)."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from planviz.dataframe import session
from planviz.execution import Session
from planviz.logical.combining import Join
from planviz.logical.operators import Aggregate, Filter
from planviz.logical.relations import LogicalRelation

PLACE = Path(__file__).parents[2] / "sample_queries" / "documents"


def of_program() -> Any:
    spec = importlib.util.spec_from_file_location("events_users", PLACE / "events_users.py")
    assert spec is not None
    assert spec.loader is not None
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    spark = session()
    spark.sql(program.EVENTS)
    spark.sql(program.USERS)
    return program.errors(spark).execution.optimized


def of_sql() -> Any:
    script = (PLACE / "events_users.sql").read_text(encoding="utf-8")
    (execution,) = [o.execution for o in Session().run(script, "optimized") if o.execution]
    return execution.optimized


@pytest.mark.parametrize("plan_of", [of_program, of_sql])
def test_the_filter_ends_at_the_scan_of_the_events(plan_of: Callable[[], Any]) -> None:
    plan = plan_of()
    filters = {f.child.name[-1]: f.condition for f in plan.walk() if isinstance(f, Filter)}
    assert {type(f.child) for f in plan.walk() if isinstance(f, Filter)} == {LogicalRelation}
    assert "status" in str(filters["events"])
    assert "ERR" in str(filters["events"])
    assert str(filters["users"]).split("#")[0] == "isnotnull(user_id"
    (aggregate,) = [node for node in plan.walk() if isinstance(node, Aggregate)]
    assert [type(node) for node in aggregate.walk()].count(Join) == 1


def test_program_and_sql_are_one_plan() -> None:
    assert of_program().tree_string == of_sql().tree_string
