"""What a version of Spark changes in a plan, and which of its changes does so."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise

import pytest

from planviz.catalog import Catalog
from planviz.catalogs import find
from planviz.config import OptimizerConfig
from planviz.document import open_sql
from planviz.document.comparison.upgrade_reports import REPORTS, Report
from planviz.document.comparison.upgrades import Upgrade, Upgraded
from planviz.errors import InputError
from planviz.versions import CHANGES, PROFILES, VERSIONS, undone
from planviz.versions.words import CHANGES as WORDS

RANKED = """SELECT * FROM (SELECT o_custkey, rank() OVER (PARTITION BY o_custkey ORDER BY o_totalprice) r FROM orders)
WHERE r < 3"""
TWICE = "SELECT c_custkey, count(*) FROM (SELECT c_custkey FROM customer DISTRIBUTE BY c_custkey) GROUP BY c_custkey"
UNCHECKED = "SELECT c_name FROM customer WHERE c_custkey = 1"


def upgraded(sql: str, old: str, new: str, catalog: Catalog | None = None, **settings: object) -> list[Upgraded]:
    tables = catalog or find("tpch")
    config = OptimizerConfig.of(**settings)
    return list(Upgrade(old, new).queries("q", "q.sql", lambda c: open_sql(sql, tables, c, stage="physical"), config))


def test_a_default_that_changes_a_plan_is_named_with_the_setting_that_keeps_it():
    (query,) = upgraded(RANKED, "spark-3.4", "spark-3.5")

    assert query.state == "changed"
    assert query.versions == ("spark-3.5",)
    assert [cause.keep for cause in query.causes] == ["spark.sql.optimizer.windowGroupLimitThreshold=-1"]
    (orders,) = (t for name, t in find("tpch").tables.items() if "orders" in name)
    assert 0 < query.bytes_at_stake <= orders.size_in_bytes


def test_the_setting_that_keeps_the_old_plan_keeps_it():
    (query,) = upgraded(RANKED, "spark-3.4", "spark-3.5", **{"spark.sql.optimizer.windowGroupLimitThreshold": -1})

    assert query.state == "same"


def test_a_preparation_that_is_new_is_named_with_its_switch():
    (query,) = upgraded(TWICE, "spark-4.2", "spark-4.3")

    assert [(c.change.kind, c.change.name) for c in query.causes] == [("preparation", "CombineAdjacentAggregation")]
    assert query.causes[0].keep == "spark.sql.execution.combineAdjacentAggregation=false"
    (kept,) = upgraded(TWICE, "spark-4.2", "spark-4.3", **{"spark.sql.execution.combineAdjacentAggregation": False})
    assert kept.state == "same"


def test_what_several_versions_change_is_told_of_each():
    (query,) = upgraded(f"{RANKED} UNION ALL ({TWICE})", "spark-3.4", "spark-4.3")

    assert query.versions == ("spark-3.5", "spark-4.3")
    assert [cause.change.since for cause in query.causes] == ["spark-3.5", "spark-4.3"]


def test_a_plan_that_no_version_changes_has_no_cause():
    (query,) = upgraded(UNCHECKED, "spark-3.5", "spark-4.3")

    assert (query.state, query.causes, query.versions) == ("same", (), ())


def test_a_query_that_fails_since_ansi_mode_breaks_and_says_why():
    (query,) = upgraded("SELECT c_custkey + DATE '2020-01-01' + TRUE FROM customer", "spark-3.5", "spark-4.3")
    assert query.state == "failed"

    (query,) = upgraded("SELECT array(1, 2)[0] = 'a' AND cast(DATE '2020-01-01' AS int) = 1", "spark-3.5", "spark-4.0")
    assert query.state == "breaks"
    assert "CAST" in query.message
    assert [cause.keep for cause in query.causes] == ["spark.sql.ansi.enabled=false"]
    assert query.fails(["join-order"])


def test_statements_of_a_text_are_told_apart_and_each_is_paired_with_itself():
    queries = upgraded(f"{UNCHECKED};\n{RANKED}", "spark-3.4", "spark-3.5")

    assert [(q.name, q.line, q.state) for q in queries] == [("q:1", 1, "same"), ("q:2", 2, "changed")]


def test_a_downgrade_tells_the_same_causes():
    (query,) = upgraded(RANKED, "spark-3.5", "spark-3.4")

    assert query.versions == ("spark-3.5",)
    assert [cause.change.name for cause in query.causes] == ["spark.sql.optimizer.windowGroupLimitThreshold"]


def test_versions_that_are_none_are_refused():
    with pytest.raises(InputError, match=r"There is no profile “spark-9\.9”"):
        Upgrade("spark-9.9", "spark-4.0")
    with pytest.raises(InputError, match="Both versions are spark-4"):
        Upgrade("spark-4.0", "spark-4.0")


@pytest.mark.parametrize(("newer", "older"), list(pairwise(VERSIONS))[:-1])
def test_with_all_changes_undone_a_version_is_the_one_before(newer, older):
    profile = undone(PROFILES[newer.name], CHANGES[newer.name])

    wanted = PROFILES[older.name]
    assert dict(profile.settings) == dict(wanted.settings)
    preparations = PROFILES[newer.name].behaviour.preparations & wanted.behaviour.preparations
    assert profile.behaviour == replace(wanted.behaviour, preparations=preparations)
    tables = [_batches(p) for p in (profile, wanted)]
    assert tables[0] == tables[1]


def _batches(profile):
    from planviz.optimizer.batches import batches
    from planviz.optimizer.context import OptimizerContext

    config = OptimizerConfig(profile=profile.name, variant=profile)
    return [(b.name, [r.name for r in b.rules]) for b in batches(OptimizerContext(config))]


def test_every_change_of_a_default_a_preparation_or_behaviour_has_its_sentence():
    named = {
        c.name for changes in CHANGES.values() for c in changes if c.kind in ("setting", "preparation", "behaviour")
    }

    assert named - WORDS.keys() == set()
    assert WORDS.keys() - named == set()


def test_reports_tell_causes_queries_and_what_keeps_the_plan():
    queries = upgraded(f"{UNCHECKED};\n{RANKED}", "spark-3.4", "spark-3.5")
    report = Report.of(Upgrade("spark-3.4", "spark-3.5"), queries)

    text = REPORTS["text"](report)
    assert text.startswith("Spark 3.4 → Spark 3.5\n")
    assert "1 plan: spark.sql.optimizer.windowGroupLimitThreshold is 1000 by default (was -1), since Spark 3.5" in text
    assert "to keep the old plan: spark.sql.optimizer.windowGroupLimitThreshold=-1" in text
    assert text.endswith("2 queries: 1 has another plan, 1 has the same plan.\n")
    told = json.loads(REPORTS["json"](report))
    assert told["counts"] == {"changed": 1, "same": 1}
    assert told["causes"][0]["queries"] == ["q:2"]
    assert told["queries"][0]["difference"]["effects"]
    page = REPORTS["html"](report)
    assert page.count("<details>") == 1
    assert "<svg" in page
    assert "windowGroupLimitThreshold=-1" in REPORTS["markdown"](report)


def test_names_in_reports_are_data():
    (query,) = upgraded(RANKED, "spark-3.4", "spark-3.5")
    report = Report.of(Upgrade("spark-3.4", "spark-3.5"), [replace(query, name="<script>|*")])

    assert "<script>" not in REPORTS["html"](report)
    assert "<script>" not in REPORTS["markdown"](report)
