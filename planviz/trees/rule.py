"""Rules and batches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, ClassVar, Generic, Literal

from typing_extensions import TypeVar

from planviz.decisions.branches import Branch, LogicLine, Observation
from planviz.decisions.refusals import Refusal
from planviz.trees.node import Settled, TreeNode, mask_of

#: The nodes that a rule's `rewrite` sees: the classes of its `matches`. Any for rules that take the plan as a whole,
#: and in a list, which holds rules over different nodes.
NodeT = TypeVar("NodeT", bound=TreeNode, default=Any)
_Kept = TypeVar("_Kept", bound=TreeNode)


class Rule(Generic[NodeT]):
    """One rewrite, named exactly as Spark names it; generic over the nodes that it rewrites.

    `matches` lists the node classes one of which must occur in a tree for the rule to look at it at all. A rule either
    overrides `rewrite`, which sees one node of `matches` at a time (`order` says from which end of the tree), or
    `apply`, which sees the whole plan. Returning the argument itself says "nothing to do"; a guard returns
    `self.refuse(node, why)`, so that a person can ask for the reason.

    `spark_name` is the name in Spark's own log, package included.
    """

    matches: ClassVar[tuple[type[TreeNode], ...]] = ()
    order: ClassVar[Literal["up", "down"]] = "down"
    package: ClassVar[str] = "org.apache.spark.sql.catalyst.optimizer"
    mask: ClassVar[int] = -1
    spark_name: ClassVar[str]
    #: Where guards that say no are noted when somebody wants to know; None costs nothing.
    refusals: list[Refusal] | None = None
    #: What the rule does as pseudo-code, for readers; `take` names the line.
    logic: ClassVar[tuple[LogicLine, ...]] = ()
    #: Where the ways taken are noted when somebody wants to know; None costs nothing.
    branches: list[Branch] | None = None

    def __init_subclass__(cls, **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        cls.mask = mask_of(*cls.matches) if cls.matches else -1
        cls.spark_name = _spark_name(cls.package, cls.__name__)

    @property
    def name(self) -> str:
        """The class's name, which is Spark's."""
        return type(self).__name__

    @cached_property
    def settled(self) -> Settled:
        """Nodes that it left alone with all beneath them, for transformations by what looks at nothing but the node."""
        return {}

    def apply(self, plan: Any) -> Any:
        """The rewritten plan; the same object when nothing changed."""
        classes = self.matches
        rewrite: Callable[[Any], TreeNode] = self.rewrite

        def step(node: TreeNode) -> TreeNode:
            return rewrite(node) if isinstance(node, classes) else node

        transform = plan.transform_up if self.order == "up" else plan.transform_down
        return transform(step, self.mask, self.settled)

    def refuse(self, node: _Kept, reason: str, value: object = None, *, setting: str | None = None) -> _Kept:
        """Note that a guard keeps `node` as it is; the node.

        `reason` is a clause without full stop, `value` what the guard saw, `setting` the key of a setting that said no.
        """
        if self.refusals is not None:
            self.refusals.append(Refusal(self.name, node, reason, value, setting))
        return node

    def take(self, node: TreeNode, branch: str, reason: str, seen: Iterable[tuple[object, str]] = ()) -> None:
        """Note which branch of `logic` the rule took on `node`, the sentence why, and what it saw.

        Those who would have to compute `seen` or `reason` ask first whether `branches` is there.
        """
        if self.branches is not None:
            told = tuple([Observation(what, gave) for what, gave in seen])
            self.branches.append(Branch(self.name, node, branch, reason, told))

    @property
    def teller(self) -> Callable[..., object] | None:
        """`refuse` when somebody wants to know, else None: for functions that would have to look for reasons."""
        return None if self.refusals is None else self.refuse

    def rewrite(self, node: NodeT) -> TreeNode:
        """One node's rewrite; the node itself when there is nothing to do."""
        return node


def _spark_name(package: str, name: str) -> str:
    return f"{package}{name}" if package.endswith("$") else f"{package}.{name}"


@cache
def _spark_names(rules: tuple[type[Rule], ...]) -> tuple[str, ...]:
    return tuple(rule.spark_name for rule in rules)


@dataclass(frozen=True)
class Strategy:
    """How often a batch runs: at most `max_iterations` passes, fewer once a pass changes nothing.

    `error_on_exceed` makes running out of iterations an error outside of tests too (Spark: `errorOnExceed`); `setting`
    is what a person may raise then (Spark: `maxIterationsSetting`).
    """

    name: str
    max_iterations: int
    error_on_exceed: bool = False
    setting: str = ""


Once = Strategy("Once", 1)


def FixedPoint(max_iterations: int = 100, error_on_exceed: bool = False, setting: str = "") -> Strategy:  # noqa: N802
    """Repeat the batch until a pass changes nothing, or `max_iterations` passes were made."""
    return Strategy("FixedPoint", max_iterations, error_on_exceed, setting)


@dataclass(slots=True)
class Batch:
    """A named, ordered list of rules.

    `idempotent` is False for the few Once batches that may change the plan again when run twice.
    """

    name: str
    strategy: Strategy
    rules: Sequence[Rule]
    idempotent: bool = True

    @property
    def names(self) -> tuple[str, ...]:
        """The rules' names as Spark's log prints them."""
        return _spark_names(tuple([type(r) for r in self.rules]))
