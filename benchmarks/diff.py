"""How well and how fast two plans are aligned, against known random edits of real plans.

    python -m benchmarks.diff [--scripts 10000] [--corpus ../shared/corpus/tpcds/captures/nocbo-aqeoff] [--times]

Plans are what Spark printed of TPC-DS (physical and optimized). A script edits one of them 1 or 5 times: an operator
inserted, removed, moved, its arguments changed, the inputs of a join swapped, two joins put in another order; then all
expression ids and plan ids are drawn anew, as another run does. Which operator is which is known throughout. Precision
is the share of the matches made that are right, recall the share of the right matches that were made. Beside it three
baselines: a diff of the lines, the same id and operator, and Change Distiller as sqlglot has it.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from pathlib import Path

from benchmarks.plans import SHAPES, plan_text
from planviz.document import open_text
from planviz.graph import PlanGraph, PlanNode
from planviz.graph.alignment import without_expression_ids, without_plan_ids
from planviz.graph.diff import diff
from planviz.graph.effects import effects
from planviz.graph.kinds import kind_of

EDITS = ("insert", "remove", "move", "argument", "swap inputs", "reorder joins")
_ID = re.compile(r"#(\d+)")
_PLAN_ID = re.compile(r"(plan_id=|id=#)(\d+)")
_NAME = re.compile(r"\b[a-z]+(?:_[a-z0-9]+)+\b")
_MOST = 400  # operators of a plan that is edited

Pairs = set[tuple[int, int]]


@dataclass
class Tree:
    """A plan that can be edited; `uid` says which operator it is, whatever becomes of it."""

    uid: int
    text: str
    arguments: PlanNode | None
    children: list[Tree] = field(default_factory=list)

    def walk(self) -> list[Tree]:
        """All nodes in pre-order."""
        found, stack = [], [self]
        while stack:
            node = stack.pop()
            found.append(node)
            stack.extend(reversed(node.children))
        return found


def tree_of(graph: PlanGraph) -> Tree:
    """A graph as a tree to edit; the first root of several."""
    made = {node.id: Tree(node.id, node.text, node) for node in graph}
    for node in graph:
        if node.parent is not None:
            made[node.parent].children.append(made[node.id])
    return made[graph.roots[0]]


def graph_of(tree: Tree, stage: str, text_of: Callable[[str], str]) -> tuple[PlanGraph, list[int]]:
    """A tree as a graph, its texts passed through `text_of`, and the uid of every node by its id."""
    nodes: list[PlanNode] = []
    uids: list[int] = []
    stack: list[tuple[Tree, int | None, int]] = [(tree, None, 0)]
    while stack:
        at, parent, depth = stack.pop()
        text = text_of(at.text)
        op = at.arguments.op if at.arguments is not None else text.split(" ")[0].split("(")[0].split("[")[0]
        kind = at.arguments.kind if at.arguments is not None else kind_of(op)
        id = len(nodes)
        nodes.append(PlanNode(id, op, kind, text, depth=depth, parent=parent))
        uids.append(at.uid)
        stack.extend((child, id, depth + 1) for child in reversed(at.children))
    return PlanGraph.from_nodes(stage, "", nodes), uids


# -- edits


class Editor:
    """Edits a tree in place by chance; every edit says whether it found a place for itself."""

    def __init__(self, tree: Tree, rng: random.Random) -> None:
        self.top = Tree(-1, "", None, [tree])
        self.rng = rng
        self.fresh = 1_000_000

    def edit(self, kind: str) -> bool:
        """One edit of a kind of `EDITS`."""
        acts = (self.insert, self.remove, self.move, self.argument, self.swap, self.reorder)
        return acts[EDITS.index(kind)]()

    def _parents(self) -> list[tuple[Tree, int]]:
        return [(node, at) for node in self.top.walk() for at in range(len(node.children))]

    def _put(self, node: Tree) -> None:
        parent, at = self.rng.choice(self._parents())
        node.children = [parent.children[at]]
        parent.children[at] = node

    def insert(self) -> bool:
        """A new operator with one input, anywhere."""
        self.fresh += 1
        column = f"new_column{self.rng.randrange(1000)}#{self.rng.randrange(9000)}"
        text = self.rng.choice(
            (f"Sort [{column} ASC NULLS FIRST], false, 0", f"Filter isnotnull({column})", f"Project [{column}]",
             f"Exchange hashpartitioning({column}, 200), ENSURE_REQUIREMENTS, [plan_id=77]")
        )  # fmt: skip
        self._put(Tree(self.fresh, text, None))
        return True

    def _taken(self) -> Tree | None:
        places = [(parent, at) for parent, at in self._parents() if len(parent.children[at].children) == 1]
        if not places:
            return None
        parent, at = self.rng.choice(places)
        node = parent.children[at]
        parent.children[at] = node.children[0]
        return node

    def remove(self) -> bool:
        """An operator with one input goes."""
        return self._taken() is not None

    def move(self) -> bool:
        """An operator with one input goes and comes back elsewhere."""
        node = self._taken()
        if node is not None:
            self._put(node)
        return node is not None

    def argument(self) -> bool:
        """A column in the text of an operator becomes another."""
        nodes = [node for node in self.top.children[0].walk() if _NAME.search(node.text)]
        if not nodes:
            return False
        node = self.rng.choice(nodes)
        name = self.rng.choice(_NAME.findall(node.text))
        node.text = node.text.replace(name, f"other_{self.rng.randrange(1000)}_name")
        return True

    def swap(self) -> bool:
        """The inputs of a join change sides."""
        joins = [node for node in self.top.walk() if len(node.children) == 2]
        if joins:
            self.rng.choice(joins).children.reverse()
        return bool(joins)

    def reorder(self) -> bool:
        """Of two joins, one beneath the other, the right inputs change places."""
        pairs = []
        for upper in self.top.walk():
            if len(upper.children) != 2:
                continue
            below = upper.children[0]
            while len(below.children) == 1:
                below = below.children[0]
            if len(below.children) == 2:
                pairs.append((upper, below))
        if not pairs:
            return False
        upper, lower = self.rng.choice(pairs)
        upper.children[1], lower.children[1] = lower.children[1], upper.children[1]
        return True


def renumbered(rng: random.Random) -> Callable[[str], str]:
    """Texts with other expression ids and plan ids, the same for the same id."""
    shift, other = rng.randrange(100, 9000), rng.randrange(100, 9000)

    def text(words: str) -> str:
        words = _ID.sub(lambda found: f"#{int(found[1]) + shift}", words)
        return _PLAN_ID.sub(lambda found: f"{found[1]}{int(found[2]) + other}", words)

    return text


# -- ways to match


def ours(before: PlanGraph, after: PlanGraph) -> Pairs:
    """What planviz aligns."""
    return {(match.before, match.after) for match in diff(before, after).matches}


def by_lines(before: PlanGraph, after: PlanGraph) -> Pairs:
    """Equal lines of a diff of the texts without ids, with their indentation."""
    sides = [["  " * n.depth + without_expression_ids(without_plan_ids(n.text)) for n in g] for g in (before, after)]
    matcher = SequenceMatcher(None, *sides, autojunk=False)
    return {(a + i, b + i) for a, b, size in matcher.get_matching_blocks() for i in range(size)}


def by_id_and_word(before: PlanGraph, after: PlanGraph) -> Pairs:
    """The same place in the text and the same operator."""
    return {(one.id, two.id) for one, two in zip(before, after, strict=False) if one.op == two.op}


def change_distiller(before: PlanGraph, after: PlanGraph, f: float = 0.6, t: float = 0.6) -> Pairs:
    """Leaves by the bigrams of their texts, then inner nodes by the leaves they share, as sqlglot's diff does."""
    bags = [[_bigrams(without_expression_ids(node.text)) for node in graph] for graph in (before, after)]
    leaves = [[node.id for node in graph if not graph.children(node.id)] for graph in (before, after)]
    scored = []
    for one in leaves[0]:
        for two in leaves[1]:
            if before[one].op == after[two].op and (score := _dice(bags[0][one], bags[1][two])) >= f:
                scored.append((-score, one, two))
    found: dict[int, int] = {}
    taken: set[int] = set()
    for _, one, two in sorted(scored):
        if one not in found and two not in taken:
            found[one] = two
            taken.add(two)
    beneath = [_leaves_beneath(graph) for graph in (before, after)]
    inner = [[node.id for node in reversed(list(graph)) if graph.children(node.id)] for graph in (before, after)]
    for one in inner[0]:
        for two in inner[1]:
            if two in taken or before[one].op != after[two].op:
                continue
            mine, theirs = beneath[0][one], beneath[1][two]
            common = sum(found.get(leaf, -1) in theirs for leaf in mine)
            share = common / max(len(mine), len(theirs))
            enough = share >= (0.4 if min(len(mine), len(theirs)) <= 4 else t)
            if enough and (share >= 0.8 or _dice(bags[0][one], bags[1][two]) >= f):
                found[one] = two
                taken.add(two)
                break
    return set(found.items())


