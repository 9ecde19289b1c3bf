"""What the Cardinality page shows: plans with rows and bytes on their edges, two ways of planning beside each other."""

from __future__ import annotations

import gzip
import json
from base64 import b64encode
from time import perf_counter
from urllib.parse import quote

from planviz.catalog.files import write_catalog
from planviz.document.cardinality.crossovers import crossovers, crossovers_json
from planviz.document.cardinality.join_order import order_table
from planviz.errors import InputError, PlanvizError
from planviz.execution import QueryExecution
from planviz.graph import PlanGraph
from planviz.graph.actual import FACTOR
from planviz.jsontypes import JsonObject
from planviz.render import render
from planviz.render.paired import paired_scenes, single_scene
from planviz.render.text import one_line
from planviz.render.theme import tokens
from planviz.ui import cache
from planviz.ui.bodies import ODD, ODDITIES, read_json
from planviz.ui.opened import Opened, in_worker
from planviz.ui.sides import PRINTED, Side, planned_sides, text_side, to_plan, ways_of
from planviz.ui.slides import beside, slide_list, slide_of
from planviz.ui.statistics import Edits, edited, problems, scaled_edits, used_tables

#: What a query begins with.
PAIR = {"left": "off", "right": "reorder"}
#: What one begins with over tables of which nothing is known.
ALONE = {"left": "off", "right": ""}
#: Answers that are kept: undo and redo find theirs ready.
_KEPT = 24
#: Characters of a plan's name on its button.
_SHORT = 34

Asked = JsonObject


def execution_of(opened: Opened) -> QueryExecution | None:
    """The last query of the document that was planned to its end; None for anything but SQL."""
    found = [s.execution for s in opened.document.statements if s.execution is not None and s.error is None]
    return found[-1] if found else None


@in_worker
def has_numbers(opened: Opened) -> bool:
    """Whether the document has rows or bytes to show: SQL that was planned, or a text that tells them."""
    return execution_of(opened) is not None or bool(_numbered(opened))


def _numbered(opened: Opened) -> dict[str, PlanGraph]:
    """The plans of a text that carry rows or bytes, by their index: those with estimates, else those that ran."""
    plans = {str(index): graph for index, graph in enumerate(opened.document.plans)}
    expected = {way: graph for way, graph in plans.items() if any(node.estimate for node in graph)}
    return expected or {way: graph for way, graph in plans.items() if any(node.metrics for node in graph)}


def _ways(opened: Opened) -> dict[str, tuple[str, str]]:
    """Title and short name of every plan that can be shown, by id: those of the text first, then what can be planned.

    Of a pasted explain both: the numbers that Spark printed, and what planviz makes of its plan.
    """
    execution = execution_of(opened)
    texts = _numbered(opened) if opened.document.is_pasted else {}
    told = {id: (graph.title, one_line(graph.title, _SHORT)) for id, graph in texts.items()}
    ways = {} if execution is None else ways_of(execution, pasted=opened.document.is_pasted)
    return told | {id: (way.title, way.short) for id, way in ways.items()}


@in_worker
def asked_of(opened: Opened, numbers: str | None) -> JsonObject:
    """What is shown first: as the part `numbers` of an address says, where that can be read; else the usual pair."""
    ways = list(_ways(opened))
    usual: JsonObject = {**(ALONE if _is_bare(opened) else PAIR), "edits": {}}
    if opened.document.is_pasted:
        usual = {"left": _usual(opened, ways), "right": "", "edits": {}}
    try:
        told = json.loads(numbers or "")
    except (ValueError, RecursionError):
        return usual
    if not isinstance(told, dict) or told.get("left") not in ways or told.get("right") not in [*ways, ""]:
        return usual
    asked = {key: told.get(key) or "" for key in ("left", "right")} | {"edits": told.get("edits") or {}}
    try:
        answer(opened, asked)
    except (PlanvizError, AttributeError, TypeError):
        return usual
    return asked


def _is_bare(opened: Opened) -> bool:
    """Whether nobody knows how many rows any of a query's tables has: then no two plans differ."""
    execution = execution_of(opened)
    tables = used_tables(execution) if execution is not None else []
    return bool(tables) and all(table["rowCount"] is None for table in tables)


