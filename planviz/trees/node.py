"""Immutable tree nodes: the one clever file.

A node class is declared like a dataclass and decorated with `@node`. From its annotations the decorator generates
`__init__`, `children`, `map_children`, `map_expressions`, equality and hash. Every edit makes a new node that shares
the untouched subtrees, and an edit that changes nothing returns the very same object: identity means unchanged.

`bits` is one integer per node: the set of node classes that occur in its subtree, base classes included, expressions
inside operators and plans inside subquery expressions included too. A rule whose pattern is absent costs one `&`.
`height` is how many levels are beneath it, counted in the same way; depth.py takes over where recursion cannot go.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator
from operator import is_
from typing import Annotated, Any, ClassVar, Generic, Self, dataclass_transform, get_args

from typing_extensions import TypeVar

from planviz.trees import depth
from planviz.trees.depth import SHALLOW, SHARED

T = TypeVar("T")
N = TypeVar("N", bound="TreeNode")
#: The root of a kind of tree, which its children are of. Any where a function takes trees of every kind.
RootT = TypeVar("RootT", bound="TreeNode", default=Any)

#: The type of a field that holds a node which is no part of the tree: no walk goes there.
Held = Annotated[T, "held"]

#: Trees that a rule leaves alone, by id; the node is kept, so that its id is not given to another.
Settled = dict[int, "TreeNode"]

#: Roles of a field: a node, a node or None, a tuple of nodes, a tuple of tuples of nodes, anything else.
ONE, OPTIONAL, MANY, NESTED, DATA = "one", "optional", "many", "nested", "data"


class lazy(Generic[T]):  # noqa: N801 (reads as a keyword, like property)
    """A property computed once per node.

    The value lands in the instance's `__dict__`, which shadows this descriptor: later reads never come back here. On a
    high tree the values beneath are computed first, lowest first, for most depend on the same value of the children.
    """

    #: Whether a value depends on the same value of the children.
    recursive: ClassVar[bool] = True

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self.compute = compute
        self.__doc__ = compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: TreeNode | None, owner: type | None = None) -> T:
        if instance is None:
            return self  # type: ignore[return-value]
        if instance.height > SHALLOW and self.recursive:
            depth.settle(instance, self.name, lazy)
        value: T = self.compute(instance)
        instance.__dict__[self.name] = value
        return value


class lazy_alone(lazy[T]):  # noqa: N801
    """A lazy value that a node computes without the same value of its children: nothing is computed beneath first."""

    recursive = False


def always(value: T) -> lazy_alone[T]:
    """A lazy value that is the same for every node of a class: `nullable = always(False)`."""
    return lazy_alone(lambda _: value)


class TreeNode(Generic[RootT]):
    """A node that never changes; generic over the root of its kind of tree (expressions, logical, physical plans).

    `BIT` is the class's own bit, `BITS` its own and its bases'. `origin` is where in the SQL text the node came from
    (set by the parser, kept through rewrites, no part of equality) or None.
    """

    BIT: ClassVar[int] = 1
    BITS: ClassVar[int] = 1
    FIELDS: ClassVar[tuple[str, ...]] = ()
    ROLES: ClassVar[tuple[str, ...]] = ()
    ROOT: ClassVar[bool] = False
    #: Fields that say how a node came about and take no part in equality.
    UNCOMPARED: ClassVar[tuple[str, ...]] = ()
    #: Remarks in an instance's `__dict__` that a copy with other children or expressions keeps.
    TAGS: ClassVar[tuple[str, ...]] = ()
    _count: ClassVar[int] = 1

    bits: int
    #: The bits of an operator and its expressions, without its children.
    own_bits: int
    height: int = 0
    #: How many nodes the tree has, a shared one counted at every place; of what it holds, only high trees count.
    weight: int = 1
    #: (text, offsets), the node that a rule made it from, or an exchange's reason: each reader knows which it asks for.
    origin: Any = None

    def __init_subclass__(cls, *, root: bool = False, **kwargs: object) -> None:
        """`root=True` marks a kind of tree: fields of another kind are not children."""
        super().__init_subclass__(**kwargs)
        cls.BIT = 1 << TreeNode._count
        TreeNode._count += 1
        cls.BITS = cls.BIT
        for base in cls.__mro__[1:]:
            if issubclass(base, TreeNode):
                cls.BITS |= base.BIT
        cls.ROOT = root

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is immutable: make a new node instead of setting {name!r}")

    __delattr__ = __setattr__  # type: ignore[assignment]

    @lazy_alone
    def children(self) -> tuple[RootT, ...]:
        """The child nodes of the same kind, in order."""
        return ()

    @lazy_alone
    def expressions(self) -> tuple[TreeNode, ...]:
        """The nodes of another kind held by this node: an operator's expressions."""
        return ()

    def equal_apart(self, other: Self) -> bool:
        """Whether everything but the children is equal, and there are as many of them; `other` is of the same class."""
        return True

    @property
    def inner_children(self) -> tuple[TreeNode, ...]:
        """Nodes printed beneath this one that are not its children (plans of subqueries, CTE definitions)."""
        return ()

    @property
    def simple_string(self) -> str:
        """The node's line in a tree's text."""
        return repr(self)

    def map_children(self, f: Callable[[RootT], RootT], mask: int = -1) -> Self:
        """This node with `f` applied to every child that has a bit of the mask; itself when no child changed."""
        return self

    def map_expressions(self, f: Callable[[Any], Any], mask: int = -1) -> Self:
        """This node with `f` applied to every expression it holds, in the same way; itself when none changed."""
        return self

    def with_new_children(self, children: tuple[RootT, ...]) -> Self:
        """This node over other children, given in order."""
        rest = iter(children)
        return self.map_children(lambda _: next(rest))

    def replace(self, **changes: object) -> Self:
        """This node with some fields changed; itself when they all stay identical."""
        values, same = self.__dict__, True
        for f, v in changes.items():
            if f not in values:
                raise TypeError(f"{type(self).__name__} has no field {f}")
            same = same and values[f] is v
        if same:
            return self
        return self.rebuilt(type(self)(**({f: values[f] for f in self.FIELDS} | changes)))

    def rebuilt(self, new: N) -> N:
        """`new` with this node's origin where it has none of its own."""
        if self.origin is not None and new.origin is None:
            new.__dict__["origin"] = self.origin
        return new

    def contains(self, *classes: type[TreeNode]) -> bool:
        """Whether a node of one of these classes occurs anywhere in the subtree."""
        bits = self.bits
        return any(bits & cls.BIT for cls in classes)

    def walk(self) -> Iterator[RootT]:
        """This node and everything beneath it, parents first; iterative, so depth is no limit."""
        stack: list[RootT] = [self]  # type: ignore[list-item]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.children))

    def collect(self, cls: type[N]) -> list[N]:
        """Every node of a class in this tree (same kind only), parents first."""
        bit = cls.BIT
        found: list[N] = []
        if not self.bits & bit:
            return found
        stack: list[TreeNode] = [self]
        while stack:
            node = stack.pop()
            if not node.bits & bit:
                continue
            if isinstance(node, cls):
                found.append(node)
            stack.extend(reversed(node.children))
        return found

    def find(self, test: Callable[[RootT], bool]) -> RootT | None:
        """The first node, parents first, for which `test` holds, or None."""
        return next((n for n in self.walk() if test(n)), None)

    def transform_up(
        self, f: Callable[[RootT], RootT], mask: int = -1, settled: Settled | None = None, kept: str = ""
    ) -> RootT:
        """The tree with `f` applied to every node, children first; subtrees without the mask's bits are skipped.

        `settled` are trees known to stay as they are; those that do are added. Right where `f` looks at nothing but its
        argument, and the same dictionary is only given with the same `f` (Spark: markRuleAsIneffective). `kept` is a
        remark with which a node stays as it is, with all beneath it.
        """
        root: RootT = self  # type: ignore[assignment]
        if not self.bits & mask or (settled is not None and id(self) in settled) or (kept and kept in self.__dict__):
            return root
        lowest = SHARED if settled is None else 0
        known = {} if settled is None else settled
        done: dict[int, RootT] = {}

        def go(node: RootT) -> RootT:
            if kept and kept in node.__dict__:
                return node
            if not node.height:
                new = f(node)
                return new if new is node else node.rebuilt(new)
            key = id(node)
            if key in known:
                return node
            if key in done:
                return done[key]
            below = node.map_children(go, mask)
            new = f(below)
            if new is not below:
                below.rebuilt(new)
            if node.height > lowest and new is node:
                known[key] = node
            elif node.height > SHARED:
                done[key] = new
            return new

        if self.height > SHALLOW:
            for node in depth.lowest_first(root, lambda n: not n.bits & mask or id(n) in known or kept in n.__dict__):
                go(node)
        result = go(root)
        # The function holds itself: let go of here, it leaves no cycle to the collector.
        go = None  # type: ignore[assignment]
        return result

    def transform_down(
        self, f: Callable[[RootT], RootT], mask: int = -1, settled: Settled | None = None, kept: str = ""
    ) -> RootT:
        """The tree with `f` applied to every node, the node before the children of the result; the rest as above."""
        root: RootT = self  # type: ignore[assignment]
        if not self.bits & mask or (settled is not None and id(self) in settled) or (kept and kept in self.__dict__):
            return root
        lowest = SHARED if settled is None else 0
        known = {} if settled is None else settled
        if self.height > SHALLOW:
            return depth.transform_down(root, f, mask, known, kept)
        # The node itself is kept, so that its id is not given to another.
        done: dict[int, tuple[RootT, RootT]] = {}

        def go(node: RootT) -> RootT:
            key = id(node)
            if key in known or (kept and kept in node.__dict__):
                return node
            if key in done:
                return done[key][1]
            new = f(node)
            if new is not node:
                node.rebuilt(new)
            result = new.map_children(go, mask) if new.height else new
            if node.height > lowest and result is node:
                known[key] = node
            elif node.height > SHARED:
                done[key] = (node, result)
            return result

        whole = go(root)
        go = None  # type: ignore[assignment]
        return whole

    def __repr__(self) -> str:
        fields = ", ".join(f"{f}={getattr(self, f)!r}" for f in self.FIELDS)
        return f"{type(self).__name__}({fields})"


