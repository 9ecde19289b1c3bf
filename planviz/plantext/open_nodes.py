"""The operators of a tree that may still get children while its lines are read."""

from __future__ import annotations

from planviz.graph import PlanNode
from planviz.graph.node import Link
from planviz.plantext.brackets import balance_of


class OpenPlan:
    """Where new nodes go: the list of a plan and its links."""

    __slots__ = ("links", "nodes")

    def __init__(self, nodes: list[PlanNode], links: list[Link]) -> None:
        self.nodes = nodes
        self.links = links


class OpenNode:
    """An operator that may still get children: the column of its mark, its node, its plan.

    `section` is set on the entry that an adaptive heading pushes for its AdaptiveSparkPlan: what follows at columns
    right of the heading belongs to that plan, whatever the column of AdaptiveSparkPlan itself (Spark computes the two
    indentations differently, so under subqueries and caches the heading stands left of its owner).
    """

    __slots__ = ("balance", "column", "ends_in_a_comma", "last_child", "node", "plan", "section")

    def __init__(
        self, column: int, node: PlanNode | None, plan: OpenPlan, section: bool = False, last_child: bool = False
    ) -> None:
        self.column = column
        self.node = node
        self.plan = plan
        self.section = section
        self.last_child = last_child
        self.balance: int | None = None
        self.ends_in_a_comma = node is not None and node.text.rstrip()[-1:] == ","

    def still_opens(self) -> bool:
        """Whether brackets of the operator's text so far are open; where Spark cut the text they prove nothing."""
        if self.balance is None:
            text = "" if self.node is None else self.node.text
            self.balance = 0 if "..." in text else balance_of(text)
        return self.balance > 0
