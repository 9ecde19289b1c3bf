"""What is remembered of a node beside its fields."""

from __future__ import annotations

from typing import Generic, TypeVar, overload

from planviz.trees.node import TreeNode

T = TypeVar("T")


class Memo(Generic[T]):
    """One thing that may be remembered of any node, declared once, by the module that computes it.

    A node has it as long as it lives; copies forget it, unless `key` is among their class's TAGS. It takes no part in
    equality. Wrong for what depends on more than the node, unless the key says on what.
    """

    __slots__ = ("key",)

    def __init__(self, key: str) -> None:
        self.key = key

    def __contains__(self, node: TreeNode) -> bool:
        return self.key in node.__dict__

    @overload
    def get(self, node: TreeNode) -> T | None: ...

    @overload
    def get(self, node: TreeNode, default: T) -> T: ...

    def get(self, node: TreeNode, default: T | None = None) -> T | None:
        """What is remembered of the node, or the default."""
        found: T | None = node.__dict__.get(self.key, default)
        return found

    def set(self, node: TreeNode, value: T) -> T:
        """Remember the value; the value."""
        node.__dict__[self.key] = value
        return value

    def pop(self, node: TreeNode) -> T | None:
        """What is remembered of the node, which then is forgotten; None where nothing was."""
        found: T | None = node.__dict__.pop(self.key, None)
        return found


#: Of a node in a tree that is not ready yet: the one of the ready tree in whose place it stands.
STANDS_FOR: Memo[TreeNode] = Memo("stands_for")


def place(node: TreeNode, origin: object) -> None:
    """Say where a new node came from: its `origin`, which is no part of it."""
    node.__dict__["origin"] = origin
