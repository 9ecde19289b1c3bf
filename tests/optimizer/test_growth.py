"""Wide and deep queries plan; what would grow without end is refused."""

from __future__ import annotations

from typing import Any

import pytest

from planviz.analysis import Analyzer
from planviz.catalog import Catalog
from planviz.catalog.ddl import table_of
from planviz.errors import AnalysisError, InternalError, PlanTooLarge
from planviz.execution import QueryExecution
from planviz.optimizer.nested_fields import _merged
from planviz.trees.executor import NotConverged, RuleExecutor
from planviz.types import parse_fields
from tests.plans import small_catalog
from tests.steps import instructions, steps


@pytest.fixture(autouse=True)
def without_checks(monkeypatch):
    """The checks walk the whole plan after every step; here time counts."""
    monkeypatch.setattr(RuleExecutor, "standing", ())


def joins(n):
    return "select x0.a from t1 x0 " + " ".join(f"join t1 x{i} on x{i - 1}.a = x{i}.a" for i in range(1, n))


def unions(n, word="union all"):
    return f" {word} ".join(f"select a, b from t1 where a > {i}" for i in range(n))


def conjunction(n):
    return "select a from t1 where " + " and ".join(f"a <> {i}" for i in range(n))


def pushed(n):
    """Both conditions end up in one filter, as a chain that leans to the left."""
    half = n // 2
    inner = " and ".join(f"a <> {i}" for i in range(half))
    outer = " and ".join(f"b <> {i}" for i in range(half))
    return f"select a from (select * from t1 where {inner}) x where {outer}"


def disjunction(n):
    return "select a from t1 where " + " or ".join(f"(a = {i} and b = {i})" for i in range(n))


def in_list(n):
    return f"select a from t1 where a in ({', '.join(map(str, range(n)))})"


def operators(n):
    return f"select {' + '.join('a' for _ in range(n))} as s from t1"


def concatenation(n):
    return f"select {' || '.join('c' for _ in range(n))} as s from t1"


def branches(n):
    return "select case " + " ".join(f"when a = {i} then {i}" for i in range(n)) + " end from t1"


def rows(n):
    return "select * from values " + ", ".join(f"({i}, {i})" for i in range(n))


def doubled_ctes(n, join=True):
    step = (
        "select x.a from c{0} x join c{0} y on x.a = y.a" if join else "select a from c{0} union all select a from c{0}"
    )
    definitions = ", ".join(f"c{i} as ({step.format(i - 1)})" for i in range(1, n + 1))
    return f"with c0 as (select a from t1), {definitions} select * from c{n}"


def doubled_columns(n):
    query = "select a from t1"
    for _ in range(n):
        query = f"select a + a as a from ({query})"
    return f"select * from ({query}) where a > 3"


def planned(sql):
    execution = QueryExecution(sql, small_catalog())
    assert execution.text("optimized")
    return execution


@pytest.mark.slow
@pytest.mark.parametrize(
    ("make", "size"),
    [
        (joins, 60),
        (unions, 1_000),
        (lambda n: unions(n, "union"), 300),
        (conjunction, 5_000),
        (pushed, 2_000),
        (disjunction, 2_000),
        (in_list, 5_000),
        (operators, 500),
        (concatenation, 900),
        (branches, 1_000),
        (rows, 2_000),
    ],
)
def test_wide_queries_plan(make, size):
    planned(make(size))


@pytest.mark.slow
def test_the_work_grows_with_the_number_of_branches_not_with_its_square():
    planned(unions(10))  # what is made once

    assert steps(lambda: planned(unions(800))) < 8 * 1.5 * steps(lambda: planned(unions(100)))


def test_the_work_grows_with_the_number_of_columns_not_with_its_square():
    def wide(n):
        columns = ", ".join(f"c{i}" for i in range(n))
        table = table_of(("w",), parse_fields(f"{columns.replace(',', ' INT,')} INT"))
        catalog = Catalog(tables={"default.w": table})
        execution = QueryExecution(f"SELECT c1 + 1, {columns} FROM w WHERE c0 > 1", catalog)
        return lambda: execution.physical

    wide(10)()
    few, many = (steps(wide(n)) for n in (100, 800))
    assert many < 8 * 1.5 * few


def test_constants_beneath_a_high_expression_are_computed_once():
    def folded(n):
        return planned(f"select 1 + 1 + {' + '.join('a' for _ in range(n))} as s from t1")

    assert folded(70).text("optimized").startswith("Project [(((")
    assert steps(lambda: folded(160)) < 4 * steps(lambda: folded(80))


@pytest.mark.parametrize("join", [True, False])
def test_ctes_that_double_plan_while_they_are_few(join):
    assert planned(doubled_ctes(6, join)).text("optimized").count("Relation") == 64


