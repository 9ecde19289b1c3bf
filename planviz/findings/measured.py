"""What only a run shows: small files, uneven tasks, large shuffles, slow broadcasts, waiting."""

from __future__ import annotations

from collections.abc import Iterator

from planviz.findings.finding import Check, Hit, Stake
from planviz.findings.plan_view import SHUFFLES, PlanView, count, listed
from planviz.graph.node import PlanNode
from planviz.graph.scan_names import name_of
from planviz.graph.stage_run import StageRun
from planviz.units import byte_size, duration, exact

#: Files below this size on average are small, and so many of them are many.
SMALL_FILE = 16 << 20
MANY_FILES = 100
#: A task is a straggler from so many times the middle one on, if it took so long or held so much.
UNEVEN = 5
LONG_TASK = 30_000
#: Milliseconds that others waited for a task with far more rows, and what part of the whole time that is.
SHORT_TASK = 1_000
SHARE = 0.1
LARGE_PART = 256 << 20
LARGE_SHUFFLE = 1 << 30
#: Milliseconds of a broadcast worth a word; Spark gives up after 300 s (`spark.sql.broadcastTimeout`).
LONG_BROADCAST = 30_000
LONG_WAIT = 60_000


class FailedExecution(Check):
    """An execution that its event log says failed."""

    name = "failed"
    title = "The execution failed"
    severity = "problem"
    why = "No result came of it; what its operators measured are the numbers up to then."
    advice = "Mend what it failed by. The log has the whole message and the tasks that failed before."
    cost = "Nothing that can be said of the plan."

    def find(self, plan: PlanView) -> Iterator[Hit]:
        """See `Check.find`."""
        if plan.graph.failure and len(plan.graph):
            yield Hit(plan.graph.failure, (plan.graph[0].id,))


class SmallFiles(Check):
    """A scan of a hundred files or more of less than 16 MiB on average."""

    name = "small-files"
    title = "Many small files"
    severity = "warning"
    why = "Opening a file costs as much as reading some megabytes of it, and every file has its own footer to parse."
    advice = "Compact the table (OPTIMIZE, or a rewrite with REBALANCE), and write fewer files per load."
    cost = "One rewrite of the table."

    def find(self, plan: PlanView) -> Iterator[Hit]:
        """See `Check.find`."""
        for scan in plan.nodes:
            files, size = plan.metric(scan, "number of files read"), plan.metric(scan, "size of files read")
            if files is None or size is None or files.total < MANY_FILES or size.total / files.total >= SMALL_FILE:
                continue
            told = f"{name_of(scan)}: {exact(files.total)} files of {byte_size(size.total / files.total)} on average."
            yield Hit(told, (scan.id,), name_of(scan), stake=Stake(files.total * (4 << 20), "bytes", True))


class UnevenTasks(Check):
    """A stage or an operator one task of which took, read or held five times what the middle one did."""

    name = "uneven-tasks"
    title = "One task does most of the work"
    severity = "warning"
    why = "A stage is done when its slowest task is: the other cores wait for this one."
    advice = (
        "Look for a frequent key (often null), treat it apart or salt it; let adaptive execution split skewed joins."
    )
    cost = "A branch more in the query."

    def find(self, plan: PlanView) -> Iterator[Hit]:
        """See `Check.find`."""
        for run in plan.printed.runs:
            if (hit := self._of_stage(plan, run)) is not None:
                yield hit
        for node in plan.nodes:
            worst: tuple[float, str, float, float] | None = None
            for name in node.metrics or {}:
                time = name.endswith("time") or "time in" in name
                if not time and name not in ("data size", "shuffle bytes written", "partition data size"):
                    continue
                value = plan.metric(node, name)
                if value is None or value.largest is None or value.median is None:
                    continue
                least = LONG_TASK if time else LARGE_PART
                if value.largest < least or value.largest < UNEVEN * max(value.median, 1):
                    continue
                if worst is None or value.largest / max(value.median, 1) > worst[0]:
                    worst = (value.largest / max(value.median, 1), name, value.median, value.largest)
            if worst is not None:
                yield self._hit(node, worst)

    def _of_stage(self, plan: PlanView, run: StageRun) -> Hit | None:
        """A stage whose longest task another one would have ended long before.

        Uneven rows are the cause of uneven times, of however short ones, if they are a part of the whole; where all
        tasks read as much, only a long time is worth a word: the first task of a JVM is slow, too.
        """
        waited = run.longest - run.median
        uneven = run.most_rows >= UNEVEN * max(run.median_rows, 1) and run.longest >= 2 * run.median
        part = waited >= max(SHORT_TASK, SHARE * (plan.printed.milliseconds or 0))
        alone = waited >= LONG_TASK and run.longest >= UNEVEN * run.median
        if run.tasks < 2 or not ((uneven and part) or alone):
            return None
        nodes = sorted(run.nodes, key=lambda id: plan.graph[id].kind not in _HEAVY)
        nodes = [id for id in nodes if plan.graph[id].kind != "exchange"] or nodes
        names = listed([plan.graph[id].op for id in nodes], 3)
        told = f"Stage {run.stage}{f' ({names})' if names else ''}: of {run.tasks:,} tasks the middle one took "
        told += f"{duration(run.median)} and read {count(run.median_rows, 'row')}, the longest took "
        told += f"{duration(run.longest)}; the most that one read is {count(run.most_rows, 'row')}."
        stake = Stake(waited, "ms", True)
        if uneven:
            return Hit(told, tuple(nodes), cause=f"stage {run.stage}", stake=stake)
        return Hit(told, tuple(nodes), cause=f"stage {run.stage}", stake=stake, advice=_EVEN_ROWS)

    def _hit(self, node: PlanNode, worst: tuple[float, str, float, float]) -> Hit:
        time = worst[1].endswith("time") or "time in" in worst[1]
        told = duration if time else byte_size
        words = f"{node.op}, {worst[1]}: the middle task {told(worst[2])}, the largest {told(worst[3])}."
        return Hit(words, (node.id,), stake=Stake(worst[3] - worst[2], "ms" if time else "bytes", True))