def mask_of(*classes: type[TreeNode]) -> int:
    """The bits of these classes together, for `node.bits & mask`."""
    mask = 0
    for cls in classes:
        mask |= cls.BIT
    return mask


def _root_of(cls: type) -> type | None:
    return next((c for c in cls.__mro__ if c.__dict__.get("ROOT")), None)


def _role(hint: object) -> tuple[str, type | None]:
    """(role, node class) of a resolved annotation."""
    hint = getattr(hint, "__bound__", hint)
    if isinstance(hint, type) and issubclass(hint, TreeNode):
        return ONE, hint
    args = get_args(hint)
    if getattr(hint, "__origin__", None) is tuple and len(args) == 2 and args[1] is Ellipsis:
        role, cls = _role(args[0])
        return ({ONE: MANY, MANY: NESTED}.get(role, DATA), cls)
    nodes = [a for a in args if a is not type(None)]
    if len(nodes) == 1 and len(args) == 2:
        role, cls = _role(nodes[0])
        return (OPTIONAL, cls) if role == ONE else (DATA, None)
    return DATA, None


_ADD = "bits |= {n}.bits; _h = {n}.height; height = _h if _h > height else height; "
_EACH = {
    ONE: "{add}",
    OPTIONAL: "if {f} is not None: {add}",
    MANY: "for _n in {f}: {add}",
    NESTED: "for _t in {f}:\n  for _n in _t: {add}",
}
#: Of children every node weighs, of what is held besides only high ones do.
_WEIGH_CHILD = "weight += {n}.weight"
_WEIGH_OTHER = f"weight += {{n}}.weight if _h > {2 * SHARED} else 0"
_MAP = {
    ONE: "_{f} = f(self.{f}) if self.{f}.bits & mask else self.{f}",
    OPTIONAL: "_{f} = f(self.{f}) if self.{f} is not None and self.{f}.bits & mask else self.{f}",
    MANY: "_{f} = _map_many(self.{f}, f, mask)",
    NESTED: "_{f} = _map_nested(self.{f}, f, mask)",
}
_ITEMS = {
    ONE: "{f},",
    OPTIONAL: "*(({f},) if {f} is not None else ()),",
    MANY: "*{f},",
    NESTED: "*(_n for _t in {f} for _n in _t),",
}


