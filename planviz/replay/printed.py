"""A plan as its text has it, and the form in which a physical plan of ours is held against it."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from planviz.expressions.subqueries import QueryPlan
from planviz.graph import PlanGraph
from planviz.graph.kinds import WRAPPERS, spark_operator
from planviz.graph.planned import lists_once
from planviz.physical.formatted import simple
from planviz.physical.printed import PrintedExec
from planviz.plantext.brackets import balance_of
from planviz.replay.compared import differences, distance, ends_early, label_of, marks_of, verdict
from planviz.replay.lifting.lines import line_of
from planviz.replay.lifting.vendors import in_databricks_words
from planviz.replay.plans import STATISTICS

if TYPE_CHECKING:
    from planviz.physical.plan import SparkPlan

#: Operators that not every way to print a plan shows, or only a plan that has run.
_SHOWN_OR_NOT = re.compile(
    r"(ColumnarToRow|AdaptiveSparkPlan|InputAdapter|WholeStageCodegen|\w+QueryStage|AQEShuffleRead|CustomShuffleReader"
    r"|Subquery|SubqueryBroadcast|SubqueryAdaptiveBroadcast|ReusedSubquery)\b"
)
#: Photon broadcasts between executors: one partition right beneath a broadcast join is what is broadcast.
_ONE_PARTITION = "Exchange SinglePartition"
_BROADCAST = {
    "BroadcastHashJoin": "HashedRelationBroadcastMode",
    "BroadcastNestedLoopJoin": "IdentityBroadcastMode",
}
_ADAPTIVE = "AdaptiveSparkPlan"
_SUBQUERY = re.compile(r"(?:Reused)?Subquery\w*\b")
_NUMBERED = re.compile(r"(SubqueryBroadcast \S*#\d+)")
_NUMBERED_TOO = re.compile(r"(SubqueryBroadcast \S*#\d+|Subquery subquery#\d+)")
#: An aggregate that lists its columns, which the simple mode leaves out.
_WHOLE = re.compile(r"Aggregate\(key.*\], output=\[")
#: What stands behind an exchange since Spark 3.0: why it is there, and its number.
_NUMBER = re.compile(r",? ?\[(?:plan_)?id=#?\d+(?:\]|$)")
_ORIGIN = re.compile(
    r"(?m)(partitioning\(.*\)|SinglePartition\$?|RoundRobinPartitioning\(\d+\)), "
    r"(?:true|false|ENSURE_REQUIREMENTS|RE(?:PARTITION|BALANCE)_\w+)(?=$|, \[)"
)
#: What Spark 3.0 brought to the lines of scans.
_DATA_FILTERS = re.compile(r"DataFilters: \[.*?\], (?=Format: )")
#: What a scan of files says of itself: keys with their values, which Spark shortens (spark.sql.maxMetadataValueLength).
_SCAN = re.compile(r"(?m)^((?:[ :]*[+:]- )?(?:\*(?:\(\d+\))? )?FileScan [^\n]*?\] )(Batched: [^\n]*)$")
_NEXT_KEY = re.compile(r", (?=[A-Z][A-Za-z]+: )")
#: What a scan says of the buckets of its table.
_BUCKETS = re.compile(
    r"Bucketed: (?:true|false \((?:[^()\n]|\(s\))*\)), "
    r"|, SelectedBucketsCount: \d+ out of \d+(?: \(Coalesced to \d+\))?"
)
#: The least length that is taken for such a limit.
_SHORTEST = 20
#: The mark of an operator that reads what no input has, which no line of a text keeps.
_MARKED = re.compile(r"(?m)^([ :]*(?:[+:]- )?)!")
_LINE = re.compile(r"((?:[ :]*[+:]- )?)(\*(?:\(\d+\))? )?(.*)$")
_CHILD = re.compile(r"[ :]*[+:]- ")
_COLUMN_ID = re.compile(r"#\d+")
_BARE = re.compile(r"(?:\*(?:\(\d+\))? )?(\w+)$")


def printed(graph: PlanGraph, lines: bool = False) -> str:
    """A tree as Spark prints it, from its operators; where subqueries stand is told by their edges.

    `lines`: operators of the formatted mode in the form of the simple mode.
    """
    found: list[str] = []
    stack: list[tuple[int, str, str]] = [(r, "", "") for r in reversed(graph.roots)]
    while stack:
        at, first, rest = stack.pop()
        node = graph[at]
        mark = "" if node.codegen_stage is None else f"*({node.codegen_stage}) "
        text = line_of(node).text.replace("\n", " ") if lines else STATISTICS.sub("", node.text)
        found.append(first + mark + text)
        beneath = graph.children(at)
        inner = [c for c in beneath if graph.edge_type(at, c) != "child"]
        outer = [c for c in beneath if graph.edge_type(at, c) == "child"]
        deeper = rest + (":  " if outer else "   ")
        for nodes, indent in ((outer, rest), (inner, deeper)):
            stack += [
                (c, indent + ("+- " if c == nodes[-1] else ":- "), indent + ("   " if c == nodes[-1] else ":  "))
                for c in reversed(nodes)
            ]
    return "\n".join(found) + "\n"


class PhysicalForm:
    """The text of a physical plan, and how plans of ours are printed and compared beside it.

    A text of the simple or extended mode is compared line by line. A formatted one has no such lines, and one that ran
    holds operators that planning does not make: of those, the operators that both show are compared.
    """

    def __init__(self, graph: PlanGraph, older: bool = False) -> None:
        #: Whether a Spark before 3.0 printed it: other code is generated there, and fewer operators are shown.
        self.older = older
        #: The lines that our plans have as they stood in the text, without ids: what nobody plans has no stage.
        self.kept: set[str] = set()
        formatted = any(n.operator_id is not None for n in graph)
        ran = graph.stage == "initial" or any(n.op.endswith("QueryStage") for n in graph)
        foreign = any(spark_operator(n.op) != n.op for n in graph)
        self.by_lines = not formatted and not ran and not foreign
        #: What of the subqueries that stand in several places counts in the first alone; None where all count.
        self.once = None if not formatted else _NUMBERED_TOO if lists_once(graph) else _NUMBERED
        #: Whether subqueries count: the formatted mode lists those of a plan that ran with its operators as they ran.
        self.subqueries = (
            not formatted
            or graph.stage != "initial"
            or any(_SUBQUERY.match(n.op) for n in graph)
            or any(link.type == "subquery" for link in graph.links())
        )
        self.text = printed(graph, formatted or foreign or any(in_databricks_words(n.op, n.text) for n in graph))
        #: Whether the text stops within an operator's line.
        self.unfinished = balance_of(self.text.rstrip().rpartition("\n")[2]) > 0
        self.brief = "Aggregate(" in self.text and _WHOLE.search(self.text) is None
        self.numbers = _NUMBER.search(self.text) is not None
        #: Whether the root of an adaptive plan is there, or was cut off above the part that was copied.
        self.adaptive = self.text.startswith(_ADAPTIVE)
        self.origins = _ORIGIN.search(self.text) is not None
        #: Whether joins broadcast one side themselves, as those of Spark 1 do.
        self.broadcasts = older and "BroadcastHashJoin" in self.text and "BroadcastExchange" not in self.text
        #: Whether scans say that they read buckets; Spark 2 counts those that it reads and says no more.
        self.buckets = "Bucketed: " in self.text
        #: How many characters the values of scans have at most; 0 where none was shortened.
        self.longest = _longest_value(self.text)

    def of(self, plan: SparkPlan) -> str:
        """A plan of ours, printed as the text is."""
        self.kept.update(_COLUMN_ID.sub("#", line) for line in _kept_lines(plan))
        text: str = simple(plan) if self.brief else plan.tree_string
        return _MARKED.sub(r"\1", text)

    def told(self, text: str) -> str:
        """A plan's text with what both this text and ours can tell: no stages of generated code where other code is
        generated or nobody planned the operator, no numbers of exchanges where the text has none."""
        text = text if self.numbers else _NUMBER.sub("", text)
        text = text if self.origins else _ORIGIN.sub(r"\1", text)
        text = text if self.buckets else text.replace("Bucketed: true, ", "")
        text = _shortened(text, self.longest) if self.longest else text
        # An older Spark calls the one partition of repartition(1) so.
        text = text.replace("RoundRobinPartitioning(1)", "SinglePartition")
        if not self.adaptive and text.startswith(_ADAPTIVE):
            text = _below(text)
        if self.older:
            text = _without_wrappers(_DATA_FILTERS.sub("", text), "BroadcastExchange" if self.broadcasts else "")
        if not self.older and not self.kept:
            return text
        lines = (_LINE.match(line) for line in text.split("\n"))
        return "\n".join(
            m[1] + m[3] if self.older or _COLUMN_ID.sub("#", m[3]) in self.kept else m[0]
            for m in lines
            if m is not None
        )

    def _sides(self, ours: str) -> tuple[str, str]:
        """The text and a plan of ours, as they are held against each other line by line.

        That a table has buckets, a scan says where they serve nothing, too; by which columns, nobody says then.
        """
        text = self.text
        if "Bucket" in text:
            known = {_table(line) for line in ours.split("\n") if "Bucket" in line}
            lines = text.split("\n")
            text = "\n".join(_BUCKETS.sub("", t) if "Bucket" in t and _table(t) not in known else t for t in lines)
        return self.told(text), self.told(ours)

    def verdict(self, ours: str) -> str:
        """equal, shape or differs."""
        if self.by_lines:
            return verdict(*self._sides(ours))
        return "shape" if self.shown(self.text) == self.shown(_one_line_each(ours)) else "differs"

    def ends_early(self, ours: str) -> bool:
        """Whether the text stops in the middle of the plan, and all that is there is ours."""
        return self.by_lines and ends_early(*self._sides(ours))

    def distance(self, ours: str) -> int:
        """How far a plan is from the text: 0 where nothing that both show differs."""
        if self.by_lines:
            return distance(*self._sides(ours))
        a, b = self.shown(self.text), self.shown(_one_line_each(ours))
        if a == b:
            return 0
        matcher = difflib.SequenceMatcher(None, a, b, autojunk=False)
        return max(len(a), len(b)) - sum(m.size for m in matcher.get_matching_blocks())

    def differences(self, ours: str) -> list[dict[str, str]]:
        """The lines that differ, or the operators that do."""
        if self.by_lines:
            return differences(*self._sides(ours))
        both = (self.text, _one_line_each(ours))
        a, b = ("\n".join("  " * depth + label for depth, label in self.shown(t)) for t in both)
        return differences(a, b)

    def shown(self, text: str) -> list[tuple[int, str]]:
        """Depth and kind of the operators of a plan that count here."""
        return shown(text, self.once, self.subqueries)


def _one_line_each(tree: str) -> str:
    """A tree of ours without what stands on further lines of an operator: the tables of commands, texts in quotes."""
    first, *more = tree.split("\n")
    return "\n".join([first, *(line for line in more if _CHILD.match(line))])


def _table(line: str) -> str:
    """The table that a scan's line names."""
    return line.partition("FileScan ")[2].partition("[")[0]


