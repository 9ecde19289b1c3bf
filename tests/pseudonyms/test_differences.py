"""The difference of two anonymised plans is the anonymised difference, of these; docs/anonymise.md says how often."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

import pytest

from planviz.document import open_text
from planviz.document.comparison.plans import compare_plans, difference_json
from planviz.pseudonyms import Key, anonymise, restore


def _captured(corpus: Path, mode: str, query: str) -> str:
    import gzip

    told = json.loads(gzip.decompress((corpus / f"tpcds/captures/{mode}/{query}.json.gz").read_bytes()))
    return str(told["explain"]["extended"])


def _bags(told: object) -> object:
    """Words in alphabetical order in every sentence: names are listed by the alphabet, which pseudonyms have not."""
    if isinstance(told, dict):
        return {key: _bags(value) for key, value in told.items()}
    if isinstance(told, list):
        return [_bags(value) for value in told]
    return sorted(re.findall(r"\w+", told)) if isinstance(told, str) else told


@pytest.mark.parametrize("query", ["q3", "q12", "q26", "q58", "q74"])
def test_with_and_without_cbo(corpus: Path, query: str) -> None:
    key = Key.new(random.Random(7))
    texts = [_captured(corpus, mode, query) for mode in ("nocbo-aqeoff", "cbo-aqeoff")]
    made = [anonymise(text, key) for text in texts]
    assert [restore(text, key) for text in made] == texts
    for at in (-1, -2):
        plain = difference_json(compare_plans(*(open_text(text).plans[at] for text in texts)))
        other = difference_json(compare_plans(*(open_text(text).plans[at] for text in made)))
        expected = json.loads(anonymise(json.dumps(plain), key))
        assert _bags(other) == _bags(expected)
