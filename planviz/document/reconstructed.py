"""Decisions read back from a pasted plan, as far as its text says what the planner saw."""

from __future__ import annotations

from planviz.config import OptimizerConfig
from planviz.document.decided import Decided
from planviz.document.model import Document


def reconstructed(document: Document, config: OptimizerConfig | None = None) -> tuple[Decided, ...]:
    """The decisions behind every physical plan of a pasted text."""
    return ()
