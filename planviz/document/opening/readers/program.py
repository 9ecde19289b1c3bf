"""Programs: PySpark, Scala, Java, notebooks."""

from __future__ import annotations

import re

from planviz.document.model import Document
from planviz.document.opening.readers.pasted import Pasted
from planviz.errors import NotAPlan
from planviz.plantext.json_plans import looks_like_json

#: What every program has that is worth reading as one.
_PROGRAM = re.compile(
    r"pyspark|\b(?:spark|sqlContext|sc|session)\s*\.|\.(?:select|filter|where|groupBy|withColumn|join)\("
    r"|SparkR|sparklyr|Microsoft\.Spark|kotlinx\.spark"
)


def read_notebook(pasted: Pasted) -> Document | None:
    """The document of a notebook whose outputs hold what looks like JSON of plans; None for any other text."""
    if not looks_like_json(pasted.text) or not ('"cells"' in pasted.text or '"paragraphs"' in pasted.text):
        return None
    try:
        return _open(pasted)
    except NotAPlan:  # its outputs may hold plans
        return None


def read(pasted: Pasted) -> Document | None:
    """The document of a program; None for any other text."""
    return _open(pasted) if pasted.may_be_other_than_a_plan and not pasted.scanned.plans else None


def _open(pasted: Pasted) -> Document | None:
    if not _PROGRAM.search(pasted.text):
        return None
    # Plan texts must open without the whole optimizer being loaded.
    from planviz.document.opening.programs import open_program

    return open_program(pasted.text, pasted.catalog, pasted.config)
