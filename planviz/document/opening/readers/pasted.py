"""A text that somebody pasted, as the readers see it: cleaned and scanned once, when the first one asks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from planviz.graph import is_known
from planviz.plantext import scanner
from planviz.plantext.collapsed import restore_indentation, restore_lines
from planviz.plantext.indentation import marks_for_indentation
from planviz.plantext.lines import Lines, clean

if TYPE_CHECKING:
    from planviz.catalog.tables import Catalog
    from planviz.config import OptimizerConfig


@dataclass(frozen=True)
class Pasted:
    """The text, and what SQL and programs in it are planned with."""

    text: str
    catalog: Catalog | None = None
    config: OptimizerConfig | None = None

    @cached_property
    def _cleaned(self) -> tuple[Lines, bool]:
        lines = clean(self.text)
        restored = restore_lines(lines)
        lines = restored or restore_indentation(lines) or lines
        return marks_for_indentation(lines) or lines, restored is not None

    @property
    def lines(self) -> Lines:
        """Its lines without what consoles, logs and mails put around them, with their numbers in the text."""
        return self._cleaned[0]

    @property
    def had_lost_its_lines(self) -> bool:
        """Whether line breaks had to be put back where operators begin."""
        return self._cleaned[1]

    @cached_property
    def scanned(self) -> scanner.Scanned:
        """The plans, rule logs and headings that the lines hold."""
        return scanner.scan(self.lines)

    @property
    def may_be_other_than_a_plan(self) -> bool:
        """Whether nothing but lines that look like operators speaks for a plan: no heading, no log."""
        return not self.scanned.trace and self.scanned.features <= {"tree"}

    @property
    def holds_tree(self) -> bool:
        """Whether most of a plan's operators are known ones, so that it is none by chance."""
        return any(
            len(plan) > 1 and sum(is_known(node.op) for node in plan) > 0.6 * len(plan) for plan in self.scanned.plans
        )

    def owned(self, *owners: int) -> Iterator[tuple[int, str]]:
        """The clean lines that are of these kinds, with their numbers in the text."""
        lines = self.lines
        return ((lines.number[at], lines.text[at]) for at, owner in enumerate(self.scanned.owners) if owner in owners)
