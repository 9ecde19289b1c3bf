"""Every flip that is offered, applied and planned anew, and whether its promise was kept."""

from __future__ import annotations

import gc
import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from planviz.catalog import read_catalog
from planviz.config import OptimizerConfig
from planviz.decisions.flips import Flip
from planviz.document.alternatives.flips import CANDIDATES
from planviz.document.alternatives.replanning import applied, confirmed
from planviz.document.decisions.queries import subject
from planviz.execution import QueryExecution, explain
from tests.plans import canonical

TPCDS = Path(__file__).resolve().parents[2].parent / "shared" / "corpus" / "tpcds"
#: A statement that Spark refuses.
REFUSED = ("q84",)


@dataclass
class Tally:
    """How many decisions there were, changes tried on them, flips offered by kind, and which promises were broken."""

    decisions: int = 0
    bare: int = 0
    tried: int = 0
    offered: Counter[str] = field(default_factory=Counter)
    broken: list[str] = field(default_factory=list)


def check(sql: str, catalog, config: OptimizerConfig, name: str, tally: Tally) -> None:
    """Apply every flip of every decision of a query, and count."""
    execution = explain(sql, catalog, config)
    before = canonical(execution.text("physical"))
    for d in execution.planned.decisions:
        candidates = list(CANDIDATES[d.strategy](d, execution))
        tally.decisions += 1
        tally.tried += len(candidates)
        before_it = sum(tally.offered.values())
        for flip in candidates:
            # As `flips_of` offers them; every one is planned once here, for both looks at it.
            other = applied(execution, flip.changes)
            if not confirmed(d, execution, flip, other):
                continue
            tally.offered[f"{d.strategy} {flip.kind}"] += 1
            if not _runs(other, flip) or canonical(other.text("physical")) == before:
                tally.broken.append(f"{name}: {subject(d)}: {flip.words} -> {flip.promise}")
        tally.bare += sum(tally.offered.values()) == before_it


def _runs(execution: QueryExecution, flip: Flip) -> bool:
    """Whether an operator of the plan that runs is the one promised."""
    lines = execution.text("physical").splitlines()
    return any(re.search(rf"\b{flip.outcome}\b", line) and flip.build in line for line in lines)


def tpcds(names: Iterable[str] | None = None, tell: Callable[[str], None] | None = None) -> Tally:
    """The flips of TPC-DS as captured: no cost-based optimizer, no adaptive execution. `tell` hears how far it is."""
    catalog, tally = read_catalog(TPCDS / "catalog.json"), Tally()
    config = OptimizerConfig.of(**{"spark.sql.adaptive.enabled": False})
    for path in sorted((TPCDS / "queries").glob("*.sql")):
        if path.stem not in REFUSED and (names is None or path.stem in names):
            gc.collect()
            check(path.read_text(encoding="utf-8"), catalog, config, path.stem, tally)
            if tell is not None:
                tell(f"{path.stem}: {sum(tally.offered.values())} flips so far, {len(tally.broken)} broken")
    return tally
