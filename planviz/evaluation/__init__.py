"""The value of an expression of constants: one module per family of functions, registered by Spark's names.

`Evaluator.value_of` gives a Literal, or None where the value cannot be known here: the expression is then left as it
is, as Spark leaves one that fails. Java's arithmetic is followed: integers are bounded, decimals rounded half up.
"""

from planviz.evaluation import (
    arithmetic,
    casts,
    collations,
    containers,
    csvvalues,
    dateformats,
    documents,
    formats,
    hashes,
    jsonvalues,
    lambdas,
    logic,
    mathematics,
    methods,
    patterns,
    sequences,
    temporal,
    texts,
    variant_edits,
    variants,
    xmlvalues,
)
from planviz.evaluation.casts import convert
from planviz.evaluation.core import compare
from planviz.evaluation.errors import FailsError, UnknownValueError, holds, place_of
from planviz.evaluation.evaluator import DEFAULT_EVALUATOR, Evaluator

#: Importing a family registers what it computes.
FAMILIES = (
    arithmetic, casts, collations, containers, csvvalues, dateformats, documents, formats, hashes, jsonvalues, lambdas,
    logic, mathematics, methods, patterns, sequences, temporal, texts, variant_edits, variants,
    xmlvalues,
)  # fmt: skip

__all__ = [
    "DEFAULT_EVALUATOR",
    "FAMILIES",
    "Evaluator",
    "FailsError",
    "UnknownValueError",
    "compare",
    "convert",
    "holds",
    "place_of",
]
