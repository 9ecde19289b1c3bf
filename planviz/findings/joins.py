"""Joins with keys: how they are executed, what their keys are, what they give."""

from __future__ import annotations

import re
from collections.abc import Iterator

from planviz.document.decisions.adaptive import late_broadcast
from planviz.findings.columns import type_of
from planviz.findings.finding import Check, Hit, Severity, Stake
from planviz.findings.plan_view import (
    EXCHANGES,
    LITERAL_ROWS,
    LOOSE,
    PlanView,
    arguments_text,
    count,
    ids,
    listed,
    short,
)
from planviz.graph.differences import conjuncts
from planviz.graph.kinds import spark_name
from planviz.graph.node import Estimate, PlanNode
from planviz.units import byte_size, exact
from planviz.units import short as short_number

#: Up to how many times the threshold a side is "just above" it.
NEAR = 8
#: The most that a broadcast may hold (`spark.sql.maxBroadcastTableSize`).
MOST_BROADCAST = 8 << 30
LARGE_BROADCAST = 512 << 20
#: Estimates above it are products of guesses and told to nobody.
BELIEVED = 128 << 40
#: From how many times the larger input on a join explodes, and from how many rows on that matters.
EXPLODES = 10
MANY_ROWS = 1_000_000
THRESHOLD = "spark.sql.autoBroadcastJoinThreshold"

_SHUFFLED = ("SortMergeJoin", "ShuffledHashJoin")
_PLAIN = re.compile(r"[\w.`$@ -]*#\d+L?(?:\[[^\]]*\])?(?:\.\w+)*")
_CAST = re.compile(r"cast\((`?[\w.]+`?#\d+L?) as (\w+)(?:\([\d,]+\))?\)")
_NORMALIZED = re.compile(r"^knownfloatingpointnormalized\(normalizenanandzero\((.*)\)\)$")
_ALIAS = re.compile(r" AS [^#,]*#\d+L?")
_NULL_SAFE = re.compile(r"^(?:coalesce|isnull)\(")
_NUMERIC = {"int", "bigint", "smallint", "tinyint", "double", "float", "decimal", "date", "timestamp"}
#: Which side may be broadcast, by join type.
_BUILT = {
    "Inner": (0, 1), "Cross": (0, 1), "LeftOuter": (1,), "LeftSemi": (1,), "LeftAnti": (1,), "RightOuter": (0,),
    "ExistenceJoin": (1,),
}  # fmt: skip


