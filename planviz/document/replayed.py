"""A pasted text's plans replayed: every explain in it by itself."""

from __future__ import annotations

from planviz.document.model import Document
from planviz.replay.plans import columns_in
from planviz.replay.replayed import Replay, replay


def replays(document: Document) -> list[Replay]:
    """One replay for every explain of a text that has a plan to start from, in the order of the text."""
    found = []
    for group in document.groups:
        plans = [document.plans[i] for i in group]
        first = min((n.source[0] for p in plans for n in p if n.source is not None), default=1)
        last = max((n.source[1] for p in plans for n in p if n.source is not None), default=0)
        # The line of output columns stands above the analyzed plan's first operator.
        text = "\n".join(document.text.split("\n")[max(first - 4, 0) : last + 1])
        found.append(replay(plans, columns_in(plans, text), document.origin))
    return found
