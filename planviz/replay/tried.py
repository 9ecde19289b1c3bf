"""What came of planning an explain again under some settings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from planviz.config import OptimizerConfig
from planviz.errors import PlanvizError
from planviz.logical.plan import LogicalPlan
from planviz.physical.query import PhysicalPlan
from planviz.replay.fitting import Fitted
from planviz.replay.plans import ReadPlan
from planviz.replay.settings import Setting
from planviz.trees.trace import Trace

T = TypeVar("T")


@dataclass
class Tried:
    """The plans that a configuration gave; None for what could not be made.

    `under` are the settings as they were given, `config` these with what was found beside them, which `settings` has
    with its evidence. `read` are the logical plans of the text, `start` the analyzed plan with what is cached read from
    its caches, `texts` the plans as text by stage, `taken` decisions that were taken from the text, `failures` what
    went wrong in words, `stepped_as` the version whose steps `trace` has.
    """

    config: OptimizerConfig
    read: dict[str, ReadPlan]
    under: OptimizerConfig
    settings: list[Setting] = field(default_factory=list)
    fitted: Fitted | None = None
    start: LogicalPlan | None = None
    optimized: LogicalPlan | None = None
    planned: PhysicalPlan | None = None
    trace: Trace | None = None
    stepped_as: str = ""
    texts: dict[str, str] = field(default_factory=dict)
    taken: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)


def attempt(failures: list[str], make: Callable[[], T]) -> T | None:
    """What `make` gives, or None and a sentence in `failures`: a text can say what no Spark would."""
    try:
        return make()
    except PlanvizError as error:
        failures.append(str(error))
    except RecursionError:
        failures.append("The plan nests too deep to be planned again.")
    except Exception as error:  # a plan that was read back may lack what a rule takes for granted
        failures.append(f"The plan could not be planned again ({type(error).__name__}).")
    return None
