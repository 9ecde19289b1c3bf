"""Every flip that is offered, applied and planned anew, and whether its promise was kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from planviz.catalog import read_catalog
from planviz.config import OptimizerConfig
from planviz.decisions.flips import Flip
from planviz.document.decided import subject
from planviz.document.flips import CANDIDATES, flips_of
from planviz.document.replanned import applied, decision_after
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
    for d in execution.planned.decisions:
        found = flips_of(d, execution)
        tally.decisions += 1
        tally.tried += len(list(CANDIDATES[d.strategy](d, execution))) if d.strategy in CANDIDATES else 0
        tally.bare += not found
        for flip in found:
            tally.offered[f"{d.strategy} {flip.kind}"] += 1
            after = decision_after(d, execution, flip)
            made = None if after is None else (after.outcome, after.value("build") or "")
            kept = made == (flip.outcome, flip.build) != (d.outcome, d.value("build") or "")
            # What runs must show it, too, not only what was decided.
            if not kept or not _runs(applied(execution, flip), flip) or _same_plan(execution, flip):
                tally.broken.append(f"{name}: {subject(d)}: {flip.words} -> {flip.promise}, but {made}")


def _runs(execution: QueryExecution, flip: Flip) -> bool:
    """Whether an operator of the plan that runs is the one promised."""
    lines = execution.text("physical").splitlines()
    return any(f"{flip.outcome} " in line and flip.build in line for line in lines)


def _same_plan(execution: QueryExecution, flip: Flip) -> bool:
    return canonical(applied(execution, flip).text("physical")) == canonical(execution.text("physical"))


def tpcds(names: Iterable[str] | None = None) -> Tally:
    """The flips of TPC-DS as captured: no cost-based optimizer, no adaptive execution."""
    catalog, tally = read_catalog(TPCDS / "catalog.json"), Tally()
    config = OptimizerConfig.of(**{"spark.sql.adaptive.enabled": False})
    for path in sorted((TPCDS / "queries").glob("*.sql")):
        if path.stem not in REFUSED and (names is None or path.stem in names):
            check(path.read_text(encoding="utf-8"), catalog, config, path.stem, tally)
    return tally
