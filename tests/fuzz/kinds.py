"""What is made odd, by kind: each gives the text of a case out of dice, and does with it what planviz would."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from typing import Any
from urllib.parse import quote

from planviz.catalog.bundled import read_bundled
from planviz.document import Document, open_text
from planviz.document.opening.replays import MOST, replayed
from planviz.errors import PlanvizError
from planviz.findings.documents import document_findings
from planviz.render import render
from planviz.ui import cache as documents
from tests.conftest import ROOT as REPO
from tests.conftest import SHARED
from tests.fuzz.grammar import Writer
from tests.plantext.test_properties import mutate, sources
from tests.ui.test_odd_requests import LEAVES, made
from tests.ui.test_routes import Client

#: Formats by how often they are drawn; pictures of pixels take most of the time.
_FORMATS = ("svg", "html", "dot", "mmd", "json") * 6 + ("png", "pdf")
_SQL = "SELECT c_name, count(*) FROM customer JOIN orders ON c_custkey = o_custkey GROUP BY c_name"
_BODIES = ("/joins/{}", "/cardinality/{}", "/cardinality/{}/order", "/cardinality/{}/sizes", "/cardinality/{}/scale",
           "/cardinality/{}/catalogue", "/aggregations/{}", "/selected/{}")  # fmt: skip
_ADDRESSES = ("/plan/{key}/{plan}/details.json", "/plan/{key}/{plan}/why/{node}.json", "/plan/{key}/{plan}.{format}",
              "/plan/{key}/step-{node}.{format}", "/joins/{key}/{node}.{format}",
              "/aggregations/{key}/{node}.{format}")  # fmt: skip
_STATUS = (200, 204, 304, 400, 403, 404, 405, 413, 422, 503)


@dataclass(frozen=True)
class Case:
    """One case: its text, for the report, and the work."""

    text: str
    work: Callable[[], object]


def drawn(document: Document, dice: random.Random) -> None:
    """Two plans in one format each, and the findings of all."""
    for plan in dice.sample(list(document.plans), min(2, len(document.plans))):
        if len(plan) < 3_000:
            assert render(plan, dice.choice(_FORMATS), theme=dice.choice(("light", "dark")))
    if dice.random() < 0.1:
        document_findings(document)


@cache
def _texts() -> tuple[str, ...]:
    return tuple(sources())


def parser(dice: random.Random) -> Case:
    """A plan's text, damaged, through an exporter."""
    texts = _texts()
    text = mutate(dice.choice(texts)[:3_000], dice.choice(texts), dice)
    return Case(text, lambda: drawn(open_text(text), dice))


@cache
def _explains() -> tuple[str, ...]:
    """Extended explains to replay: the samples', and captured ones where they are at hand."""
    found = [text for text in _texts() if "== Analyzed Logical Plan ==" in text or "== Physical Plan ==" in text]
    weird = sorted((SHARED / "corpus" / "weird" / "4.3.0").glob("*__extended.txt"))
    return tuple(found + [path.read_text(encoding="utf-8")[:20_000] for path in weird])


def replay(dice: random.Random) -> Case:
    """An explain, a little damaged, read back and planned again."""
    texts = _explains()
    text = dice.choice(texts)
    for _ in range(dice.choice((0, 1, 1, 2))):
        at = dice.randrange(len(text) + 1)
        other = dice.choice(texts)
        piece = other[(start := dice.randrange(len(other) + 1)) : start + dice.randint(1, 40)]
        text = text[:at] + piece + text[at + dice.choice((0, len(piece))) :]

    def work() -> None:
        document = open_text(text)
        replayed(document, most=MOST)

    return Case(text, work)


def _planned(sql: str, catalog: str, dice: random.Random) -> None:
    document = open_text(sql, catalog=read_bundled(catalog))
    drawn(document, dice)


def grammar(dice: random.Random) -> Case:
    """SQL out of the grammar."""
    sql = Writer(dice).statement()
    return Case(sql, lambda: _planned(sql, "shop", dice))


