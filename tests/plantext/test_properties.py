"""Mutated plans: no exception, nothing lost, no quadratic time (10,000 texts a run)."""

from __future__ import annotations

import contextlib
import random
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from planviz.document import Document, open_text
from planviz.errors import PlanvizError
from planviz.graph import subtitle, title
from planviz.plantext import scanner
from planviz.plantext.lines import clean
from planviz.samples import load, samples
from tests.conftest import SHARED, read_capture, read_plan_text
from tests.plantext.test_lines import DISGUISES, PLAN
from tests.steps import steps

MUTATIONS = 10_000
ALPHABET = "+-:|!*~'\"()[]{}#<>=, \t\r\n\x00\x1b\u00a0\u2028🎉abcXYZ019."


def sources() -> list[str]:
    """Texts to mutate: the bundled samples and, where they are at hand, captures of every form and version."""
    found = [load(sample.name)[:20_000] for sample in samples()]
    corpus = SHARED / "corpus"
    if corpus.is_dir():
        paths = sorted(corpus.glob("weird/*/*.txt"))
        found += [read_plan_text(path)[:8_000] for path in random.Random(1).sample(paths, 250)]
        found += [read_plan_text(path)[:15_000] for path in sorted(corpus.glob("live/planChangeLog_*.txt"))]
        for path in sorted((corpus / "tpcds" / "captures" / "nocbo-aqeon").glob("q*.json.gz"))[::12]:
            found += [text[:8_000] for text in read_capture(path).get("explain", {}).values()]
    return found


def mutate(text: str, other: str, dice: random.Random) -> str:
    for _ in range(dice.randint(1, 4)):
        lines = text.split("\n")
        at = dice.randrange(len(text) + 1)
        match dice.randrange(8):
            case 0:
                text = text[at:]
            case 1:
                text = text[:at]
            case 2:
                text = text[:at] + other[dice.randrange(len(other) + 1) :][:400] + text[at:]
            case 3:
                dice.shuffle(lines)
                text = "\n".join(lines)
            case 4:
                text = text[:at] + "".join(dice.choices(ALPHABET, k=dice.randint(1, 30))) + text[at:]
            case 5:
                del lines[dice.randrange(len(lines))]
                text = "\n".join(lines)
            case 6:
                lines.insert(dice.randrange(len(lines)), dice.choice(lines))
                text = "\n".join(lines)
            case 7:
                text = dice.choice(list(DISGUISES.values()))(text)
    return text


def check(text: str) -> Document | None:
    """Everything a page would ask of the document; None when it was refused in a sentence."""
    try:
        document = open_text(text)
    except PlanvizError:
        return None
    invariants(document, text)
    for step in document.trace.steps:
        step.graphs()
    return document


def invariants(document: Document, text: str) -> None:
    """Fails where plans are no trees in order, where a place is not in the text, or a line was lost."""
    assert document.text == text
    lines = text.split("\n")
    for plan in document.plans:
        for number, node in enumerate(plan):
            assert node.id == number
            assert node.parent is None or node.parent < number
            assert node.depth == (0 if node.parent is None else plan[node.parent].depth + 1)
            assert node.source is None or 1 <= node.source[0] <= node.source[1] <= len(lines)
        for link in plan.links():
            assert 0 <= link.source < len(plan)
            assert 0 <= link.target < len(plan)
    for number, left in document.unparsed:
        assert left == lines[number - 1].rstrip("\r")


def unaccounted(text: str) -> list[str]:
    """Lines that are not blank and yet belong to no operator, heading, detail, log or code, nor stand as unparsed."""
    lines = clean(text)
    owners = scanner.scan(lines).owners
    return [line for line, owner in zip(lines.text, owners, strict=True) if line.strip() and owner == scanner.BLANK]


