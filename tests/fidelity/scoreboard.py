"""Our stages beside the captured ones of real Spark, query by query."""

from __future__ import annotations

import gzip
import importlib.util
import itertools
import json
import re
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from planviz.catalog import Catalog, read_catalog
from planviz.config import OptimizerConfig
from planviz.execution import QueryExecution
from planviz.expressions.ids import fresh_ids
from planviz.physical.formatted import formatted

SHARED = Path(__file__).resolve().parents[2].parent / "shared"
CORPUS = SHARED / "corpus" / "tpcds"
#: The captured modes: statistics used or not, tables without rows; adaptive execution off and on.
MODES = ("nocbo-aqeoff", "nocbo-aqeon", "nostats-aqeoff", "cbo-aqeoff", "cbo-aqeon")
_COST_BASED = ("spark.sql.cbo.enabled", "spark.sql.cbo.planStats.enabled", "spark.sql.cbo.joinReorder.enabled")
#: Our ids count from here, far above the `#7` that literals hold, so that the two cannot be confused.
FIRST_ID = 1_000_000
HEADINGS = {
    "parsed": "Parsed Logical Plan",
    "analyzed": "Analyzed Logical Plan",
    "optimized": "Optimized Logical Plan",
    "physical": "Physical Plan",
}


@dataclass
class Score:
    """Counts over the queries that Spark could plan, and the first difference of each that is not equal."""

    stage: str
    total: int = 0
    shape: int = 0
    text: int = 0
    differences: list[tuple[str, str]] = field(default_factory=list)


