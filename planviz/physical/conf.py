"""The settings that physical operators themselves obey, where no planning context is at hand."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from planviz.config import OptimizerConfig
from planviz.physical.codegen_fallback import FALLBACK, fallback_of

MAX_FIELDS = "spark.sql.codegen.maxFields"
EXPAND_LIMIT = "spark.sql.execution.broadcastHashJoin.outputPartitioningExpandLimit"
ALL_KEYS_FOR_DISTRIBUTION = "spark.sql.requireAllClusterKeysForDistribution"
ALL_KEYS_FOR_CO_PARTITION = "spark.sql.requireAllClusterKeysForCoPartition"


@dataclass(frozen=True)
class OperatorConf:
    """Their values; the defaults are Spark's."""

    #: From more columns than these no code is generated, and files are read row by row.
    max_fields: int = 100
    #: How many equivalent forms a broadcast join makes of its stream side's partitioning.
    expand_limit: int = 8
    #: Rows are clustered by keys only where they are spread by all of them, in their order.
    all_keys_for_distribution: bool = False
    #: A side of a join serves as the model of the other one only where it is spread by all keys of the join.
    all_keys_for_co_partition: bool = True
    #: The functions that no code is generated for.
    fallback: frozenset[str] = FALLBACK


_DEFAULTS = OperatorConf()
_current: ContextVar[OperatorConf] = ContextVar("operator_conf", default=_DEFAULTS)


def operator_conf() -> OperatorConf:
    """The settings that hold here."""
    return _current.get()


@contextmanager
def planning(config: OptimizerConfig) -> Iterator[None]:
    """Within the block operators obey these settings."""
    token = _current.set(
        OperatorConf(
            config.number(MAX_FIELDS),
            config.number(EXPAND_LIMIT),
            bool(config.get(ALL_KEYS_FOR_DISTRIBUTION)),
            bool(config.get(ALL_KEYS_FOR_CO_PARTITION)),
            fallback_of(config.behaviour),
        )
    )
    try:
        yield
    finally:
        _current.reset(token)
