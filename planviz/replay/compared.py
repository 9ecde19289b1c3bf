"""Two texts of one plan held against each other: equal but for numbering, of one shape, or different, and where."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

_IDS = re.compile(
    r"(plan_id=|\[id=#)(\d+)|\b(CTERelation(?:Def|Ref) |UnionLoop(?:Ref)? )(\d+)|(CommonExpressionId\()(\d+)"
    r"|\b(_common_expr_)(\d+)(?=#)|\b(_gen_alias_)(\d+)\b"
    r"|(#)(\d+)(?=L?(?!\w))"
)
_PLACES = re.compile(
    r"(Location: )\w+(?:\s*\(\d+ paths?\))?\s*\[(?:[^\]\n]*?\.\.\.(?=, |$)|[^\]\n]*(?:\]|$))", re.MULTILINE
)
_ROWS = re.compile(r"\b(\w*RDD)\[\d+\] at [^\n,]*")
_SEEDS = re.compile(r"\b(rand|randn|uuid|shuffle|randstr)\((?:-?\d{6,}|Some\(-?\d{6,}\))\)")
#: One of these stands in every text that _SEEDS finds something in.
_SEEDED = ("rand", "uuid(", "shuffle(")
#: An array of bytes among the filters of a scan, by the number that Java gives the object in this run.
_ARRAYS = re.compile(r"\[B@[0-9a-f]+")
_LAMBDA = re.compile(r"\b(lambda )?([a-z]\w*?)_\d+(?=#\d+)")
#: The number of an id, or the place of files, at the end of a text that may stop within it.
_CUT = re.compile(r"(?:#\d*L?|(?<!\d)\d+|Location: \w*(?:\([^)]*\)?)?)$")
#: A list's items that Spark left out, with the comma before them.
_MORE = re.compile(r"(?:, ?)?\.\.\. \d+ more fields")
_ID = re.compile(r"((?<=#)\d+|(?<=plan_id=)\d+)")
_ANY_ID = r"\d+"
#: The mark of an operator that lacks what it reads: where lists are shortened, nobody knows what relations have.
_BROKEN = re.compile(r"(?m)^([ :]*(?:[+:]- )?(?:\*\(\d+\) )?)!")
_DRAWN = re.compile(r"(?m)^[ :]*[+:]- ")
_MARKS = re.compile(r"^(?:[ :]*[+:]- )?(?:\*(?:\(\d+\))? )?[!']?")
_WORD = re.compile(r"[A-Za-z]\w*")
_KINDS = re.compile(r"\b(Inner|Cross|LeftOuter|RightOuter|FullOuter|LeftSemi|LeftAnti|LeftSingle|ExistenceJoin)\b")
#: How many lines that differ are told.
MOST = 20


@lru_cache(maxsize=8)  # a text is held against several plans
def canonical(text: str) -> str:
    """A plan's text normalized: ids counted in the order of appearance; places, seeds and numbers of RDDs left out."""
    return _numbered(_plain(text))


def _numbered(text: str) -> str:
    known: dict[str, int] = {}

    def number(match: re.Match[str]) -> str:
        last = match.lastindex or 0
        word, digits = match.group(last - 1, last)
        return f"{word}{known.setdefault(word + digits, len(known))}"

    return "\n".join(line.rstrip() for line in _IDS.sub(number, text).strip("\n").split("\n"))


def _plain(text: str) -> str:
    text = _PLACES.sub(r"\1", text)
    if any(word in text for word in _SEEDED):
        text = _SEEDS.sub(r"\1(seed)", text)
    if "RDD[" in text:
        text = _ROWS.sub(r"\1", text)
    if "[B@" in text:
        text = _ARRAYS.sub("[B@", text)
    if "lambda" in text:
        text = _LAMBDA.sub(r"\1\2", text)
    return text


def _both(theirs: str, ours: str) -> tuple[str, str]:
    """Both texts in canonical form; of lists that Spark shortened (spark.sql.debug.maxToStringFields) ours are, too."""
    if " more fields" not in theirs or _MORE.search(theirs) is None:
        return canonical(theirs), canonical(ours)
    a, b = (_BROKEN.sub(r"\1", _plain(t)).strip("\n").split("\n") for t in (theirs, ours))
    for i, k, count in _aligned(a, b):
        b[k : k + count] = [
            _elided(x, y) if " more fields" in x else y for x, y in zip(a[i : i + count], b[k : k + count], strict=True)
        ]
    return _numbered("\n".join(a)), _numbered("\n".join(b))


