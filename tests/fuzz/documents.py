"""Documents in JSON, each made odd: values of other types, numbers that are none, keys gone, entries twice."""

from __future__ import annotations

import copy
import gzip
import json
import random
from functools import cache
from pathlib import Path
from typing import Any

SAMPLES = Path(__file__).parents[2] / "planviz" / "samples"
#: A notebook with what its cells may hold.
_NOTEBOOK = {
    "nbformat": 4, "metadata": {"kernelspec": {"language": "python"}},
    "cells": [
        {"cell_type": "markdown", "source": ["# Orders\n"]},
        {"cell_type": "code", "source": ["%%sql\n", "SELECT count(*) FROM orders"], "outputs": []},
        {
            "cell_type": "code", "source": ["df = spark.table('orders').groupBy('k').count()\n", "df.explain()"],
            "outputs": [{"output_type": "stream", "name": "stdout", "text": ["== Physical Plan ==\n", "Scan t\n"]}],
        },
    ],
}  # fmt: skip
#: What may stand where something else is expected.
_ODD = (
    None, True, False, -1, 0, 1, 0.5, -1.5, 2**31, 2**63, 2**64, 10**40, 1e308, float("nan"), float("inf"),
    float("-inf"), "", "x", "1", "NaN", "\ud800", "\x1b[31m", "a\nb", "9" * 5_000, [], {}, [[]], [None], [1, "x"],
    {"x": None}, {"class": 1}, [{"class": "x"}, 1], {"format": "planviz-capture/1"},
)  # fmt: skip


@cache
def _seeds() -> tuple[tuple[str, Any], ...]:
    """Documents of every kind that planviz reads as JSON; those of event logs as a list of events."""

    def of(path: str) -> str:
        data = (SAMPLES / path).read_bytes()
        return (gzip.decompress(data) if path.endswith(".gz") else data).decode()

    log = [json.loads(line) for line in of("texts/event-log.json.gz").splitlines() if line]
    found = [("capture", json.loads(of("live/shop.planviz.json.gz"))), ("log", log), ("notebook", _NOTEBOOK)]
    found += [("catalogue", json.loads(of("live/catalog.json")))]
    return (*found, *((name, json.loads(of(f"texts/{name}.json"))) for name in ("plan-json", "rest-execution")))


def odd_document(dice: random.Random) -> tuple[str, str]:
    """The kind of a document and its text, with some odd places."""
    kind, seed = dice.choice(_seeds())
    document = copy.deepcopy(seed)
    for _ in range(dice.choice((1, 1, 1, 2, 4))):
        document = _changed(document, dice)
    if kind == "log" and isinstance(document, list):
        return kind, "\n".join(json.dumps(event) for event in document)
    return kind, json.dumps(document)


def _changed(document: Any, dice: random.Random) -> Any:
    """The document with one place changed: a walk down from the top ends anywhere, mostly at a leaf."""
    holder: Any = None
    key: Any = None
    here = document
    while isinstance(here, dict | list) and here and (holder is None or dice.random() < 0.93):
        holder, key = here, dice.choice(list(here)) if isinstance(here, dict) else dice.randrange(len(here))
        here = here[key]
    if holder is None:
        return dice.choice(_ODD)
    kind = dice.random()
    if kind < 0.7:
        holder[key] = copy.deepcopy(dice.choice(_ODD))
    elif kind < 0.85:
        del holder[key]
    elif isinstance(holder, list):
        holder.insert(dice.randrange(len(holder) + 1), copy.deepcopy(here))
    else:
        other = dice.choice(list(holder))
        holder[key], holder[other] = holder[other], holder[key]
    return document
