"""Plan texts made odd: captures of every form and version, cut at their sections, with parts of one another."""

from __future__ import annotations

import json
import random
import re
from functools import cache

from tests.conftest import SHARED, read_capture, read_plan_text
from tests.plantext.test_properties import mutate, sources

_SECTION = re.compile(r"^(?=== |\(\d+\) |=+ |Found \d+ WholeStage|\*\(\d+\) )", re.M)
_TOKEN = re.compile(r"[A-Za-z_]\w*|#\d+L?|\d+|[\[\](),:+*-]+")
_NUMBERS = ("0", "-1", "1", "99999999999999999999", "1e400", "NaN", "2147483648", "00", "1.5.6", "²", "٣", "9" * 5_000)
#: What stands around a plan where people copy it from.
_WRAPPED = (
    lambda text: json.dumps({"plan": text}),
    lambda text: json.dumps({"cells": [{"cell_type": "code", "source": ["df.explain()"], "outputs": [
        {"output_type": "stream", "name": "stdout", "text": text.splitlines(keepends=True)}]}], "nbformat": 4}),
    lambda text: json.dumps(text),
    lambda text: repr(text),
    lambda text: 'val plan = """' + text.replace("\n", "\n    |") + '""".stripMargin',
    lambda text: text.replace("\n", " "),
    lambda text: text.replace("\n", "\\n"),
    lambda text: "| " + text.replace("\n", " |\n| ") + " |",
    lambda text: text + "\n" + text,
    lambda text: "".join(f"+{line}\n-{line}\n" for line in text.split("\n")[:40]),
    lambda text: text.replace("+- ", "└─ ").replace(":- ", "├─ "),
    lambda text: text.replace("   ", ""),
    lambda text: text.replace("(", "<").replace(")", ">"),
)  # fmt: skip


@cache
def texts() -> tuple[str, ...]:
    """All texts, some as they were captured and some piece by piece."""
    found = list(sources())
    corpus = SHARED / "corpus"
    if corpus.is_dir():
        dice = random.Random(2)
        for path in sorted((corpus / "live").glob("*.*")):
            if path.name != "hostile_statements.txt":
                found.append(read_plan_text(path)[:40_000])
        for folder in ("nocbo-aqeoff", "cbo-aqeon"):
            for path in sorted((corpus / "tpcds" / "captures" / folder).glob("q*.json.gz"))[5::25]:
                found += [text[:12_000] for text in read_capture(path).get("explain", {}).values()]
        older = sorted(p for p in (corpus / "old").rglob("*") if p.suffix in (".txt", ".gz"))
        found += [read_plan_text(path)[:8_000] for path in dice.sample(older, min(60, len(older)))]
        log = read_plan_text(corpus / "live" / "logs" / "spark35_plain_truncated_3MB.log").splitlines()
        found += ["\n".join(line[:4_000] for line in log[at : at + 8]) for at in range(0, 400, 20)]
    return tuple(text for text in found if text.strip())


@cache
def _pieces() -> tuple[str, ...]:
    """The sections of all texts: a heading with its tree, a block of details, one stage's code."""
    found = [piece[:2_500] for text in texts() for piece in _SECTION.split(text) if len(piece) > 30]
    return tuple(random.Random(3).sample(found, min(6_000, len(found))))


@cache
def _tokens() -> tuple[str, ...]:
    return tuple(sorted({word for text in texts()[::3] for word in _TOKEN.findall(text[:4_000])}))


def odd_plan(dice: random.Random) -> str:
    """One text: a capture's beginning, some of its lines, or sections of several; then made odd in a few places."""
    kind = dice.random()
    if kind < 0.4:
        text = dice.choice(texts())[:3_000]
    elif kind < 0.6:
        lines = dice.choice(texts()).split("\n")
        at = dice.randrange(len(lines))
        text = "\n".join(lines[at : at + dice.randint(1, 40)])[:3_000]
    else:
        text = "".join(dice.choices(_pieces(), k=dice.choice((1, 1, 2, 3))))[:3_000]
    for _ in range(dice.choice((0, 1, 1, 2))):
        text = _retold(text, dice)
    if dice.random() < 0.75:
        text = mutate(text, dice.choice(texts()), dice)
    if dice.random() < 0.03:
        at = dice.randrange(len(text) + 1)
        text = text[:at] + dice.choice(("\udcff", "\x00", "\u2028", "²", "\ufeff")) + text[at:]
    if dice.random() < 0.1:
        text = dice.choice(_WRAPPED)(text)
    return text


def _retold(text: str, dice: random.Random) -> str:
    """Some of the words other words, numbers other numbers, or lines at other depths."""
    kind = dice.randrange(4)
    if kind == 0:
        found = list(_TOKEN.finditer(text))
        for match in sorted(dice.sample(found, min(len(found), dice.randint(1, 4))), key=lambda m: -m.start()):
            text = text[: match.start()] + dice.choice(_tokens()) + text[match.end() :]
    elif kind == 1:
        found = list(re.finditer(r"\d+", text))
        for match in sorted(dice.sample(found, min(len(found), dice.randint(1, 6))), key=lambda m: -m.start()):
            number = dice.choice((*_NUMBERS, dice.choice(found).group()))
            text = text[: match.start()] + number + text[match.end() :]
    elif kind == 2:
        lines = text.split("\n")
        for _ in range(dice.randint(1, 5)):
            at = dice.randrange(len(lines))
            lines[at] = " " * dice.choice((1, 2, 3, 6, 30)) + lines[at] if dice.random() < 0.5 else lines[at].lstrip()
        text = "\n".join(lines)
    else:
        brackets = list(re.finditer(r"[\[\](){}'\"]", text))
        for match in sorted(dice.sample(brackets, min(len(brackets), dice.randint(1, 3))), key=lambda m: -m.start()):
            text = text[: match.start()] + dice.choice(("", "((", "]", "'", "\\")) + text[match.end() :]
    return text
