"""The methods of a node class are compiled at the first call of any of them, whichever it is."""

from __future__ import annotations

import copy

import pytest

from planviz.trees.node import TreeNode, node


def made():
    """A class that nobody has used, and two equal nodes of it."""

    @node
    class Pair(TreeNode, root=True):
        left: Pair | None
        name: str = "x"

    return Pair


FIRST = {
    "equality": lambda n: n == n.replace(),
    "hash": lambda n: isinstance(hash(n), int),
    "equal_apart": lambda n: n.equal_apart(n),
    "map_children": lambda n: n.map_children(lambda c: c) is n,
    "expressions": lambda n: n.expressions == (),
    "copy": lambda n: copy.copy(n) == n,
}


@pytest.mark.parametrize("first", FIRST)
def test_any_method_may_come_first(first):
    pair = made()
    # As unpickling does, which never calls `__init__`.
    bare, other = pair.__new__(pair), made()(None, "y")
    bare.__dict__.update(other.__dict__, bits=pair.BITS, own_bits=pair.BITS)
    assert FIRST[first](bare)
    assert pair(bare, name="z").children == (bare,)
    assert pair(None).name == "x"
    with pytest.raises(TypeError):
        pair()


def test_a_method_written_by_hand_stays():
    @node
    class Named(TreeNode, root=True):
        name: str

        def __eq__(self, other):
            return isinstance(other, Named) and self.name.lower() == other.name.lower()

    assert Named("a") == Named("A")
    assert hash(Named("a")) != hash(Named("A"))


def test_a_class_of_its_own_does_not_take_the_methods_of_its_base():
    pair = made()

    @node
    class Triple(pair):
        right: object = None

    assert Triple(None, "x", 3).right == 3
    assert Triple(None, "x", 3) != Triple(None, "x", 4)
    assert Triple(None, "x", 3) != pair(None, "x")
