"""Runs batches of rules over a tree and records what happened."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from time import perf_counter
from typing import ClassVar, TypeVar

from planviz.errors import PlanvizError, defect
from planviz.trees.depth import refuse_heavy
from planviz.trees.node import TreeNode
from planviz.trees.rule import Batch, Rule, Strategy
from planviz.trees.trace import BatchRun, RuleApplication, Trace


class NotConverged(PlanvizError):
    """A batch did not settle, or a Once batch changed its own result; the message names the last rules."""


class BrokenPlan(PlanvizError):
    """A rule left a plan that does not hold together; the message names the rule and what is broken."""


#: `check(rule, before, after)` returns what is broken, or None. Any: each executor's checks ask for its kind of plan.
Check = Callable[[Rule, object, object], str | None]
#: The plans of an executor: logical ones, or physical ones.
PlanT = TypeVar("PlanT", bound=TreeNode)


Idle = dict[Rule, TreeNode]


class RuleExecutor:
    """Runs `batches` in order over a plan.

    `checks` are run after every effective application (tests set them; they cost time). With checks on, a Once batch is
    run a second time and must not change anything, and a batch that runs out of iterations raises NotConverged; without
    them it only stops (unless its strategy says `error_on_exceed`).
    """

    #: Checks that every executor runs, beside its own.
    standing: ClassVar[Sequence[Check]] = ()
    #: Whether a failure inside a rule becomes an InternalError; tests say no, so that defects are seen where they are.
    guarded: ClassVar[bool] = True

    def __init__(self, name: str, batches: Sequence[Batch], checks: Sequence[Check] = ()) -> None:
        self.name = name
        self.batches = batches
        self.checks = (*self.standing, *checks)

    def execute(self, plan: PlanT, trace: Trace | None = None, parent: int | None = None) -> PlanT:
        """The rewritten plan. Every effective application goes into `trace`.

        Raises NotConverged when a batch does not settle, BrokenPlan when a check fails, PlanTooLarge, what a rule
        raises on purpose, and InternalError where a rule fails otherwise.
        """
        trace = trace if trace is not None else Trace()
        run, totals = trace.start_run(self.name, parent), replace(trace.totals)
        # A rule that had nothing to do on this very plan has nothing to do on it now.
        idle: Idle = {}
        for batch in self.batches:
            before = plan
            plan, iterations = self._run_batch(batch, plan, trace, run, idle)
            rules = batch.names
            trace.totals.calls += iterations * len(rules)
            done = len(trace.applications)
            trace.batches.append(BatchRun(run, batch.name, rules, iterations, before, plan, done))
        trace.end_run(run, totals)
        return plan

    def bits(self, plan: TreeNode) -> int:
        """The node classes in the plan that rules may have something to do with."""
        return plan.bits

    def _run_batch(self, batch: Batch, plan: PlanT, trace: Trace, run: int, idle: Idle) -> tuple[PlanT, int]:
        strategy = batch.strategy
        bits = self.bits(plan)
        for iteration in range(1, strategy.max_iterations + 1):
            last = plan
            for rule in batch.rules:
                if bits & rule.mask and idle.get(rule) is not plan:
                    before, plan = plan, self._apply(rule, batch, plan, trace, run, iteration, idle)
                    bits = bits if plan is before else self.bits(plan)
            # Rules may undo each other within a pass: an equal plan is a settled one.
            if plan is last or plan == last:
                return last, iteration
        if strategy.max_iterations == 1:
            self._check_idempotence(batch, plan)
        else:
            self._check_settled(batch, strategy, plan, trace, run)
        return plan, strategy.max_iterations

    def _apply(
        self, rule: Rule, batch: Batch, plan: PlanT, trace: Trace, run: int, iteration: int, idle: Idle
    ) -> PlanT:
        start = perf_counter()
        result = self._applied(rule, plan)
        seconds = perf_counter() - start
        effective = result is not plan and result != plan
        trace.called(rule.spark_name, seconds, effective)
        if not effective:
            idle[rule] = plan
            return plan
        trace.applications.append(RuleApplication(run, batch.name, iteration, rule.spark_name, plan, result, seconds))
        refuse_heavy(result.weight, f"The rule {rule.name}")
        for check in self.checks:
            broken = check(rule, plan, result)
            if broken:
                raise BrokenPlan(f"After rule {rule.name} in batch {batch.name}: {broken}.")
        return result

    def _applied(self, rule: Rule, plan: PlanT) -> PlanT:
        try:
            made: PlanT = rule.apply(plan)
            return made
        except (PlanvizError, RecursionError):
            raise
        except Exception as e:
            if not self.guarded:
                raise
            raise defect(f"The rule {rule.name}", e) from e

    def _check_idempotence(self, batch: Batch, plan: TreeNode) -> None:
        if not self.checks or not batch.idempotent or batch.strategy.name != "Once":
            return
        again = self._run_batch_silently(batch, plan)
        if again is not plan and again != plan:
            raise NotConverged(f"The Once batch {batch.name} changed its own result when it was run again.")

    def _run_batch_silently(self, batch: Batch, plan: PlanT) -> PlanT:
        for rule in batch.rules:
            if plan.bits & rule.mask:
                plan = rule.apply(plan)
        return plan

    def _check_settled(self, batch: Batch, strategy: Strategy, plan: TreeNode, trace: Trace, run: int) -> None:
        if not self.checks and not strategy.error_on_exceed:
            return
        again = self._run_batch_silently(batch, plan)
        if again is plan or again == plan:
            return
        last = [a.rule.rsplit(".", 1)[-1] for a in trace.applications if a.run == run and a.batch == batch.name][-5:]
        raise NotConverged(
            f"Batch {batch.name} did not settle within {strategy.max_iterations} iterations; "
            f"the last rules that changed the plan were {', '.join(last) or 'none'}."
            + (f" Set {strategy.setting} to a larger value, or split the query with views." if strategy.setting else "")
        )