def _aligned(a: Sequence[str], b: Sequence[str]) -> Iterable[tuple[int, int, int]]:
    """Where the same operators stand in both texts, from which lines on and how many."""
    if len(a) == len(b):
        return [(0, 0, len(a))]
    theirs, ours = shape("\n".join(a)), shape("\n".join(b))
    return difflib.SequenceMatcher(None, theirs, ours, autojunk=False).get_matching_blocks()


def _elided(theirs: str, ours: str) -> str:
    """A line of ours without what theirs leaves out, where all else is the same but for ids; else as it is."""
    left_out = _MORE.findall(theirs)
    first, *rest = (re.compile(_wild(part)) for part in _MORE.split(theirs))
    m = first.match(ours)
    made: list[str] = []
    for words, pattern in zip(left_out, rest, strict=True):
        if m is None:
            return ours
        made += [m.group(), words]
        # What stands behind the last list ends the line.
        last = pattern is rest[-1]
        found = (n for n in pattern.finditer(ours, m.end()) if not last or n.end() == len(ours))
        m = next(found, None)
    return ours if m is None or m.end() < len(ours) else "".join([*made, m.group()])


def _wild(text: str) -> str:
    return "".join(_ANY_ID if i % 2 else re.escape(part) for i, part in enumerate(_ID.split(text)))


def shape(text: str) -> list[tuple[int, str]]:
    """Depth and kind of every operator: its name, type of join, build side, stage of an aggregate, table of a scan."""
    found = []
    for line in text.strip("\n").split("\n"):
        found.append((len(line) - len(line.lstrip(" :+-")), label_of(line[marks_of(line) :])))
    return found


def marks_of(line: str) -> int:
    """Where the operator begins in a line of a tree."""
    m = _MARKS.match(line)
    return m.end() if m else 0


def label_of(body: str) -> str:
    """An operator's name with what tells it from others: its type of join, its stage, its table."""
    name = _WORD.match(body)
    word = name.group() if name else body[:20]
    rest = body[len(word) :]
    told: list[str] = [word]
    if "Join" in word or word == "CartesianProduct":
        told += [m.group() for m in (_KINDS.search(rest), re.search(r"\bBuild(?:Left|Right)\b", rest)) if m]
    elif "Exchange" in word:
        told += re.findall(r"^ (\w+)", rest)[:1]
    elif word.endswith("Aggregate"):
        told += [p for p in ("partial_", "merge_", "keys=[]") if p in rest]
    elif word in ("FileScan", "Scan", "Relation", "BatchScan"):
        told += re.findall(r"^ (?:\w+ )?([\w.]+)\[", rest)[:1]
    elif word == "Sort":
        told += re.findall(r"\], (true|false)", rest)[:1]
    return " ".join(told)


def ends_early(theirs: str, ours: str) -> bool:
    """Whether a text stops in the middle of a plan, and all that is there is ours.

    Operators of one line have as many inputs on both sides, so that what is missing was cut off. Of an operator whose
    other inputs are missing, the first one is drawn as if it were the only one.
    """
    a, b = (_DRAWN.sub(_without_rails, t).split("\n") for t in _both(theirs, ours))
    if not 1 < len(a) <= len(b) or a == b or a[:-1] != b[: len(a) - 1]:
        return False
    return b[len(a) - 1].startswith(_CUT.sub("", a[-1]))


def _without_rails(mark: re.Match[str]) -> str:
    return " " * len(mark.group())


def verdict(theirs: str, ours: str) -> str:
    """equal (as far as the text goes), shape (the operators are the same, in the same places) or differs."""
    a, b = _both(theirs, ours)
    if a == b or ends_early(theirs, ours):
        return "equal"
    return "shape" if shape(theirs) == shape(ours) else "differs"


def differences(theirs: str, ours: str, most: int = MOST) -> list[dict[str, str]]:
    """The lines that differ, Spark's beside ours; "" where a side has none."""
    a, b = (t.split("\n") for t in _both(theirs, ours))
    found: list[dict[str, str]] = []
    x, y = theirs.strip("\n").split("\n"), ours.strip("\n").split("\n")
    for tag, i, j, k, n in difflib.SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        for at in range(max(j - i, n - k)):
            if len(found) >= most:
                return found
            spark = x[i + at].strip() if i + at < j else ""
            made = y[k + at].strip() if k + at < n else ""
            found.append({"spark": spark, "planviz": made})
    return found


def distance(theirs: str, ours: str) -> int:
    """How many lines of one text the other has not: 0 for equal texts."""
    a, b = (t.split("\n") for t in _both(theirs, ours))
    if a == b or ends_early(theirs, ours):
        return 0
    matcher = difflib.SequenceMatcher(None, a, b, autojunk=False)
    return max(len(a), len(b)) - sum(m.size for m in matcher.get_matching_blocks())
