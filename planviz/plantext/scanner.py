"""Headings, sections and detail blocks -> plans and traces (inventory G-002)."""

from __future__ import annotations

import re
from functools import partial

from planviz.graph import PlanGraph, is_known
from planviz.graph.node import Link, PlanNode
from planviz.graph.trace import RuleTrace
from planviz.plantext import formatted, rulelog
from planviz.plantext.collapsed import without_columns
from planviz.plantext.indentation import marks_for_indentation
from planviz.plantext.lines import Lines, clean
from planviz.plantext.operators import Details, read_arguments
from planviz.plantext.references import link_references
from planviz.plantext.tree import Tree, is_marked, is_prose, read_tree

#: What a line of the input is; the scanner gives one to every line.
BLANK, NODE, HEADING, DETAIL, LOG, CODE, UNPARSED = range(7)

_HEADING = re.compile(
    r"(?:.{0,120}?(?<![=\w,(]))??(?<![=])(={2,3}) ([A-Za-z][\w ]*?)(?: \([^()]*\))? \1(?!=)\s*[\"'|`]*\s*$"
)
_SECTION_END = re.compile(r"\s*(?:```|\"\"\"|={2,3} |-{4}|#{1,6} |\w+>|</)")
_STAGES = {
    "Parsed Logical Plan": "parsed",
    "Analyzed Logical Plan": "analyzed",
    "Optimized Logical Plan": "optimized",
    "Physical Plan": "physical",
    "Final Plan": "physical",
    "Current Plan": "physical",
    "Initial Plan": "initial",
    "Logical Plan": "analyzed",
    "Parsed Plan": "parsed",
    "Analyzed Plan": "analyzed",
    "Optimized Plan": "optimized",
    "Executed Plan": "physical",
    "Spark Plan": "physical",
    "optimizedPlan": "optimized",
    "sparkPlan": "physical",
    "executedPlan": "physical",
    "Initial Physical Plan": "initial",
    "Final Physical Plan": "physical",
}
#: Behind a heading that somebody has numbered: `== Physical Plan 2 ==`.
_COUNTED = re.compile(r" \d+$")
_SUBTREE = re.compile(r"\s*== Subtree (\d+ / \d+)\b.*==\s*$")
_FOUND_SUBTREES = re.compile(r"\s*Found \d+ WholeStageCodegen subtrees\.")
_SUBQUERIES = re.compile(r"={4,} (Subqueries|Adaptively Optimized Out Exchanges|Optimized Out Exchanges) =====*\s*$")
_SUBPLAN = re.compile(r"Subplan:(\d+)\s*$")
_CODE = re.compile(r"\s*/\* \d+ \*/")
_ROOT = re.compile(r"\s*(?:\*(?:\(\d+\))? ?|\^\(\d+\) |\(\d+\) (?=\w+(?:\(| ?\[)))?['!~]*[A-Z][\w$]*")
_COLUMNS = re.compile(r"^\S.*?: [a-z]\w*")
_PHYSICAL = re.compile(
    r"Exchange$|Scan$|^Scan|Exec$|Transformer$|^(Gpu|Comet|Photon|Velox)[A-Z]|QueryStage$|^AdaptiveSparkPlan$|ToRow$|"
    r"ToColumnar$|(Hash|Sort)Aggregate$|(SortMerge|Hash|NestedLoop)Join|^CartesianProduct$|^TakeOrderedAndProject$|"
    r"^Collect(Limit|Tail)$|^LocalTableScan$|ShuffleRead$"
)
_LOGICAL = re.compile(r"Relation$|^LogicalRDD$|^Join$|^Aggregate$|^(Global|Local)Limit$|^Range$|^Distinct$")
_TITLES = {
    "parsed": "Parsed Logical Plan",
    "analyzed": "Analyzed Logical Plan",
    "optimized": "Logical Plan",
    "physical": "Physical Plan",
}
_MESSAGE = re.compile(r"\s*(?:[\w$]+\.)*\w*(?:Exception|Error): ")
_LINEAGE = re.compile(r"\w*RDD\[\d+\] at ")
_GENERATED = re.compile(r"\s*\*\(\d+\) [A-Z]")
_ANNOUNCED = re.compile(r"(?:[Pp]lan|\btree):$")
_WRAPPED = 8  # lines of one operator
#: What closes the string or the comment around a plan.
_CLOSES = re.compile(r"\s*(?:[)\]},;\"'`]++\s*$|\*/)")
_IN_MESSAGE = re.compile(r"(?:(?<= in )|(?<= for ))['!~]*([A-Z]\w*)(?= |$)")
_ROOT_NAME = re.compile(r"['!~*^()\d ]*([A-Za-z_]\w*)")


