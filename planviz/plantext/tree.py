"""Indented operator lines -> nodes.

Spark prints one operator a line: `:  ` and spaces for the levels above, `:- ` before a child that has a later sibling,
`+- ` before the last one (TreeNode.generateTreeString). A subquery ("inner child") stands two levels deeper than its
host and before the host's children. Under AdaptiveSparkPlan the lines `+- == Final Plan ==` and
`+- == Initial Plan ==` open whole plans without marks of their own.

Nothing is escaped, so a line break or a `+- ` inside a literal can fake an operator. Where a line has more opening
than closing brackets, the lines up to the one that closes them are read both ways; see `_literal_end`.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from planviz.graph import PlanNode, is_known, kind_of
from planviz.graph.kinds import is_exchange
from planviz.graph.node import Arguments, Link
from planviz.plantext.brackets import balance_of, opens
from planviz.plantext.estimates import MEASURED_STAGES, estimate_of, runtime_statistics
from planviz.plantext.lines import Lines
from planviz.plantext.open_nodes import OpenNode, OpenPlan
from planviz.plantext.operator_line import parts_of

#: The star of a generated stage is gone where a page or an editor took it for a mark of its own: `(2) Sort [a#1], ..`.
_BODY = re.compile(
    r"(?:(?:\*|(?=\(\d+\) [A-Z]\w* ?(?:\((?!\d+\)$)|\[(?!codegen id))))(?:\((\d{1,18})\))? ?|\^\(?(\d{0,18})\)? ?)?"
    r"(['!~]*)(?:\*(?:\((\d{1,18})\))? ?)?-?([A-Za-z_][\w$.]*)"
)
_MARKED = re.compile(r"([ :]*?)(?:[+:]- ?)(?=[*'!~^(\w=-])")
_SECTION = re.compile(r"== (Final|Current|Initial) Plan ==\s*$")
_EQUALS = re.compile(r"== ([A-Z]\w*)(.*) ==\s*$")
#: An entry of a scan on a line of its own, as an author wraps them.
_KEYED = re.compile(r"(?:Batched|DataFilters|Format|Location|PartitionFilters|PushedFilters|ReadSchema): ")
_END = re.compile(
    r"\s*+(?:>>>|[\"'`]{3}|[\"'`)]++[;,.}\])]*\s*$|</|"
    r"scala>|spark-sql\b.*>|sql>|In \[\d*\]:|Out\[\d*\]:|res\d+:|```|Time taken|Fetched \d|"
    r"\d+ rows? selected|\(\d+ rows?\)|== |[\])}]+\.\w+\(|=== |-- |import |Found \d+ WholeStage|Generated code:|"
    r"// |\*/|Traceback|(?<=\t)at |(?<=\s)at [\w.$]+\(|only showing|"
    r"\s*(?:if|for|while|val|var|def|return|assert\w*|throw|raise|print\w*|public|private|override)\b ?[(\w]|"
    r"\s*[a-z_]\w* = )"
)
#: What no operator's text holds, open brackets or not: the end of a Markdown block, or of what a notebook prints.
_STOP = re.compile(r"\s*(?:`{3}|\*\*\* WARNING: max output size exceeded)")
_CALL = re.compile(r"\w+\($|\)$")
_PROSE = re.compile(r"[\w'’-]+ [\w'’-]+ [\w'’-].*[.:?!]\s*$|\w+(?: \w+)*:\s*$")
_HOLDS_SQL = re.compile(r"View|Function|CacheTable|Compound|Script")
_LOOKAHEAD = 64
_PLAIN_ENOUGH = 8

Reader = Callable[[PlanNode], Arguments]


class Tree:
    """Operators read from one indented text: the plan itself and, beside it, adaptive initial plans found inside.

    `nodes` belong to the plan, `initial` is a list of `(nodes, title)`; `sections` holds the adaptive headings met
    ("Final", "Current", "Initial"), `headings` the clean lines they stood on, `remarks` lines
    between operators that belong to none; `notes` are sentences for the reader.
    """

    __slots__ = ("headings", "initial", "links", "nodes", "notes", "remarks", "sections")

    def __init__(self) -> None:
        self.nodes: list[PlanNode] = []
        self.links: list[Link] = []
        self.initial: list[tuple[str, list[PlanNode], list[Link]]] = []
        self.sections: list[str] = []
        self.headings: list[int] = []
        self.remarks: list[int] = []
        self.notes: list[str] = []


def read_tree(lines: Lines, start: int, stop: int, reader: Reader, *, headed: bool) -> tuple[Tree, int]:
    """Read operators from clean line `start` (0-based) on; returns them and the first line that is not theirs.

    `headed` tells that a heading announced the plan, so that its first line is an operator whatever it looks like and
    an unmarked line goes on with the operator before it.
    """
    return _TreeReader(lines, stop, reader, headed).read(start)


class _TreeReader:
    def __init__(self, lines: Lines, stop: int, reader: Reader, headed: bool) -> None:
        self.text = lines.text
        self.number = lines.number
        self.end = lines.end
        self.builder_ends = lines.builder_ends
        self.stop = stop
        self.reader = reader
        self.headed = headed
        self.tree = Tree()
        self.plan = OpenPlan(self.tree.nodes, self.tree.links)
        self.stack: list[OpenNode] = []
        self.continued: dict[int, tuple[PlanNode, list[str]]] = {}
        self.shifted = False  # an operator stands at the column of one that was the last child
        self.usual = False  # beneath the root an operator stands three columns right of its parent
        self.pending = False  # an adaptive heading waits for the root of its plan

    def read(self, start: int) -> tuple[Tree, int]:
        text, stop = self.text, self.stop
        index = start
        while index < stop:
            if index > start and self.number[index] < self.number[index - 1]:
                break  # a diff's other side
            line = text[index]
            bare = line.lstrip(" :")
            column = len(line) - len(bare)
            if bare[:3] == "+- ":
                body = bare[3:].lstrip()
            elif bare[:2] == "- " and column and line[column - 1] == ":":
                column -= 1
                body = bare[2:].lstrip()
            elif not bare:
                following = self._after_blank(index)
                if following is None:
                    break
                index = following
                continue
            elif bare[:2] == "+-" and bare[2:3] not in ("-", "+", "=", ""):
                body = bare[2:]
            else:
                following = self._unmarked(index, line, bare, column)
                if following is None:
                    break
                index = following
                continue
            if body[:3] == "== ":
                if self._section(body, column, index):
                    index += 1
                    continue
                if (named := _EQUALS.match(body)) is not None and is_known(named[1]):
                    body = named[1] + named[2]  # written where a heading of adaptive execution stands
            match = _BODY.match(body)
            if match is None and not self._is_operator_line(body):
                self._no_operator(index)
                if body.strip() in ("...", "…"):
                    self._left_out(column)
                index += 1
                continue
            last = index
            if opens(body):
                last = self._literal_end(index, body)
                if last > index:
                    body = self._joined(body, index, last)
            self._add(column, body, match, self.number[index], self.end[last], last_child=bare[0] == "+")
            index = last + 1
        self._finish()
        self._cut_off(index)
        return self.tree, index

    def _cut_off(self, index: int) -> None:
        """Tells where a notebook's own words stand in place of the rest of a plan."""
        while index < self.stop - 1 and not self.text[index].strip():
            index += 1
        if (
            index < self.stop
            and self.tree.nodes
            and self.text[index].lstrip()[:4] == "*** "
            and _STOP.match(self.text[index])
        ):
            self.tree.notes.append(
                f"Line {self.number[index]}: the notebook cut its output off here; what comes below is missing."
            )

    # -- lines without a tree mark

    def _unmarked(self, index: int, line: str, bare: str, column: int) -> int | None:
        """Deal with a line that has no mark; returns the next line's index, or None where the tree ends."""
        if self.pending:
            return self._root(index, bare, self.stack[-1].column)
        if not self.stack:
            if _SECTION.match(bare) or (not self.headed and (_BODY.match(bare) is None or is_prose(bare))):
                return None
            return self._root(index, bare, column - 3)
        top = self.stack[-1]
        if top.node is None or _STOP.match(bare):
            return None
        comment = bare[:2] == "# " and self._mark_fits(index + 1)  # an author's, on the operator below it
        if top.still_opens() or (self._goes_on(top, column, bare) and not comment and _END.match(line) is None):
            self._continue(index)
            return index + 1
        if self._mark_fits(index + 1) and not self._starts_plan(bare):
            self.tree.remarks.append(index)
            return index + 1
        return None

    @classmethod
    def _goes_on(cls, top: OpenNode, column: int, bare: str) -> bool:
        # The text of a view or a script stands in a command's arguments as it was written, line breaks included.
        if column > top.column + 3 or (top.node is not None and bool(_HOLDS_SQL.search(top.node.op))):
            return True
        below_name = column == top.column + 3 and top.node is not None and top.node.parent is not None
        # No plan begins with a bracket: it is a list that an author has put below the name of its operator.
        return below_name and bool(bare[:1] in "[(" or _CALL.match(bare) or _KEYED.match(bare) or top.ends_in_a_comma)

    @staticmethod
    def _starts_plan(bare: str) -> bool:
        match = _BODY.match(bare)
        return match is not None and (is_known(match.group(5)) or bool(match.group(3)))

    def _mark_fits(self, index: int) -> bool:
        """Whether the line at `index` is marked and may be a child or a later sibling in the tree so far."""
        if index >= self.stop or not self.stack:
            return False
        match = _MARKED.match(self.text[index])
        return match is not None and self.stack[0].column < match.end(1) <= self.stack[-1].column + 6

    def _after_blank(self, index: int) -> int | None:
        """The line after blank ones that goes on with the tree, or None; the first of them may have rails."""
        after = index + 1
        while after < self.stop and after < index + 3 and not self.text[after].strip():
            after += 1
        if any(self.number[at] < self.number[index] for at in range(index + 1, min(after + 1, self.stop))):
            return None  # a diff's other side
        if self.stack and self.stack[-1].still_opens() and self._closes_after(self.stack[-1], after):
            for line in range(index, after):
                self._continue(line)
            return after
        return after if self._mark_fits(after) else None

    def _closes_after(self, top: OpenNode, start: int) -> bool:
        balance = top.balance or 0
        for at in range(start, min(self.stop, start + _PLAIN_ENOUGH)):
            if _MARKED.match(self.text[at]) or self.text[at].startswith("== ") or _STOP.match(self.text[at]):
                return False
            balance += balance_of(self.text[at])
            if balance <= 0:
                return True
        return False

    def _root(self, index: int, bare: str, mark: int) -> int | None:
        match = _BODY.match(bare)
        if match is None and not self._is_operator_line(bare):
            return None
        if _END.match(bare):
            return None
        last = index
        if opens(bare):
            last = self._literal_end(index, bare)
            if last > index:
                bare = self._joined(bare, index, last)
        self._add(mark, bare, match, self.number[index], self.end[last], root=True)
        self.pending = False
        return last + 1

    def _no_operator(self, index: int) -> None:
        """A mark with nothing behind it that could be an operator: a literal's, or where a text was cut off."""
        top = self.stack[-1] if self.stack else None
        if top is None or top.node is None or top.still_opens() or _HOLDS_SQL.search(top.node.op):
            self._continue(index)
        else:
            self.tree.remarks.append(index)

    def _left_out(self, column: int) -> None:
        """Operators that an author has left out: what stands beneath them goes to the operator above them."""
        while len(self.stack) > 1 and self.stack[-1].column >= column and not self.stack[-1].section:
            self.stack.pop()
        if self.stack and self.stack[-1].node is not None:
            above = self.stack[-1]
            self.stack.append(OpenNode(column, above.node, above.plan))

    def _continue(self, index: int) -> None:
        """The line goes on with the operator before it (a line break inside one of its arguments)."""
        node = self.stack[-1].node if self.stack else None
        if node is None:
            self.tree.headings.append(index)
            return
        top, line = self.stack[-1], self._dedented(index)
        top.ends_in_a_comma = line.rstrip()[-1:] == ","
        if top.balance is not None and (top.still_opens() or _CALL.match(line.strip())):
            top.balance += balance_of(line)
        self.continued.setdefault(id(node), (node, []))[1].append(line)
        assert node.source is not None
        node.source = (node.source[0], self.end[index])

    def _joined(self, body: str, index: int, last: int) -> str:
        return "\n".join([body, *(self._dedented(at) for at in range(index + 1, last + 1))])

    def _dedented(self, index: int) -> str:
        """A line that goes on with an operator, without the indentation that the whole plan was pasted with."""
        line, base = self.text[index], self.stack[0].column + 3 if self.stack else 0
        rails = self.stack[-1].column if self.stack else 0
        if rails > 0 and ":" in line[:rails] and not line[:rails].strip(" :"):
            line = " " * rails + line[rails:]
        return line[base:] if base > 0 and not line[:base].strip() else line

    @staticmethod
    def _is_operator_line(body: str) -> bool:
        # A mark followed by something that is no name: `+- <unknown>`, `+- [x`. Without any letter it is no operator.
        return body[:1] not in ")],;%" and any(map(str.isalpha, body[:40]))

    # -- adaptive headings

    def _section(self, body: str, column: int, index: int) -> bool:
        match = _SECTION.match(body)
        if match is None:
            return False
        name = match.group(1)
        stack = self.stack
        open_sections = (k for k in range(len(stack) - 1, -1, -1) if stack[k].section and stack[k].column == column)
        at = next(open_sections, None)
        if name == "Initial" and at is None and not self._awaits_plan():  # indented by hand
            at = next((k for k in range(len(stack) - 1, -1, -1) if stack[k].section), None)
            if at is None and stack:  # the text begins below the heading of the final plan
                at = 0
        # Without a final or current plan beside it (as Databricks prints), the initial plan is the plan.
        if name == "Initial" and at is not None:
            del stack[at:]
            links: list[Link] = []
            nodes: list[PlanNode] = []
            self.tree.initial.append((self._owner_name(), nodes, links))
            stack.append(OpenNode(column, None, OpenPlan(nodes, links), section=True))
        else:
            host = stack[-1] if stack else None
            plan = self.plan if host is None else host.plan
            stack.append(OpenNode(column, None if host is None else host.node, plan, section=True))
        self.tree.sections.append(name)
        self.tree.headings.append(index)
        self.pending = True
        return True

    def _awaits_plan(self) -> bool:
        """Whether the operator above is an AdaptiveSparkPlan, of which an initial plan alone may be printed."""
        node = self.stack[-1].node if self.stack else None
        return node is not None and node.op == "AdaptiveSparkPlan"

    def _owner_name(self) -> str:
        """Where an adaptive plan stands: "subquery#12", "cached data"; empty for the query itself."""
        for entry in reversed(self.stack):
            node = entry.node
            if node is not None and node.op == "InMemoryRelation":
                return "cached data"
            if node is not None and node.op.startswith("Subquery"):
                words = node.text.split()
                return words[1].rstrip(",") if len(words) > 1 else ""
        return ""

    # -- nodes

    def _add(
        self,
        column: int,
        body: str,
        match: re.Match[str] | None,
        first: int,
        last: int,
        *,
        root: bool = False,
        last_child: bool = False,
    ) -> None:
        stack = self.stack
        if not root:
            self._leave(column)
        parent, plan = (stack[-1].node, stack[-1].plan) if stack else (None, self.plan)
        nodes = plan.nodes
        op, text, stage, badges = parts_of(body, match)
        node = PlanNode(
            len(nodes),
            op,
            kind_of(op),
            text,
            source=(first, last),
            depth=0 if parent is None else parent.depth + 1,
            parent=None if parent is None else parent.id,
            codegen_stage=stage,
            badges=badges,
            reader=self.reader,
        )
        if "Statistics(" in text:
            if op in MEASURED_STAGES:
                node.metrics = runtime_statistics(text)
            else:
                node.estimate = estimate_of(text)
        if parent is not None and parent.op in MEASURED_STAGES and is_exchange(op):
            # The numbers are the exchange's own, as event logs have them; what is reused is counted where it stands.
            node.metrics, parent.metrics = parent.metrics, None
        nodes.append(node)
        if parent is not None and not root and (column - stack[-1].column == 6 or _is_cached(parent.op, op)):
            plan.links.append(Link(parent.id, node.id, "subquery"))
        elif parent is not None and parent.parent is not None and column - stack[-1].column == 3:
            self.usual = True
        stack.append(OpenNode(column, node, plan, last_child=last_child and not root))

    def _leave(self, column: int) -> None:
        """Leave the operators that one at this column does not stand beneath."""
        stack = self.stack
        # No operator follows the last child of its parent: at that column the indentation is lost.
        while stack and (stack[-1].column > column or (stack[-1].column == column and not stack[-1].last_child)):
            stack.pop()
        if stack and stack[-1].column == column and self._is_second_input(column):
            stack.pop()
        elif stack and stack[-1].column == column:
            self.shifted = True

    def _is_second_input(self, column: int) -> bool:
        """Whether the operator above at this column is a join's only input so far: an author gave both the mark of a
        last child, which Spark gives to the second input alone."""
        stack = self.stack
        if len(stack) < 2 or stack[-2].column >= column:
            return False
        join, only = stack[-2].node, stack[-1].node
        if join is None or only is None or join.kind != "join" or only.parent != join.id:
            return False
        return sum(node.parent == join.id for node in stack[-1].plan.nodes[join.id :]) == 1

    def _finish(self) -> None:
        for node, lines in self.continued.values():
            node.text = "\n".join([node.text, *lines])
        self._keep_inputs()
        if len(self.tree.nodes) > 1 and sum(1 for node in self.tree.nodes if node.parent is None) > 1:
            self.tree.notes.append("The text does not begin at the root of the plan: its first lines are missing.")

        if self.shifted:
            self.tree.notes.append(
                "Some operators stand under a sibling that was the last one: their indentation was lost, so they were "
                "read as its children."
            )

    def _keep_inputs(self) -> None:
        """Where every level is six columns wide, as by two tabs, the children that seem to be inner ones are inputs."""
        nodes, links = self.tree.nodes, self.tree.links
        inner = [link for link in links if not _is_cached(nodes[link.source].op, nodes[link.target].op)]
        if not self.usual and len(inner) > 1 and not any("ubquery" in nodes[link.target].op for link in inner):
            links[:] = [link for link in links if link not in inner]

    # -- line breaks inside literals

    def _literal_end(self, index: int, body: str) -> int:
        """The last line of an operator whose first line leaves brackets open; `index` when it ends there.

        Either a literal holds line breaks, then some later line closes the brackets, or Spark cut the text (or a
        literal holds a bracket), then the following lines are operators of their own. It is the former when a line
        closes the brackets within 64 lines and the lines between are not all plain operator lines. Wrong when a
        literal imitates a whole subtree of known operators, brackets included.
        """
        text = self.text
        if (end := self.builder_ends.get(index, self.stop)) < self.stop:
            return end
        balance = balance_of(body)
        stop = min(self.stop, index + _LOOKAHEAD)
        plain = True
        for at in range(index + 1, stop):
            line = text[at]
            if _STOP.match(line) or self.number[at] < self.number[index]:
                return index
            here = balance_of(line)
            balance += here
            if plain:
                bare = line.lstrip(" :")
                marked = bare[:3] == "+- " or bare[:2] == "- "
                match = _BODY.match(bare[3:] if bare[:3] == "+- " else bare[2:]) if marked else None
                plain = match is not None and is_known(match.group(5))
            elif not line.strip() and balance > 0 and at + 1 < stop and not text[at + 1].strip():
                return index
            if balance <= 0:
                if balance < 0 or plain or (here >= 0 and plain):
                    return index
                if not any(is_marked(other) for other in text[index + 1 : at + 1]):
                    return at
                self.tree.notes.append(
                    f"Lines {self.number[index]} to {self.number[at]} were read as one operator with line breaks in a "
                    "literal; the text alone cannot prove it."
                )
                return at
            if plain and ("..." in body or at - index >= _PLAIN_ENOUGH):
                return index
        return index


def is_prose(line: str) -> bool:
    """Whether a line above a tree is a sentence about it and no operator: words up to a colon or a full stop."""
    return not ("#" in line or "[" in line) and _PROSE.match(line.strip()) is not None


def is_marked(line: str) -> bool:
    """Whether a tree mark stands before the line's text: `+- ` or `:- `, behind rails and spaces."""
    bare = line.lstrip(" :")
    return bare[:3] == "+- " or (bare[:2] == "- " and line[len(line) - len(bare) - 1 : len(line) - len(bare)] == ":")


def _is_cached(parent: str, op: str) -> bool:
    """Whether an operator is the cache that its parent reads, or the plan of one: inner children at any indentation."""
    return parent == "InMemoryRelation" or (op == "InMemoryRelation" and parent.endswith("InMemoryTableScan"))
