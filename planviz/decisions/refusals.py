"""Guards of rules that said no, and what came of a rule over one query."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from planviz.trees.text import Printable

if TYPE_CHECKING:
    from planviz.trees.node import TreeNode

#: What came of a rule: it fired; it was excluded, a setting switched it off, the profile has not got it; nothing that
#: it looks for was in the plan; its guards said no; it looked and found nothing of its form.
Verdict = Literal["fired", "excluded", "disabled", "absent", "no pattern", "refused", "nothing to do"]


@dataclass(frozen=True)
class Refusal:
    """A guard that said no: of which rule, on which node (an operator or an expression), why, and the value it saw.

    `setting` is the key where a setting is what said no.
    """

    rule: str
    node: TreeNode
    reason: str
    value: object = None
    setting: str | None = None

    @property
    def node_text(self) -> str:
        """The node as Spark prints it."""
        return str(getattr(self.node, "simple_string", self.node))

    @property
    def value_text(self) -> str | None:
        """The value in words, None when there is none."""
        if self.value is None:
            return None
        return ", ".join(map(str, self.value)) if isinstance(self.value, tuple | list) else str(self.value)


@dataclass(frozen=True)
class WhyNot:
    """Why a rule did not fire in a query, or that it did.

    `sentence` says it; `fired` counts effective applications; `looked_at` are nodes of its pattern that it saw and left
    as they were; `refusals` are the guards that said no, each once, in the order in which they did.
    """

    rule: str
    verdict: Verdict
    sentence: str
    fired: int = 0
    refusals: tuple[Refusal, ...] = ()
    looked_at: tuple[Printable, ...] = ()
