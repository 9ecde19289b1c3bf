"""Every rule of a query's planning applied one by one, outside Spark's own run, to see what each does (F-002).

Spark keeps no plans between its rules. Here the same batches run with the same rules over the same plan, and each
result is compared with Spark's own. What a rule does inside (OptimizeSubqueries plans subqueries) is part of its step.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from planviz.jsontypes import JsonObject
from planviz.spark.jvm import JavaObject, items, module

_NUMBERS = re.compile(r"#\d+L?|(?<=plan_id=)\d+|\b(?:CTERelation(?:Def|Ref)|UnionLoop(?:Ref)?) \d+")
#: What the clock said: ComputeCurrentTime reads it anew.
_MOMENT = re.compile(r"\b\d{4,6}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{4,6}\b")


@dataclass
class Replay:
    """The steps as JSON values (`planviz.plantext.captures` reads them).

    `texts` holds every plan once; steps and batches name them by index. `differs` names the stages whose replayed plan
    is not Spark's own. `adaptive`: Spark makes the physical plan ready anew for every stage that ran, and the steps of
    Preparations are those that it would take without adaptive execution.
    """

    texts: list[str] = field(default_factory=list)
    runs: list[str] = field(default_factory=list)
    steps: list[JsonObject] = field(default_factory=list)
    batches: list[JsonObject] = field(default_factory=list)
    differs: list[str] = field(default_factory=list)
    adaptive: bool = False
    _known: dict[str, int] = field(default_factory=dict)

    def text(self, plan: JavaObject) -> int:
        """The index of a plan's text."""
        text = str(plan.toString()).rstrip("\n")
        if text not in self._known:
            self._known[text] = len(self.texts)
            self.texts.append(text)
        return self._known[text]

    def as_json(self) -> dict[str, object]:
        """As JSON values."""
        names = ("texts", "runs", "steps", "batches", "differs", "adaptive")
        return {name: getattr(self, name) for name in names}


class Replayer:
    """Replays the planning of one query in one session, which is the active one."""

    def __init__(self, jvm: JavaObject, session: JavaObject, progress: Callable[[str], None] = lambda at: None) -> None:
        self._jvm = jvm
        self._session = session
        self._progress = progress
        self.replay = Replay()

    def all(self, execution: JavaObject) -> Replay:
        """Analyzer, optimizer and preparations of a query execution, which is not changed."""
        state = self._session.sessionState()
        stages = (
            ("Analyzer", execution.logical(), execution.analyzed(), state.analyzer()),
            ("Optimizer", execution.withCachedData(), execution.optimizedPlan(), state.optimizer()),
        )
        for executor, start, end, rules in stages:
            self._stage(executor, start, end, [_Batch(self._jvm, b) for b in items(self._jvm, rules.batches())])
        preparations = module(self._jvm.org.apache.spark.sql.execution, "QueryExecution").preparations(
            self._session, self._jvm.scala.Option.empty(), False
        )
        executed = execution.executedPlan()
        self.replay.adaptive = str(executed.nodeName()) == "AdaptiveSparkPlan"
        rules = [_Preparations(items(self._jvm, preparations))]
        if self.replay.adaptive:
            self._run("Preparations", execution.sparkPlan(), rules)
        else:
            self._stage("Preparations", execution.sparkPlan(), executed, rules)
        return self.replay

    def _stage(self, executor: str, start: object, end: JavaObject, batches: Sequence[_Batch | _Preparations]) -> None:
        found = self._run(executor, start, batches)
        if comparable(str(found.toString())) != comparable(str(end.toString())):
            self.replay.differs.append(executor)

    def _run(self, executor: str, plan: object, batches: Iterable[_Batch | _Preparations]) -> Any:
        self._progress(f"following the rules: {executor}")
        run = len(self.replay.runs)
        self.replay.runs.append(executor)
        for batch in batches:
            plan = self._batch(run, batch, plan)
        return plan

    def _batch(self, run: int, batch: _Batch | _Preparations, plan: JavaObject) -> object:
        before, iterations = plan, 0
        while iterations < batch.most:
            iterations += 1
            start = plan
            for name, rule in batch.rules:
                plan = self._rule(run, batch.name, iterations, name, rule, plan)
            if plan.fastEquals(start):
                break
        effective = not plan.fastEquals(before)
        found = {"run": run, "name": batch.name, "effective": effective, "steps": len(self.replay.steps),
                 "iterations": iterations, "rules": [name for name, _ in batch.rules]}  # fmt: skip
        if effective:
            found |= {"before": self.replay.text(before), "after": self.replay.text(plan)}
        self.replay.batches.append(found)
        return plan

    def _rule(self, run: int, batch: str, iteration: int, name: str, rule: JavaObject, plan: object) -> object:
        begin = time.perf_counter()
        after = rule.apply(plan)
        spent = (time.perf_counter() - begin) * 1e3
        if after.fastEquals(plan):
            return after
        self.replay.steps.append(
            {
                "run": run,
                "batch": batch,
                "iteration": iteration,
                "rule": name,
                "ms": round(spent, 3),
                "before": self.replay.text(plan),
                "after": self.replay.text(after),
            }
        )
        return after


class _Batch:
    """A batch of analyzer or optimizer: its name, its rules by name, and how often they run at most."""

    def __init__(self, jvm: JavaObject, batch: JavaObject) -> None:
        self.name = str(batch.name())
        self.most = int(batch.strategy().maxIterations())
        self.rules = [(str(rule.ruleName()), rule) for rule in items(jvm, batch.rules())]


class _Preparations:
    """The rules that make a physical plan executable, as a batch that runs once."""

    def __init__(self, rules: list[JavaObject]) -> None:
        self.name, self.most = "Preparations", 1
        self.rules = [(str(rule.ruleName()), rule) for rule in rules]


def comparable(text: str) -> str:
    """A plan's text without the numbers and moments that differ from run to run."""
    found = _NUMBERS.sub(lambda match: match[0].rstrip("0123456789L"), text)
    return _MOMENT.sub("now", found).rstrip("\n")