def _usual(opened: Opened, ways: list[str]) -> str:
    """Of several queries in one text the last, at which Explore opens, too; else the first way."""
    if not ways[0].isdigit():
        return ways[0]
    plans = opened.document.plans
    stage = plans[int(ways[0])].stage
    return [way for way in ways if way.isdigit() and plans[int(way)].stage == stage][-1]


def part(numbers: str | None) -> str | None:
    """The part `numbers` as it stands in an address."""
    return quote(numbers) if numbers else None


@in_worker
def data(opened: Opened, asked: Asked) -> bytes:
    """What the page's component begins with, gzipped: the first answer, the ways to plan, the tables, the theme."""
    name = ("cardinality", "begin", json.dumps(asked, sort_keys=True))
    if name not in opened.made:
        execution = execution_of(opened)
        ways = [{"id": id, "title": title, "short": short} for id, (title, short) in _ways(opened).items()]
        told = {
            "key": f"{opened.key}/cardinality",
            "theme": tokens(),
            "dark": None,
            "ways": ways if len(ways) > 1 else None,
            "usual": asked_of(opened, None),
            "tables": None if execution is None else used_tables(execution),
            "exports": f"/cardinality/{opened.key}",
            "slides": None if execution is None else slide_list(opened),
            "asked": dict(asked),
            "answer": answer(opened, asked),
        }
        opened.made[name] = gzip.compress(_json(told), 6, mtime=0)
    made: bytes = opened.made[name]
    return made


def answer(opened: Opened, asked: Asked) -> JsonObject:
    """The plans that were asked for, with their numbers.

    `asked` has `left` and `right` (of `WAYS`, or plans of a text by index; `right` "" for one plan alone), `edits` of
    statistics (`planviz.ui.statistics.Edits`), `measured`, the key of an open document with a run's metrics, and
    `factor`, from which on an estimate counts as wrong. Raises InputError for what is not there, and whatever planning
    raises.
    """
    name = ("cardinality", "answer", json.dumps(asked, sort_keys=True))
    if name not in opened.made:
        kept = [key for key in opened.made if key[:2] == name[:2]]
        for old in kept[: len(kept) + 1 - _KEPT]:
            del opened.made[old]
        opened.made[name] = _answer(opened, asked)
    found: JsonObject = opened.made[name]
    return found


def _answer(opened: Opened, asked: Asked) -> dict[str, object]:
    began = perf_counter()
    sides = _sides(opened, [str(asked[at]) for at in ("left", "right") if asked.get(at)], asked.get("edits") or {})
    if not sides:
        raise InputError("No plan was asked for.")
    run = _run(opened, asked.get("measured"))
    if run is not None:
        for side in sides:
            side.measure(run)
    factor = asked.get("factor")
    divergences = [side.divergence(float(factor) if factor else FACTOR) for side in sides]
    planned = perf_counter()
    scenes, pairs, aligned = _scenes([side.graph for side in sides])
    told = {
        "sides": [side.told(scene) for side, scene in zip(sides, scenes, strict=True)],
        "pairs": pairs,
        "aligned": aligned,
        "divergence": next(({"side": at} | d for at, d in enumerate(divergences) if d), None),
        "notes": list(dict.fromkeys(note for side in sides for note in side.notes)),
        "problems": _problems(opened, asked.get("edits") or {}),
    }
    drawn = perf_counter()
    slide = slide_of(opened)
    if slide is not None:
        told["slide"] = beside(slide, sides)
    return told | {"ms": {"planned": round((planned - began) * 1e3, 1), "drawn": round((drawn - planned) * 1e3, 1)}}


def _problems(opened: Opened, edits: JsonObject) -> list[str]:
    execution = execution_of(opened)
    return [] if execution is None or not edits else problems(edited(execution.catalog, edits), edits)


def _scenes(graphs: list[PlanGraph]) -> tuple[list[dict[str, object]], list[list[int]], bool]:
    return ([single_scene(graphs[0])], [], False) if len(graphs) == 1 else paired_scenes(*graphs)


def _sides(opened: Opened, ways: list[str], edits: Edits) -> list[Side]:
    execution = execution_of(opened)
    if execution is not None and not opened.document.is_pasted:
        return planned_sides(execution, ways, edits)
    plans = _numbered(opened)
    if not set(ways) <= set(_ways(opened)):
        raise InputError("There is no such plan with numbers in this text.")
    found = []
    for way in ways:
        if execution is None or (way in plans and not edits):
            found.append(text_side(plans[way], way, plans[way].title))
        else:  # a text's own numbers hold for its own statistics
            found += planned_sides(execution, [PRINTED if way in plans else way], edits)
    return found


