"""A join's decision as a picture: the whole tree of JoinSelection with what was seen at every test on the way."""

from __future__ import annotations

from dataclasses import replace

from planviz.decisions.choices import Check, Decision
from planviz.decisions.join_tree import DecisionTree, join_tree
from planviz.document.decisions.model import UNTOLD
from planviz.document.decisions.queries import outcome, plain, relations, seen, size_words, subject, value_text
from planviz.estimation import OF_UNKNOWN_SIZE
from planviz.graph.words import join_type_words, spaced
from planviz.jsontypes import JsonObject
from planviz.render.decision_layout import places
from planviz.render.decision_tree import Box, State, Way, draw_decisions
from planviz.render.primitives import Drawing
from planviz.units import byte_size

#: What a test looks at, said where it was not asked.
_LOOKS_AT = {
    "N1": "hints come before sizes",
    "H1": "on a side it may broadcast",
    "H2": "and keys can be sorted",
    "H3": "on a side it may hash",
    "H4": "and an inner join",
    "N2": "one that may be broadcast",
    "N3": "preferSortMergeJoin off?",
    "N4": "< threshold × partitions",
    "N5": "× factor ≤ the other side",
    "N6": "types of the keys",
    "N7": "type of the join",
    "N9": "anti join, null-aware",
    "N10": "hints come before sizes",
    "H5": "on either side",
    "H6": "and an inner join",
    "N11": "either side",
    "N12": "type of the join",
}
_SIDES = {"BuildLeft": "left", "BuildRight": "right"}


def draw_join(decision: Decision, profile: str, *, theme: str = "light", titled: bool = True) -> Drawing:
    """The tree of a join's decision; `titled` adds heading and legend, for a picture that stands alone.

    Raises ExportError for an unknown theme, PlanvizError for a profile without a tree.
    """
    tree = join_tree(profile)
    boxes, ways = join_boxes(decision, tree)
    return draw_decisions(
        boxes,
        ways,
        places(f"joins-{tree.profile}"),
        theme=theme,
        title=heading(decision) if titled else "",
        subtitle=subject(decision).replace("⋈", "with") if titled else "",
        description=". ".join(path_words(decision, tree)) + ".",
    )


def heading(decision: Decision) -> str:
    """Operator and type in words: Sort Merge Join, Left Outer."""
    return f"{spaced(decision.outcome)}, {join_type_words(str(decision.value('type')))}"


def path_words(decision: Decision, tree: DecisionTree) -> list[str]:
    """The path as sentences without full stop, for those who do not see it."""
    words = []
    for check in decision.checks:
        question, saw = tree.question(check.node), seen(check)
        title = question.title if question else check.condition
        said = "unknown" if check.passed is None else "yes" if check.passed else "no"
        words.append(f"{title} {said}{f' ({saw})' if saw else ''}")
    return [*words, outcome(decision)]


def join_boxes(decision: Decision, tree: DecisionTree) -> tuple[list[Box], list[Way]]:
    """The boxes and the ways between them; an outcome is named by the answer that leads to it (`N2.yes`).

    Where a pasted plan leaves questions open, the ways that may have been taken are open, too.
    """
    asked = {check.node: check for check in decision.checks}
    if "N0" in asked and not asked["N0"].values:
        asked["N0"] = replace(asked["N0"], values=(("keys", decision.value("keys")),))
    possible = _possible(decision, tree)
    boxes = [
        _test_box(q.name, q.title, q.condition, asked.get(q.name), any(source == q.name for source, _ in possible))
        for q in tree.questions
    ]
    ways = []
    for edge in tree.edges:
        check, end = asked.get(edge.source), tree.outcome(edge.target)
        lit = check is not None and check.passed is edge.answer
        is_open = not lit and (edge.source, edge.answer) in possible
        target = edge.target if end is None else f"{edge.source}.{edge.label}"
        ways.append(Way(edge.source, target, edge.label, lit, is_open))
        if end is not None:
            state: State = "chosen" if lit else "open" if is_open else "passed"
            boxes.append(_leaf_box(target, end.operator, state, decision, check))
    return boxes, ways


def _possible(decision: Decision, tree: DecisionTree) -> set[tuple[str, bool]]:
    """The answers by which the root leads to the outcome, those that are known being as they are."""
    known = {check.node: check.passed for check in decision.checks if check.passed is not None}
    found: set[tuple[str, bool]] = set()

    def leads(name: str) -> bool:
        question, end = tree.question(name), tree.outcome(name)
        if question is None:
            return end is not None and end.operator == decision.outcome
        good = False
        for answer, target in ((True, question.yes), (False, question.no)):
            if known.get(name, answer) is answer and leads(target):
                found.add((name, answer))
                good = True
        return good

    leads(tree.root)
    return found