class Scanned:
    """What a text holds: plans and trace in the order of the text, the owner of every clean line, notes."""

    def __init__(self, size: int) -> None:
        self.plans: list[PlanGraph] = []
        self.trace = RuleTrace()
        self.owners = bytearray(size)
        self.features: set[str] = set()
        self.notes: list[str] = []


def scan(lines: Lines) -> Scanned:
    """Read everything that is a plan or a rule log in clean lines; the rest stays visible as unparsed lines."""
    return _Scanner(lines).run()


def graph_of_text(text: str) -> PlanGraph:
    """The plan of a tree text that stands alone (a side of a rule log's block)."""
    lines = clean(text)
    lines = marks_for_indentation(lines) or lines
    details = Details()
    tree, _ = read_tree(lines, 0, len(lines), partial(read_arguments, details), headed=True)
    graph = PlanGraph.from_nodes("other", "Plan", tree.nodes, tree.links)
    link_references(graph)
    return graph


class _Scanner:
    def __init__(self, lines: Lines) -> None:
        self.lines = lines
        self.text = lines.text
        self.size = len(lines)
        self.found = Scanned(self.size)
        self.details = Details()
        self.group: list[_Section] = []  # the plans that the next detail blocks describe
        self.sections: list[_Section] = []

    def run(self) -> Scanned:
        index, size, text, owners = 0, self.size, self.text, self.found.owners
        while index < size:
            line = text[index]
            if not line or line.isspace():
                index += 1
                continue
            after = self._block(index, line)
            if after == index:
                owners[index] = UNPARSED
                after = index + 1
            index = after
        for section in self.sections:
            self.found.plans.append(section.graph())
        return self.found

    def _block(self, index: int, line: str) -> int:
        """Read what starts at `index`; returns the line after it, or `index` when nothing was recognised."""
        if "==" in line:
            if rulelog.starts(line):
                return self._rule_log(index)
            after = self._heading(index, line)
            if after > index:
                return after
        elif line[:16].lstrip()[:6] == "Batch " and rulelog.starts(line):
            return self._rule_log(index)
        bare = line.lstrip()
        if bare[:5] == "=====" and not bare.strip("= \r"):
            self._own(index, index + 1, HEADING)
            return index + 1
        if bare[:1] == "(" and self.group and (head := formatted.head(bare)) and self._is_detail(head[1]):
            return self._detail_block(index, *head)
        if bare[:9] == "Subquery:" and self.group and (host := formatted.HOST.match(bare)):
            return self._hosted(index, host)
        if self.group and _SUBPLAN.match(bare):
            self._own(index, index + 1, HEADING)
            return self._plan(index + 1, "other", f"Optimized out {bare.strip()}", keep_group=True)
        if _FOUND_SUBTREES.match(line) or bare.startswith("Generated code:"):
            self._own(index, index + 1, HEADING)
            self.found.features.add("codegen")
            return self._code(index + 1)
        if _CODE.match(line):
            return self._code(index)
        return self._bare_tree(index, line)

    # -- headings

    def _heading(self, index: int, line: str) -> int:
        if match := _SUBTREE.match(line):
            self._own(index, index + 1, HEADING)
            self.found.features.add("codegen")
            return self._plan(index + 1, "physical", f"Codegen subtree {match.group(1)}")
        if _SUBQUERIES.match(line.strip()):
            self._own(index, index + 1, HEADING)
            return index + 1
        match = _HEADING.match(line)
        if match is None:
            return index
        name = match.group(2)
        stage = _STAGES.get(_COUNTED.sub("", name))
        if stage is None and (match.group(1) == "===" or name[0].islower()):  # a heading of somebody's own
            return index
        self._own(index, index + 1, HEADING)
        if name == "Photon Explanation":
            return self._explanation(index + 1)
        if stage is None:
            self.found.notes.append(f"Line {self.lines.number[index]}: the section “{name}” is kept as text.")
            return index + 1
        self.found.features.add(stage)
        if stage == "analyzed" and index + 1 < self.size:
            self.text[index + 1] = without_columns(self.text[index + 1])
        start = self._root_line(index + 1, stage)
        if start < self.size and "Exception: " in self.text[start]:
            return self._exception(index + 1, name)
        self._own(index + 1, start, DETAIL)
        return self._plan(start, stage, name)

    def _explanation(self, start: int) -> int:
        """What Photon says of the plan above it: whether it ran all of it, and why not."""
        end = start
        while (
            end < self.size and not _SECTION_END.match(self.text[end]) and any(map(str.strip, self.text[end : end + 2]))
        ):
            end += 1
        self._own(start, end, DETAIL)
        said = " ".join(" ".join(self.text[start:end]).split())
        self.found.notes.append(f"Line {self.lines.number[start - 1]}: Photon says: {said[:300]}")
        return end

    def _exception(self, start: int, name: str) -> int:
        """An error that Spark printed where the plan should stand."""
        end = start
        while end < self.size and self.text[end].strip() and not _HEADING.match(self.text[end]):
            end += 1
        self._own(start, end, DETAIL)
        self.found.notes.append(f"Line {self.lines.number[start]}: Spark printed an error in place of the {name}.")
        return end

    def _root_line(self, index: int, stage: str) -> int:
        """Where the operators of a headed section begin: after output columns or the message of an exception."""
        text, size = self.text, self.size
        if index + 1 < size and text[index].lstrip()[:3] in ("// ", "-- ") and self._is_root(index + 1):
            return index + 1  # somebody's remark below the heading
        while index < size and not text[index].strip() and index + 1 < size and _ROOT.match(text[index + 1] or " "):
            index += 1
        if index >= size or not text[index].strip():
            return index
        first = text[index]
        # Only an analyzed plan stands below columns; a scan's entries look like some: `ReadSchema: struct<a:int>`.
        plain = not (stage == "analyzed" and _COLUMNS.match(first)) and "Exception" not in first
        if plain and (stage != "analyzed" or self._is_root(index)):
            return index
        for at in range(index, min(size, index + 60)):
            if not text[at].strip():
                break
            if (at > index or plain) and self._is_root(at):
                return at
        return index + 1 if stage == "analyzed" and _COLUMNS.match(first) else index

    def _is_root(self, index: int) -> bool:
        match = _ROOT_NAME.match(self.text[index])
        if match is None:
            return False
        follows = index + 1 < self.size and self.text[index + 1].lstrip()[:3] in ("+- ", ":- ")
        return follows or is_known(match.group(1))

    # -- trees

    def _plan(self, start: int, stage: str, title: str, *, keep_group: bool = False) -> int:
        if not keep_group:
            self.details = Details()
            self.group = []
        reader = partial(read_arguments, self.details)
        tree, end = read_tree(self.lines, start, self.size, reader, headed=True)
        if not tree.nodes:
            return self._without_plan(tree, start)
        self._take(tree, start, end, stage, title)
        return end

    def _without_plan(self, tree: Tree, start: int) -> int:
        """The line behind the last of several headings above no plan; `start` where there is none.

        None of them is looked at again: that would take the square of their number.
        """
        for at in tree.headings:
            self.found.owners[at] = HEADING
        return max(tree.headings, default=start - 1) + 1

    def _take(self, tree: Tree, start: int, end: int, stage: str, title: str) -> None:
        self._own(start, end, NODE)
        self._own_exceptions(tree)
        adaptive = next((name for name in tree.sections if name != "Initial"), None)
        if adaptive:
            self.found.features.add("adaptive")
            title = f"{title} · {adaptive.lower()}" if stage == "physical" else title
        self._add_section(_Section(stage, title, tree.nodes, tree.links, tree.notes, self.details))
        for owner, nodes, links in tree.initial:
            if nodes:
                name = f"Initial Plan of {owner}" if owner else "Initial Plan"
                self._add_section(_Section("initial", name, nodes, links, [], self.details))

    def _own_exceptions(self, tree: Tree) -> None:
        for at in tree.headings:
            self.found.owners[at] = HEADING
        for at in tree.remarks:
            self.found.owners[at] = UNPARSED

    def _add_section(self, section: _Section) -> None:
        section.number_operators()
        self.sections.append(section)
        self.group.append(section)

    def _bare_tree(self, index: int, line: str) -> int:
        """A tree without a heading: an operator whose next line has a mark, or the middle of a plan."""
        if not is_marked(line):
            following = self.text[index + 1] if index + 1 < self.size else ""
            if not following.strip() and index + 2 < self.size and self._is_named_root(line):
                following = self.text[index + 2]
            if not is_marked(following) and self._is_named_root(line):
                following = self._behind_brackets(index) or following
            if following.lstrip()[:3] in ("// ", "-- ") and index + 2 < self.size and _GENERATED.match(line):
                following = self.text[index + 2]  # somebody's remark below the root
            if is_marked(following) and (root := _behind_message(line)):
                said = line[: len(line) - len(root)].strip()
                self.found.notes.append(f"Line {self.lines.number[index]}: the error above the plan: {said[:300]}")
                line = self.text[index] = root
            if not self._is_named_alone(index, line) and (
                not is_marked(following) or not _ROOT.match(line) or is_prose(line) or _is_tail(line)
            ):
                return index
        self.details = Details()
        self.group = []
        reader = partial(read_arguments, self.details)
        tree, end = read_tree(self.lines, index, self.size, reader, headed=False)
        if not tree.nodes:
            return self._without_plan(tree, index)
        self.found.features.add("tree")
        stage = _stage_of(tree.nodes)
        if stage == "optimized" and any("AnalysisException" in above for above in self.text[max(0, index - 2) : index]):
            stage = "analyzed"  # the plan that did not pass
        self._take(tree, index, end, stage, _TITLES.get(stage, "Plan"))
        return end

    @staticmethod
    def _is_named_root(line: str) -> bool:
        """Whether a line is an operator's for sure, so that an empty line may follow it."""
        match = _ROOT_NAME.match(line)
        sure = "#" in line or "Statistics(" in line or line.lstrip()[:1] == "'" or _GENERATED.match(line) is not None
        return match is not None and is_known(match.group(1)) and sure

    def _is_named_alone(self, index: int, line: str) -> bool:
        """Whether a line is a plan of one operator: below the message of an error, which ends in a semicolon there,
        or below a line of a log such as `executedPlan:`."""
        above = self.text[index - 1].rstrip() if index else ""
        announced = above[-1:] == ";" and _MESSAGE.match(above) is not None
        return (announced or _ANNOUNCED.search(above) is not None) and self._is_named_root(line)

    def _behind_brackets(self, index: int) -> str:
        """The line after those that close the brackets which the one at `index` opens; empty where none of the next
        does."""
        opened = 0
        for at in range(index, min(self.size, index + _WRAPPED)):
            line = self.text[at]
            opened += line.count("(") + line.count("[") - line.count(")") - line.count("]")
            if opened <= 0:
                return self.text[at + 1] if at > index and at + 1 < self.size else ""
        return ""

    # -- explain formatted

    def _is_detail(self, name: str) -> bool:
        """Whether `(2) name` heads a block of an operator, and is no line of an RDD's lineage below a plan."""
        return _LINEAGE.match(name) is None or any(section.by_number for section in self.group)

    def _detail_block(self, index: int, operator: int, name: str, stage: int | None) -> int:
        number = self.lines.number
        indent = len(self.text[index]) - len(self.text[index].lstrip())
        end, still_open = index + 1, 0
        while end < self.size and self.text[end].strip() and not formatted.head(self.text[end].lstrip()):
            line = _dedent(self.text[end], indent)
            if still_open <= 0 and (not formatted.belongs(line) or _CLOSES.match(line)):
                break
            still_open = max(0, still_open) + formatted.open_brackets(line)
            end += 1
        block = formatted.Block(operator, name, stage, (number[index], number[end - 1]))
        block.lines = [_dedent(line, indent) for line in self.text[index + 1 : end]]
        self.details.blocks.setdefault(block.number, block)
        if stage is not None:
            self.details.stages[block.number] = stage
        self.found.features.add("formatted")
        self._own(index, end, DETAIL)
        return end

    def _hosted(self, index: int, match: re.Match[str]) -> int:
        """A subquery of `explain formatted`: its tree hangs under the operator that uses it."""
        self._own(index, index + 1, HEADING)
        host, expression = int(match.group(2)), match.group(3)
        start = index + 1
        tree, end = read_tree(self.lines, start, self.size, partial(read_arguments, self.details), headed=True)
        if not tree.nodes:
            return start
        self._own(start, end, NODE)
        self._own_exceptions(tree)
        for section in self.group:
            at_host = section.by_number.get(host)
            if at_host is not None:
                section.attach(at_host, tree)
                break
        else:
            title = f"Subquery of operator {host}: {expression}"
            self._add_section(_Section("physical", title, tree.nodes, tree.links, tree.notes, self.details))
        for owner, nodes, links in tree.initial:
            if nodes:
                title = f"Initial Plan of {owner or expression}"
                self._add_section(_Section("initial", title, nodes, links, [], self.details))
        return end

    # -- the rest

    def _rule_log(self, index: int) -> int:
        self.found.features.add("rule log")
        steps = len(self.found.trace.steps)
        end = rulelog.read_block(self.lines, index, self.size, self.found.trace, self.found.notes, graph_of_text)
        understood = len(self.found.trace.steps) > steps or "Applying Rule" not in self.text[index]
        self._own(index, end, LOG if understood else UNPARSED)
        return end

    def _code(self, index: int) -> int:
        end = index
        while end < self.size and (not self.text[end].strip() or _CODE.match(self.text[end])):
            end += 1
        self._own(index, end, CODE)
        return end

    def _own(self, start: int, end: int, owner: int) -> None:
        owners, text = self.found.owners, self.text
        for at in range(start, min(end, self.size)):
            owners[at] = owner if text[at].strip() else BLANK


