"""The whole decision tree of JoinSelection as data (inventory B.0): questions, where yes and no lead, outcomes.

Every check that the strategy records names a question here, and the checks of a decision are a path through the tree.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from planviz.decisions.choices import Check
from planviz.errors import PlanvizError
from planviz.versions import PROFILES

THRESHOLD = "spark.sql.autoBroadcastJoinThreshold"
PARTITIONS = "spark.sql.shuffle.partitions"
PREFER_SORT = "spark.sql.join.preferSortMergeJoin"
FACTOR = "spark.sql.shuffledHashJoinFactor"
NULL_AWARE = "spark.sql.optimizeNullAwareAntiJoin"


@dataclass(frozen=True)
class Question:
    """A test of the tree: `title` asks in a few words, `condition` says when it is yes, `reads` are settings.

    `yes` and `no` name the next question or outcome, `if_yes` and `if_no` say in words what that means.
    """

    name: str
    title: str
    condition: str
    yes: str
    no: str
    if_yes: str = ""
    if_no: str = ""
    reads: tuple[str, ...] = ()


@dataclass(frozen=True)
class Outcome:
    """A leaf of the tree: the operator that the join becomes, and which side is built, in words."""

    name: str
    operator: str
    build: str = ""


@dataclass(frozen=True)
class Edge:
    """From a question to what its answer leads to."""

    source: str
    target: str
    answer: bool
    words: str = ""

    @property
    def label(self) -> str:
        """yes or no."""
        return "yes" if self.answer else "no"


@dataclass(frozen=True)
class DecisionTree:
    """The tree of one profile: questions and outcomes in the order of the drawing, from `root`."""

    profile: str
    root: str
    questions: tuple[Question, ...]
    outcomes: tuple[Outcome, ...]

    def question(self, name: str) -> Question | None:
        """The question of this name; None for an outcome."""
        return next((q for q in self.questions if q.name == name), None)

    def outcome(self, name: str) -> Outcome | None:
        """The outcome of this name; None for a question."""
        return next((o for o in self.outcomes if o.name == name), None)

    @property
    def edges(self) -> Iterator[Edge]:
        """Two of every question."""
        for q in self.questions:
            yield Edge(q.name, q.yes, True, q.if_yes)
            yield Edge(q.name, q.no, False, q.if_no)

    def path(self, checks: Sequence[Check]) -> list[Edge]:
        """The edges that a decision's checks went along, up to the first whose answer is not known.

        Raises PlanvizError for checks that are no path from the root.
        """
        at = self.root
        found: list[Edge] = []
        for check in checks:
            q = self.question(at)
            if q is None or check.node != at:
                raise PlanvizError(f"The check {check.node} does not stand at {at} of the tree of joins.")
            if check.passed is None:
                return found
            found.append(Edge(at, q.yes if check.passed else q.no, check.passed, q.if_yes if check.passed else q.if_no))
            at = found[-1].target
        return found

    def leaf(self, checks: Sequence[Check]) -> Outcome | None:
        """The outcome that the checks lead to; None when they do not reach one."""
        path = self.path(checks)
        return self.outcome(path[-1].target) if path else None


def _hints(first: str, then: str) -> tuple[Question, ...]:
    """H1 to H4: hints on an equi-join, by priority."""
    return (
        Question(first, "A hint?", "a hint is on either side", "H1", then, "hints, by priority", "sizes decide"),
        Question(
            "H1",
            "BROADCAST?",
            "BROADCAST on a side that this join may broadcast, keys that can be hashed",
            "L_BHJ",
            "H2",
            "both hinted: the smaller",
        ),
        Question("H2", "MERGE?", "SHUFFLE_MERGE on a side, keys that can be sorted", "L_SMJ", "H3"),
        Question(
            "H3",
            "SHUFFLE_HASH?",
            "SHUFFLE_HASH on a side that this join may hash, keys that can be hashed",
            "L_SHJ",
            "H4",
            "both hinted: the smaller",
        ),
        Question(
            "H4",
            "REPLICATE_NL?",
            "SHUFFLE_REPLICATE_NL on a side of an inner join",
            "L_CP",
            then,
            "",
            "no hint can be followed",
        ),
    )


def _equi(factor: tuple[str, ...]) -> tuple[Question, ...]:
    """N2 to N7: sizes and keys of an equi-join."""
    return (
        Question(
            "N2",
            "A side ≤ threshold?",
            "a side that this join may broadcast is no larger than the threshold, keys that can be hashed",
            "L_BHJ",
            "N3",
            "both small: the smaller",
            "",
            (THRESHOLD,),
        ),
        Question("N3", "Hash before sort?", "preferSortMergeJoin is false", "N4", "N6", reads=(PREFER_SORT,)),
        Question(
            "N4",
            "A map per partition?",
            "a side that this join may hash is smaller than threshold × partitions",
            "N5",
            "N6",
            reads=(THRESHOLD, PARTITIONS),
        ),
        Question(
            "N5",
            "Much smaller?",
            "that side times the factor is no larger than the other",
            "L_SHJ",
            "N6",
            "both: the smaller",
            reads=factor,
        ),
        Question("N6", "Keys orderable?", "the keys can be sorted", "L_SMJ", "N7"),
        Question("N7", "Inner?", "the join is inner", "L_CP", "N8"),
    )


def _loops() -> tuple[Question, ...]:
    """N10 to N12: a join without keys."""
    return (
        Question("N10", "A hint?", "a hint is on either side", "H5", "N11", "hints, by priority", "sizes decide"),
        Question(
            "H5", "BROADCAST?", "BROADCAST on a side", "L_BNLJ", "H6", "both hinted: the side that suits the type"
        ),
        Question(
            "H6",
            "REPLICATE_NL?",
            "SHUFFLE_REPLICATE_NL on a side of an inner join",
            "L_CP",
            "N11",
            "",
            "no hint can be followed",
        ),
        Question(
            "N11",
            "A side ≤ threshold?",
            "a side is no larger than the threshold",
            "L_BNLJ",
            "N12",
            "both small: the side that suits the type",
            "",
            (THRESHOLD,),
        ),
        Question("N12", "Inner?", "the join is inner", "L_CP", "N13"),
    )


_OUTCOMES = (
    Outcome("L_BHJ", "BroadcastHashJoin", "the small or hinted side; of two the smaller"),
    Outcome("L_SHJ", "ShuffledHashJoin", "the much smaller or hinted side; of two the smaller"),
    Outcome("L_SMJ", "SortMergeJoin"),
    Outcome("L_CP", "CartesianProduct"),
    Outcome("L_BNLJ", "BroadcastNestedLoopJoin", "the small or hinted side; of two the one that suits the join's type"),
    Outcome("L_NAAJ", "BroadcastHashJoin", "right: null-aware, whatever its size"),
    Outcome("N8", "BroadcastNestedLoopJoin", "the smaller side"),
    Outcome("N13", "BroadcastNestedLoopJoin", "the side that suits the join's type"),
)


def _keys(no: str) -> Question:
    return Question(
        "N0", "Equi-join keys?", "a conjunct = or <=> with one side each", "N1", no, "an equi-join", "nested loops"
    )


_NOT_IN = Question(
    "N9",
    "NOT IN, one column?",
    "LEFT ANTI with a = b OR isnull(a = b), and optimizeNullAwareAntiJoin",
    "L_NAAJ",
    "N10",
    reads=(NULL_AWARE,),
)
JOIN_TREES = {
    t.profile: t
    for t in (
        DecisionTree(
            "spark-4.3", "N0", (_keys("N9"), *_hints("N1", "N2"), *_equi((FACTOR,)), _NOT_IN, *_loops()), _OUTCOMES
        ),
        DecisionTree(
            "spark-3.0",
            "N0",
            (_keys("N10"), *_hints("N1", "N2"), *_equi(()), *_loops()),
            tuple(o for o in _OUTCOMES if o.name != "L_NAAJ"),
        ),
    )
}


def join_tree(profile: str = "spark-4.3") -> DecisionTree:
    """The tree of a profile. Raises PlanvizError for one that has none."""
    if profile not in PROFILES:
        raise PlanvizError(f"There is no tree of joins for {profile!r}; there are {', '.join(PROFILES)}.")
    return JOIN_TREES[PROFILES[profile].behaviour.joins]