def _run(opened: Opened, measured: object) -> PlanGraph | None:
    """The plan with metrics: of the document that was named, else of this one beside its estimates."""
    source = opened
    if measured:
        found = cache.find(str(measured))
        if found is None:
            raise InputError("The run is not open any more: paste it again.")
        source = found
    ran = [graph for graph in source.document.plans if any(node.metrics for node in graph)]
    if measured and not ran:
        raise InputError("That text has no measured rows: an event log or Spark's REST answer of a run has them.")
    estimated = bool(measured) or any(node.estimate for graph in source.document.plans for node in graph)
    return ran[-1] if ran and estimated else None


def asked_for(opened: Opened, what: str, body: bytes) -> tuple[int, bytes]:
    """The answer to what the component asks while somebody edits: HTTP status and JSON.

    `what` is "" for plans, "order" for the table of join orders, "sizes" for what becomes of the joins as tables grow,
    "scale" for edits that make tables larger, "catalogue" for a catalogue file with the edits, "picture" for one plan
    as a file.
    """
    try:
        asked = read_json(body)
        if asked is None or not isinstance(asked.get("edits") or {}, dict):
            return 400, _json({"message": ODD})
        if what == "":
            return 200, _json(answer(opened, asked))
        if what == "order":
            return 200, _json(_order(opened, asked))
        if what == "scale":
            return 200, _json(_scaled(opened, asked))
        if what == "sizes":
            return 200, _json(_sizes(opened, asked))
        if what == "catalogue":
            return 200, _json(_catalogue(opened, asked))
        if what == "picture":
            return 200, _json(_picture(opened, asked))
    except PlanvizError as error:
        return 422, _json({"message": str(error)})
    except ODDITIES:
        return 400, _json({"message": ODD})
    return 404, _json({"message": "There is no such question."})


def _order(opened: Opened, asked: Asked) -> dict[str, object]:
    execution = execution_of(opened)
    if execution is None:
        raise InputError("A text does not tell how the order of joins was searched; open the query's SQL.")
    return order_table(to_plan(execution, "reorder", asked.get("edits") or {}))


def _sizes(opened: Opened, asked: Asked) -> dict[str, object]:
    """How joins change with the size of `table` (none: of all together), planned the way `left`."""
    execution = execution_of(opened)
    if execution is None:
        raise InputError("A text cannot be planned with other sizes; open the query's SQL.")
    way = str(asked.get("left") or "off")
    query = to_plan(execution, PRINTED if way.isdigit() else way, asked.get("edits") or {})
    return crossovers_json(crossovers(query, asked.get("table") or None))


def _scaled(opened: Opened, asked: Asked) -> dict[str, object]:
    """The edits with `factor` times the data in `tables`."""
    execution = execution_of(opened)
    if execution is None:
        raise InputError("This text has no catalogue.")
    return {"edits": scaled_edits(execution, asked.get("edits") or {}, list(asked["tables"]), asked.get("factor", 1))}


def _picture(opened: Opened, asked: Asked) -> dict[str, object]:
    """The plan of the way `left` with its rows on the edges, as SVG or PNG (`format`) in base64, and a file's name."""
    (side,) = _sides(opened, [str(asked["left"])], asked.get("edits") or {})
    format = "png" if asked.get("format") == "png" else "svg"
    theme = "dark" if asked.get("theme") == "dark" else "light"
    made = render(side.graph, format, theme=theme, title=side.title)
    return {"name": f"cardinality-{side.way}.{format}", "base64": b64encode(made).decode()}


def _catalogue(opened: Opened, asked: Asked) -> dict[str, object]:
    execution = execution_of(opened)
    if execution is None:
        raise InputError("This text has no catalogue.")
    catalog = edited(execution.catalog, asked.get("edits") or {})
    return {"name": f"{catalog.name}-edited" if asked.get("edits") else catalog.name, "text": write_catalog(catalog)}


def _json(told: object) -> bytes:
    return json.dumps(told, separators=(",", ":"), allow_nan=False, default=str).encode()