def _test_box(name: str, title: str, condition: str, check: Check | None, is_possible: bool) -> Box:
    if check is None and not is_possible:
        return Box(name, title, _LOOKS_AT.get(name, ""), told=f"{title} {condition}. Not asked.")
    if check is None or check.passed is None:
        line = brief(check) if check is not None else ""
        return Box(name, title, line or "unknown", "open", told=f"{title} {condition}: this plan does not say.")
    told = f"{title} {condition}: {'yes' if check.passed else 'no'}. {seen(check)}".strip()
    return Box(name, title, brief(check) or ("yes" if check.passed else "no"), "taken", told=told)


def _leaf_box(name: str, operator: str, state: State, decision: Decision, check: Check | None) -> Box:
    title = spaced(operator).removesuffix(" Join").replace("Broadcast Nested Loop", "Nested Loop")
    if state == "chosen":
        return Box(name, title, _built(decision), "chosen", False, f"{outcome(decision)}. {decision.value('because')}")
    if state == "open":
        return Box(name, title, "perhaps here", "open", False, f"{outcome(decision)}: perhaps by this test")
    rejected = next((r for r in decision.rejected if check is not None and r.node == check.node), None)
    if rejected is None or rejected.operator != operator:
        return Box(name, title, "", "passed", False, f"{title}: not reached")
    return Box(name, title, _over(rejected.values), "passed", False, f"{title}: {plain(rejected.reason)}")


def _built(decision: Decision) -> str:
    """Which side is built, and what it reads."""
    side = _SIDES.get(str(decision.value("build")))
    if side is None:
        return "sorts both sides" if decision.outcome == "SortMergeJoin" else "every pair of rows"
    names = side_relations(decision, side)
    return f"builds {names[0]}" if len(names) == 1 else f"builds the {side} side"


def side_relations(decision: Decision, side: str) -> list[str]:
    """The names of the relations of a side, left or right; none of a side that a pasted text does not hold."""
    told = decision.value("sides")
    if told is not None:
        sides = dict(zip(("left", "right"), map(str, told), strict=False))
        return [part for part in sides.get(side, "").split(", ") if part]
    return relations(getattr(decision.subject, side))


def _over(values: tuple[tuple[str, object], ...]) -> str:
    """By how much the smaller side is too large, where it is a question of size."""
    found = dict(values)
    sizes = [size for side in ("left", "right") if isinstance(size := found.get(side), int)]
    limit = found.get("limit")
    if isinstance(limit, int) and 0 <= limit < min(sizes, default=0):
        over = byte_size(min(sizes) - limit)
        return "far too large" if min(sizes) >= OF_UNKNOWN_SIZE else f"over by {over}"
    return "rejected"


# -- what a test saw, in the room of a box


def brief(check: Check) -> str:
    """What a check saw, short enough for its box: 476.8 MiB and 37 GiB > 10 MiB."""
    values = dict(check.values)
    if check.node in ("N2", "N4", "N11"):
        return _sizes_against(values, check.passed, "<" if check.node == "N4" else "≤")
    if check.node == "N5":
        return _much_smaller(values)
    if "left_hint" in values:
        return _hints(values)
    if check.node == "N3":
        return "" if "value" not in values else f"preferSortMergeJoin = {value_text('value', values['value'])}"
    for name in ("keys", "types", "type", "told"):
        if values.get(name):
            return value_text(name, values[name])
    return "none" if check.node == "N0" and check.passed is False else ""


def _sizes_against(values: JsonObject, passed: bool | None, sign: str) -> str:
    allowed = values.get("allowed", ("BuildLeft", "BuildRight"))
    if not allowed:
        return "this type may build neither"
    if values.get("hashable") is False:
        return "the keys cannot be hashed"
    told = [str(v) for side in allowed if isinstance(v := values.get(_SIDES[side]), str)]
    if told:  # sizes that nobody gave
        return " and ".join(dict.fromkeys(t for t in told if t != UNTOLD)) or UNTOLD
    sizes = [values[_SIDES[side]] for side in allowed if isinstance(values.get(_SIDES[side]), int)]
    limit = values.get("limit")
    if limit is None and sizes and passed:
        return f"{byte_size(min(sizes))} of one side"  # a text tells sizes and no setting
    if not sizes or limit is None:
        return ""
    most = byte_size(limit) if limit >= 0 else str(limit)
    if passed:
        return f"{byte_size(min(sizes))} {sign} {most}"
    told = [size_words(size) for size in sizes]
    above = size_words(float("inf"))
    if all(words == above for words in told):
        return f"{'both ' if len(told) > 1 else ''}far above {most}"
    return f"{' and '.join(words for words in told if words != above)} {'>' if sign == '≤' else '≥'} {most}"


def _much_smaller(values: JsonObject) -> str:
    left, right, factor = (values.get(name) for name in ("left", "right", "factor"))
    if not isinstance(left, int) or not isinstance(right, int) or factor is None:
        return ""
    small, large = sorted((left, right))
    sign = "≤" if small * factor <= large else ">"
    return f"{byte_size(small)} × {factor} {sign} {byte_size(large)}"


def _hints(values: dict[str, object]) -> str:
    given = [f"{values[f'{side}_hint']}".upper() + f" {side}" for side in ("left", "right") if values[f"{side}_hint"]]
    return ", ".join(given) or "none"