class MissingBroadcast(Check):
    """A shuffled join one side of which is a little above the broadcast threshold, or measured below it."""

    name = "missing-broadcast"
    title = "A broadcast would spare the shuffles"
    severity = "warning"
    why = "Both sides are shuffled and mostly sorted, where sending the small one to all executors would do."
    advice = "Raise spark.sql.autoBroadcastJoinThreshold above the size, or hint BROADCAST at the small side."
    cost = "The side must fit the driver and every executor, several times its size as a hash map."

    def find(self, plan: PlanView) -> Iterator[Hit]:
        """See `Check.find`."""
        threshold = float(plan.setting(THRESHOLD) or 10 << 20)
        if threshold <= 0:
            return
        for join in plan.nodes:
            if spark_name(join.op) not in _SHUFFLED or len(plan.inputs(join)) != 2:
                continue
            allowed = _BUILT.get(str(join.arguments.get("join_type", "")).split("(")[0], ())
            sides = plan.inputs(join)
            for at in allowed:
                if (hit := self._of(plan, join, sides[at], sides[1 - at], threshold)) is not None:
                    yield hit
                    break

    def _of(self, plan: PlanView, join: PlanNode, side: PlanNode, other: PlanNode, threshold: float) -> Hit | None:
        size, moved = plan.size(side), plan.size(other)
        seen = None if _ran(plan, side) else _seen_by_planner(plan, join, side)
        if seen is not None and seen.size_in_bytes is not None:
            # Of a size that was printed with three digits the threshold is to be a little above.
            size = float(-(-seen.size_in_bytes * 101 // 100) if seen.rounded else seen.size_in_bytes)
        if _literal(plan, side) and not _literal(plan, other):
            told = f"{join.op} shuffles 1 side whose rows stand in the query itself, to meet "
            told += f"{listed(plan.tables(other), 3) or short(other.op)}."
            advice = f"Set {THRESHOLD} back from -1, or take the hint away that asks for {join.op}: so few rows are "
            return Hit(told, (join.id,), severity="info", advice=f"{advice}broadcast by themselves.", cause="literal")
        if size is None or size <= 0:
            return None
        ran = _ran(plan, side)
        name = listed(plan.tables(side), 3) or short(side.op)
        stake = Stake(size + moved, "bytes", ran) if moved is not None and (ran or moved < BELIEVED) else None
        if ran and size <= threshold and moved is not None and moved > 2 * threshold:
            told = f"{join.op} shuffled {byte_size(size)} of {name}, below the threshold of {byte_size(threshold)}"
            told += f", to meet {byte_size(moved)}."
            advice = f"Hint BROADCAST at {name}, run ANALYZE TABLE so that its size is known, or switch AQE on."
            if plan.adaptive is not None:
                advice = (
                    f"Hint BROADCAST at {name}. AQE left it shuffled: its threshold is lower, broadcasting is off, or "
                    "less than a fifth of the partitions hold rows."
                )
            return Hit(told, (join.id,), advice=advice, stake=stake, cause=name)
        if not ran and threshold < size <= NEAR * threshold and (moved is None or moved > 4 * size):
            told = f"{join.op}: {name} is estimated at {byte_size(size)}, the threshold is {byte_size(threshold)}"
            told += f"; the other side has {byte_size(moved)}." if moved is not None and moved < BELIEVED else "."
            advice = (
                f"Raise {THRESHOLD} to {int(size)} ({byte_size(size)}) or more, or hint BROADCAST at the small side."
            )
            settings = ((THRESHOLD, str(int(size))),)
            return Hit(told, (join.id,), advice=advice, stake=stake, cause=name, settings=settings)
        return None


def _seen_by_planner(plan: PlanView, join: PlanNode, side: PlanNode) -> Estimate | None:
    """The size of a side that the planner compared: of the optimized plan, whose projections leave columns out.

    The join there is the one whose condition has the same keys; where copies of it differ, the largest side counts.
    """
    optimized = next((p for p in plan.siblings if p.stage == "optimized"), None)
    keys = [key for part in ("left_keys", "right_keys") for key in join.arguments.get(part) or ()]
    wanted = set[str]().union(*map(ids, keys))
    if optimized is None or not wanted:
        return None
    at, found = plan.inputs(join).index(side), []
    for node in optimized:
        if node.op == "Join" and wanted <= ids(node.text) and str(join.arguments.get("join_type")) in node.text:
            sides = optimized.children(node.id)
            estimate = optimized[sides[at]].estimate if len(sides) == 2 else None
            if estimate is None or estimate.size_in_bytes is None:
                return None
            found.append(estimate)
    return max(found, key=lambda e: e.size_in_bytes or 0, default=None)


def _literal(plan: PlanView, side: PlanNode) -> bool:
    """Whether a side is a list of rows that the query itself has."""
    down: PlanNode | None = side
    while down is not None and (down.op in LOOSE or down.op in EXCHANGES):
        down = plan.served(down)
    return down is not None and down.op in LITERAL_ROWS


def _ran(plan: PlanView, side: PlanNode) -> bool:
    return any(plan.measured_size(n) is not None for n in _to_exchange(plan, side))


def _to_exchange(plan: PlanView, side: PlanNode) -> Iterator[PlanNode]:
    down: PlanNode | None = side
    while down is not None and (down.op in LOOSE or down.op in EXCHANGES):
        yield down
        down = None if down.op in EXCHANGES else plan.input(down)


#: A null-aware anti join has one way to be executed.
_NOT_IN_WHY = (
    "NOT IN over one column broadcasts its list whatever its size: no threshold and no hint changes that. All of it is "
    "collected in the driver and kept by every executor; above 8 GiB it fails."
)
_NOT_IN_ADVICE = (
    "Write NOT EXISTS with an equality: it is joined as any other. So is NOT IN where both sides can be no null, as "
    "coalesce(x, -1); a filter on nulls, or NOT NULL of a column in files, does not change the plan."
)
_NOT_IN_COST = "NOT EXISTS keeps rows whose value is null, and a null in the list drops none: check which is meant."


class ShuffledJoin(Check):
    """A join that shuffles both sides, of which a text tells no size, and one of which might be broadcast."""

    name = "shuffled-join"
    title = "Both sides of a join are shuffled"
    why = "All rows of both sides are written to disk, sent over the network and mostly sorted before they meet."
    advice = (
        "Look at the sizes: if one side is small, hint BROADCAST at it or run ANALYZE TABLE, so that the other stays "
        "where it is; where both are large, this join is the right one."
    )
    cost = "A side that is broadcast must fit the driver and every executor."

    def find(self, plan: PlanView) -> Iterator[Hit]:
        """See `Check.find`."""
        told = any(node.estimate is not None for one in plan.siblings for node in one)
        if plan.planned or plan.measured or plan.streaming or told:
            return
        for join in plan.nodes:
            type = str(join.arguments.get("join_type", "")).split("(")[0]
            if spark_name(join.op) not in _SHUFFLED or type not in _BUILT or join.arguments.get("skew"):
                continue
            sides = plan.inputs(join)
            if len(sides) != 2 or not all(_is_shuffled(plan, side) for side in sides):
                continue
            if any(plan.size(side) is not None or _literal(plan, side) for side in sides):
                continue
            rows = [plan.rows(side) for side in sides]
            names = [listed(plan.tables(side), 2) or "a part of the plan" for side in sides]
            left, right = (f"{n} ({count(r[0], 'row')})" if r else n for n, r in zip(names, rows, strict=True))
            keys = listed([short(key, 40) for key in join.arguments.get("left_keys") or ()], 2) or "its keys"
            said = f"{join.op} on {keys}: 2 of 2 sides of untold size are shuffled, {left} and {right}."
            if all(rows):
                said = f"{join.op} on {keys}: 2 of 2 sides are shuffled, {left} and {right}."
            yield Hit(said, (join.id,), cause="sides")


def _is_shuffled(plan: PlanView, side: PlanNode) -> bool:
    """Whether the rows of a side come right from a shuffle; one that is reused counts."""
    down: PlanNode | None = side
    while down is not None and down.op in LOOSE:
        down = plan.input(down)
    return down is not None and down.op in ("Exchange", "ShuffleExchange", "ReusedExchange")


class LargeBroadcast(Check):
    """A broadcast of more than 512 MiB, measured or estimated, or one for NOT IN of a side of unknown size."""

    name = "large-broadcast"
    title = "Large broadcast"
    severity = "warning"
    why = (
        "All of it is collected in the driver, built into a hash map and kept by every executor; above 8 GiB it fails."
    )
    advice = "Take the hint away or lower the threshold for this query, or drop columns and rows before the broadcast."
    cost = "The join shuffles both sides instead."

    def find(self, plan: PlanView) -> Iterator[Hit]:
        """See `Check.find`."""
        for node in plan.nodes:
            if node.op != "BroadcastExchange":
                continue
            value = plan.measured_size(node)
            size = value if value is not None else plan.size(node)
            join = next((up for up in plan.above(node) if up.op not in LOOSE), None)
            not_in = join is not None and join.kind == "join" and bool(join.arguments.get("null_aware"))
            advice, cost = (_NOT_IN_ADVICE, _NOT_IN_COST) if not_in else ("", "")
            if size is None or size <= LARGE_BROADCAST or (size >= 1 << 60 and not not_in):
                continue
            name = listed(plan.tables(node), 3) or "A side"
            if size >= 1 << 60:
                told = f"{name}: broadcast for 1 NOT IN, unknown size, of at most {byte_size(MOST_BROADCAST)}."
                yield Hit(told, (node.id,), severity="info", why=_NOT_IN_WHY, advice=advice, cost=cost)
                continue
            told = f"{name}: {byte_size(size)} broadcast"
            told += f" ({'estimated' if value is None else 'measured'}), of at most {byte_size(MOST_BROADCAST)}."
            stake = Stake(size, "bytes", value is not None)
            severity: Severity | None = "problem" if size > MOST_BROADCAST / 2 else None
            why = _NOT_IN_WHY if not_in else ""
            yield Hit(told, (node.id,), stake=stake, severity=severity, why=why, advice=advice, cost=cost)


class CastJoinKey(Check):
    """A join key that is cast, where the types of both sides are of different kinds: text against number or date."""

    name = "cast-join-key"
    title = "Join on keys of different types"
    severity = "warning"
    why = "Every row's key is converted; bucketing and order by the column are lost, and texts that are "
    why += "no number match none."
    advice = "Store both columns in one type, or cast once where the table is written."
    cost = "A rewrite of one table; until then the cast stays in the query."

    def find(self, plan: PlanView) -> Iterator[Hit]:
        """See `Check.find`."""
        for join in plan.nodes:
            if join.kind != "join":
                continue
            for mine, other in _key_pairs(join):
                found = _CAST.fullmatch(mine)
                if found is None:
                    continue
                told = self._told(plan, join, found[1], found[2].lower(), other)
                if told:
                    yield Hit(told, (join.id,), cause=short(found[1]))

    def _told(self, plan: PlanView, join: PlanNode, column: str, to: str, other: str) -> str:
        was = type_of(plan, join, column)
        numbers = was in _NUMERIC and to == "string"
        if not (numbers or (was == "string" and to in _NUMERIC)):
            return ""
        keys = len(join.arguments.get("left_keys") or ())
        told = f"{join.op}: 1 of {count(keys, 'pair')} of keys is cast: {short(column)}, {was}, to {to} for each row"
        return f"{told}, to equal {short(other)}."


class ComputedJoinKey(Check):
    """A join key that is an expression over columns, a cast aside."""

    name = "computed-join-key"
    title = "Join on computed keys"
    why = "Bucketing, partition pruning and column statistics know columns only: for this join none of them helps."
    advice = "Keep the computed value as a column of the table, where the join is frequent."
    cost = "One more column to store and to keep right."

    def find(self, plan: PlanView) -> Iterator[Hit]:
        """See `Check.find`."""
        for join in plan.nodes:
            if join.kind != "join" or "truncated" in join.badges:
                continue
            sides = (join.arguments.get("left_keys") or [], join.arguments.get("right_keys") or [])
            read = {id for n in plan.walk(join) if n.kind == "scan" for id in ids(n.arguments.get("output"))}
            keys = [key for side in sides for key in side if _computed(key) and ids(key) <= read]
            if keys:
                among = f"{len(keys)} of {len(sides[0]) + len(sides[1])} keys"
                told = f"{join.op}: {among} computed for every row: {listed([short(k, 60) for k in keys], 2)}."
                yield Hit(told, (join.id,), cause=", ".join(map(short, keys)))


def _key_pairs(join: PlanNode) -> Iterator[tuple[str, str]]:
    left, right = join.arguments.get("left_keys") or [], join.arguments.get("right_keys") or []
    if len(left) == len(right):
        yield from zip(left, right, strict=True)
        yield from zip(right, left, strict=True)


def _computed(key: str) -> bool:
    """Whether a key is a function of columns: no column, cast, normalized float or half of a null-safe equality."""
    inner = _NORMALIZED.match(key)
    key = inner[1] if inner else key
    while key.startswith("cast(") and " as " in key:
        key = key[5:].rpartition(" as ")[0]
    if _PLAIN.fullmatch(key) or _NULL_SAFE.match(key) or not ids(key) or "..." in key or "Subquery" in key:
        return False
    # Keys of several columns that Spark packs into one number for the hash map.
    return "shiftleft(" not in key and bool(re.match(r"[\w<>]+\(|\(", key))


class ExplodingJoin(Check):
    """A join that was measured to give ten times the rows of its larger input or more, and over a million."""

    name = "exploding-join"
    title = "A join that multiplies rows"
    severity = "warning"
    why = "All operators above work on the product; mostly a key is missing or repeated on both sides."
    advice = "Look for a missing part of the key, or aggregate the side with repeated keys before the join."
    cost = "An aggregate more; the result changes if the repetition was meant."

    def find(self, plan: PlanView) -> Iterator[Hit]:
        """See `Check.find`."""
        for join in plan.nodes:
            if join.kind != "join" or not join.arguments.get("left_keys"):
                continue
            out = plan.metric(join, "number of output rows")
            sides = [plan.rows(side) for side in plan.inputs(join)]
            rows = [side[0] for side in sides if side is not None and side[1]]
            if out is None or len(rows) != 2 or out.total < MANY_ROWS or out.total < EXPLODES * max(rows):
                continue
            told = f"{join.op} on {listed([short(k, 40) for k in join.arguments['left_keys']])}: "
            told += f"{short_number(rows[0])} and {short_number(rows[1])} rows in, {short_number(out.total)} out."
            yield Hit(told, (join.id,), stake=Stake(out.total, "rows", True))


class SkewedJoin(Check):
    """A join whose large partitions adaptive execution had to split."""

    name = "skewed-join"
    title = "Skewed join"
    why = "Some keys have far more rows than others; splitting their partitions repeats the other side for each part."
    advice = "Filter or treat the most frequent keys (often null or a default value) apart, or add a salt to the key."
    cost = "The query grows by a branch for these keys."

    def find(self, plan: PlanView) -> Iterator[Hit]:
        """See `Check.find`."""
        skewed = [n for n in plan.nodes if n.kind == "join" and n.arguments.get("skew")]
        joins = sum(n.kind == "join" for n in plan.nodes)
        for join in skewed:
            keys = listed([short(k, 40) for k in join.arguments.get("left_keys") or []])
            told = f"Adaptive execution split the large partitions of {len(skewed)} of {count(joins, 'join')}"
            yield Hit(f"{told}, on {keys or 'unknown keys'}{self._split(plan, join)}.", (join.id,), cause=keys)

    def _split(self, plan: PlanView, join: PlanNode) -> str:
        parts = [plan.metric(n, "number of skewed partitions") for n in plan.walk(join) if n.op == "AQEShuffleRead"]
        total = sum(p.total for p in parts if p is not None)
        return f" ({count(total, 'skewed partition')})" if total else ""


class UnusedOuterSide(Check):
    """An outer join the columns of whose optional side are not used above it."""

    name = "unused-outer-side"
    title = "Outer join for nothing but repetition"
    severity = "warning"
    why = "An outer join keeps all rows of its one side, so the other can only repeat them: it is read, "
    why += "moved and matched."
    advice = "If the key is unique on that side, drop the join; if not, check that the repeated rows are meant."
    cost = "None where the key is unique; else the number of rows changes."

    def find(self, plan: PlanView) -> Iterator[Hit]:
        """See `Check.find`."""
        for join in plan.nodes:
            sides = plan.inputs(join)
            type = join.arguments.get("join_type")
            if join.kind != "join" or type not in ("LeftOuter", "RightOuter") or len(sides) != 2:
                continue
            if not (join.arguments.get("left_keys") or join.arguments.get("condition")):
                continue  # A product: there is no key that could be unique.
            optional = sides[1 if type == "LeftOuter" else 0]
            kept = sides[0 if type == "LeftOuter" else 1]
            if plan.cut(join) or self._used(plan, join, _all_ids(plan, kept)):
                continue
            tables = listed(plan.tables(optional), 3) or short(optional.op)
            told = f"{join.op} ({type}): no column of {tables} is used above the join; 1 side of 2 is read for the "
            yield Hit(f"{told}number of matches alone.", (join.id,), cause=tables)

    def _used(self, plan: PlanView, join: PlanNode, ours: set[str]) -> bool:
        """Whether something up to the first operator that lists its columns uses more than the kept side's columns.

        Aggregates do not print the ids of their results, so an id that is not known counts as the other side's. Where
        the kept side has no ids, as in plans written by hand, nobody knows.
        """
        if not ours:
            return True
        for up in plan.above(join):
            lists = up.op == "Project" or up.kind == "aggregate"
            text = _ALIAS.sub("", f"{up.text} {arguments_text(up)}") if lists else up.text
            if "truncated" in up.badges or "[...]" in up.text or not ids(text) <= ours:
                return True
            if lists:
                return up.op == "Expand"
            if up.kind not in ("filter", "sort", "exchange", "other"):
                return True
        return True


def _all_ids(plan: PlanView, start: PlanNode) -> set[str]:
    return set[str]().union(*map(plan.ids, plan.walk(start)))


class OuterJoinAsInner(Check):
    """An outer join below a filter that no row without a match passes, with nothing between that depends on them."""

    name = "outer-join-as-inner"
    title = "Outer join that could be inner"
    severity = "warning"
    why = "The rows without a match are made, moved and then dropped, and an outer join leaves fewer ways to plan it."
    advice = "Write an inner join; or let Spark do so: the filter was barred from reaching the join."
    cost = "None: the result is the same."

    def find(self, plan: PlanView) -> Iterator[Hit]:
        """See `Check.find`."""
        for join in plan.nodes:
            type, sides = join.arguments.get("join_type"), plan.inputs(join)
            if join.kind != "join" or type not in ("LeftOuter", "RightOuter") or len(sides) != 2 or plan.cut(join):
                continue
            optional, kept = (sides[1], sides[0]) if type == "LeftOuter" else (sides[0], sides[1])
            for up in plan.above(join):
                if up.op == "Filter":
                    theirs = _all_ids(plan, optional) - _all_ids(plan, kept)
                    parts = [p for p in conjuncts(str(up.arguments.get("condition", ""))) if _rejects_null(p, theirs)]
                    if parts:
                        told = f"{join.op} ({type}) below 1 filter that drops rows without a match: {short(parts[0])}."
                        yield Hit(told, (join.id, up.id))
                    break
                if up.op not in LOOSE and up.op not in EXCHANGES:
                    break


_REJECTS = re.compile(r"\(?(?:isnotnull\()?([\w.`]+#\d+)L?(?:\)| (?:=|<|>|<=|>=) [^#()]*\)?)$")


def _rejects_null(part: str, theirs: set[str]) -> bool:
    """Whether a condition is a comparison of one column with a literal, or isnotnull, of a column among these ids."""
    found = _REJECTS.match(part)
    return found is not None and bool(ids(found[1])) and ids(part) <= theirs


class LateBroadcast(Check):
    """A broadcast join of a plan that ran, both sides of which had been shuffled for a sort-merge join before."""

    name = "late-broadcast"
    title = "Broadcast chosen after the shuffle"
    why = "The size was known only when the stage was done, so both sides were shuffled first; the local "
    why += "read saves the rest."
    advice = "Run ANALYZE TABLE so that the size is known before, or hint BROADCAST at the small side."
    cost = "ANALYZE TABLE reads the table once, and again when it has changed much."

    def find(self, plan: PlanView) -> Iterator[Hit]:
        """See `Check.find`."""
        if plan.graph.stage != "physical" or plan.adaptive is None or plan.adaptive.arguments.get("final") is not True:
            return
        for join in plan.nodes:
            sides = plan.inputs(join)
            if join.op != "BroadcastHashJoin" or not late_broadcast(plan.graph, join):
                continue
            built = 1 if join.arguments.get("build_side") == "right" else 0
            streamed = next((n for n in _shuffles(plan, sides[1 - built])), None)
            if streamed is None:
                continue
            size = plan.size(streamed)
            moved = f", {byte_size(size)} of the other side" if size is not None else ""
            told = f"{listed(plan.tables(sides[built]), 3) or 'One side'} was broadcast after 2 shuffles{moved}."
            yield Hit(told, (join.id,), stake=None if size is None else Stake(size, "bytes", True))


def _shuffles(plan: PlanView, start: PlanNode) -> Iterator[PlanNode]:
    """The shuffle right below a node that the planner asked for, if there is one."""
    down: PlanNode | None = start
    while down is not None:
        if down.op in ("Exchange", "ShuffleExchange"):
            if "REPARTITION" not in str(down.arguments.get("origin", "")):
                yield down
            return
        if down is not start and down.op not in LOOSE:
            return
        down = plan.input(down)


class HintNotFollowed(Check):
    """A broadcast hint in a query none of whose joins broadcasts that side."""

    name = "hint-not-followed"
    title = "Broadcast hint not followed"
    severity = "warning"
    why = "The join type cannot broadcast that side: an outer join must keep the rows of the side that it streams."
    advice = "Hint the other side, or turn the outer join round."
    cost = "Which side is kept decides the result of an outer join: change the hint, not the type."

    def find(self, plan: PlanView) -> Iterator[Hit]:
        """See `Check.find`."""
        optimized = next((p for p in plan.siblings if p.stage == "optimized"), None)
        if optimized is None or any("Broadcast" in n.op for n in plan.nodes):
            return
        for join in optimized:
            hints = str(join.arguments.get("hints", ""))
            if join.op != "Join" or "strategy=broadcast" not in hints:
                continue
            shuffled = [n for n in plan.nodes if n.op in _SHUFFLED]
            if len(shuffled) == 1:
                told = f"{exact(1)} join with {short(hints)}, executed as {shuffled[0].op} "
                yield Hit(f"{told}({shuffled[0].arguments.get('join_type')}).", (shuffled[0].id,))