#: What must agree in a field of children besides the children themselves.
_SHAPE = {
    ONE: "True",
    OPTIONAL: "(self.{f} is None) is (other.{f} is None)",
    MANY: "len(self.{f}) == len(other.{f})",
    NESTED: "[len(_t) for _t in self.{f}] == [len(_t) for _t in other.{f}]",
}


def _adding(field: str, role: str, weigh: str) -> list[str]:
    name = field if role in (ONE, OPTIONAL) else "_n"
    return _EACH[role].format(f=field, add=(_ADD + weigh).format(n=name)).split("\n")


def _map_many(items: tuple[N, ...], f: Callable[[N], N], mask: int) -> tuple[N, ...]:
    new = [f(n) if n.bits & mask else n for n in items]
    return items if all(map(is_, items, new)) else tuple(new)


def _map_nested(items: tuple[tuple[N, ...], ...], f: Callable[[N], N], mask: int) -> tuple[tuple[N, ...], ...]:
    new = [_map_many(t, f, mask) for t in items]
    return items if all(map(is_, items, new)) else tuple(new)


def _mapper(name: str, fields: tuple[str, ...], mapped: list[tuple[str, str]], tags: tuple[str, ...]) -> str:
    body = "\n ".join(_MAP[role].format(f=f) for f, role in mapped)
    same = " and ".join(f"_{f} is self.{f}" for f, _ in mapped)
    names = {f for f, _ in mapped}
    args = ", ".join(f"_{f}" if f in names else f"self.{f}" for f in fields)
    return (
        f"def {name}(self, f, mask=-1):\n {body}\n if {same}: return self\n"
        f" new = _cls({args})\n if self.origin is not None: new.__dict__['origin'] = self.origin\n"
        + "".join(f" if {t!r} in self.__dict__: new.__dict__[{t!r}] = self.__dict__[{t!r}]\n" for t in tags)
        + " return new\n"
    )


