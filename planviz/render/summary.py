"""A plan in a few words: what it reads, how it joins, what it moves between executors, how many rows it gives."""

from __future__ import annotations

import re
from collections import Counter

from planviz.graph import PlanGraph, PlanNode
from planviz.graph.kinds import is_exchange, spark_name
from planviz.graph.words import folder_columns, spaced, written_to
from planviz.render.cards import Line, Scene
from planviz.render.text import one_line
from planviz.units import beyond, byte_size

#: Scans of what the plan has elsewhere.
_NO_SOURCES = ("Reused", "InMemory", "CTERelationRef")
#: What stands where the name of a table would: two scans of such are not two scans of one table.
_NO_NAMES = ("ExistingRDD", "ExternalRDDScan", "OneRowRelation")
#: A scan of files whose line names format and table: of a large plan's thousands the other arguments need not be read.
_OF_A_TABLE = re.compile(r"FileScan [a-z]+ [\w.`]+\[")
#: Beyond so many tables only their number is told.
_MOST_TABLES = 4


def in_short(graph: PlanGraph, scene: Scene) -> list[Line]:
    """The plan in at most four lines, for people who see it for the first time.

    Numbers are those of `scene`, marked as there: an estimate never looks measured. A line about what the plan has not
    is left out.
    """
    nodes = list(graph)
    lines = (_reads(nodes, scene), _joins(nodes, scene), _moves(nodes, scene), _writes(nodes) or _gives(scene))
    return [line for line in lines if line]


def _reads(nodes: list[PlanNode], scene: Scene) -> Line | None:
    scans = [i for i, node in enumerate(nodes) if node.kind == "scan" and not node.op.startswith(_NO_SOURCES)]
    if not scans:
        return None
    sources = [_source(nodes[i], scene.nodes["title"][i]) for i in scans]
    names = [name for name in dict.fromkeys(sources) if name]
    unnamed = sources.count("")
    said = ", ".join(names) if len(names) <= _MOST_TABLES else f"{len(names):,} tables"
    if unnamed:
        said = f"{said} and {_count(unnamed, 'source')} without a name" if names else _count(unnamed, "source")
    if len(scans) > len(names) + unnamed:
        said += f" in {len(scans):,} scans"
    most = _heaviest(scans, scene)
    if most >= 0 and len(scans) > 1:
        name = one_line(_source(nodes[most], scene.nodes["title"][most]) or "one", 60)
        said += f"; most from {name}: {_rows(most, scene)}"
    elif most >= 0:
        said += f": {_rows(most, scene)}"
    return ("reads", said, most if most >= 0 else scans[0])


def _source(node: PlanNode, title: str) -> str:
    """The table or path that a scan reads, "" where the plan tells its format alone."""
    if _OF_A_TABLE.match(node.text):
        return title.partition("Scan ")[2]
    if node.arguments.get("table") in _NO_NAMES or (node.op == "ScanV2" and not node.arguments.get("table")):
        return ""
    name, format = title.partition("Scan ")[2] or title.partition("Relation ")[2], node.arguments.get("format")
    if node.arguments.get("table") or not isinstance(format, str):
        return name
    return "" if name == format else name.removeprefix(f"{format} ")


def _joins(nodes: list[PlanNode], scene: Scene) -> Line | None:
    joins = [i for i, node in enumerate(nodes) if node.kind == "join"]
    if not joins:
        return None
    kinds = Counter(spaced(spark_name(nodes[i].op)).removesuffix(" Join") for i in joins)
    logical = set(kinds) == {"Join"}
    words = ", ".join(f"{many:,} {name}" for name, many in kinds.most_common())
    if logical:
        said = f"{len(joins):,}"
    else:
        said = f"{len(joins):,}: {words}" if len(kinds) > 1 else words
    most = _heaviest(joins, scene)
    if most >= 0 and len(joins) > 1:
        said += f"; most rows out of one: {_rows(most, scene).removesuffix(' rows')}"
    said += _vast(joins, scene)
    return ("joins", said, most if most >= 0 else joins[0])