@pytest.mark.slow
def test_ten_thousand_mutations() -> None:
    texts = sources()
    dice = random.Random(20260)
    opened = 0
    open_text("SELECT {{ 1 }}")  # what begins like SQL loads the planner, once, and a template its parser
    for _ in range(MUTATIONS):
        text = mutate(dice.choice(texts)[:3_000], dice.choice(texts), dice)
        documents: list[Any] = []
        taken = steps(lambda: documents.append(check(text)))  # noqa: B023
        assert taken < 20_000 + 30 * len(text), f"{taken:,} calls for {len(text)} characters"
        (document,) = documents
        if document is not None:
            opened += 1
            assert unaccounted(text) == []
            for plan in document.plans:
                for node in list(plan)[:20]:
                    assert isinstance(title(node), str)
                    assert len(subtitle(node)) <= 3
    assert opened > MUTATIONS / 2


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.text(alphabet=ALPHABET, max_size=400))
def test_any_text(text: str) -> None:
    check(text)
    check(PLAN + text)
    check(text + PLAN)


def chain(depth: int) -> str:
    return "== Physical Plan ==\nRoot\n" + "\n".join("   " * n + "+- Project [a#1]" for n in range(depth))


def fan(width: int) -> str:
    return "== Physical Plan ==\nUnion\n" + ":- Range (0, 1)\n" * (width - 1) + "+- Range (0, 1)"


@pytest.mark.slow
def test_six_thousand_deep() -> None:
    plan = open_text(chain(6_000)).plans[0]
    assert (len(plan), plan.depth()) == (6_001, 6_001)
    assert sum(1 for _ in plan.walk()) == 6_001


def test_ten_thousand_wide() -> None:
    plan = open_text(fan(10_000)).plans[0]
    assert len(plan.children(0)) == 10_000


@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("wide", fan),
        pytest.param(
            "open brackets",
            lambda n: "== Physical Plan ==\nProject [a#1\n" + "+- Filter ((a#1\n" * n,
            marks=pytest.mark.slow,
        ),
        ("unmarked lines", lambda n: "== Physical Plan ==\nProject [(\n" + "x (\n" * n),
        ("headings", lambda n: "== Physical Plan ==\n" * n + PLAN),
        ("blank lines", lambda n: PLAN + "\n" * n + PLAN),
        ("one long line", lambda n: "== Physical Plan ==\nProject [" + "a#1, " * n + "b#2]"),
        ("adaptive headings", lambda n: "AdaptiveSparkPlan\n" + "+- == Initial Plan ==\n   Project\n" * n),
        ("no breaks", lambda n: "== Physical Plan == Union " + ":- Range (0, 1) " * n),
        ("reused", lambda n: fan(10) + "\n" + ":- ReusedExchange [a#1], Exchange x\n" * n),
        ("rule log", lambda n: "=== Applying Rule a.B ===\n" + "!A     B\n" * n),
        ("dashes", lambda n: "== Physical Plan ==\nX\n" + "-" * n + "\n" + "=" * n + "\n" + "+" * n),
        ("adaptive headings alone", lambda n: "+- == Initial Plan ==\n" * n),
        ("builders", lambda n: "== Physical Plan ==\nUnion\n" + ":- InMemoryRelation [a#1], CachedRDDBuilder(x\n" * n),
        ("comment marks", lambda n: "# x\n" * n + PLAN),
    ],
)
def test_the_work_grows_with_the_size(name: str, make) -> None:  # type: ignore[no-untyped-def]
    def read(text: str) -> None:
        with contextlib.suppress(PlanvizError):
            for plan in open_text(text).plans:
                for node in plan:
                    node.arguments  # noqa: B018

    read(make(10))  # what is loaded and compiled once
    small, large = (steps(partial(read, make(size))) for size in (1_000, 8_000))
    assert large < 8 * 1.3 * small + 1_000, f"{name}: {small:,} calls grew to {large:,}"


def test_a_paste_too_large_is_refused_at_once() -> None:
    text = "x" * 100_000_000

    def refused() -> None:
        with pytest.raises(PlanvizError, match="100 million characters"):
            open_text(text, limit=50_000_000)

    assert steps(refused) < 1_000


def test_corpus_folder_is_where_the_readme_says(corpus: Path) -> None:
    assert (corpus / "README.md").is_file()
