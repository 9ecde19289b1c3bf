"""The type of a column, from how it is used."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache

from planviz.types import (
    BOOLEAN,
    DATE,
    DOUBLE,
    INT,
    LONG,
    NULL,
    STRING,
    TIMESTAMP,
    UNKNOWN,
    ArrayType,
    DataType,
    DecimalType,
    MapType,
    StructField,
    StructType,
    is_datetime,
    is_integral,
    is_numeric,
)

#: What a use says without naming a type: part of a sum or product, beside a whole number, a large one, a fraction, a
#: moment shifted by an interval, a text, a text that is a date, a text that is a number.
ARITHMETIC, WHOLE, LARGE, FRACTION, MOMENT, TEXT, DATE_TEXT, NUMBER_TEXT = range(8)

MONEY = DecimalType(18, 2)
#: Endings and words of names, as a last resort. The first that fits counts.
_NAMES: tuple[tuple[str, DataType], ...] = (
    (r"(^|_)(is|has)_", BOOLEAN),
    (r"(_at|(^|_)ts|timestamp|datetime|_time)$", TIMESTAMP),
    (r"(^|_)(dt|day)$|(?<!up)date$", DATE),
    (r"(^|_)(sk|id|uid|pk)$|key$", LONG),
    (r"(^|_)(count|cnt|qty|quantity|year|month|week|hour|minute|number|num|no|age|rank|size|seq|offset)$", INT),
    (
        r"(^|_)(price|amount|amt|cost|total|tax|discount|revenue|profit|salary|balance|fee|paid|sales|list|coupon|acctbal)"
        r"($|_)|price$",
        MONEY,
    ),
    (r"(^|_)(rate|ratio|percent|pct|score|weight|lat|lon|latitude|longitude)$", DOUBLE),
)
_DATE = re.compile(r"\s*\d{4}-\d{1,2}(-\d{1,2})?([ T].*)?\s*$")
_NUMBER = re.compile(r"\s*[-+]?\d+(\.\d*)?\s*$")


@lru_cache(maxsize=4096)
def named_type(name: str) -> DataType | None:
    """The type that a column's name alone suggests, or None."""
    plain = re.sub(r"([a-z])([A-Z])", r"\1_\2", name).lower()
    return next((t for pattern, t in _NAMES if re.search(pattern, plain)), None)


class Guess:
    """The type of one value: nothing at first, then what its uses say. Values that must agree share one guess."""

    def __init__(self, name: str = "", known: DataType | None = None, constant: object = None) -> None:
        self.constant = constant
        self._same: Guess | None = None
        #: What the names of the values suggest, the first that does.
        self.named = named_type(name) if name else None
        self.known = known
        self.types: Counter[DataType] = Counter()
        self.hints: set[int] = set()
        self.fields: dict[str, tuple[str, Guess]] = {}
        self.element: Guess | None = None
        self.is_map = False

    @property
    def root(self) -> Guess:
        """The guess that stands for all values that agree with this one."""
        root = self
        while root._same is not None:
            root = root._same
        at = self
        while at._same is not None:  # thousands may agree one by one: each comes straight to the root next time
            at._same, at = root, at._same
        return root

    def note(self, what: DataType | int) -> None:
        """One more use: with values of a type, or one of the hints above."""
        root = self.root
        if isinstance(what, int):
            root.hints.add(what)
        elif what not in (NULL, UNKNOWN):
            root.types[what] += 1

    def note_constant(self, value: object, t: DataType) -> None:
        """A use beside a constant."""
        if t == STRING:
            text = str(value)
            self.note(DATE_TEXT if _DATE.match(text) else NUMBER_TEXT if _NUMBER.match(text) else TEXT)
        elif is_integral(t):
            self.note(LARGE if t == LONG else WHOLE)
        elif is_numeric(t):
            self.note(FRACTION)
        elif is_datetime(t):
            self.note(MOMENT)
        else:
            self.note(t)

    def agree(self, other: Guess) -> None:
        """The two values have one type."""
        a, b = self.root, other.root
        if a is b:
            return
        if a.known is not None or b.known is not None:
            for one, two in ((a, b), (b, a)):
                if one.known is None and two.known is not None:
                    one.note(two.known)
            return
        b._same = a
        if a.named is None:
            a.named = b.named
        a.types.update(b.types)
        a.hints |= b.hints
        if b.fields:
            a.fields = {**b.fields, **a.fields}
        a.is_map = a.is_map or b.is_map
        a.element = a.element or b.element

    def field(self, name: str) -> Guess:
        """The field of a struct."""
        return self.root.fields.setdefault(name.lower(), (name, Guess(name)))[1]

    def item(self) -> Guess:
        """An element of an array, or a value of a map."""
        root = self.root
        if root.element is None:
            root.element = Guess()
        return root.element

    def type(self) -> DataType:
        """The type that follows from all uses; string where nothing is known."""
        root = self.root
        if root.known is not None:
            return root.known
        if root.fields:
            return StructType(tuple(StructField(n, g.type(), True) for n, g in root.fields.values()))
        if root.element is not None:
            return MapType(STRING, root.element.type()) if root.is_map else ArrayType(root.element.type())
        if root.types:
            return _most(root.types, root.named)
        return _hinted(root.hints, root.named)


def _most(types: Counter[DataType], named: DataType | None) -> DataType:
    """The type that occurs most; of equally frequent ones the one that the name suggests."""
    best = max(types.values())
    found = [t for t, n in types.items() if n == best]
    return named if named in found else found[0]


def _hinted(hints: set[int], named: DataType | None) -> DataType:
    moments = named in (DATE, TIMESTAMP)
    if MOMENT in hints or (DATE_TEXT in hints and TEXT not in hints):
        return named if named is not None and (moments or named == STRING) else DATE
    if hints & {WHOLE, LARGE, FRACTION, ARITHMETIC}:
        if moments and hints == {ARITHMETIC} and named is not None:
            return named
        if named is not None and is_numeric(named):
            wide = (LARGE in hints and named == INT) or (FRACTION in hints and is_integral(named))
            return named if not wide else DOUBLE if FRACTION in hints else LONG
        return DOUBLE if FRACTION in hints or not hints & {WHOLE, LARGE} else LONG if LARGE in hints else INT
    if hints:
        return named if hints == {NUMBER_TEXT} and named is not None and is_numeric(named) else STRING
    return named or STRING
