"""All nodes of a program's tree, walked once."""

from __future__ import annotations

import ast

#: The tree that was walked last and its nodes: reading a program asks several times.
_last: tuple[ast.AST | None, list[ast.AST]] = (None, [])


def nodes_of(tree: ast.AST) -> list[ast.AST]:
    """Every node of a tree, those nearest to its root first, as ast.walk gives them."""
    global _last
    known, nodes = _last
    if known is tree:
        return nodes
    nodes = [tree]
    # The list grows while it is gone through.
    for node in nodes:
        for field in node._fields:
            value = getattr(node, field, None)
            if value.__class__ is list:
                nodes += [n for n in value if isinstance(n, ast.AST)]
            elif isinstance(value, ast.AST):
                nodes.append(value)
    _last = (tree, nodes)
    return nodes
