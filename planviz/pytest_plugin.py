"""A pytest plugin: `assert_plan(sql, catalog="tpch")` compares a query's plan with the one that is stored.

    pytest -p planviz.pytest_plugin --planviz-update      stores the plans as they are

Plans lie in `plans/` beside the test's file, one `.plan` for each test and name (docs/check.md).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

import pytest

from planviz.catalog import Catalog
from planviz.catalogs import find
from planviz.config import OptimizerConfig
from planviz.document.comparison.stored_plans import (
    clock_of,
    compare_stored,
    planned,
    plans_of,
    settings_lines,
    stored_plans,
    stored_text,
)
from planviz.document.comparison.text import difference_text


class AssertPlan(Protocol):
    """What the fixture `assert_plan` is."""

    def __call__(
        self,
        sql: str,
        *,
        catalog: str | Catalog = "",
        conf: Mapping[str, object] | None = None,
        profile: str = "spark-4.3",
        stage: str = "physical",
        name: str = "",
        fail_on: tuple[str, ...] = (),
    ) -> None:
        """Fail when the plan of `sql` is not the stored one; `fail_on` names the differences that count, default all.

        `name` tells several plans of one test apart.
        """


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--planviz-update` stores the plans."""
    parser.getgroup("planviz").addoption("--planviz-update", action="store_true", help="store query plans as they are")


@pytest.fixture
def assert_plan(request: pytest.FixtureRequest) -> AssertPlan:
    """Compare the plan of a query with the stored one."""
    folder = Path(str(request.path)).parent / "plans"
    update = bool(request.config.getoption("--planviz-update"))
    test = re.sub(r"[^\w.-]+", "-", f"{Path(str(request.path)).stem}.{request.node.name}").strip("-")

    def check(
        sql: str,
        *,
        catalog: str | Catalog = "",
        conf: Mapping[str, object] | None = None,
        profile: str = "spark-4.3",
        stage: str = "physical",
        name: str = "",
        fail_on: tuple[str, ...] = (),
    ) -> None:
        __tracebackhide__ = True
        tables = find(catalog) if isinstance(catalog, str) and catalog else catalog or None
        assert not isinstance(tables, str)
        path = folder / f"{test}{f'.{name}' if name else ''}.plan"
        settings = {**clock_of(sql, path.read_text("utf-8") if path.exists() else None), **(conf or {})}
        now = plans_of(planned(sql, tables, OptimizerConfig.of(profile, **settings), stage), stage)
        if update:
            folder.mkdir(parents=True, exist_ok=True)
            told = settings_lines(catalog if isinstance(catalog, str) else "", settings, profile)
            path.write_text(stored_text(now, request.node.name, stage, told), encoding="utf-8")
            return
        if not path.exists():
            pytest.fail(f"No plan is stored in {path}: run pytest with --planviz-update and commit it.", pytrace=False)
        differences, message = compare_stored(stored_plans(path.read_text("utf-8"), path.name), now, stage)
        if fail_on:
            differences = tuple(each for each in differences if each.failing(fail_on))
            message = ""
        if differences or message:
            told_all = "\n".join([*map(difference_text, differences), message]).strip()
            pytest.fail(f"The plan is not the one in {path.name}:\n\n{told_all}", pytrace=False)

    return check
