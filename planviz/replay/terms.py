"""A printed expression as a tree of terms.

Catalyst prints text without quotes, so a text has several readings: `concat(a#1, , , b#2)`. The reader goes through
them from the likeliest on and takes the first that fits to the end; columns whose names are known are found first, for
a name may hold anything: `(avg(x) * 1.2)#531`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

from planviz.replay.scala_types import NESTED
from planviz.replay.term import Item, Reading, Stops, Term, Unreadable

#: How many readings of constants are tried before an expression counts as unreadable.
BUDGET = 60_000
#: How deep an expression may nest.
DEEPEST = 150
_ID = re.compile(r"#(\d+)(L?)(?![\w])")
_NAME = re.compile(r"(?:<lambda>|[A-Za-z_$][\w$.]*)(?=\()")
_RESULT = re.compile(r"#(\d+)(L?)(?!\w)")
SUBQUERY = re.compile(r"(scalar-subquery|exists|list|lateral-subquery|dynamicpruning|subquery)#(\d+) \[")
_OPERATOR = re.compile(r" (<=>|>>>|<<|>>|<=|>=|!=|<>|AND|OR|div|\|\||&&|[-+*/%=<>&|^]) ")
_SIGN = re.compile(r" ([-+]) ")
_PART = re.compile(r"\.([A-Za-z_]\w*(?:\([\w*]*\))?)")
_PATTERN = re.compile(r" (LIKE|RLIKE|ILIKE) ")
_ESCAPE = re.compile(r" ESCAPE '(.)'")
_TAIL = re.compile(r"(|,\d+,\d+(?:,\w+)?|, ?DecimalType\(\d+,\d+\)(?:, ?(?:true|false))?)\)")
#: The method of an object that Spark made of a function: `invoke(StructsToJsonEvaluator(...).evaluate(a#1))`.
_METHOD = re.compile(r"(?<=\))\.(\w+)\(")
_NUMBER = re.compile(r"-?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?(?=$|[,)\] ])")
_INTERVAL = re.compile(r"INTERVAL '[^']*' (?:YEAR|MONTH|DAY|HOUR|MINUTE|SECOND)(?: TO (?:MONTH|HOUR|MINUTE|SECOND))?")
#: A folded day or moment that an interval is added to: such a sum has no brackets of its own.
_MOMENT = re.compile(
    r"\d{4}-\d\d-\d\d(?: \d\d:\d\d:\d\d(?:\.\d+)?)?"
    r"(?= [-+] (?:INTERVAL '|-?[\d.]+ (?:years|months|days|hours|minutes|seconds)\b))"
)
_ORDER = re.compile(r" (ASC|DESC) (NULLS FIRST|NULLS LAST)")
_SUFFIX = re.compile(r" (?:AS .*#\d|IN \(|INSET |LIKE |(?:ASC|DESC) NULLS )")
_NAMED = re.compile(r" (?:AS .*#\d|(?:ASC|DESC) NULLS )")
_EMPTY = re.compile(r" AS [^#,\[\]]+#\d+L?(?=, |\]|$)")
_LAMBDA = re.compile(r"lambda ('?[\w.]+)#(\d+)(L?)")
_ALIAS_END = re.compile(r"#(\d+)(L?)(-T\d+ms)?(?=$|, |\]|\)| AS | ASC| DESC)")


class Terms:
    """Reads one line's expressions. `names` gives the printed name of a column by its id, None for an id not known.

    `open` tells that columns may stand here that nobody knows: then every `name#1` is a column. `also` are names that
    columns have here, under whatever id.
    """

    def __init__(
        self,
        text: str,
        names: Callable[[int], Sequence[str] | None],
        open: bool = False,
        also: Callable[[], frozenset[str]] = frozenset,
    ) -> None:
        self.text, self.names, self.open, self.also = text, names, open, also
        self.left = BUDGET
        self.deep = 0
        #: Where constants may end that stand in brackets, by place and by whether an operator ends them, too: a text
        #: that cannot be read is read in many ways, over the same places.
        self._ended: dict[tuple[int, Stops], list[int]] = {}
        self._operand_ends: Stops = lambda p: text.startswith(")", p) or _OPERATOR.match(text, p) is not None
        self._bracket_ends: Stops = lambda p: text.startswith(")", p)

    @property
    def is_spent(self) -> bool:
        """Whether the text was given up after as many readings as one may have."""
        return self.left < 0

    @cached_property
    def starts(self) -> list[int]:
        """Where columns begin, in order."""
        return sorted(self.columns)

    @cached_property
    def columns(self) -> dict[int, Term]:
        """The columns by where they begin. Of a leaf, whose line only lists columns, nobody asks."""
        found: dict[int, Term] = {}
        text = self.text
        subqueries = {m.end(1) for m in SUBQUERY.finditer(text)} if "#" in text and " [" in text else set()
        for m in _ID.finditer(text):
            if m.start() in subqueries:
                continue
            known = self.names(int(m.group(1)))
            name = next((t for n in known or () if (t := text[max(m.start() - len(n), 0) : m.start()]) == n), None)
            if name is None and known:
                # A query may write a name in other capitals than the table.
                spelt = (text[max(m.start() - len(n), 0) : m.start()] for n in known)
                name = next((t for t, n in zip(spelt, known, strict=True) if t.lower() == n.lower()), None)
            if name is None and known is None:
                bare = _bare_name(text, m.start())
                name = bare if self.open or bare in self.also() else None
            if not name:
                continue
            start = m.start() - len(name)
            if start and (text[start - 1].isalnum() or text[start - 1] == "_"):
                continue
            while found and (last := next(reversed(found))) >= start:  # starts stand in order
                del found[last]
            if text.endswith("lambda ", 0, start):
                continue
            found[start] = Term("column", start, m.end(), (name, m.group(1), m.group(2)), (), text[start : m.end()])
        return found

    # -------------------------------------------------------------------------------------------- whole texts

    def one(self, start: int = 0, end: int | None = None) -> Term:
        """The expression from `start` to `end`. Raises Unreadable."""
        return self._first(start, len(self.text) if end is None else end)

    def listed(self, start: int, closing: str = "]", separator: str = ", ") -> tuple[tuple[Term, ...], int]:
        """The expressions of a list whose first item begins at `start`, and where its bracket closes.

        Raises Unreadable.
        """
        text = self.text
        if text.startswith(closing, start):
            return (), start
        try:
            for items, end in self._items(start, closing, separator):
                return items, end
        except RecursionError:
            pass
        raise Unreadable(text[start : start + 80])

    def _first(self, start: int, end: int) -> Term:
        try:
            for term in self._expression(start, lambda at: at == end):
                if term.end == end:
                    return term
        except RecursionError:
            pass
        raise Unreadable(self.text[start:end][:80])

    # -------------------------------------------------------------------------------------------- readings

    def _spend(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise Unreadable(self.text[:80])

    def _items(self, start: int, closing: str, separator: str) -> Iterator[tuple[tuple[Term, ...], int]]:
        """Every way to read `a, b, c)`: the items and where the closing bracket stands.

        Each item holds the one before it, so that a list of thousands is copied once, when it closes.
        """
        text = self.text

        def stops(at: int) -> bool:
            return text.startswith(separator, at) or text.startswith(closing, at)

        stack: list[tuple[Reading, Item | None]] = [(self._expression(start, stops), None)]
        while stack:
            readings, before = stack[-1]
            term = next(readings, None)
            if term is None:
                stack.pop()
                continue
            self._spend()
            item = Item(term, before)
            if text.startswith(closing, term.end):
                yield item.listed(), term.end
            if text.startswith(separator, term.end):
                stack.append((self._expression(term.end + len(separator), stops), item))

    def _expression(self, start: int, stops: Stops) -> Reading:
        """Every reading of an expression that begins here and ends where `stops` says so."""
        self._spend()
        self.deep += 1
        try:
            if self.deep > DEEPEST:
                raise Unreadable(self.text[:80])
            for term in self._primary(start, stops):
                for whole in self._behind(term, stops):
                    # Readings that wait for others to fail are not nested in what is read meanwhile.
                    self.deep -= 1
                    yield whole
                    self.deep += 1
        finally:
            self.deep -= 1

    def _behind(self, term: Term, stops: Stops) -> Reading:
        """What may follow an operand: an item, a part, IN, LIKE, AS, an order, a window, a loose operator."""
        for more in self._suffixed(term, stops):
            yield from self._behind(more, stops)
        if stops(term.end):
            yield term
            # `(date + INTERVAL '1' DAY >= b)`: a sum of a date has no brackets, so that its sign looks like the stop.
            yield from self._loose(term, stops)

    def _loose(self, term: Term, stops: Stops) -> Reading:
        m = _SIGN.match(self.text, term.end)
        if m is not None:
            for right in self._expression(m.end(), self._before_name(stops)):
                yield self._made("spaced", term.start, right.end, (m.group(1),), (term, right))

    def _before_name(self, stops: Stops) -> Stops:
        """Also in front of a name or a direction: those belong to all that was read, not to its last part."""
        return lambda p: stops(p) or _NAMED.match(self.text, p) is not None

    def _suffixed(self, term: Term, stops: Stops) -> Reading:
        text, at, start = self.text, term.end, term.start
        if at >= len(text):
            return
        c = text[at]
        if c == "[" and term.kind != "constant":
            for inner in self._expression(at + 1, lambda p: text.startswith("]", p)):
                yield self._made("item", start, inner.end + 1, (), (term, inner))
        elif c == "." and (m := _PART.match(text, at)) and term.kind != "constant":
            yield self._made("part", start, m.end(), (m.group(1),), (term,))
        elif c != " ":
            return
        elif text.startswith(" IN (", at):
            if (m := SUBQUERY.match(text, at + 5)) is not None:
                for plan in self._plan(m):
                    if text.startswith(")", plan.end):
                        yield self._made("in", start, plan.end + 1, (), (term, plan))
                return
            for items, end in self._items(at + 5, ")", ","):
                yield self._made("in", start, end + 1, (), (term, *items))
        elif text.startswith(" INSET ", at):
            first = at + 7
            bracket = text.startswith("(", first)
            for end in self._ends(first, stops):
                inside = text[first + bracket : end - bracket]
                yield self._made("inset", start, end, (inside, "(" if bracket else ""), (term,))
        elif (m := _PATTERN.match(text, at)) is not None:
            ends = self._before_name(stops)
            for pattern in self._expression(m.end(), lambda p: ends(p) or text.startswith(" ESCAPE '", p)):
                if (e := _ESCAPE.match(text, pattern.end)) is not None:
                    yield self._made("like", start, e.end(), (m.group(1), e.group(1)), (term, pattern))
                else:
                    yield self._made("like", start, pattern.end, (m.group(1),), (term, pattern))
        elif text.startswith(" AS ", at) and not stops(at):
            for m in _ALIAS_END.finditer(text, at + 4):
                yield self._made("alias", start, m.end(), (text[at + 4 : m.start()], m.group(1), m.group(2)), (term,))
        elif (m := _ORDER.match(text, at)) is not None and not stops(at):
            yield self._made("order", start, m.end(), (m.group(1), m.group(2)), (term,))
        elif text.startswith(" windowspecdefinition(", at):
            for spec in self._call(at + 1, "windowspecdefinition"):
                yield self._made("window", start, spec.end, (), (term, spec))
        elif text.startswith(" FILTER (WHERE ", at):
            for where in self._expression(at + 15, lambda p: text.startswith(")", p)):
                yield self._made("filter", start, where.end + 1, (), (term, where))
        elif text.startswith(" ignore nulls", at):
            yield self._made("nulls", start, at + 13, (), (term,))
        elif not stops(at):
            yield from self._loose(term, stops)

    def _made(
        self, kind: str, start: int, end: int, value: tuple[str, ...] = (), children: tuple[Term, ...] = ()
    ) -> Term:
        return Term(kind, start, end, value, children, self.text[start:end])

    def _primary(self, start: int, stops: Stops) -> Reading:
        text = self.text
        column = self.columns.get(start)
        if column is not None:
            yield column
            return
        found = False
        for term in self._written(start, stops):
            found = True
            yield term
        if found and (text.startswith(("cast(", "CASE ", "((", "INTERVAL '"), start) or _MOMENT.match(text, start)):
            return
        for end in self._ends(start, stops):
            yield self._made("constant", start, end, (text[start:end],))

    def _written(self, start: int, stops: Stops) -> Reading:
        text = self.text
        c = text[start : start + 1]
        if c == "(":
            yield from self._bracketed(start)
        elif text.startswith("NOT ", start):
            for inner in self._expression(start + 4, self._before_name(stops)):
                yield self._made("not", start, inner.end, (), (inner,))
        elif text.startswith("CASE WHEN ", start):
            yield from self._case(start)
        elif text.startswith("if (", start):
            yield from self._if(start, stops)
        elif text.startswith(("cast(", "try_cast(", "ansi_cast("), start):
            yield from self._cast(start)
        elif (m := SUBQUERY.match(text, start)) is not None:
            yield from self._plan(m)
        elif (m := _LAMBDA.match(text, start)) is not None:
            yield self._made("lambda", start, m.end(), (m.group(1), m.group(2), m.group(3)))
        elif (
            m := _INTERVAL.match(text, start) or _MOMENT.match(text, start) or _NUMBER.match(text, start)
        ) is not None:
            yield self._made("constant", start, m.end(), (m.group(),))
        elif c in "-~" and c:
            kind = "minus" if c == "-" else "tilde"
            for inner in self._primary(start + 1, stops):
                # A number holds its sign, and a text has none.
                folds = inner.text.startswith("INTERVAL '") or (c == "~" and _NUMBER.fullmatch(inner.text))
                if inner.kind != "constant" or folds:
                    yield self._made(kind, start, inner.end, (), (inner,))
        elif text.startswith(NESTED, start):
            yield self._made("constant", start, end := self._closed(start), (text[start:end],))
        elif (m := _NAME.match(text, start)) is not None:
            yield from self._call(start, m.group())
        elif c == "[" and text.startswith("]", start + 1):
            yield self._made("constant", start, start + 2, ("[]",))

    def _call(self, start: int, name: str) -> Reading:
        text, inside = self.text, start + len(name) + 1
        if text.startswith(")", inside):
            yield self._called(start, inside + 1, (name,), ())
        if name == "invoke" and (m := _METHOD.search(text, inside)) is not None:
            for items, end in self._items(m.end(), ")", ", "):
                if text.startswith("))", end):
                    yield self._made("call", start, end + 2, (name, text[inside : m.start()], m.group(1)), items)
        if name in ("MakeDecimal", "UnscaledValue", "CheckOverflow", "promote_precision"):
            for value in self._expression(inside, lambda p: text[p : p + 1] in (",", ")")):
                if (m := _TAIL.match(text, value.end)) is not None:
                    yield self._made("call", start, m.end(), (name, m.group(1)), (value,))
            return
        distinct = text.startswith("distinct ", inside)
        first = inside + 9 if distinct else inside
        said = (name, "distinct") if distinct else (name,)
        for items, end in self._items(first, ")", ", "):
            yield self._called(start, end + 1, said, items)

    def _closed(self, start: int) -> int:
        """Where the first bracket that opens from here on is closed; the end of the text where it is not."""
        depth = 0
        for at in range(start, len(self.text)):
            depth += (self.text[at] == "(") - (self.text[at] == ")")
            if depth == 0 and self.text[at] == ")":
                return at + 1
        return len(self.text)

    def _called(self, start: int, end: int, said: tuple[str, ...], items: tuple[Term, ...]) -> Term:
        """A call; one with an id behind it is of a function written in Python."""
        m = _RESULT.match(self.text, end)
        if m is None:
            return self._made("call", start, end, said, items)
        return self._made("python", start, m.end(), (said[0], m.group(1), m.group(2)), items)

    def _plan(self, m: re.Match[str]) -> Reading:
        text, label = self.text, (m.group(1), m.group(2))
        if text.startswith("]", m.end()):
            yield self._made("subquery", m.start(), m.end() + 1, label)
            return
        for items, end in self._items(m.end(), "]", " && "):
            yield self._made("subquery", m.start(), end + 1, label, items)

    def _cast(self, start: int) -> Reading:
        text = self.text
        inside = text.index("(", start) + 1
        for inner in self._expression(inside, lambda p: text.startswith(" as ", p)):
            end = _type_end(text, inner.end + 4)
            if end is not None:
                kind = text[inner.end + 4 : end]
                yield self._made("cast", start, end + 1, (text[start : inside - 1], kind), (inner,))

    def _if(self, start: int, stops: Stops) -> Reading:
        text = self.text
        for test in self._expression(start + 4, lambda p: text.startswith(") ", p)):
            for then in self._expression(test.end + 2, lambda p: text.startswith(" else ", p)):
                for other in self._expression(then.end + 6, self._before_name(stops)):
                    yield self._made("if", start, other.end, (), (test, then, other))

    def _case(self, start: int) -> Reading:
        text = self.text
        words = (" WHEN ", " ELSE ", " END")

        def behind(p: int) -> bool:
            return text.startswith(words, p)

        def then(p: int) -> bool:
            return text.startswith(" THEN ", p)

        stack: list[tuple[Iterator[Term], tuple[Term, ...]]] = [(self._expression(start + 10, then), ())]
        while stack:
            readings, before = stack[-1]
            term = next(readings, None)
            if term is None:
                stack.pop()
                continue
            self._spend()
            parts, at = (*before, term), term.end
            if len(parts) % 2:
                if then(at):
                    stack.append((self._expression(at + 6, behind), parts))
                elif text.startswith(" END", at):
                    yield self._made("case", start, at + 4, ("else",), parts)
                continue
            if text.startswith(" WHEN ", at):
                stack.append((self._expression(at + 6, then), parts))
            elif text.startswith(" ELSE ", at):
                stack.append((self._expression(at + 6, lambda p: text.startswith(" END", p)), parts))
            elif text.startswith(" END", at):
                yield self._made("case", start, at + 4, (), parts)

    def _bracketed(self, start: int) -> Reading:
        text = self.text
        for left in self._expression(start + 1, self._operand_ends):
            if text.startswith(")", left.end):
                yield self._made("group", start, left.end + 1, (), (left,))
                continue
            m = _OPERATOR.match(text, left.end)
            if m is None:
                continue
            for right in self._expression(m.end(), self._bracket_ends):
                yield self._made("operator", start, right.end + 1, (m.group(1),), (left, right))

    def _ends(self, start: int, stops: Stops) -> list[int]:
        """Where a constant that begins here may end: balanced texts first, empty ones then, the rest last."""
        if stops is not self._operand_ends and stops is not self._bracket_ends:
            return self._constant_ends(start, stops)
        found = self._ended.get((start, stops))
        if found is None:
            found = self._ended[start, stops] = self._constant_ends(start, stops)
        return found

    def _constant_ends(self, start: int, stops: Stops) -> list[int]:
        text = self.text
        if text.startswith(", lambdafunction(", start):
            return [start]  # an empty text that a function starts with, and what follows is no part of it
        empty = [start] if _EMPTY.match(text, start) else []
        limit = next((s for s in self.starts if s >= start), len(text))
        balanced: list[int] = []
        rest: list[int] = []
        depth = 0
        at = start
        while at <= limit and len(balanced) + len(rest) < 24:
            if stops(at) or (at > start and text[at : at + 1] == " " and _SUFFIX.match(text, at)):
                (balanced if depth == 0 and at > start else rest).append(at)
                if depth < 0 and len(balanced) + len(rest) > 6:
                    break
            if at < len(text):
                depth += (text[at] in "([") - (text[at] in ")]")
            at += 1
        return empty + balanced + rest


def _type_end(text: str, at: int) -> int | None:
    """Where the type of a cast ends: at the bracket that closes the cast."""
    depth = 0
    for p in range(at, min(len(text), at + 20_000)):
        c = text[p]
        if c == "(":
            depth += 1
        elif c == ")":
            if depth == 0:
                return p
            depth -= 1
    return None


def _bare_name(text: str, end: int) -> str:
    """The name in front of an id that nobody knows: back to a space, a comma or a bracket."""
    start = end
    while start and (text[start - 1].isalnum() or text[start - 1] in "_$.-"):
        start -= 1
    return text[start:end].lstrip("-.")
