"""The engine's door: a query through all stages (`query`), and sessions of several statements (`session`)."""

from planviz.execution.query import EXPLAIN_MODES, STAGES, QueryExecution, explain, with_guesses
from planviz.execution.session import Outcome, Session

__all__ = ["EXPLAIN_MODES", "STAGES", "Outcome", "QueryExecution", "Session", "explain", "with_guesses"]
