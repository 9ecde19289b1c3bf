"""What a replay gives: the plans that were read and made again, and how they compare."""

from __future__ import annotations

from dataclasses import dataclass, field

from planviz.config import OptimizerConfig
from planviz.logical.plan import LogicalPlan
from planviz.physical.query import PhysicalPlan
from planviz.replay.fitting import Fitted
from planviz.replay.given import Given
from planviz.replay.plans import ReadPlan
from planviz.replay.settings import Setting
from planviz.trees.trace import Trace


@dataclass
class Replay:
    """The plans of one explain, replayed.

    `read` are the logical plans by stage, `texts` what planviz makes of them by stage, `verdicts` how each compares
    (equal, shape, differs, absent), `differences` the lines that differ by stage. `fitted` are sizes that the text does
    not say, `taken` decisions that were taken from the text, `failures` what went wrong in words.
    """

    read: dict[str, ReadPlan] = field(default_factory=dict)
    settings: list[Setting] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)
    verdicts: dict[str, str] = field(default_factory=dict)
    differences: dict[str, list[dict[str, str]]] = field(default_factory=dict)
    fitted: Fitted | None = None
    taken: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    trace: Trace = field(default_factory=Trace)
    optimized: LogicalPlan | None = None
    planned: PhysicalPlan | None = None
    #: The analyzed plan with what is cached read from its caches.
    start: LogicalPlan | None = None
    config: OptimizerConfig = field(default_factory=OptimizerConfig)
    #: The versions that printed the text, in words, where they are older than every profile.
    older: str = ""
    stages: tuple[str, ...] = ()
    #: What people call the relations, by `fitting.key_of`.
    names: dict[str, str] = field(default_factory=dict)
    #: The tables whose size, whose rows the text says, by the same key.
    told: dict[str, int] = field(default_factory=dict)
    told_rows: dict[str, int] = field(default_factory=dict)
    given: Given = field(default_factory=Given)
    #: From where new expressions are numbered.
    first_id: int = 1

    def has_only_operators(self, stage: str) -> bool:
        """Whether the plan of a stage has the operators of the text, and nobody compared the lines: it has run, is
        formatted, or another engine printed it."""
        return self.verdicts.get(stage) == "shape" and not self.differences.get(stage)