@cache
def _mutations() -> Callable[[random.Random], tuple[str, Any]]:
    from tests.frontend.fuzz import mixed, mutated, statements, tokens_of, trees

    found = statements()
    pool: dict[str, list[str]] = {}
    for text, kind in sorted({t for s, _ in found for t in tokens_of(s)}):
        pool.setdefault(kind, []).append(text)
    forest = trees([s for s, _ in found if len(s) < 2_000])

    def one(dice: random.Random) -> tuple[str, Any]:
        if dice.random() < 0.3:
            return mixed(forest, dice), found[0][1]
        sql, catalog = dice.choice(found)
        return mutated(sql, pool, dice), catalog

    return one


def mutations(dice: random.Random) -> Case:
    """A statement with some of its tokens changed, or with parts of another one."""
    sql, catalog = _mutations()(dice)
    return Case(sql, lambda: drawn(open_text(sql, catalog=catalog), dice))


def sql(dice: random.Random) -> Case:
    """SQL: half out of the grammar, half damaged."""
    return grammar(dice) if dice.random() < 0.5 else mutations(dice)


def programs(dice: random.Random) -> Case:
    """A PySpark program, damaged, read as text."""
    from planviz.programs import read_program

    texts = _programs()
    text = mutate(dice.choice(texts)[:6_000], dice.choice(texts), dice)
    return Case(text, lambda: read_program(text))


@cache
def _programs() -> tuple[str, ...]:
    pasted = (REPO / "tests" / "programs" / "pasted.txt").read_text(encoding="utf-8").split("\n----")
    written = [path.read_text(encoding="utf-8") for path in sorted((REPO / "tests" / "programs").glob("*.py"))]
    return tuple(text for text in (*pasted, *written) if text.strip())


@cache
def _key() -> str:
    return documents.open_document(_SQL, "tpch").key


def _asked(method: str, path: str, body: bytes = b"") -> int:
    answer = Client().ask(method, path, None, body)
    assert answer.status_code in _STATUS, answer.status_code
    if answer.status_code in (400, 413, 422) and answer.content.startswith(b"{"):
        assert json.loads(answer.content)["message"].strip()
    return answer.status_code


def bodies(dice: random.Random) -> Case:
    """A JSON body of an odd shape for one of the addresses that take one."""
    body = made(dice)
    if isinstance(body, dict) and dice.random() < 0.5:
        body |= {"join": 0, "left": "off", "right": "on"}
    path = dice.choice(_BODIES).format(_key())
    sent = json.dumps(body).encode()
    return Case(f"POST {path} {sent.decode()}", lambda: _asked("POST", path, sent))


def requests(dice: random.Random) -> Case:
    """A program of requests: a text is opened, then asked for in ways of which many make no sense."""
    text = (parser if dice.random() < 0.5 else grammar)(dice).text
    asked = list(_requests(dice))

    def work() -> None:
        answer = Client().ask("POST", "/plan", None, text.encode("utf-8", "surrogatepass"))
        assert answer.status_code in _STATUS, answer.status_code
        key = json.loads(answer.content)["key"] if answer.status_code == 200 else _key()
        for method, path, body in asked:
            _asked(method, path.replace("KEY", key), body)

    return Case(f"{text}\n-- {asked}", work)


def _requests(dice: random.Random) -> Iterator[tuple[str, str, bytes]]:
    for _ in range(dice.randint(3, 8)):
        if dice.random() < 0.4:
            body = made(dice)
            yield "POST", dice.choice(_BODIES).format("KEY"), json.dumps(body).encode("utf-8", "replace")
            continue
        odd = partial(dice.choice, ("0", "1", "3", "-1", "x", "9" * 30, "%00", "..", "trace", "1.5", "é", " "))
        address = dice.choice(_ADDRESSES).format(
            key="KEY", plan=odd(), node=odd(), format=dice.choice(("svg", "html", "json", "exe", "", "png"))
        )
        theme = quote(str(dice.choice(LEAVES)), errors="replace")
        query = f"?theme={theme}&view={odd()}&what={quote(odd())}"
        yield (
            dice.choice(("GET", "GET", "GET", "HEAD", "DELETE")),
            address + (query if dice.random() < 0.4 else ""),
            b"",
        )


KINDS: dict[str, Callable[[random.Random], Case]] = {
    "parser": parser, "sql": sql, "grammar": grammar, "replay": replay, "programs": programs, "bodies": bodies,
    "requests": requests,
}  # fmt: skip
#: What may be raised: an error of ours is a sentence to whoever sent the text.
ALLOWED = (PlanvizError,)
