"""The selected operator through stages and pages: what Explore's node is on Joins and Aggregations, and back."""

from __future__ import annotations

from planviz.graph.followed import followed, stage_matches
from planviz.jsontypes import JsonObject
from planviz.ui import cache, queries
from planviz.ui.opened import Opened, in_worker
from planviz.ui.reasons import reasons_of

#: Larger plans than this are not followed: matching them takes longer than anybody waits.
MOST_NODES = 3_000
#: The part of what is open that a page's number stands in, and the kind of operator that has one.
PARTS = {"joins": ("join", "join"), "aggregations": ("aggregate", "aggregate")}


def take_selection(shown: JsonObject, selected: tuple[str, int | None]) -> None:
    """Put what was `selected` last (`planviz.ui.selections`) into what is open: the node of the plan that is shown, and
    the number on the page that it was selected on.
    """
    view, number = selected
    key, _, where = view.partition("/")
    opened, told = cache.find(shown["key"]), cache.find(key)
    if opened is None or told is None or not _is_of(told, opened):
        return
    if where == shown["plan"]:
        shown["node"] = number
    elif where in PARTS and number is not None:
        shown[PARTS[where][0]] = number
        shown["node"] = node_of(told, where, number, shown["plan"])
    elif where == "trace" and number is not None and queries.is_about(told, opened, shown["plan"]):
        shown["step"] = number


def _is_of(told: Opened, opened: Opened) -> bool:
    """Whether a document is the open one, or was made of it: a pasted explain replayed has a key of its own."""
    return told is opened or (told.source.text, told.source.catalog) == (opened.source.text, opened.source.catalog)


def arrive_at(shown: JsonObject, page: str) -> None:
    """Put the number that the selected node has on a page into what is open."""
    part, opened = PARTS.get(page, ("", ""))[0], cache.find(shown["key"])
    if part and opened is not None and shown["node"] is not None:
        number = number_on(opened, shown["plan"], shown["node"], page)
        shown[part] = number or shown[part]


@in_worker
def follow(opened: Opened, plan: str, node: int, other: str) -> int | None:
    """The node of another plan of the document that a node is; None where the plans belong to different queries."""
    if plan == other:
        return node
    if not (plan.isdigit() and other.isdigit()):
        return None
    group = next((g for g in opened.document.groups if int(plan) in g), ())
    if int(other) not in group:
        return None
    plans = [opened.document.plans[at] for at in group]
    if max(map(len, plans)) > MOST_NODES or not 0 <= node < len(opened.graph(plan)):
        return None
    made = ("stage-matches", group[0])
    if made not in opened.made:
        opened.made[made] = stage_matches(plans)
    return followed(plans, opened.made[made], group.index(int(plan)), node, group.index(int(other)))


@in_worker
def number_on(opened: Opened, plan: str, node: int, page: str) -> int | None:
    """The number, from 1, of the join or aggregate of a node on the page that tells of it; None where it has none."""
    if page not in PARTS or not plan.isdigit():
        return None
    found = follow(opened, plan, node, _physical(opened, plan))
    return None if found is None else _numbers(opened, _physical(opened, plan), page).get(found)


@in_worker
def node_of(opened: Opened, page: str, number: int, plan: str) -> int | None:
    """The node of a plan that the join or aggregate of this number is; the inverse of `number_on`."""
    if page not in PARTS or not plan.isdigit():
        return None
    physical = _physical(opened, plan)
    there = (node for node, found in _numbers(opened, physical, page).items() if found == number)
    found = next(there, None)
    return None if found is None else follow(opened, physical, found, plan)


def _physical(opened: Opened, plan: str) -> str:
    group = next((g for g in opened.document.groups if int(plan) in g), (int(plan),))
    physical = [at for at in group if opened.document.plans[at].stage == "physical"]
    return str(physical[-1] if physical else plan)


def _numbers(opened: Opened, plan: str, page: str) -> dict[int, int]:
    """The numbers of a plan's joins or aggregates on their page, by node."""
    made = ("numbers-on", plan, page)
    if made not in opened.made:
        kind, found = PARTS[page][1], {}
        for node in opened.graph(plan):
            sections: list[JsonObject] = reasons_of(opened, plan, node.id)["sections"] if node.kind == kind else []
            for told in sections:
                if told.get("page") == page and isinstance(told.get("number"), int):
                    found[node.id] = told["number"]
        opened.made[made] = found
    numbers: dict[int, int] = opened.made[made]
    return numbers
