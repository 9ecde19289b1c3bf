"""A planned join played alone, on a few made-up rows of its keys (inventory B.4)."""

from __future__ import annotations

from planviz.decisions.choices import Decision
from planviz.document.decisions.join_inputs import join_operator
from planviz.execution import QueryExecution
from planviz.mechanics import CannotPlay, Play, of, relation_names
from planviz.mechanics.sample import sample_rows
from planviz.physical.plan import SparkPlan
from planviz.physical.sources import LocalTableScanExec

#: Rows of either side, and columns beside those that the join reads.
_ROWS = (6, 5)
_MORE = 1


def join_play(decision: Decision, execution: QueryExecution) -> Play:
    """The steps of a join on rows made up for it: what lies beneath it is not computed.

    Raises CannotPlay, in a sentence, for an operator without a model or types without rows, and what planning raises.
    """
    made = join_operator(decision, execution)
    if made is None:
        raise CannotPlay("This join does not stand in the plan that runs.")
    read = frozenset[int]().union(*(e.references for e in made.expressions))
    sides = [_side(child, read, rows) for child, rows in zip(made.children, _ROWS, strict=True)]
    return of(made.replace(left=sides[0], right=sides[1]), names=relation_names(execution.analyzed))


def _side(child: SparkPlan, read: frozenset[int], rows: int) -> LocalTableScanExec:
    """A side of a few rows with the columns that the join reads, and a few others to tell its rows apart."""
    needed = [a for a in child.output if a.expr_id in read]
    others = [a for a in child.output if a.expr_id not in read][:_MORE]
    columns = (*needed, *others)
    return LocalTableScanExec(columns, tuple(sample_rows(columns, None, rows)))
