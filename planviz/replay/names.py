"""What people call the relations of a pasted plan: a plan over files names none of them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from planviz.graph import PlanGraph
from planviz.logical.operators import Project, SubqueryAlias, View
from planviz.logical.plan import LogicalPlan
from planviz.logical.relations import LogicalRelation
from planviz.replay.fitted_tables import key_of
from planviz.replay.opaque import PrintedView, nodes_of

_LOCATION = re.compile(r"Location: \w+\s*(?:\(\d+ paths?\))?\s*\[([^\],]+)")
_ID = re.compile(r"#(\d+)")
_ENDING = re.compile(r"\.(?:parquet|orc|csv|json|avro|txt|delta)$", re.IGNORECASE)
#: Columns that stand for a relation which nothing names.
_FEW = 3


def relation_names(plans: Iterable[LogicalPlan], graphs: Iterable[PlanGraph]) -> dict[str, str]:
    """A name for every relation of these plans, by `key_of`, each another.

    It is the relation's own, else that of the alias or view right above it, else the last part of the path that it is
    read from, else its first columns.
    """
    every = list(plans)
    places = _places(graphs)
    aliases = {key_of(r): name for plan in every for r, name in _aliased(plan)}
    found: dict[str, str] = {}
    taken: set[str] = set()
    #: By a name, the last number that was put behind it.
    numbers: dict[str, int] = {}
    for relation in (n for plan in every for n in nodes_of(plan) if isinstance(n, LogicalRelation)):
        key = key_of(relation)
        if key in found:
            continue
        path = next((places[a.expr_id] for a in relation.attributes if a.expr_id in places), "")
        name = ".".join(relation.name).removeprefix("spark_catalog.").removeprefix("default.")
        name = name or aliases.get(key, "") or path or _columns(relation)
        plain = re.sub(r" [0-9]+$", "", name)
        while name.lower() in taken:
            numbers[plain] = numbers.get(plain, 1) + 1
            name = f"{plain} {numbers[plain]}"
        taken.add(name.lower())
        found[key] = name
    return found


def _aliased(plan: LogicalPlan) -> Iterable[tuple[LogicalRelation, str]]:
    """The relations without a name with the nearest alias over them."""
    for node in nodes_of(plan):
        if not isinstance(node, SubqueryAlias):
            continue
        beneath = node.child
        while not isinstance(beneath, SubqueryAlias | LogicalRelation) and len(beneath.children) == 1:
            if not isinstance(beneath, View | Project | PrintedView):
                break
            beneath = beneath.children[0]
        if isinstance(beneath, LogicalRelation) and not beneath.name and node.name:
            yield beneath, str(node.name[-1])


def _places(graphs: Iterable[PlanGraph]) -> dict[int, str]:
    """The last part of the path that a scan reads, by the ids of its columns."""
    found: dict[int, str] = {}
    for node in (n for graph in graphs for n in graph if n.kind == "scan"):
        place = _LOCATION.search(node.text)
        if place is None or "..." in place.group(1):
            continue
        name = _ENDING.sub("", place.group(1).rstrip("/*").rsplit("/", 1)[-1])
        if name:
            for number in _ID.findall(node.text[: place.start()]):
                found.setdefault(int(number), re.sub(r"[^\w-]", "_", name))
    return found


def _columns(relation: LogicalRelation) -> str:
    names = [a.name for a in relation.attributes]
    return f"[{', '.join(names[:_FEW])}{', …' if len(names) > _FEW else ''}]"