def _bigrams(text: str) -> frozenset[str]:
    return frozenset(text[at : at + 2] for at in range(len(text) - 1))


def _dice(one: frozenset[str], two: frozenset[str]) -> float:
    return 2 * len(one & two) / (len(one) + len(two)) if one or two else 1.0


def _leaves_beneath(graph: PlanGraph) -> list[set[int]]:
    found: list[set[int]] = [set() for _ in graph]
    for node in reversed(list(graph)):
        if not graph.children(node.id):
            found[node.id].add(node.id)
        if node.parent is not None:
            found[node.parent] |= found[node.id]
    return found


WAYS = {"planviz": ours, "lines": by_lines, "id and word": by_id_and_word, "Change Distiller": change_distiller}


# -- measuring


def corpus_plans(folder: Path, names: str = "*") -> list[PlanGraph]:
    """Optimized and physical plans of the captures of a folder whose names match."""
    found = []
    for path in sorted(folder.glob(f"{names}.json.gz")):
        told = json.loads(gzip.decompress(path.read_bytes()))
        if "explain" not in told:
            continue
        plans = open_text(told["explain"]["extended"]).plans
        found += [
            p for p in plans if p.stage in ("optimized", "physical") and 3 <= len(p) <= _MOST and len(p.roots) == 1
        ]
    return found