def _longest_value(text: str) -> int:
    """The length to which values of scans were shortened, places aside, which are shortened otherwise; 0: none was."""
    values = (v for m in _SCAN.finditer(text) for v in _NEXT_KEY.split(m[2]) if v.endswith("..."))
    found = [len(value) - value.index(": ") - 2 for value in values if not value.startswith("Location: ")]
    return max((n for n in found if n >= _SHORTEST), default=0)


def _shortened(text: str, longest: int) -> str:
    """A plan's text with the values of scans shortened; of a shortened schema only whole fields are left.

    Nobody knows the types of columns that were cut off, nor how long they would be.
    """

    def value(pair: str) -> str:
        key, _, said = pair.partition(": ")
        if key == "Location" or len(said) < longest:
            cut = key == "ReadSchema" and ":unknown" in said
        else:
            cut = len(said) > longest or said.endswith("...")
            said = said[: longest - 3] + "..." if cut else said
        return f"{key}: {_whole_fields(said)}" if cut and key == "ReadSchema" else f"{key}: {said}"

    return _SCAN.sub(lambda m: m[1] + ", ".join(map(value, _NEXT_KEY.split(m[2]))), text)


def _whole_fields(schema: str) -> str:
    """The fields of a schema up to the first that is not known or was cut."""
    depth, whole, start = 0, len("struct<"), len("struct<")
    for at in range(start, len(schema)):
        c = schema[at]
        depth += (c in "<(") - (c in ">)")
        if depth == 0 and c == ",":
            if schema[start:at].endswith(":unknown"):
                break
            whole = start = at + 1
    return schema[:whole] + "..."


