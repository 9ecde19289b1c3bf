"""Deep trees: what plain recursion would do, without the recursion.

Python's stack holds some hundred frames, and a chain of a thousand UNIONs or ANDs is a thousand nodes high. Trees up to
`SHALLOW` are walked by plain recursion, which is faster; higher ones come here. Two ways serve everything: compute what
depends on the children *lowest first*, so that no computation finds its children undone; or keep a stack of one's own.

A subtree that stands in several places (a directed acyclic graph, such as an expression substituted for two references)
is visited once: twenty levels of doubling are a million paths and twenty nodes.
"""

from __future__ import annotations

import inspect
import sys
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

from planviz.errors import PlanTooLarge

if TYPE_CHECKING:
    from planviz.trees.node import Settled, TreeNode

F = TypeVar("F", bound=Callable[..., object])
N = TypeVar("N", bound="TreeNode")

#: How high a tree may be for plain recursion: two or three frames per level, and such walks nest (plan, expression).
SHALLOW = 60
#: From this height on transformations and comparisons remember what they have seen: below, doing it again is cheaper
#: (at most 2^8 paths).
SHARED = 8
#: How heavy a tree may be (see TreeNode.weight).
HEAVIEST = 50_000
#: How heavy it may be where the query's text itself is long: some two megabytes of SQL, planned in seconds.
_LONGEST = 200_000
_heaviest: ContextVar[int] = ContextVar("heaviest", default=HEAVIEST)

#: Frames for plain recursion over plans where the stack is the main thread's: a chain of 300 joins takes some 2,000. A
#: stack of 8 MB holds more than twice as many, even where each goes through a descriptor or a generator.
FRAMES = 4_000


@contextmanager
def deep_stack() -> Iterator[None]:
    """Work that may recurse over a plan of some hundred operators in a row.

    Only in the main thread: the stacks of others may be small. Beyond, RecursionError is raised as ever.
    """
    before = sys.getrecursionlimit()
    if threading.current_thread() is not threading.main_thread() or before >= FRAMES:
        yield
        return
    sys.setrecursionlimit(FRAMES)
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


