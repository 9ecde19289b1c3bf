"""What is made odd, by kind: each gives the text of a case out of dice, and does with it what planviz would."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any
from urllib.parse import quote

from planviz.catalog import Catalog, read_catalog, write_catalog
from planviz.catalog.bundled import read_bundled
from planviz.config import OptimizerConfig
from planviz.document import Document, open_text
from planviz.document.cardinality.measurements import measured_text, run_rows
from planviz.document.opening.replays import MOST, replayed
from planviz.errors import InternalError, PlanvizError
from planviz.findings.documents import document_findings
from planviz.programs import read_program
from planviz.render import render
from planviz.ui import cache as documents
from tests.conftest import SHARED
from tests.fuzz.documents import odd_document
from tests.fuzz.grammar import Writer
from tests.fuzz.plans import odd_plan, texts
from tests.fuzz.programs import odd_program
from tests.fuzz.typed import Typed, tables
from tests.plantext.test_properties import invariants
from tests.ui.test_odd_requests import LEAVES, made
from tests.ui.test_routes import Client

#: Formats by how often they are drawn: a picture of pixels takes two hundred times what a text does.
_FORMATS = ("svg", "html", "dot", "mmd", "json") * 60 + ("png", "pdf")
_SQL = "SELECT c_name, count(*) FROM customer JOIN orders ON c_custkey = o_custkey GROUP BY c_name"
_BODIES = ("/joins/{}", "/cardinality/{}", "/cardinality/{}/order", "/cardinality/{}/sizes", "/cardinality/{}/scale",
           "/cardinality/{}/catalogue", "/aggregations/{}", "/selected/{}")  # fmt: skip
_ADDRESSES = ("/plan/{key}/{plan}/details.json", "/plan/{key}/{plan}/why/{node}.json", "/plan/{key}/{plan}.{format}",
              "/plan/{key}/step-{node}.{format}", "/joins/{key}/{node}.{format}",
              "/aggregations/{key}/{node}.{format}")  # fmt: skip
_STATUS = (200, 204, 304, 400, 403, 404, 405, 413, 422, 503)


@dataclass(frozen=True)
class Case:
    """One case: its text, for the report, and the work, which answers what it did, in a word each."""

    text: str
    work: Callable[[], Sequence[str]]


def drawn(document: Document, dice: random.Random, often: float) -> list[str]:
    """A plan in one format and the findings of all, `often` (0 to 1) each; the words for what was done."""
    done = ["opened"]
    if document.plans and dice.random() < often:
        plan = dice.choice(document.plans)
        if len(plan) < 3_000:
            format = dice.choice(_FORMATS)
            assert render(plan, format, theme=dice.choice(("light", "dark")))
            done.append(format)
    if dice.random() < often / 4:
        document_findings(document)
        done.append("findings")
    return done


def parser(dice: random.Random) -> Case:
    """A plan's text, damaged, through an exporter."""
    text = odd_plan(dice)

    def work() -> list[str]:
        document = open_text(text)
        invariants(document, text)
        return drawn(document, dice, 0.5)

    return Case(text, work)


@cache
def _explains() -> tuple[str, ...]:
    """Extended explains to replay: the samples', and captured ones where they are at hand."""
    found = [text for text in texts() if "== Analyzed Logical Plan ==" in text or "== Physical Plan ==" in text]
    weird = sorted((SHARED / "corpus" / "weird" / "4.3.0").glob("*__extended.txt"))
    return tuple(found + [path.read_text(encoding="utf-8")[:20_000] for path in weird])


def replay(dice: random.Random) -> Case:
    """An explain, a little damaged, read back and planned again."""
    explains = _explains()
    text = dice.choice(explains)
    for _ in range(dice.choice((0, 1, 1, 2))):
        at = dice.randrange(len(text) + 1)
        other = dice.choice(explains)
        piece = other[(start := dice.randrange(len(other) + 1)) : start + dice.randint(1, 40)]
        text = text[:at] + piece + text[at + dice.choice((0, len(piece))) :]

    def work() -> list[str]:
        document = open_text(text)
        return ["opened", *("replayed" for said in (replayed(document, most=MOST),) if said)]

    return Case(text, work)


def _planned(sql: str, catalog: Catalog | None, dice: random.Random) -> list[str]:
    document = open_text(sql, catalog=catalog, config=dice.choice(_configs()))
    done = drawn(document, dice, 0.1)
    if document.error is None:
        done.append("planned")
    elif isinstance(document.error, InternalError):
        raise document.error
    return done


