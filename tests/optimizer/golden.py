"""Golden cases of rules: text files read top to bottom, one per family of rules.

A case is comments, a directive line, the SQL (a `;` ends statements that only prepare), `----`, and what came out:

    # Two filters become one; the inner condition stays first.
    trace rules=(CombineFilters) expect=CombineFilters
    SELECT a FROM (SELECT * FROM t1 WHERE a > 1) WHERE b > 2
    ----

`trace rules=(A, B)` runs only these rules, to a fixed point, after FinishAnalysis; without `rules=` the whole optimizer
runs. Instead of SQL a case may hold Python that makes a DataFrame. `expect=` and `expect-not=` name rules that must, or
must not, be effective; `set=key:value` changes a setting; `plan` instead of `trace` prints only the result.
`python=(f:int, g:double:202, h:int:udf:random)` registers Python functions: name, type, kind, whether they vary.
`python -m tests.optimizer` writes the outputs anew.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from pathlib import Path

from planviz.config import OptimizerConfig
from planviz.dataframe import Encoders, SparkSession, functions
from planviz.execution import QueryExecution, Session
from planviz.expressions.ids import Ids, ids_from
from planviz.logical.plan import LogicalPlan
from planviz.optimizer.batches import all_rules
from planviz.optimizer.context import OptimizerContext
from planviz.optimizer.optimizer import Optimizer
from planviz.trees.executor import RuleExecutor
from planviz.trees.rule import Batch, FixedPoint
from planviz.trees.text import tree_string, unified_step
from planviz.trees.trace import Trace
from tests.acceptance.engines import typed_names
from tests.plans import canonical, small_catalog

FOLDER = Path(__file__).parent / "rules"
_FLAG = re.compile(r"([\w-]+)=(\([^)]*\)|\S+)")


@dataclass(frozen=True)
class Case:
    """One case: where it stands, its comments and directive, SQL, and the output it has in the file."""

    file: Path
    number: int
    comments: str
    directive: str
    sql: str
    expected: str
    flags: dict[str, list[str]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """family-number-rule."""
        expect = "-".join(self.flags.get("expect", []) or ["not", *self.flags.get("expect-not", [])])
        return f"{self.file.stem}-{self.number}-{expect}"


def cases(file: Path) -> list[Case]:
    """The cases of one file."""
    found = []
    for number, block in enumerate(re.split(r"\n\n(?=#|trace|plan)", file.read_text(encoding="utf-8").strip()), 1):
        head, _, expected = (
            block.partition("\n----\n") if "\n----\n" in block else (block.removesuffix("\n----"), "", "")
        )
        lines = head.split("\n")
        at = next(i for i, line in enumerate(lines) if not line.startswith("#"))
        flags: dict[str, list[str]] = {}
        for key, value in _FLAG.findall(lines[at]):
            flags.setdefault(key, []).extend(v.strip() for v in value.strip("()").split(","))
        sql = "\n".join(lines[at + 1 :])
        found.append(Case(file, number, "\n".join(lines[:at]), lines[at], sql, expected, flags))
    return found


def analyzed_plan(case: Case, config: OptimizerConfig, ids: Ids) -> LogicalPlan:
    """The analyzed plan of a case's SQL or Python, its expressions numbered by `ids`."""
    if case.sql.split(None, 1)[0].isupper():
        *definitions, query = case.sql.split(";\n")
        session = Session(small_catalog())
        for text in case.flags.get("python", []):
            name, returns, *how = text.split(":")
            session.register_python_function(name, returns, how[0] if how else None, "random" not in how)
        for text in definitions:
            assert all(outcome.error is None for outcome in session.run(text))
        if query.startswith("INSERT"):
            session.config = config
            (outcome,) = session.run(query)
            assert outcome.execution is not None, outcome.error
            return outcome.execution.analyzed
        return QueryExecution(query, session.catalog, config, ids=ids).analyzed
    spark = SparkSession(small_catalog(), config)
    spark.ids = ids
    names = typed_names(spark, Encoders, lambda d, e: d.as_(e)) | {"F": functions}
    plan: LogicalPlan = eval(case.sql, names).execution.analyzed
    return plan


def run(case: Case) -> tuple[str, set[str]]:
    """The output of a case and the names of the rules that were effective."""
    config = OptimizerConfig().with_settings(dict(s.split(":", 1) for s in case.flags.get("set", [])))
    ids = Ids()
    with ids_from(ids):
        analyzed = analyzed_plan(case, config, ids)
        trace = Trace()
        if "rules" in case.flags:
            rules = all_rules()
            context = OptimizerContext(config)
            chosen = [rules[name](context) for name in case.flags["rules"]]
            start = rules["FinishAnalysis"](context).apply(analyzed)
            result = RuleExecutor("Optimizer", [Batch("Rules", FixedPoint(), chosen)]).execute(start, trace)
        else:
            result = Optimizer(config).optimize(analyzed, trace)
    effective = {a.rule.rsplit(".", 1)[-1].rsplit("$", 1)[-1] for a in trace}
    steps = []
    if case.directive.startswith("trace"):
        for a in trace:
            name, step = unified_step(a.rule, a.before, a.after).split("\n", 1)
            steps.append(f"== {name.rsplit('.', 1)[-1].rsplit('$', 1)[-1]} ({a.batch})\n{step}")
    text = "".join(steps) + "== Result\n" + tree_string(result)
    return canonical(_short(text)), effective


def _short(text: str) -> str:
    return text.replace("spark_catalog.default.", "").replace(" parquet", "")


def update(file: Path) -> None:
    """Write the outputs of a file's cases anew."""
    blocks = []
    for case in cases(file):
        head = "\n".join(x for x in (case.comments, case.directive, case.sql) if x)
        blocks.append(f"{head}\n----\n{run(replace(case))[0]}")
    file.write_text("\n\n".join(blocks) + "\n", encoding="utf-8")
