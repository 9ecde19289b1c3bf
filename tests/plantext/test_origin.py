"""Which engine and which Spark printed a plan."""

from __future__ import annotations

from pathlib import Path

import pytest

from planviz.document import open_text


@pytest.mark.parametrize(
    ("text", "origin"),
    [
        ("*Project [a#1]\n+- *Filter ((a#1 > 2) && (a#1 < 9))\n   +- LocalTableScan [a#1]\n", ("Spark 2.0 to 2.2",)),
        ("*(1) Project [a#1]\n+- *(1) Filter ((a#1 > 2) && isnull(b#2))\n", ("Spark 2.3 to 2.4",)),
        ("TungstenAggregate(key=[], functions=[], output=[])\n+- ConvertToUnsafe\n", ("Spark 1.5 to 1.6",)),
        ("Sort [a#1 ASC]\n+- Exchange hashpartitioning(a#1, 9), ENSURE_REQUIREMENTS, [id=#3]\n", ("Spark 3.1 to 3.2",)),
        (
            "GpuColumnarToRow false\n+- GpuColumnarExchange gpusinglepartitioning$(), [plan_id=3]\n",
            ("RAPIDS Accelerator", "Spark 3.2 or later"),
        ),
        ("PhotonResultStage\n+- PhotonProject [a#1]\n", ("Databricks Photon",)),
        ("VeloxColumnarToRow\n+- ^(2) ProjectExecTransformer [a#1]\n", ("Gluten (Velox)",)),
        ("CometColumnarToRow\n+- CometProject [a#1]\n", ("DataFusion Comet",)),
        # A vendor's mixture of spellings tells nothing.
        ("Filter ((a#1 > 2) && b#2)\n+- AQEShuffleRead coalesced\n", ()),
    ],
)
def test_engine_and_versions(text: str, origin: tuple[str, ...]) -> None:
    assert open_text(text).origin == origin


@pytest.mark.parametrize("version", ["3.0.3", "3.5.9", "4.3.0"])
def test_the_version_of_a_capture_is_within_the_bounds(corpus: Path, version: str) -> None:
    actual = tuple(map(int, version.split(".")[:2]))
    told = set()
    for path in sorted((corpus / "weird" / version).glob("*__simple.txt"))[:12]:
        for words in open_text(path.read_text()).origin:
            bounds = [tuple(map(int, word.split("."))) for word in words.split()[1:] if word[0].isdigit()]
            last = (99, 0) if words.endswith("later") else bounds[-1]
            assert (bounds[0] if not words.endswith("earlier") else (1, 0)) <= actual <= last, (path.name, words)
            told.add(words)
    assert told