def _constructor(
    cls: type, fields: tuple[str, ...], children: list[tuple[str, str]], others: list[tuple[str, str]]
) -> str:
    """`__init__`: the fields, what follows from those that are nodes, and the children unless given by hand."""
    by_hand = _written(cls, "children")
    params = ", ".join(f"{f}=_defaults[{f!r}]" if hasattr(cls, f) and f in cls.__dict__ else f for f in fields)
    lines = [f"def __init__(self{', ' if params else ''}{params}):", " bits, height, weight = _bits, -1, 1"]
    for f, r in others:
        lines += [" " + line for line in _adding(f, r, _WEIGH_OTHER)]
    lines += [" d = self.__dict__", " d['own_bits'] = bits"]
    for f, r in children:
        lines += [" " + line for line in _adding(f, r, _WEIGH_OTHER if by_hand else _WEIGH_CHILD)]
    lines += [*(f" d[{f!r}] = {f}" for f in fields), " d['bits'] = bits"]
    if children and not by_hand:
        lines += [f" d['children'] = ({''.join(_ITEMS[r].format(f=f) for f, r in children)})"]
    lines += [" d['height'], d['weight'] = height + 1, weight"] if children or others else []
    return "\n".join(lines) + "\n"


def _comparisons(compared: list[str], below: dict[str, str]) -> str:
    """`__eq__`, `__hash__` and `equal_apart` over these fields, of which those in `below` hold children."""
    same = " and ".join([f"self.{f} == other.{f}" for f in compared] or ["True"])
    values = "".join(f"self.{f}, " for f in compared)
    apart = [_SHAPE[below[f]].format(f=f) if f in below else f"self.{f} == other.{f}" for f in compared]
    return (
        "def __eq__(self, other):\n if self is other: return True\n"
        " if other.__class__ is not _cls or self.bits != other.bits or self.height != other.height: return False\n"
        f" if self.height > {SHARED}: return _equal(self, other)\n return {same}\n"
        f"def equal_apart(self, other): return {' and '.join(apart or ['True'])}\n"
        "def __hash__(self):\n h = self.__dict__.get('_hash')\n if h is None:\n"
        f"  if self.height > {SHALLOW}: _settle_hashes(self)\n"
        f"  h = self.__dict__['_hash'] = hash((_bits, {values}))\n return h\n"
    )


