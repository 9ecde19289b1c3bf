"""What a cache keeps, and the leaf that reads it (Spark: CachedRDDBuilder, InMemoryRelation)."""

from __future__ import annotations

from dataclasses import dataclass

from planviz.errors import InputError
from planviz.expressions.core import AttributeReference
from planviz.expressions.subqueries import QueryPlan
from planviz.logical.plan import Source, Statistics, bracketed
from planviz.trees.node import Held, lazy, node


@dataclass(frozen=True)
class StorageLevel:
    """Where cached rows are kept, as objects (`deserialized`) or as bytes, and how many times."""

    disk: bool
    memory: bool
    off_heap: bool
    deserialized: bool
    replication: int = 1

    def __str__(self) -> str:
        kept = {"disk": self.disk, "memory": self.memory, "offheap": self.off_heap}
        words = [word for word, on in (kept | {"deserialized": self.deserialized}).items() if on]
        return f"StorageLevel({', '.join([*words, f'{self.replication} replicas'])})"


#: Storage levels by the names that SQL has for them.
STORAGE_LEVELS = {
    "NONE": StorageLevel(False, False, False, False),
    "DISK_ONLY": StorageLevel(True, False, False, False),
    "DISK_ONLY_2": StorageLevel(True, False, False, False, 2),
    "DISK_ONLY_3": StorageLevel(True, False, False, False, 3),
    "MEMORY_ONLY": StorageLevel(False, True, False, True),
    "MEMORY_ONLY_2": StorageLevel(False, True, False, True, 2),
    "MEMORY_ONLY_SER": StorageLevel(False, True, False, False),
    "MEMORY_ONLY_SER_2": StorageLevel(False, True, False, False, 2),
    "MEMORY_AND_DISK": StorageLevel(True, True, False, True),
    "MEMORY_AND_DISK_2": StorageLevel(True, True, False, True, 2),
    "MEMORY_AND_DISK_SER": StorageLevel(True, True, False, False),
    "MEMORY_AND_DISK_SER_2": StorageLevel(True, True, False, False, 2),
    "OFF_HEAP": StorageLevel(True, True, True, False),
}
DEFAULT_LEVEL = STORAGE_LEVELS["MEMORY_AND_DISK"]


def storage_level(name: str) -> StorageLevel:
    """A storage level by SQL's name for it. Raises InputError for a name that is none."""
    found = STORAGE_LEVELS.get(name.upper())
    if found is None:
        raise InputError(f"There is no storage level {name!r}; there are {', '.join(STORAGE_LEVELS)}.")
    return found


@dataclass(frozen=True, eq=False)
class CachedPlan:
    """The rows of a plan, kept (Spark: CachedRDDBuilder).

    `plan` is the physical plan that fills the cache, `statistics` the estimate of its rows, `level` where they are
    kept, `name` that of the cached table, empty for a cached DataFrame.
    """

    plan: QueryPlan
    statistics: Statistics | None
    level: StorageLevel
    name: str = ""
    #: The last number that an exchange or subquery of the plan has.
    last_plan_id: int = 0


@node
class InMemoryRelation(Source):
    """Rows read from a cache under these columns."""

    attributes: Held[tuple[AttributeReference, ...]]
    cached: CachedPlan

    @property
    def name(self) -> str:
        """The name of the cached table, empty for a cached DataFrame."""
        return self.cached.name

    @property
    def inner_children(self) -> tuple[QueryPlan, ...]:
        """The plan that fills the cache: it is shown, but it runs once, not with the query."""
        return (self.cached.plan,)

    @lazy
    def simple_string(self) -> str:
        """InMemoryRelation [columns], StorageLevel(disk, memory, deserialized, 1 replicas)."""
        return f"InMemoryRelation {bracketed(self.attributes)}, {self.cached.level}"