def _below(text: str) -> str:
    """A tree without its root."""
    lines = text.split("\n")[1:]
    return "\n".join(line[3:] if line.startswith(("+- ", ":- ", "   ", ":  ")) else line for line in lines)


def _kept_lines(plan: SparkPlan) -> Iterator[str]:
    """The lines of the operators that stand as they were printed."""
    stack: list[QueryPlan] = [plan]
    while stack:
        node = stack.pop()
        if isinstance(node, PrintedExec):
            yield node.text
        stack += [*node.children, *node.inner_children]


def _without_wrappers(text: str, more: str = "") -> str:
    """A tree without the operators that only pass rows on, nor those called `more`: what is beneath one stands in its
    place."""
    made: list[str] = []
    above: list[int] = []  # the columns of the wrappers above
    place = ""
    for line in text.split("\n"):
        column = len(line) - len(line.lstrip(" :+-"))
        above = [c for c in above if c < column]
        indent = line[:column]
        for wrapper in reversed(above):
            indent = indent[:wrapper] + indent[wrapper + 3 :]
        word = _BARE.match(line, column)
        named = bool(more) and line.startswith(f"{more} ", column)
        if named or (word is not None and WRAPPERS.match(word.group(1))):
            place = place or indent
            above.append(column)
            continue
        made.append((place or indent) + line[column:])
        place = ""
    return "\n".join(made)