def _written(cls: type, name: str) -> bool:
    """Whether the class, or a base that is no node class itself, says by hand what would be generated."""
    owner: type = next((c for c in cls.__mro__ if name in c.__dict__), TreeNode)
    return owner is not TreeNode and issubclass(owner, TreeNode) and "_fields_" not in owner.__dict__


def _furnish(cls: type, scope: dict[str, Any], *, childless: bool, holds: bool) -> None:
    """Give a class what was generated for it, except what it says by hand.

    `childless`: no field can be a child; `holds`: some fields hold expressions.
    """
    for name in ("__init__", "__eq__", "__hash__", "equal_apart", "map_children", "map_expressions"):
        if name in scope and (name == "__hash__" or not _written(cls, name)):
            setattr(cls, name, scope[name])
    if childless:
        setattr(cls, "children", ())  # noqa: B010 (no field for the type checker: a constant of the class)
    if holds and not _written(cls, "expressions"):
        descriptor = lazy_alone(scope["_expressions"])
        descriptor.__set_name__(cls, "expressions")
        setattr(cls, "expressions", descriptor)  # noqa: B010
    elif not _written(cls, "expressions"):
        setattr(cls, "expressions", ())  # noqa: B010


@dataclass_transform(frozen_default=True)
def node(cls: type[N]) -> type[N]:
    """Turn an annotated class into an immutable node class.

    Inherited fields come first, as in a dataclass; a class attribute is the field's default. What a field's annotation
    names decides what is a child: a node that is none is `Held`. Raises TypeError where an
    annotation mixes nodes and other things in a way that children could not be found.
    """
    inherited = {f: r for base in reversed(cls.__mro__[1:]) for f, r in getattr(base, "_fields_", {}).items()}
    own = inspect.get_annotations(cls)
    own_names = [n for n in own if "ClassVar" not in str(own[n])]
    # `get_type_hints` reads the annotations of every base again, for every class: a sixth of an import.
    seen_from = {**vars(sys.modules[cls.__module__]), cls.__name__: cls} if own_names else {}
    roles: dict[str, tuple[str, type | None]] = {**inherited}
    for name in own_names:
        hint = own[name]
        roles[name] = _role(eval(hint, seen_from) if isinstance(hint, str) else hint)
    fields = tuple(roles)
    root = _root_of(cls)
    children = [(f, r) for f, (r, c) in roles.items() if r != DATA and c is not None and _root_of(c) is root]
    others = [(f, r) for f, (r, c) in roles.items() if r != DATA and (f, r) not in children]
    # A plan inside an expression is carried data that takes part in the bits; an operator's expressions are mapped.
    by_hand = _written(cls, "children")
    code = _constructor(cls, fields, children, others)
    if children:
        code += _mapper("map_children", fields, children, cls.TAGS)
    if others:
        code += _mapper("map_expressions", fields, others, cls.TAGS)
        held = "".join(_ITEMS[r].format(f=f"self.{f}") for f, r in others)
        code += f"def _expressions(self): return ({held})\n"
    code += _comparisons([f for f in fields if f not in cls.UNCOMPARED], {} if by_hand else dict(children))
    scope: dict[str, object] = {
        "_cls": cls,
        "_bits": cls.BITS,
        "_defaults": {f: getattr(cls, f, None) for f in fields},
        "_map_many": _map_many,
        "_map_nested": _map_nested,
        "_equal": depth.equal,
        "_settle_hashes": depth.settle_hashes,
    }
    exec(code, scope)
    _furnish(cls, scope, childless=not children and not by_hand, holds=bool(others))
    setattr(cls, "_fields_", roles)  # noqa: B010 (not declared: only this decorator reads it)
    setattr(cls, "__match_args__", fields)  # noqa: B010 (the type checker makes its own)
    cls.FIELDS, cls.ROLES = fields, tuple(r for r, _ in roles.values())
    return cls
