"""How the files of tables are laid out, as far as scans and the operators above them tell: partitions and buckets."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from planviz.catalog.tables import Buckets
from planviz.graph import PlanGraph
from planviz.replay.lifting.lines import line_of

_BUCKETED = re.compile(r"\bBucketed: true\b")
_NUMBER = re.compile(r"SelectedBucketsCount: \d+ out of (\d+)")
_SCAN = re.compile(r"(?:FileScan|Scan)\s+(?:\w+\s+)?([\w.`$/-]+)")
_ID = re.compile(r"#(\d+)")
_COLUMN = re.compile(r"(?<![\w.$])([\w.$]+)#(\d+)")
_LIST = re.compile(r"\[([^\[\]]*)\]")
#: Operators that keep every row where it is.
_IN_PLACE = re.compile(
    r"(Project|Filter|Sort|ColumnarToRow|InputAdapter|WholeStageCodegen|BroadcastHashJoin|BroadcastNestedLoopJoin)\b"
)
#: Operators that need the rows of a key together, and the list of their line that holds the keys of one input.
_TOGETHER = re.compile(r"(SortMergeJoin|ShuffledHashJoin|HashAggregate|ObjectHashAggregate|SortAggregate|Window)\b")


def buckets_in(plans: Iterable[PlanGraph]) -> dict[str, Buckets]:
    """The buckets of tables, by the names that scans give them in lower case.

    A scan says how many there are. Of which columns, the first operator above says that needs the rows of a key
    together and has them without an exchange; of the order in a bucket, nobody says anything.
    """
    found: dict[str, Buckets] = {}
    for plan in plans:
        for node in plan:
            if node.kind != "scan":
                continue
            text = line_of(node).text
            scan, number = _SCAN.search(text), _NUMBER.search(text)
            # Older Sparks count the buckets alone.
            if not _BUCKETED.search(text) and (number is None or "Bucketed:" in text):
                continue
            columns = _keys_above(plan, node.id, {i: n for n, i in _COLUMN.findall(text)})
            if scan is not None and number is not None and columns:
                found.setdefault(scan.group(1).lower(), Buckets(columns, int(number.group(1))))
    return found


def _keys_above(plan: PlanGraph, scan: int, names: dict[str, str]) -> tuple[str, ...]:
    """The columns of a scan that the first operator above needs together; none where rows are moved before."""
    above = plan[scan].parent
    while above is not None and _IN_PLACE.match(plan[above].op):
        above = plan[above].parent
    if above is None or not _TOGETHER.match(plan[above].op):
        return ()
    for ids in _key_lists(plan[above].op, line_of(plan[above]).text):
        if ids and all(i in names for i in ids):
            return tuple(names[i] for i in ids)
    return ()


def _key_lists(op: str, text: str) -> Iterator[list[str]]:
    """The ids in the lists of keys of an operator."""
    if op.endswith("Aggregate"):
        keys = re.search(r"(?i)\bkeys?\s*(?:=|\[\d+\]:)\s*\[([^\[\]]*)\]", text)
        yield _ID.findall(keys.group(1)) if keys is not None else []
        return
    lists = _LIST.findall(text)
    yield from (_ID.findall(found) for found in (lists[-2:-1] if op == "Window" else lists))
