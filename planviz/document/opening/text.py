"""A pasted text of any kind opened: the readers are asked in turn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planviz.document.model import Document
from planviz.document.opening.readers import READERS, Pasted
from planviz.document.opening.refusals import misspelt_statement, what_it_is
from planviz.errors import InputTooLarge, NotAPlan
from planviz.plantext.lines import Lines
from planviz.trees.collector import collector_at_rest

if TYPE_CHECKING:
    from planviz.catalog.tables import Catalog
    from planviz.config import OptimizerConfig

#: Characters that the paste box takes; a file given to the command line may be of any size.
PASTE_LIMIT = 50_000_000


def open_text(
    text: str, *, limit: int | None = None, catalog: Catalog | None = None, config: OptimizerConfig | None = None
) -> Document:
    """Open pasted text: an explain text of any mode, a rule log, a JSON plan, an event log, SQL.

    `limit` is the most characters taken (None: any number); `catalog` and `config` are what SQL is planned with. Raises
    `InputTooLarge` above the limit, `NotAPlan` when nothing was recognised, `ParseError` for SQL that cannot be read.
    """
    if limit is not None and len(text) > limit:
        raise InputTooLarge(
            f"This text has {len(text) / 1e6:,.0f} million characters; the box takes up to {limit / 1e6:,.0f} million. "
            "Paste the plan alone or one execution of the log, or open the file with `planviz parse FILE`."
        )
    with collector_at_rest():
        pasted = Pasted(text, catalog, config)
        for read in READERS:
            document = read(pasted)
            if document is not None:
                return document
        raise misspelt_statement(text) or _not_a_plan(text, pasted.lines)


def _not_a_plan(text: str, lines: Lines) -> NotAPlan:
    if not text.strip():
        return NotAPlan(
            'There is no text yet. Paste what df.explain("formatted") printed, or a rule log, or a plan\'s JSON.'
        )
    at = next((index for index, line in enumerate(lines.text) if line.strip()), 0)
    shown = lines.text[at].strip()[:60]
    known = what_it_is(text)
    if known is not None:
        return NotAPlan(f"No Spark plan was found. {known}", line=lines.number[at], column=1)
    return NotAPlan(
        f"No Spark plan was found. Expected a heading such as “== Physical Plan ==”, lines that begin with “+- ” or "
        "“:- ”, "
        f"a rule log (“=== Applying Rule”), or a plan as JSON; line {lines.number[at]} is “{shown}”. "
        'df.explain("formatted") prints the best text to paste.',
        line=lines.number[at],
        column=1,
    )