def shown(text: str, once: re.Pattern[str] | None = None, subqueries: bool = True) -> list[tuple[int, str]]:
    """Depth and kind of the operators that every way to print a plan shows.

    `once`: what is broadcast to prune several scans counts where it stands first, as the formatted mode
    prints it. `subqueries`: whether these count.
    """
    found: list[tuple[int, str]] = []
    parents: list[str] = []
    broadcast: set[str] = set()
    passed = -1
    above: list[tuple[int, int]] = []
    for line in text.strip("\n").split("\n"):
        body = line[marks_of(line) :]
        column = len(line) - len(line.lstrip(" :+-"))
        if 0 <= passed < column:
            continue
        passed = -1
        if not subqueries and _SUBQUERY.match(body):
            passed = column
            continue
        if once is not None and (subquery := once.match(body)) is not None:
            if subquery.group(1) in broadcast:
                passed = column
                continue
            broadcast.add(subquery.group(1))
        while above and above[-1][0] >= column:
            above.pop()
        depth = above[-1][1] if above else 0
        word = re.match(r"\w+", body)
        if not _SHOWN_OR_NOT.match(body) and not (word is not None and WRAPPERS.match(word.group())):
            foreign = word is not None and spark_operator(word.group()) != word.group()
            label = label_of(
                spark_operator(word.group()) + body[word.end() :] if word is not None and foreign else body
            )
            if label == _ONE_PARTITION and depth and (mode := _BROADCAST.get(parents[depth - 1].split(" ")[0])):
                label = f"BroadcastExchange {mode}"
            found.append((depth, label))
            parents[depth:] = [label]
            depth += 1
        above.append((column, depth))
    return found