@cache
def shop() -> Catalog:
    """The bundled catalogue of the statements."""
    return read_bundled("shop")


def grammar(dice: random.Random) -> Case:
    """SQL out of the grammar."""
    sql = Writer(dice).statement()
    return Case(sql, lambda: _planned(sql, shop(), dice))


def typed(dice: random.Random) -> Case:
    """SQL whose types fit."""
    sql = Typed(dice).statement()
    return Case(sql, lambda: _planned(sql, tables(), dice))


@cache
def _configs() -> tuple[OptimizerConfig | None, ...]:
    """Spark 4.3 mostly; older ones, and settings that lead elsewhere."""
    older = tuple(OptimizerConfig.of(f"spark-{version}") for version in ("3.0", "3.3", "3.5", "4.0", "4.2"))
    now = OptimizerConfig()
    other = tuple(
        now.with_settings({name: value})
        for name, value in (
            ("spark.sql.ansi.enabled", "false"), ("spark.sql.cbo.enabled", "true"),
            ("spark.sql.adaptive.enabled", "false"),
            ("spark.sql.caseSensitive", "true"), ("spark.sql.autoBroadcastJoinThreshold", "-1"),
        )
    )  # fmt: skip
    return (None,) * 25 + older + other


@cache
def _mutations() -> Callable[[random.Random], tuple[str, Any]]:
    from tests.frontend.fuzz import mixed, mutated, statements, tokens_of, trees

    found = statements()
    found += [(Typed(random.Random(n)).statement(), tables()) for n in range(600)]
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
    return Case(sql, lambda: _planned(sql, catalog, dice))


def sql(dice: random.Random) -> Case:
    """SQL: half out of a grammar, half damaged."""
    kind = dice.random()
    return mutations(dice) if kind < 0.5 else typed(dice) if kind < 0.9 else grammar(dice)


def programs(dice: random.Random) -> Case:
    """A program, made odd, read as text, its actions planned and one of their plans drawn."""
    text = odd_program(dice)

    def work() -> list[str]:
        program = read_program(text, tables() if dice.random() < 0.6 else None)
        if isinstance(program.error, InternalError):
            raise program.error
        done = ["read"] if program.error is None else ["read to an error"]
        for action in program.actions[:4]:
            if action.execution is not None:
                error = action.execution.error_until("physical")
                if isinstance(error, InternalError):
                    raise error
                done.append("action planned" if error is None else "action with an error")
        return done

    return Case(text, work)


@cache
def _key() -> str:
    return documents.open_document(_SQL, "tpch").key


def _asked(method: str, path: str, body: bytes = b"") -> list[str]:
    answer = Client().ask(method, path, None, body)
    assert answer.status_code in _STATUS, answer.status_code
    if answer.status_code in (400, 413, 422) and answer.content.startswith(b"{"):
        assert json.loads(answer.content)["message"].strip()
    return [f"status {answer.status_code}"]


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

    def work() -> list[str]:
        answer = Client().ask("POST", "/plan", None, text.encode("utf-8", "surrogatepass"))
        assert answer.status_code in _STATUS, answer.status_code
        key = json.loads(answer.content)["key"] if answer.status_code == 200 else _key()
        return [word for method, path, body in asked for word in _asked(method, path.replace("KEY", key), body)]

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


def documents_in_json(dice: random.Random) -> Case:
    """A capture, catalogue, event log, notebook or plan in JSON with odd values, read, measured and drawn."""
    kind, text = odd_document(dice)

    def work() -> list[str]:
        if kind == "catalogue":
            json.loads(write_catalog(read_catalog(text)).encode("utf-8"), parse_constant=refused)
            return ["read"]
        document = open_text(text)
        for plan in document.plans[:4]:
            json.loads(render(plan, "json"), parse_constant=refused)
            measured_text(run_rows(plan))
        replayed(document, most=MOST)
        return drawn(document, dice, 0.5)

    return Case(text, work)


def refused(constant: str) -> None:
    """Raised for NaN and Infinity, which no JSON has."""
    raise AssertionError(constant)


KINDS: dict[str, Callable[[random.Random], Case]] = {
    "parser": parser, "sql": sql, "grammar": grammar, "typed": typed, "replay": replay,
    "programs": programs, "bodies": bodies,
    "requests": requests, "documents": documents_in_json,
}  # fmt: skip
#: What may be raised: an error of ours is a sentence to whoever sent the text.
ALLOWED = (PlanvizError,)
