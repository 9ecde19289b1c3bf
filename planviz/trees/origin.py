"""Where a node comes from: the text that the user wrote and the character there, through all that rules made of it."""

from __future__ import annotations

from planviz.trees.node import TreeNode


def origin_of(node: TreeNode) -> tuple[str, int] | None:
    """The text that a node comes from and the character there, None where nobody knows.

    What a rule made comes from its condition (a filter that was pushed), else from what is nearest beneath.
    """
    origin, link = node.origin, node
    # A physical operator comes from a logical one, and that from the text.
    while isinstance(origin, TreeNode):
        origin, link = origin.origin, origin
    if not hasattr(link, "condition"):
        # A filter that was planned together with the scan beneath it.
        origin = _of_condition(node) or origin
    if origin is None:
        origin = _of_condition(link) or (None if link is node else _beneath(link))
    if not isinstance(origin, tuple):
        return None
    # The clause's place stands behind that of the whole query, where both are known.
    return origin[0], origin[-1]


def _of_condition(node: TreeNode) -> object:
    """Where the condition was written; a column stands where it is used first, which is elsewhere."""
    condition = getattr(node, "condition", None)
    if not isinstance(condition, TreeNode):
        return None
    placed = [n for n in condition.walk() if isinstance(n.origin, tuple)]
    return next((n.origin for n in placed if n.children), placed[0].origin if placed else None)


def _beneath(node: TreeNode) -> object:
    return next((n.origin for n in node.walk() if isinstance(n.origin, tuple)), None)