def _moves(nodes: list[PlanNode], scene: Scene) -> Line | None:
    exchanges = [i for i, node in enumerate(nodes) if is_exchange(node.op)]
    if not exchanges:
        return None
    broadcasts = [i for i in exchanges if _is_broadcast(i, nodes, scene)]
    shuffles = [i for i in exchanges if i not in set(broadcasts)]
    parts = [_count(len(shuffles), "shuffle")] if shuffles else []
    parts += [_count(len(broadcasts), "broadcast")] if broadcasts else []
    said = " and ".join(parts)
    sizes = [scene.nodes["bytes"][i] for i in shuffles]
    if scene.rows_are == "measured" and any(sizes):
        said += f", {byte_size(sum(size or 0 for size in sizes))} shuffled"
    most = _heaviest(exchanges, scene)
    vast = _vast(exchanges, scene)
    if most >= 0 and not vast:
        said += f"; up to {_rows(most, scene).removeprefix('at most ')} at once"
    said += vast
    return ("moves", said, most if most >= 0 else exchanges[0])


def _writes(nodes: list[PlanNode]) -> Line | None:
    """Where the rows go, of a plan that gives none."""
    at = next((i for i, node in enumerate(nodes) if written_to(node)), None)
    if at is None:
        return None
    given = nodes[at].arguments
    names = ", ".join(folder_columns(nodes[at]))
    by = f", a folder for each {names}" if names else ""
    return ("writes", f"{written_to(nodes[at])} ({given['mode']}, {given.get('format', 'files')}){by}", at)


def _is_broadcast(i: int, nodes: list[PlanNode], scene: Scene) -> bool:
    above = scene.nodes["parent"][i]
    if "Broadcast" in nodes[i].op:
        return True
    # Photon broadcasts through a shuffle to one partition, and says so in the stage above.
    return above >= 0 and nodes[above].op.startswith("Photon") and "EXECUTOR_BROADCAST" in _told(nodes[above])


def _told(node: PlanNode) -> str:
    """An operator's line and what the formatted mode says below the tree."""
    return f"{node.text} {' '.join(map(str, node.arguments.values()))}"


def _gives(scene: Scene) -> Line | None:
    roots = [i for i, parent in enumerate(scene.nodes["parent"]) if parent < 0]
    if len(roots) != 1:
        return None
    told = next((i for i in _spine(scene, roots[0]) if scene.nodes["rows"][i] is not None), -1)
    if told < 0:
        return None
    return ("gives", "no usable estimate" if beyond(scene.nodes["rows"][told]) else _rows(told, scene), roots[0])


def _spine(scene: Scene, root: int) -> list[int]:
    """The root, and below it the wrappers of adaptive execution, which count no rows of their own."""
    found = [root]
    while scene.nodes["op"][found[-1]] in ("AdaptiveSparkPlan", "ResultQueryStage"):
        children = [i for i, parent in enumerate(scene.nodes["parent"]) if parent == found[-1]]
        if len(children) != 1:
            break
        found += children
    return found


def _heaviest(some: list[int], scene: Scene) -> int:
    known = [i for i in some if scene.nodes["rows"][i] is not None and not beyond(scene.nodes["rows"][i])]
    return max(known, key=lambda i: scene.nodes["rows"][i], default=-1)


def _vast(some: list[int], scene: Scene) -> str:
    """How many of these have so many rows that the number says nothing."""
    many = sum(1 for i in some if beyond(scene.nodes["rows"][i] or 0))
    if not many:
        return ""
    return "; no usable estimate" if many == len(some) else f"; {many:,} without a usable estimate"


def _rows(i: int, scene: Scene) -> str:
    """In a sentence every estimate is marked alike: what the brackets of the drawing say stands beside that."""
    words, said = scene.rows_words(i), scene.rows_words(i).strip("()")
    if words != said:
        said = f"at most {said[1:]}" if said.startswith("≤") else f"≈{said}"
    return f"{said} row{'' if scene.nodes['rows'][i] == 1 else 's'}"


def _count(number: int, word: str) -> str:
    return f"{number:,} {word}{'' if number == 1 else 's'}"
