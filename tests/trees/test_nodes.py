from __future__ import annotations

import pytest

from planviz.trees.node import Held, TreeNode, lazy, mask_of, node


class Term(TreeNode, root=True):
    pass


@node
class Number(Term):
    value: object


@node
class Sum(Term):
    left: Term
    right: Term


@node
class Call(Term):
    name: str
    arguments: tuple[Term, ...]
    extra: Term | None = None


class Operator(TreeNode, root=True):
    pass


@node
class Table(Operator):
    name: str


@node
class Keep(Operator):
    condition: Term
    child: Operator
    note: str = ""
    UNCOMPARED = ("note",)


@node
class Cache(Operator):
    wanted: Held[Operator]
    child: Operator


def one_plus_two() -> Sum:
    return Sum(Number(1), Number(2))


def test_fields_defaults_and_match():
    match Call("f", (Number(1),)):
        case Call(name, (Number(value),), extra):
            assert (name, value, extra) == ("f", 1, None)
        case _:
            pytest.fail("did not match")


def test_a_held_node_is_no_part_of_the_tree():
    cache = Cache(Table("a"), Table("b"))
    assert cache.children == (Table("b"),)
    assert [n.name for n in cache.walk() if isinstance(n, Table)] == ["b"]
    assert cache.map_children(lambda t: Table("c")) == Cache(Table("a"), Table("c"))


def test_nodes_never_change():
    with pytest.raises(AttributeError, match="immutable"):
        Number(1).value = 2  # type: ignore[misc]


def test_equality_is_structural_and_hash_agrees():
    assert one_plus_two() == one_plus_two()
    assert hash(one_plus_two()) == hash(one_plus_two())
    assert Sum(Number(1), Number(3)) != one_plus_two()


def test_uncompared_fields_do_not_count():
    assert Keep(Number(1), Table("t"), "a") == Keep(Number(1), Table("t"), "b")


def test_children_are_of_the_same_kind_only():
    plan = Keep(one_plus_two(), Table("t"))

    assert plan.children == (Table("t"),)
    assert plan.expressions == (one_plus_two(),)


def test_optional_and_many_children_in_order():
    assert Call("f", (Number(1), Number(2)), Number(3)).children == (Number(1), Number(2), Number(3))


def test_bits_cover_bases_and_expressions_inside_operators():
    plan = Keep(one_plus_two(), Table("t"))

    assert plan.contains(Sum)
    assert plan.contains(Term)
    assert not plan.contains(Call)
    assert plan.bits & mask_of(Number)


def test_transform_that_changes_nothing_returns_the_same_object():
    tree = Call("f", (one_plus_two(), Number(3)))

    assert tree.transform_up(lambda n: n) is tree
    assert tree.transform_down(lambda n: n) is tree
    assert tree.map_children(lambda n: n) is tree


def test_transform_shares_what_it_does_not_touch():
    left, tree = one_plus_two(), None
    tree = Call("f", (left, Number(3)))
    new = tree.transform_up(lambda n: Number(4) if n == Number(3) else n)

    assert new.arguments[0] is left
    assert new == Call("f", (left, Number(4)))


def test_transform_skips_subtrees_without_the_mask():
    seen = []
    tree = Sum(Call("f", (Number(1),)), Sum(Number(2), Number(3)))
    tree.transform_up(lambda n: seen.append(n) or n, mask_of(Call))

    assert [type(n) for n in seen] == [Call, Sum]


def test_up_visits_children_first_and_down_parents_first():
    up, down = [], []
    tree = Sum(Number(1), Sum(Number(2), Number(3)))
    tree.transform_up(lambda n: up.append(n) or n)
    tree.transform_down(lambda n: down.append(n) or n)

    assert [n.value for n in up if isinstance(n, Number)] == [1, 2, 3]
    assert up[-1] is tree
    assert down[0] is tree


def test_origin_survives_a_rewrite_and_is_no_part_of_equality():
    tree = one_plus_two()
    tree.__dict__["origin"] = ("text", 3)
    new = tree.transform_up(lambda n: Number(9) if n == Number(2) else n)

    assert new.origin == ("text", 3)
    assert new == Sum(Number(1), Number(9))


@pytest.mark.parametrize("direction", ["transform_up", "transform_down"])
def test_what_was_left_alone_is_not_visited_again(direction):
    still = Call("f", (Number(1),))
    seen: list[Term] = []
    settled: dict[int, Term] = {}

    def four_for_three(n: Term) -> Term:
        seen.append(n)
        return Number(4) if n == Number(3) else n

    first = getattr(Sum(still, Number(3)), direction)(four_for_three, settled=settled)
    assert first == Sum(still, Number(4))
    assert first.left is still
    assert settled == {id(still): still}
    seen.clear()
    second = getattr(first, direction)(four_for_three, settled=settled)
    assert second is first
    assert still not in seen
    seen.clear()
    assert getattr(first, direction)(four_for_three, settled=settled) is first
    assert not seen


def test_children_without_the_bits_are_not_mapped():
    tree = Call("f", (Number(1), Sum(Number(1), Number(2))), Number(5))
    seen: list[Term] = []
    assert tree.map_children(lambda n: seen.append(n) or n, mask_of(Sum)) is tree
    assert seen == [tree.arguments[1]]


def test_weight_counts_a_shared_tree_at_every_place():
    tree: Term = Number(1)
    for _ in range(20):
        tree = Sum(tree, tree)
    assert tree.weight == 2**21 - 1


def test_replace_keeps_identity_when_nothing_changes():
    tree = one_plus_two()

    assert tree.replace(left=tree.left) is tree
    assert tree.replace(left=Number(7)) == Sum(Number(7), Number(2))
    with pytest.raises(TypeError, match="no field"):
        tree.replace(middle=1)


def test_collect_and_walk():
    tree = Sum(Call("f", (Number(1),)), Number(2))

    assert [n.value for n in tree.collect(Number)] == [1, 2]
    assert next(iter(tree.walk())) is tree
    assert tree.find(lambda n: isinstance(n, Call)) == Call("f", (Number(1),))


def test_a_lazy_value_is_computed_once():
    calls = []

    class Counting(Term):
        @lazy
        def size(self) -> int:
            calls.append(1)
            return 5

    counting = Counting()
    assert (counting.size, counting.size, len(calls)) == (5, 5, 1)