@cache
def comparer() -> ModuleType:
    """The corpus's own comparer."""
    spec = importlib.util.spec_from_file_location("canon", SHARED / "tools" / "canon.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@cache
def catalog(mode: str = MODES[0]) -> Catalog:
    """The corpus's catalogue as a mode sees it."""
    known = read_catalog(CORPUS / "catalog.json")
    if not mode.startswith("nostats"):
        return known
    empty = {n: replace(t, row_count=None, size_in_bytes=0, column_stats=()) for n, t in known.tables.items()}
    return replace(known, tables=empty)


def config(mode: str = MODES[0]) -> OptimizerConfig:
    """The settings of a mode."""
    settings = dict.fromkeys(_COST_BASED, mode.startswith("cbo"))
    return OptimizerConfig().with_settings({**settings, "spark.sql.adaptive.enabled": mode.endswith("aqeon")})


def captures(mode: str = MODES[0]) -> list[dict[str, Any]]:
    """The captured documents of a mode, by name of the query."""
    files = sorted((CORPUS / "captures" / mode).glob("*.json.gz"))
    documents = []
    for f in files:
        if not f.name.startswith("_"):
            with gzip.open(f, "rt", encoding="utf-8", errors="surrogatepass") as handle:
                documents.append({"name": f.name.split(".")[0], **json.load(handle)})
    return documents


def section(document: dict[str, Any], stage: str) -> str:
    """One section of the extended explain, without its heading; the analyzed one without its line of columns.

    `formatted` is what that mode prints of the physical plan.
    """
    if stage == "formatted":
        return str(document["explain"]["formatted"]).removeprefix("== Physical Plan ==\n").rstrip("\n")
    parts = re.split(r"(?m)^== (.*) ==\n", document["explain"]["extended"])
    text = dict(zip(parts[1::2], parts[2::2], strict=True))[HEADINGS[stage]].rstrip("\n")
    return text.split("\n", 1)[1] if stage == "analyzed" else text


def execution(sql: str, mode: str = MODES[0]) -> QueryExecution:
    """A query as a mode plans it."""
    return QueryExecution(sql, catalog(mode), config(mode))


def ours(sql: str, stage: str, mode: str = MODES[0]) -> str:
    """Our text of a stage."""
    with fresh_ids(FIRST_ID):
        return execution(sql, mode).text(stage).rstrip("\n")


@dataclass
class TraceScore:
    """Counts over the queries: the same effective rules in the same order, and the same tree after every one."""

    total: int = 0
    rules: int = 0
    trees: int = 0
    differences: list[tuple[str, str]] = field(default_factory=list)


#: A batch that only the runs of this executor have.
BATCH_OF = {"Analyzer": "Substitution", "Optimizer": "Finish Analysis"}


@cache
def by_line() -> type:
    """The comparer's numbering of a trace, its lines looked at once: the trees of a trace share most of them.

    A line that was numbered keeps its text, as its ids do. Only the numbers of CTEs begin anew with every text.
    """

    class ByLine(comparer().Canon):  # type: ignore[misc]
        def __init__(self, ids: set[int] | None = None) -> None:
            super().__init__(ids)
            self.known: dict[str, str] = {}
            self.ctes: dict[str, int] = {}

        def num(self, kind: str, key: str) -> int:
            return self.ctes.setdefault(key, len(self.ctes) + 1) if kind == "cte" else int(super().num(kind, key))

        def line(self, line: str) -> str:
            if "CTE" in line:
                return str(super().text(line))
            if line not in self.known:
                self.known[line] = super().text(line)
            return self.known[line]

        def text(self, text: str) -> str:
            self.ctes = {}
            return "\n".join(map(self.line, text.split("\n")))

    return ByLine


def _captured_steps(document: dict[str, Any], executor: str, ids: set[int]) -> list[tuple[str, str]]:
    trace, canon = document["trace"], by_line()(ids)
    runs = {i for i, r in enumerate(trace["runs"]) if BATCH_OF[executor] in (r.get("batches") or [])}
    steps = []
    for run, _, rule, _, after in trace["events"]:
        if run in runs:
            text = "\n".join(trace["lines"][k] for k in trace["plans"][after])
            steps.append((rule, canon.text(text)))
    return steps


def _our_steps(planned: QueryExecution, executor: str) -> list[tuple[str, str]]:
    runs = {r.number for r in planned.trace.runs if r.executor == executor}
    texts = [(a.rule, a.after.tree_string.rstrip("\n")) for a in planned.trace if a.run in runs]
    canon = by_line()({int(n) for _, t in texts for n in re.findall(r"#(\d{7,})", t)})
    return [(rule, canon.text(t)) for rule, t in texts]


@dataclass
class EstimateScore:
    """Counts over the operators of optimized plans and of their subqueries: as many bytes and rows, as printed."""

    total: int = 0
    equal: int = 0
    differences: list[tuple[str, str]] = field(default_factory=list)


def _estimates(text: str) -> list[tuple[str, str]]:
    """Every operator's name and what stands in the Statistics(...) at the end of its line."""
    found = re.findall(r"(?m)^[ :]*(?:[+:]- )?!?(\w+).*, (Statistics\([^()]*\))$", text)
    return [(name, estimate) for name, estimate in found]


@dataclass
class Measured:
    """One query beside its capture, planned once: each stage's comparison, each executor's steps, the estimates.

    A stage that fails has its error in place of the comparison. `steps` are whether the rules are the same, whether the
    trees are, and where they first differ; `estimates` what Spark printed and what came out here. Without adaptive
    execution only, which changes neither.
    """

    name: str
    stages: dict[str, dict[str, Any] | str] = field(default_factory=dict)
    steps: dict[str, tuple[bool, bool, str]] = field(default_factory=dict)
    estimates: tuple[list[tuple[str, str]], list[tuple[str, str]]] = ([], [])


@cache
def measured(mode: str = MODES[0]) -> tuple[Measured, ...]:
    """Every captured query of a mode that Spark could plan."""
    return tuple(_measured(d, mode) for d in captures(mode) if "error" not in d)


def _measured(document: dict[str, Any], mode: str) -> Measured:
    found = Measured(document["name"])
    with fresh_ids(FIRST_ID):
        planned = execution(document["sql"], mode)
        error = planned.error_until("physical")
        made = planned.stages
        texts = {stage: planned.text(stage).rstrip("\n") for stage in HEADINGS if stage in made}
        cost = planned.cost_text if "optimized" in made else ""
        if "physical" in made:
            texts["formatted"] = formatted(planned.physical).rstrip("\n")
    adaptive, ids = mode.endswith("aqeon"), comparer().text_ids(document)
    for stage in ("physical", "formatted") if adaptive else (*HEADINGS, "formatted"):
        if stage not in texts:
            found.stages[stage] = f"error {error}"
            continue
        own = {int(n) for n in re.findall(r"#(\d{7,})", texts[stage])}
        wanted = section(document, stage)
        if stage == "formatted":
            found.stages[stage] = compared_formatted(texts[stage], wanted, own, ids)
            continue
        found.stages[stage] = comparer().compare(texts[stage], wanted, own, ids)
    if not adaptive:
        for executor in BATCH_OF:
            found.steps[executor] = _compared(_captured_steps(document, executor, ids), _our_steps(planned, executor))
        captured = document["explain"]["cost"].split("== Physical Plan ==")[0]
        found.estimates = (_estimates(captured), _estimates(cost))
    return found


def compared_formatted(
    got: str, wanted: str, own: set[int] | None = None, ids: set[int] | None = None
) -> dict[str, Any]:
    """The shape is the tree, the text what stands beneath it, too."""
    canon = comparer()
    a, b = canon.canon_text(got, own).split("\n"), canon.canon_text(wanted, ids).split("\n")
    first = next((pair for pair in itertools.zip_longest(a, b) if pair[0] != pair[1]), None)
    trees = [lines[: lines.index("")] for lines in (a, b)]
    return {"shape_equal": trees[0] == trees[1], "text_equal": a == b, "first_text_diff": first}


def _compared(wanted: list[tuple[str, str]], got: list[tuple[str, str]]) -> tuple[bool, bool, str]:
    at = next((i for i, (a, b) in enumerate(zip(wanted, got, strict=False)) if a != b), len(wanted))
    rule = wanted[at][0] if at < len(wanted) else "the end"
    return [r for r, _ in wanted] == [r for r, _ in got], wanted == got, f"step {at + 1}, {rule}"


def measure(stage: str, mode: str = MODES[0]) -> Score:
    """The score of one stage over all captured queries of a mode."""
    score = Score(stage)
    for query in measured(mode):
        score.total += 1
        result = query.stages[stage]
        if isinstance(result, str):
            score.differences.append((query.name, result))
            continue
        score.shape += result["shape_equal"]
        score.text += result["text_equal"]
        if not result["text_equal"]:
            score.differences.append((query.name, f"{result['first_text_diff']}"))
    return score


def measure_trace(executor: str, mode: str = MODES[0]) -> TraceScore:
    """The trace of the Analyzer or the Optimizer beside Spark's, runs for subqueries included."""
    score = TraceScore()
    for query in measured(mode):
        score.total += 1
        same_rules, same_trees, where = query.steps[executor]
        score.rules += same_rules
        score.trees += same_trees
        if not same_trees:
            score.differences.append((query.name, where))
    return score


def measure_estimates(mode: str = MODES[0]) -> EstimateScore:
    """The estimates of `explain cost` beside Spark's, operator by operator."""
    score = EstimateScore()
    for query in measured(mode):
        wanted, got = query.estimates
        score.total += len(wanted)
        pairs = list(zip(wanted, got, strict=False)) if len(wanted) == len(got) else []
        score.equal += sum(a == b for a, b in pairs)
        if wanted != got:
            first = next((f"{b}, Spark says {a}" for a, b in pairs if a != b), f"{len(got)} of {len(wanted)} operators")
            score.differences.append((query.name, first))
    return score