def _behind_message(line: str) -> str:
    """The operator that the message of an error ends in: `AssertionError: No plan for Sort [a#1]`; empty where none."""
    if _MESSAGE.match(line) is None:
        return ""
    return next((line[at.start() :] for at in _IN_MESSAGE.finditer(line) if is_known(at[1])), "")


def _is_tail(line: str) -> bool:
    """Whether a line is what a cut has left of an operator's arguments: it closes brackets that it does not open."""
    name = _ROOT_NAME.match(line)
    closes = line.count("]") > line.count("[") or line.count(")") > line.count("(")
    return closes and not (name is not None and is_known(name[1]))


def _dedent(line: str, indent: int) -> str:
    return line[indent:] if not line[:indent].strip() else line.lstrip()


def _stage_of(nodes: list[PlanNode]) -> str:
    """The stage of a plan without a heading, as far as its operators tell."""
    if any("unresolved" in node.badges or node.op.startswith("Unresolved") for node in nodes):
        return "parsed"
    if any(node.codegen_stage is not None or "codegen" in node.badges or _PHYSICAL.search(node.op) for node in nodes):
        return "physical"
    if any(node.op in ("SubqueryAlias", "View") for node in nodes):
        return "analyzed"
    return "optimized" if any(_LOGICAL.search(node.op) for node in nodes) else "other"


