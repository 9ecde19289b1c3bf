"""Plays of the operators of small queries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from planviz import mechanics
from planviz.config import OptimizerConfig
from planviz.execution import QueryExecution
from planviz.mechanics import Options, Play

SETTINGS = {"spark.sql.shuffle.partitions": "4", "spark.sql.adaptive.enabled": "false"}


def physical(sql: str, settings: Mapping[str, str] | None = None) -> Any:
    """The physical plan of a query over rows of its own."""
    return QueryExecution(sql, config=OptimizerConfig().with_settings({**SETTINGS, **(settings or {})})).physical


def aggregates_of(sql: str, options: Options | None = None) -> list[Play]:
    """The plays of the aggregates alone."""
    return [p for p in plays_of(sql, options) if "Aggregate" in p.operator]


def plays_of(sql: str, options: Options | None = None, settings: Mapping[str, str] | None = None) -> list[Play]:
    """A play of every operator that has one, the lowest first."""
    nodes = [n for n in physical(sql, settings).walk() if mechanics.playable(n)]
    return [mechanics.of(n, options=options) for n in reversed(nodes)]
