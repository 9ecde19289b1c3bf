"""Settings that nobody said, found as the smallest change under which a text's plans come out."""

from __future__ import annotations

from typing import Any

import pytest

from planviz.catalogs import read as read_catalog
from planviz.config import OptimizerConfig
from planviz.document import open_text
from planviz.document.opening.replays import replays
from planviz.execution import QueryExecution
from planviz.expressions.ids import Ids
from planviz.replay.given import given
from planviz.replay.result import Replay
from planviz.replay.search import EXCLUDED, Change, smallest_change, tries_for

SHOP = """
CREATE TABLE sales (id BIGINT, item INT, price DECIMAL(7,2)) USING parquet;
CREATE TABLE items (item INT, name STRING, kind STRING) USING parquet;
"""
QUERY = "SELECT name, sum(price) FROM sales JOIN items ON sales.item = items.item WHERE kind = 'a' GROUP BY name"
THRESHOLD = "spark.sql.autoBroadcastJoinThreshold"
RULE = "org.apache.spark.sql.catalyst.optimizer.ColumnPruning"


def explained(mode: str, sizes: dict[str, int] | None = None, **settings: Any) -> str:
    catalog = read_catalog(SHOP)
    for name, size in (sizes or {}).items():
        (table,) = (t for t in catalog.tables.values() if t.name == name)
        object.__setattr__(table, "size_in_bytes", size)
    config = OptimizerConfig().with_settings({k.replace("__", "."): v for k, v in settings.items()})
    return QueryExecution(QUERY, catalog, config, ids=Ids(100)).explain_string(mode)


def replayed(text: str, **said: Any) -> Replay:
    (made,) = replays(open_text(text), given(said or None))
    return made


@pytest.mark.parametrize(
    ("key", "value"),
    [
        (EXCLUDED, RULE),
        ("spark.sql.constraintPropagation.enabled", False),
        ("spark.sql.parquet.enableVectorizedReader", False),
    ],
)
def test_a_setting_that_shows_in_the_plans_is_found(key: str, value: Any) -> None:
    made = replayed(explained("extended", **{key.replace(".", "__"): value}))
    (found,) = [s for s in made.settings if s.key == key]
    assert found.value == value
    assert "Spark's" in found.evidence
    assert made.verdicts == {"optimized": "equal", "physical": "equal"}


def test_what_is_given_is_not_searched_for() -> None:
    text = explained("extended", spark__sql__constraintPropagation__enabled=False)
    made = replayed(text, **{"spark.sql.constraintPropagation.enabled": True, EXCLUDED: ""})
    assert made.verdicts["optimized"] != "equal"


@pytest.mark.parametrize(("value", "found"), [(-1, -1), (400 << 20, 100 << 20)])
def test_the_threshold_follows_from_sizes_that_the_text_prints(value: int, found: int) -> None:
    size = 5 << 20 if value < 0 else 200 << 20
    text = explained("cost", {"sales": 20 << 30, "items": size}, spark__sql__autoBroadcastJoinThreshold=value)
    made = replayed(text)
    (setting,) = [s for s in made.settings if s.key == THRESHOLD]
    assert setting.value == found or (value > 0 and 10 << 20 < setting.value <= value)
    assert "MiB" in setting.evidence
    assert made.verdicts["physical"] == "equal"
    assert made.taken == []


def test_the_search_has_a_bound() -> None:
    tried: list[OptimizerConfig] = []

    def distance(config: OptimizerConfig) -> int:
        tried.append(config)
        return 9

    changes = [Change("spark.sql.shuffle.partitions", n) for n in range(1, 100)]
    assert smallest_change(OptimizerConfig(), changes, distance, 9, tries_for(100)) == ([], [])
    assert len(tried) == tries_for(100) == 12
    assert tries_for(100_000) == 6