@contextmanager
def written(plan: TreeNode, copies: int = 1) -> Iterator[None]:
    """Work on what becomes of a plan, which may be heavier by a quarter than what its text spells out, `copies` times.

    That takes time in step with the text; what doubles with every level does not, and is not counted.
    """
    nodes = _distinct(plan) if plan.weight > HEAVIEST // 2 else 0
    token = _heaviest.set(max(HEAVIEST, copies * min(nodes + nodes // 4, _LONGEST)))
    try:
        yield
    finally:
        _heaviest.reset(token)


def _distinct(root: TreeNode) -> int:
    """How many nodes are in a plan and its expressions, each counted once however often it stands there."""
    seen: set[int] = set()
    stack = [root]
    while stack and len(seen) < _LONGEST:
        node = stack.pop()
        if id(node) not in seen:
            seen.add(id(node))
            stack += [*node.children, *getattr(node, "expressions", ())]
    return len(seen)


def refuse_heavy(weight: int, what: str) -> None:
    """Raise PlanTooLarge when `what` makes a tree that is too heavy to go on with."""
    most = _heaviest.get()
    if weight > most:
        raise PlanTooLarge(
            f"{what} makes a plan of {weight:,} nodes; at most {most:,} are worked on. What uses the step before "
            "it twice (a common table expression, a view, a column) doubles the plan: use fewer such levels, or store "
            "one of them as a table."
        )


def refuse_wide(columns: int) -> None:
    """Raise PlanTooLarge for more columns than a plan may have nodes."""
    if columns > HEAVIEST:
        raise PlanTooLarge(
            f"A star stands for more than {HEAVIEST:,} columns, and no more are worked on. Every level that reads the "
            "one before it twice doubles them: name the columns that are needed."
        )


def lowest_first(root: N, done: Callable[[N], bool]) -> list[N]:
    """The high nodes beneath `root`, each once, children before parents; not those `done` and what is beneath these."""
    seen: set[int] = set()
    found: list[N] = []
    # A node comes by twice: before what is beneath it, and (marked) behind that.
    stack = [(c, False) for c in reversed(root.children)]
    while stack:
        node, behind = stack.pop()
        if behind:
            found.append(node)
        elif node.height > SHALLOW and id(node) not in seen and not done(node):
            seen.add(id(node))
            stack.append((node, True))
            stack.extend((c, False) for c in reversed(node.children))
    return found


def settle(root: TreeNode, name: str, kind: type) -> None:
    """Compute the lazy value `name` of the high nodes beneath `root`, where it is a descriptor of this kind."""
    for node in lowest_first(root, lambda n: name in n.__dict__ or not isinstance(getattr(type(n), name, None), kind)):
        getattr(node, name)


def settle_hashes(root: TreeNode) -> None:
    """Hash the high nodes beneath `root`."""
    for node in lowest_first(root, lambda n: "_hash" in n.__dict__):
        hash(node)


def equal(a: TreeNode, b: TreeNode) -> bool:
    """Whether two trees higher than SHARED are equal."""
    pairs = [(a, b)]
    seen: set[tuple[int, int]] = set()
    while pairs:
        x, y = pairs.pop()
        if x is y or (id(x), id(y)) in seen:
            continue
        if x.height <= SHARED:
            if x != y:
                return False
            continue
        if x.__class__ is not y.__class__ or x.bits != y.bits or x.height != y.height or not x.equal_apart(y):
            return False
        seen.add((id(x), id(y)))
        pairs.extend(zip(x.children, y.children, strict=True))
    return True


def transform_down(root: N, f: Callable[[N], N], mask: int, known: Settled, kept: str = "") -> N:
    """As `TreeNode.transform_down`, on a stack of its own."""
    # What became of a node; the node itself is kept, so that its id is not given to another.
    done: dict[int, tuple[N, N]] = {}
    # Nodes whose children are being done: the node, what `f` made of it, the children left, what became of the others.
    stack: list[tuple[N, N, list[N], list[N]]] = []

    def enter(node: N) -> None:
        new = f(node)
        if new is not node:
            node.rebuilt(new)
        stack.append((node, new, list(reversed(new.children)), []))

    if id(root) in known:
        return root
    enter(root)
    while True:
        node, new, left, results = stack[-1]
        if left:
            child = left.pop()
            key = id(child)
            if not child.bits & mask or key in known or kept in child.__dict__:
                results.append(child)
            elif key in done:
                results.append(done[key][1])
            else:
                enter(child)
            continue
        stack.pop()
        changed = any(a is not b for a, b in zip(new.children, results, strict=True))
        result = new.with_new_children(tuple(results)) if changed else new
        if result is node:
            known[id(node)] = node
        else:
            done[id(node)] = (node, result)
        if not stack:
            return result
        stack[-1][3].append(result)


#: A recursion written as a generator: it yields those of the nodes beneath, is sent their results, returns its own.
Climb = Generator["Climb", Any, object]


def climbed(first: Climb) -> Any:
    """The result of a recursion whose steps are generators, on a stack of its own.

    For a recursion whose other arguments depend on the results so far: each node is visited once for each place.
    """
    stack = [first]
    value: Any = None
    while True:
        try:
            stack.append(stack[-1].send(value))
            value = None
        except StopIteration as stop:
            stack.pop()
            value = stop.value
            if not stack:
                return value


def deep(function: F) -> F:
    """Let a function that recurses over a tree by itself reach any height.

    The first argument (after `self`) is the node, all arguments are given by position. On a high tree the nodes beneath
    get their results first, lowest first, with the same other arguments; where the recursion comes to such a node, its
    result is there. Wrong for a function that counts what it visits, or must not see the nodes that it would skip.
    """
    at = 1 if next(iter(inspect.signature(function).parameters)) == "self" else 0
    results: ContextVar[dict[object, object] | None] = ContextVar(function.__qualname__, default=None)

    @wraps(function)
    def reaching(*arguments: Any) -> Any:
        node = arguments[at]
        if node.height <= SHALLOW:
            return function(*arguments)
        known = results.get()
        if known is not None:
            return _result(function, at, arguments, known)
        known = {}
        token = results.set(known)
        try:
            return _result(function, at, arguments, known)
        finally:
            results.reset(token)

    return reaching  # type: ignore[return-value]


def _result(function: Callable[..., object], at: int, arguments: tuple[Any, ...], known: dict[Any, Any]) -> Any:
    """What the function gives for these arguments, from `known` or put there; results for the nodes beneath too."""
    node, before, behind = arguments[at], arguments[:at], arguments[at + 1 :]
    others = tuple(map(id, behind))
    if (id(node), *others) not in known:
        for n in [*lowest_first(node, lambda n: (id(n), *others) in known), node]:
            # The arguments are kept, so that their ids are not given to others.
            known[(id(n), *others)] = (function(*before, n, *behind), n, behind)
    return known[(id(node), *others)][0]