@pytest.mark.parametrize("sql", [doubled_ctes(20), doubled_ctes(20, join=False), doubled_columns(20)])
def test_what_doubles_with_every_level_is_refused_at_once(sql):
    def refused():
        with pytest.raises(
            PlanTooLarge, match=r"at most 50,000 are worked on.*doubles the plan: use fewer such levels"
        ):
            planned(sql)

    assert steps(refused) < 1_000_000


def test_columns_that_double_keep_their_form_while_nothing_is_put_into_them():
    text = planned(doubled_columns(20).removesuffix(" where a > 3")).text("optimized")

    assert text.count("Project") == 20


def test_a_chain_that_does_not_settle_names_the_setting():
    chain = ", ".join(f"c{i} as (select a from c{i - 1})" for i in range(1, 120))
    with pytest.raises(NotConverged, match=r"Set spark\.sql\.analyzer\.maxIterations to a larger value"):
        planned(f"with c0 as (select a from t1), {chain} select * from c119")


def test_a_defect_in_a_rule_is_told_with_the_rule_s_name(monkeypatch):
    from planviz.analysis.references import ResolveReferences

    def fail(self, plan):
        raise KeyError("lost")

    monkeypatch.setattr(ResolveReferences, "apply", fail)
    monkeypatch.setattr(RuleExecutor, "guarded", True)
    with pytest.raises(InternalError, match=r"The rule ResolveReferences failed with KeyError: 'lost'.*please report"):
        planned("select a from t1")

    monkeypatch.setattr(RuleExecutor, "guarded", False)
    with pytest.raises(KeyError):
        planned("select a from t1")


def test_a_defect_outside_of_rules_is_told_too(monkeypatch):
    def fail(*_):
        raise IndexError("lost")

    monkeypatch.setattr(Analyzer, "analyze", fail)
    monkeypatch.setattr(RuleExecutor, "guarded", True)
    with pytest.raises(InternalError, match="failed with IndexError"):
        planned("select a from t1")


def test_recursion_that_goes_too_deep_is_told(monkeypatch):
    def fail(*_):
        raise RecursionError

    monkeypatch.setattr(Analyzer, "analyze", fail)
    with pytest.raises(AnalysisError, match=r"TOO_DEEP.*split it with views"):
        planned("select a from t1")


@pytest.mark.slow
def test_aliases_below_many_joins_are_looked_at_once_each(monkeypatch: pytest.MonkeyPatch) -> None:
    """Correlated subqueries over one table become a chain of joins, each with another set of excluded columns."""
    from planviz.catalog.bundled import read_bundled
    from planviz.document import open_text
    from planviz.optimizer.rules.projections import RemoveRedundantAliases

    visits, applied, nodes = 0, RemoveRedundantAliases.apply, 0
    remove = RemoveRedundantAliases._remove

    def counted(self: Any, plan: Any, excluded: frozenset[int]) -> Any:
        nonlocal visits
        visits += 1
        return remove(self, plan, excluded)

    def measured(self: Any, plan: Any) -> Any:
        nonlocal nodes
        nodes += sum(1 for _ in plan.walk())
        return applied(self, plan)

    monkeypatch.setattr(RemoveRedundantAliases, "_remove", counted)
    monkeypatch.setattr(RemoveRedundantAliases, "apply", measured)
    one = "(SELECT max(o_totalprice) FROM orders WHERE o_custkey = c_custkey)"
    sql = f"SELECT {', '.join(f'{one} AS x{i}' for i in range(80))} FROM customer"
    assert open_text(sql, catalog=read_bundled("tpch")).error is None
    assert nodes > 300
    assert visits <= nodes


@pytest.mark.slow
def test_a_high_plan_is_estimated_without_recursion() -> None:
    from planviz.catalog.bundled import read_bundled
    from planviz.document import open_text

    one = "(SELECT max(o_totalprice) FROM orders WHERE o_custkey = c_custkey)"
    sql = f"SELECT {', '.join(f'{one} AS x{i}' for i in range(200))} FROM customer"
    document = open_text(sql, catalog=read_bundled("tpch"))  # a plan of operators may be refused, in a sentence
    assert document.error is None or "nests too deep to be planned" in str(document.error)
    assert len(document.plans) >= 3


def test_unpivot_looks_its_columns_up_once():
    def unpivoted(count):
        columns = ", ".join(f"c{i}" for i in range(count))
        return (
            f"SELECT * FROM (SELECT {', '.join(f'1 AS c{i}' for i in range(count))}) UNPIVOT (v FOR n IN ({columns}))"
        )

    assert steps(lambda: planned(unpivoted(400))) < 6 * steps(lambda: planned(unpivoted(100)))


def test_the_fields_of_a_struct_are_merged_in_one_pass():
    def merged(count):
        return instructions(lambda: _merged([(i,) for i in range(count)]))

    assert merged(400) < 6 * merged(100)