def script(graph: PlanGraph, edits: list[str], rng: random.Random) -> tuple[PlanGraph, PlanGraph, Pairs] | None:
    """A plan before and after some edits and which operator is which; None where an edit found no place."""
    tree = tree_of(graph)
    before, mine = graph_of(tree, graph.stage, str)
    editor = Editor(tree, rng)
    if not all(editor.edit(kind) for kind in edits):
        return None
    after, theirs = graph_of(editor.top.children[0], graph.stage, renumbered(rng))
    place = {uid: id for id, uid in enumerate(mine)}
    return before, after, {(place[uid], id) for id, uid in enumerate(theirs) if uid in place}


def same_kind(before: PlanGraph, after: PlanGraph, pairs: Pairs, right: Pairs) -> Pairs:
    """The pairs that are right, or that mistake an operator for another with the very same subtree beneath."""
    truth = dict(right)
    subtrees = [_subtree_texts(before), _subtree_texts(after)]
    return {p for p in pairs if p in right or (p[0] in truth and subtrees[0][p[0]] == subtrees[1][p[1]])}


def _subtree_texts(graph: PlanGraph) -> list[int]:
    made: list[int] = [0] * len(graph)
    for node in reversed(list(graph)):
        text = without_expression_ids(without_plan_ids(node.text))
        made[node.id] = hash((text, *(made[child] for child in graph.children(node.id))))
    return made


def measure(
    plans: list[PlanGraph],
    scripts: int,
    count: int,
    seed: int,
    ways: dict[str, Callable[[PlanGraph, PlanGraph], Pairs]],
) -> dict[str, dict[str, list[int]]]:
    """By way and kind of edit: right matches, matches made, matches to be made, scripts without a mistake, scripts."""
    rng = random.Random(seed)
    sums: dict[str, dict[str, list[int]]] = {way: defaultdict(lambda: [0] * 5) for way in ways}
    done = 0
    while done < scripts:
        kinds = [EDITS[done % len(EDITS)]] if count == 1 else [rng.choice(EDITS) for _ in range(count)]
        made = script(rng.choice(plans), kinds, rng)
        if made is None:
            continue
        before, after, right = made
        label = kinds[0] if count == 1 else "mixed"
        for way, match in ways.items():
            if way != "planviz" and done % 10:
                continue  # the baselines are slow, and need no more than a tenth for two digits
            pairs = match(before, after)
            good = len(same_kind(before, after, pairs, right))
            for name in (label, "all"):
                for at, number in enumerate((good, len(pairs), len(right), good == len(pairs) == len(right), 1)):
                    sums[way][name][at] += number
        done += 1
    return sums


def times() -> None:
    """Processor time of the diff and of what it means, for plans of 2,000 and 10,000 operators with 2 % changed."""
    print(f"{'shape':8} {'operators':>9} {'diff ms':>9} {'with effects ms':>16}")
    for shape in SHAPES:
        for size in (500, 2_000, 10_000):
            rng = random.Random(3)
            graph = open_text(plan_text(shape, size)).plans[-1]
            tree = tree_of(graph)
            editor = Editor(tree, rng)
            nodes = tree.walk()
            for node in rng.sample(nodes, size // 50):
                node.text += f", other_{rng.randrange(100)}"
            for _ in range(5):
                editor.edit("insert")
            before, _ = graph_of(tree_of(graph), "physical", str)
            after, _ = graph_of(editor.top.children[0], "physical", renumbered(rng))
            spent = []
            for _ in range(3):
                started = time.process_time()
                found = diff(before, after)
                middle = time.process_time()
                effects(found)
                spent.append((middle - started, time.process_time() - started))
            best = [1000 * min(each) for each in zip(*spent, strict=True)]
            print(f"{shape:8} {size:>9,} {best[0]:>9.0f} {best[1]:>16.0f}", flush=True)


def main() -> int:
    """Print the tables; a status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scripts", type=int, default=10_000)
    parser.add_argument("--corpus", type=Path, default=Path("../shared/corpus/tpcds/captures/nocbo-aqeoff"))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--times", action="store_true", help="times alone")
    options = parser.parse_args()
    if not options.times:
        plans = corpus_plans(options.corpus)
        if not plans:
            parser.error(f"{options.corpus} holds no captures")
        print(f"{len(plans)} plans, {options.scripts:,} scripts of 1 edit and as many of 5")
        print(f"{'edits':16} {'way':18} {'precision':>9} {'recall':>9} {'faultless':>9}")
        for count in (1, 5):
            found = measure(plans, options.scripts, count, options.seed, WAYS)
            for way, kinds in found.items():
                for kind, (good, made, wanted, whole, every) in kinds.items():
                    if way == "planviz" or kind == "all":
                        name = f"{count} {kind}"
                        numbers = good / max(made, 1), good / max(wanted, 1), whole / every
                        print(f"{name:16} {way:18} " + " ".join(f"{n:>9.4f}" for n in numbers), flush=True)
    times()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
