"""Sizes of tables that somebody gives beside a query: the query planned anew over tables that large."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from planviz.execution import Outcome
from planviz.replay.given import Given

#: Who gives a size beside a program is told so.
NOT_OF_PROGRAMS = "Sizes are given of SQL and plans; those of a program's tables stand in a catalogue (--catalog)."


class Sizes:
    """Bytes by a table's name, or by its last part, in any case."""

    def __init__(self, sizes: Mapping[str, int]) -> None:
        self._given = Given(sizes=sizes)
        self._tables: set[str] = set()

    def applied(self, outcome: Outcome, stage: str) -> Outcome:
        """A statement whose query reads tables of these sizes, planned up to `stage`; rows and statistics grow with a
        size that is known. A query that fails before it is optimized stays as it is."""
        from planviz.document.alternatives.what_if import WhatIf, replanned, tables_of

        execution = outcome.execution
        if not self._given.sizes or execution is None or execution.error_until("optimized") is not None:
            return outcome
        tables = tables_of(execution)
        self._tables |= tables.keys()
        sizes = {name: size for name in tables if (size := self._given.size_of(name)) is not None}
        if not sizes:
            return outcome
        other = replanned(execution, WhatIf(sizes=sizes))
        error = other.error_until(stage)
        other.warnings[:0] = execution.warnings
        return replace(outcome, execution=other, error=error)

    @property
    def unread(self) -> list[str]:
        """A sentence for each size of a table that no query reads; none where no query could be optimized."""
        read = {part for name in self._tables for part in (name.lower(), name.lower().rsplit(".", 1)[-1])}
        unknown = [name for name in self._given.sizes if name.lower() not in read] if self._tables else []
        tables = ", ".join(sorted(self._tables)[:20])
        return [f"A size is given for {name[:80]}, which no query reads; they read {tables}." for name in unknown]
