"""Our stages beside the captured ones of real Spark, query by query."""

from __future__ import annotations

import gzip
import importlib.util
import json
import re
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from planviz.catalog import Catalog, read_catalog
from planviz.config import OptimizerConfig
from planviz.errors import PlanvizError
from planviz.execution import QueryExecution
from planviz.expressions.core import fresh_ids

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
    """One section of the extended explain, without its heading; the analyzed one without its line of columns."""
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


def measure_analysis_trace() -> TraceScore:
    """The analyzer's trace beside Spark's, runs for subqueries included."""
    return measure_trace("Analyzer")


def measure_trace(executor: str, mode: str = MODES[0]) -> TraceScore:
    """The trace of the Analyzer or the Optimizer beside Spark's, runs for subqueries included."""
    score = TraceScore()
    for document in captures(mode):
        if "error" in document:
            continue
        score.total += 1
        wanted, got = _captured_steps(document, executor), _our_steps(document["sql"], executor, mode)
        same_rules = [r for r, _ in wanted] == [r for r, _ in got]
        score.rules += same_rules
        score.trees += wanted == got
        if wanted != got:
            at = next((i for i, (a, b) in enumerate(zip(wanted, got, strict=False)) if a != b), len(wanted))
            rule = wanted[at][0] if at < len(wanted) else "the end"
            score.differences.append((document["name"], f"step {at + 1}, {rule}"))
    return score


#: A batch that only the runs of this executor have.
BATCH_OF = {"Analyzer": "Substitution", "Optimizer": "Finish Analysis"}


def _captured_steps(document: dict[str, Any], executor: str) -> list[tuple[str, str]]:
    trace, canon = document["trace"], comparer().Canon(comparer().text_ids(document))
    runs = {i for i, r in enumerate(trace["runs"]) if BATCH_OF[executor] in (r.get("batches") or [])}
    steps = []
    for run, _, rule, _, after in trace["events"]:
        if run in runs:
            text = "\n".join(trace["lines"][k] for k in trace["plans"][after])
            steps.append((rule, canon.text(text)))
    return steps


def _our_steps(sql: str, executor: str, mode: str) -> list[tuple[str, str]]:
    with fresh_ids(FIRST_ID):
        planned = execution(sql, mode)
        _ = planned.analyzed if executor == "Analyzer" else planned.optimized
    runs = {r.number for r in planned.trace.runs if r.executor == executor}
    texts = [(a.rule, a.after.tree_string.rstrip("\n")) for a in planned.trace if a.run in runs]
    canon = comparer().Canon({int(n) for _, t in texts for n in re.findall(r"#(\d{7,})", t)})
    return [(rule, canon.text(t)) for rule, t in texts]


@dataclass
class EstimateScore:
    """Counts over the operators of optimized plans and of their subqueries: as many bytes and rows, as printed."""

    total: int = 0
    equal: int = 0
    differences: list[tuple[str, str]] = field(default_factory=list)


def measure_estimates(mode: str = MODES[0]) -> EstimateScore:
    """The estimates of `explain cost` beside Spark's, operator by operator."""
    score = EstimateScore()
    for document in captures(mode):
        if "error" in document:
            continue
        wanted = _estimates(document["explain"]["cost"].split("== Physical Plan ==")[0])
        with fresh_ids(FIRST_ID):
            got = _estimates(execution(document["sql"], mode).cost_text)
        score.total += len(wanted)
        pairs = list(zip(wanted, got, strict=False)) if len(wanted) == len(got) else []
        score.equal += sum(a == b for a, b in pairs)
        if wanted != got:
            first = next((f"{b}, Spark says {a}" for a, b in pairs if a != b), f"{len(got)} of {len(wanted)} operators")
            score.differences.append((document["name"], first))
    return score


def _estimates(text: str) -> list[tuple[str, str]]:
    """Every operator's name and what stands in the Statistics(...) at the end of its line."""
    found = re.findall(r"(?m)^[ :]*(?:[+:]- )?!?(\w+).*, (Statistics\([^()]*\))$", text)
    return [(name, estimate) for name, estimate in found]


def measure(stage: str, mode: str = MODES[0]) -> Score:
    """The score of one stage over all captured queries of a mode."""
    score = Score(stage)
    for document in captures(mode):
        if "error" in document:
            continue
        score.total += 1
        try:
            text = ours(document["sql"], stage, mode)
            own = {int(n) for n in re.findall(r"#(\d{7,})", text)}
            result = comparer().compare(text, section(document, stage), own, comparer().text_ids(document))
        except PlanvizError as e:
            score.differences.append((document["name"], f"error {e}"))
            continue
        score.shape += result["shape_equal"]
        score.text += result["text_equal"]
        if not result["text_equal"]:
            score.differences.append((document["name"], f"{result['first_text_diff']}"))
    return score