class _Section:
    """A plan while its text is still being read: formatted subqueries may be added to it."""

    def __init__(
        self,
        stage: str,
        title: str,
        nodes: list[PlanNode],
        links: list[Link],
        notes: list[str],
        details: Details,
    ) -> None:
        self.stage = stage
        self.title = title
        self.nodes = nodes
        self.links = links
        self.notes = notes
        self.details = details
        self.by_number: dict[int, PlanNode] = {}

    def number_operators(self, first: int = 0) -> None:
        """Give nodes their operator number when the tree carries numbers at its line ends (`explain formatted`)."""
        nodes = self.nodes
        if first == 0 and not all(formatted.NUMBER.search(node.text) for node in nodes[:2]):
            return
        for node in nodes[first:]:
            match = formatted.NUMBER.search(node.text)
            if match:
                node.operator_id = int(match.group(1))
                self.by_number.setdefault(node.operator_id, node)

    def attach(self, host: PlanNode, tree: Tree) -> None:
        """Hang the tree under `host`, renumbering its nodes to follow this plan's."""
        offset = len(self.nodes)
        for node in tree.nodes:
            node.id += offset
            node.depth += host.depth + 1
            if node.parent is None:
                node.parent = host.id
                self.links.append(Link(host.id, node.id, "subquery"))
            else:
                node.parent += offset
        self.links.extend(Link(link.source + offset, link.target + offset, link.type) for link in tree.links)
        self.nodes.extend(tree.nodes)
        self.number_operators(offset)

    def graph(self) -> PlanGraph:
        """The finished plan, with its cross links and the codegen stages that the detail blocks told."""
        for number, node in self.by_number.items():
            if number in self.details.stages:
                node.codegen_stage = self.details.stages[number]
                node.badges = tuple(badge for badge in node.badges if badge != "codegen")
        graph = PlanGraph.from_nodes(self.stage, self.title, self.nodes, self.links, self.notes)
        link_references(graph)
        return graph
