"""What the optimizer's rules need to know beside the plan."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar, Literal

from planviz.config import OptimizerConfig
from planviz.decisions.branches import Branch
from planviz.decisions.refusals import Refusal
from planviz.estimation import Estimator
from planviz.estimation.cost import Reordering
from planviz.evaluation import Evaluator
from planviz.expressions.core import Expression
from planviz.logical.plan import LogicalPlan
from planviz.optimizer.constraints import Constraints
from planviz.trees.rule import NodeT, Rule


@dataclass(frozen=True)
class OptimizerContext:
    """Settings, and how to optimize a subquery's plan on its own.

    `refusals` takes the guards that say no, `branches` the ways that rules take, `effects` the names of rules that
    changed something within another's step, `reorderings` the searches for an order of joins, when somebody wants to
    know.
    """

    config: OptimizerConfig = field(default_factory=OptimizerConfig)
    user: str = "planviz"
    database: str = "default"
    optimize: Callable[[LogicalPlan], LogicalPlan] = lambda plan: plan
    refusals: list[Refusal] | None = None
    branches: list[Branch] | None = None
    effects: list[str] | None = None
    reorderings: list[Reordering] | None = None
    #: From the relations of a group of inner joins to the joins that a given order makes of them, as bits of both sides
    #: (None: no such order). Where it is there, the cost-based search follows it and estimates nothing.
    join_order: Callable[[list[LogicalPlan]], dict[int, tuple[int, int]] | None] | None = None
    #: What is worth telling beside the plan, each once.
    warnings: list[str] = field(default_factory=list, compare=False)

    def warn(self, text: str) -> None:
        """Remember a warning, once."""
        if text not in self.warnings:
            self.warnings.append(text)

    @cached_property
    def estimator(self) -> Estimator:
        """What tells how many rows and bytes a plan has."""
        return Estimator(self.config)

    @cached_property
    def evaluator(self) -> Evaluator:
        """What computes constants by the session's settings."""
        return Evaluator.of(self.config)

    @cached_property
    def constraints(self) -> Constraints:
        """What tells which predicates hold for every row of a plan."""
        return Constraints(self.config)

    def on(self, key: str) -> bool:
        """Whether a setting is true."""
        return self.config.flag(key)


class OptimizerRule(Rule[NodeT]):
    """A rule with the context at hand.

    `excludable` is False for rules that `excludedRules` cannot switch off; `settings` are the keys that govern it.
    `looks_for` has Spark's names of what must be there where those of the classes in `matches` are not Spark's. `since`
    is the first version that has it, of a rule that runs within another's step; "" where that is in all of them.
    """

    excludable: ClassVar[bool] = True
    settings: ClassVar[tuple[str, ...]] = ()
    looks_for: ClassVar[tuple[str, ...]] = ()
    since: ClassVar[str] = ""

    def __init__(self, context: OptimizerContext) -> None:
        self.context = context
        self.refusals = context.refusals
        self.branches = context.branches

    def effect(self, before: LogicalPlan, after: LogicalPlan) -> LogicalPlan:
        """What this rule made of a plan as a part of another's step, noted when somebody wants to know; the plan."""
        if self.context.effects is not None and after != before:
            self.context.effects.append(self.name)
        return after

    def on_expressions(
        self, plan: LogicalPlan, f: Callable[[Expression], Expression], order: Literal["up", "down"] = "up"
    ) -> LogicalPlan:
        """The plan with `f` applied to every node of every expression, by `order`; not inside subqueries.

        What `f` left alone is not visited again: wrong for an `f` that looks at more than the node that it gets.
        """
        mask, settled = self.mask, self.settled

        def visit(e: Expression) -> Expression:
            return (e.transform_up if order == "up" else e.transform_down)(f, mask, settled)

        def step(p: LogicalPlan) -> LogicalPlan:
            return p.map_expressions(visit, mask) if p.own_bits & mask else p

        return plan.transform_down(step, mask, settled)