#: Kinds of operators whose work grows with the rows of a key.
_HEAVY = ("join", "window", "aggregate", "sort")
_EVEN_ROWS = (
    "It read about as much as the others: look for rows that it multiplied (a join, explode), for a row that is "
    "costly, and for a slow or busy host."
)


class LargeShuffle(Check):
    """The largest shuffle of a run, when it wrote more than a gibibyte."""

    name = "large-shuffle"
    title = "Large shuffle"
    why = "All of it is written to local disks, sent over the network and read again."
    advice = "Filter, aggregate or drop columns before it; broadcast the other side of a join if that is small."
    cost = "Another order of the query's steps."

    def find(self, plan: PlanView) -> Iterator[Hit]:
        """See `Check.find`."""
        written = [
            (w.total, n) for n in plan.nodes if n.op in SHUFFLES and (w := plan.metric(n, "shuffle bytes written"))
        ]
        total = sum(size for size, _ in written)
        if written and (largest := max(written, key=lambda w: w[0]))[0] >= LARGE_SHUFFLE:
            size, node = largest
            share = f", {size / total:.0%} of {byte_size(total)} in {count(len(written), 'shuffle')}"
            told = f"{byte_size(size)} of {listed(plan.tables(node), 3) or 'a stage'} written{share}."
            yield Hit(told, (node.id,), stake=Stake(size, "bytes", True))


class SlowBroadcast(Check):
    """A broadcast that took more than half a minute to collect, build and send."""

    name = "slow-broadcast"
    title = "Slow broadcast"
    severity = "warning"
    why = "The join waits for it, and after spark.sql.broadcastTimeout (300 s by default) the query fails."
    advice = "Speed up what is beneath it, or let both sides be shuffled: take the hint away or lower the threshold."
    cost = "A shuffle of both sides."

    def find(self, plan: PlanView) -> Iterator[Hit]:
        """See `Check.find`."""
        for node in plan.nodes:
            parts = [plan.metric(node, f"time to {word}") for word in ("collect", "build", "broadcast")]
            total = sum(part.total for part in parts if part is not None)
            if node.op == "BroadcastExchange" and total >= LONG_BROADCAST:
                told = f"{listed(plan.tables(node), 3) or 'A side'}: {duration(total)} to collect, build and send."
                yield Hit(told, (node.id,), stake=Stake(total, "ms", True))


class FetchWait(Check):
    """A shuffle whose readers waited more than a minute in all, and more than it took to write it."""

    name = "fetch-wait"
    title = "Waiting for shuffled data"
    why = "Tasks had nothing to do until blocks arrived: disks, network or the executors that serve them are the limit."
    advice = "Shuffle less; look for lost or overloaded executors; larger blocks by fewer partitions help small ones."
    cost = "None for looking."

    def find(self, plan: PlanView) -> Iterator[Hit]:
        """See `Check.find`."""
        for node in plan.nodes:
            wait, write = plan.metric(node, "fetch wait time"), plan.metric(node, "shuffle write time")
            if wait is not None and wait.total >= LONG_WAIT and (write is None or wait.total > write.total):
                told = f"{node.op} of {listed(plan.tables(node), 3) or 'a stage'}: {duration(wait.total)} of waiting"
                told += f", {duration(write.total)} of writing." if write is not None else "."
                yield Hit(told, (node.id,), stake=Stake(wait.total, "ms", True))


class HashProbes(Check):
    """An aggregate's hash map that needed many probes for a key."""

    name = "hash-probes"
    title = "Hash map with many collisions"
    why = "Each row looks at so many places of the hash map before it finds its group."
    advice = "Group by fewer or shorter keys, or by a hash of them; the map grows less with more partitions."
    cost = "Another grouping to test."

    def find(self, plan: PlanView) -> Iterator[Hit]:
        """See `Check.find`."""
        for node in plan.nodes:
            probes = plan.metric(node, "avg hash probes per key")
            if probes is not None and node.op == "HashAggregate" and probes.total >= 4:
                told = f"{node.op}: {probes.total:g} probes for a key on average; about 1 is usual."
                yield Hit(told, (node.id,))
