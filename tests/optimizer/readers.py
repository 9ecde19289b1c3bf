"""Which rule reads which setting, seen while plans are optimized, however its key is written."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import planviz
from planviz.config import OptimizerConfig
from planviz.optimizer.context import OptimizerRule

_PACKAGE = Path(planviz.__file__).parent
#: Frames between a rule and the setting that it reads: the rules, what they share, and the walk through a plan. What
#: another room reads (an estimate, the value of a constant) is that room's, which its own settings govern.
_BETWEEN = ("config.py", "optimizer/", "trees/")
#: What makes the list of rules anew, for a subquery, is no part of the rule that asked for it.
_NOT = ("optimizer/batches.py", "optimizer/optimizer.py", "optimizer/profiles/")


def _reader() -> type[OptimizerRule] | None:
    """The rule that reads a setting right now."""
    frame = sys._getframe(2)
    while frame is not None:
        file = Path(frame.f_code.co_filename)
        name = file.relative_to(_PACKAGE).as_posix() if file.is_relative_to(_PACKAGE) else file.name
        if not name.startswith(_BETWEEN) or name.startswith(_NOT):
            return None
        rule = frame.f_locals.get("self")
        if isinstance(rule, OptimizerRule) and name.startswith("optimizer/rules/"):
            return type(rule)
        frame = frame.f_back  # type: ignore[assignment]
    return None


@contextmanager
def recorded_readers() -> Iterator[dict[type[OptimizerRule], set[str]]]:
    """The keys that each rule reads while this lasts, its parts' by themselves."""
    read: dict[type[OptimizerRule], set[str]] = defaultdict(set)
    get = OptimizerConfig.get

    def recorded(config: OptimizerConfig, key: str) -> object:
        if (rule := _reader()) is not None:
            read[rule].add(key)
        return get(config, key)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(OptimizerConfig, "get", recorded)
        yield read
