"""Forms that look like calls or names but have a grammar of their own: CAST, EXTRACT, TRIM, INTERVAL, windows ..."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from planviz.errors import ParseError
from planviz.expressions.aggregates import AggregateExpression, FirstLast
from planviz.expressions.arithmetic import UnaryMinus
from planviz.expressions.calls import RegexpForm, StringForm
from planviz.expressions.casts import Cast
from planviz.expressions.complex import CreateNamedStruct, struct_of
from planviz.expressions.core import Alias, Expression, Literal, NamedExpression, SortOrder, lit
from planviz.expressions.ids import next_id
from planviz.expressions.unresolved import (
    NO_NAME,
    ExpressionWithUnresolvedIdentifier,
    NamedArgument,
    NamedParameter,
    PositionalParameter,
    UnresolvedFunction,
    UnresolvedStar,
    UnresolvedTimestampFunction,
)
from planviz.expressions.windows import (
    CURRENT_ROW,
    UNBOUNDED_FOLLOWING,
    UNBOUNDED_PRECEDING,
    SpecifiedWindowFrame,
    UnresolvedWindowExpression,
    UnspecifiedFrame,
    WindowExpression,
    WindowSpec,
)
from planviz.frontend import literals
from planviz.frontend.lexer import END, NUMBER, QUOTED, STRING, WORD
from planviz.frontend.naming import constant_text, name_parts
from planviz.frontend.parameters import bound, text_key
from planviz.frontend.reader import Reader
from planviz.types import DATE, INT, NULL, TIMESTAMP, TIMESTAMP_NTZ, without_lengths
from planviz.types import STRING as STRING_TYPE

_UNITS = frozenset(
    ["YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "DAYOFYEAR", "HOUR", "MINUTE", "SECOND", "MILLISECOND", "MICROSECOND"]
)


#: The types of typed literals whose text nobody need know to read them.
_CAST = {"DATE": DATE, "TIMESTAMP": TIMESTAMP, "TIMESTAMP_LTZ": TIMESTAMP, "TIMESTAMP_NTZ": TIMESTAMP_NTZ}
_TYPED = ("DATE", "TIMESTAMP_NTZ", "TIMESTAMP_LTZ", "TIMESTAMP", "TIME", "INTERVAL", "X")


#: Words before a string that begin something else than a typed literal.
_NO_TYPES = frozenset(("CASE", "BOTH", "LEADING", "TRAILING", "DISTINCT"))


class SpecialForms(Reader):
    """Reads the forms that have a grammar of their own."""

    def special_form(self, key: str) -> Expression | None:
        """The form that begins with the keyword `key` here, or None when it is an ordinary name."""
        following = self.keys[self.at + 1]
        if following == "(":
            reader: Callable[[], Expression | None] | None = getattr(self, f"_form_{key.lower()}", None)
            if reader is not None:
                return self.try_form(reader)
        if key == "CASE" and following not in (".", ")", ",") and self.kinds[self.at + 1] != END:
            self.at += 1
            return self.case()
        if key in ("NULL", "TRUE", "FALSE") and following not in (".", "("):
            self.at += 1
            return Literal(None, NULL) if key == "NULL" else lit(key == "TRUE")
        if key == "INTERVAL" and (self.kinds[self.at + 1] in (STRING, NUMBER) or following in ("-", "+")):
            return self._interval()
        if self.kinds[self.at + 1] == STRING and key not in _NO_TYPES:
            return self._typed_literal(key)
        return None

    def try_form(self, reader: Callable[[], Expression | None]) -> Expression | None:
        """A special form, or None when the words turn out to be an ordinary call."""
        start = self.at
        self.at += 2
        found = reader()
        if found is None:
            self.at = start
        return found

    # -------------------------------------------------------------------------------------------- constants

    def unknown_text(self, text: str) -> Expression | None:
        """What stands for a text whose value nobody knows (`'{{ ds }}'`); None for any other."""
        return bound(self.parameters, text_key(text)) if isinstance(self.parameters, Mapping) else None

    def _typed_literal(self, key: str) -> Expression:
        start = self.at
        known = [t for t in _TYPED if t != "TIME" or "the type TIME" not in self.dialect.later]
        if key not in known:
            raise self.error(
                "UNSUPPORTED_TYPED_LITERAL",
                f'Literals of the type "{key}" are not supported. Supported types are {", ".join(known)}.',
            )
        if key in ("TIMESTAMP_NTZ", "TIMESTAMP_LTZ"):
            self.came_with("literals of TIMESTAMP_NTZ and TIMESTAMP_LTZ")
        self.at += 1
        text = self.string()
        if key in _CAST and (unknown := self.unknown_text(text)) is not None:
            return Cast(unknown, _CAST[key], user_specified=True)
        if key == "DATE":
            found = literals.date_literal(text, self.dialect.now, self.dialect.zone)
        elif key == "X":
            found = literals.binary(text)
        elif key == "TIME":
            found = literals.time_literal(text)
        elif key == "INTERVAL":
            found = None
        else:
            plain = key == "TIMESTAMP" and self.dialect.timestamps_without_zone and not literals.has_zone(text)
            found = literals.timestamp_literal(
                text, plain or key == "TIMESTAMP_NTZ", self.dialect.zone, self.dialect.now
            )
        if found is None:
            what = "BINARY" if key == "X" else key
            raise self.error(
                "INVALID_TYPED_LITERAL", f"The value of the typed literal \"{what}\" is invalid: '{text}'.", start
            )
        return found

    def _interval(self) -> Literal:
        start = self.at
        self.at += 1
        calendar = self.dialect.calendar_intervals
        parts: list[tuple[str, str]] = []
        made: Literal | literals.Refused
        while True:
            quoted = True
            sign = "-" if self.accept("-") else ""
            if not sign:
                self.accept("+")
            if self.kind == STRING:
                text = self.string()
            elif self.kind == NUMBER:
                text, quoted = self.take(), False
            elif parts:
                break
            else:
                self.fail("an interval value was expected")
            unit = literals.unit_name(self.peek()) if self.kind == WORD else None
            if unit is None:
                if parts or not quoted:
                    self.fail("an interval unit was expected")
                made = literals.interval_text(sign + text, calendar)
                if isinstance(made, literals.Refused):
                    raise self.error(made.error_class, made.message, start)
                return made
            self.at += 1
            if self.sees("TO"):
                self.at += 1
                end = literals.unit_name(self.take()) or ""
                more = self.kind in (STRING, NUMBER) and self._unit_after(1)
                if parts or more or not quoted:
                    what = "can be one pair of units with TO alone" if parts or more else "of units with TO is a text"
                    raise self.error(
                        f"_LEGACY_ERROR_TEMP_002{4 if parts or more else 7}", f"An interval {what}.", start
                    )
                made = literals.interval_from_to(text, unit, end, calendar, sign == "-")
                break
            parts.append((sign + text, unit))
            if self.kind not in (STRING, NUMBER) and not (
                self.sees_any("-", "+") and self.kinds[self.at + 1] in (STRING, NUMBER) and self._unit_after(2)
            ):
                made = literals.interval_of_units(parts, calendar)
                break
            if self.kind == NUMBER and not self._unit_after(1):
                made = literals.interval_of_units(parts, calendar)
                break
        if isinstance(made, literals.Refused):
            # What is wrong is behind the word INTERVAL, where its fields are not at odds.
            mixed = made.error_class == "_LEGACY_ERROR_TEMP_0029"
            raise self.error(made.error_class, made.message, start if mixed else start + 1)
        return made

    def _unit_after(self, ahead: int) -> bool:
        return self.kinds[self.at + ahead] == WORD and literals.unit_name(self.peek(ahead)) is not None

    def parameter(self) -> Expression:
        """`:name` or `?`: its value where one was given."""
        start = self.at
        self.came_with("a parameter")
        positional = self.take() == "?"
        key = self.tokens.keys[:start].count("?") if positional else self.identifier()
        try:
            value = bound(self.parameters, key)
        except LookupError:
            raise self.error(
                "INVALID_QUERY_MIXED_QUERY_PARAMETERS",
                "Parameters are either positional (?, values in order) or named (:name, values by name), not both.",
                start,
            ) from None
        if value is not None:
            return value
        return PositionalParameter(self.tokens.starts[start]) if positional else NamedParameter(str(key))

    def star(self, target: tuple[str, ...]) -> Expression:
        """`*` with its EXCEPT list."""
        self.expect("*")
        excepted: tuple[tuple[str, ...], ...] = ()
        if self.sees("EXCEPT", "(") and not self._query_follows(1):
            self.came_with("EXCEPT in a select list")
            self.at += 2
            excepted = tuple(self.separated(self.identifier_parts))
            self.expect(")")
        return UnresolvedStar(target, excepted)

    # -------------------------------------------------------------------------------------------- calls

    def call(self, parts: tuple[str, ...], start: int) -> Expression:
        """A call; the name taken, the parenthesis next."""
        self.expect("(")
        distinct = self.accept("DISTINCT")
        if not distinct and self.peek() == "ALL" and self.peek(1) not in (",", ")"):
            self.at += 1
        arguments: list[Expression] = []
        if not self.sees(")"):
            arguments = self.separated(self._argument)
        self.expect(")")
        order: tuple[Expression, ...] = ()
        if self.sees("WITHIN", "GROUP"):
            self.came_with("WITHIN GROUP")
            if parts[-1].lower() == "mode":
                self.came_with("mode() WITHIN GROUP")
            self.at += 2
            self.expect("(", "ORDER", "BY")
            order = tuple(self.separated(self.sort_item))
            self.expect(")")
        where = None
        if self.sees("FILTER", "(") and self.peek(2) == "WHERE":
            if distinct:
                self.came_with("DISTINCT beside FILTER")
            self.at += 3
            where = self.expression()
            self.expect(")")
        nulls: bool | None = None
        if self.sees_any("IGNORE", "RESPECT") and self.peek(1) == "NULLS":
            self.came_with("IGNORE NULLS")
            nulls = self.peek() == "IGNORE"
            self.at += 2
        if [p.lower() for p in parts] == ["count"] and len(arguments) == 1 and not distinct:
            star = arguments[0]
            if isinstance(star, UnresolvedStar) and not star.target and not star.excepted:
                arguments = [lit(1)]
        made: Expression = UnresolvedFunction(parts, tuple(arguments), distinct, where, nulls, order)
        return self._over(self.placed(made, start))

    def _argument(self) -> Expression:
        if self.peek(1) == "=>":
            self.came_with("a named argument", self.at + 1)
            name = self.identifier()
            self.at += 1
            return NamedArgument(self.expression(), name, next_id())
        return self.expression()

    def _over(self, function: Expression) -> Expression:
        if not self.sees("OVER"):
            return function
        self.at += 1
        if not self.sees("("):
            return UnresolvedWindowExpression(function, self.identifier())
        if self.kinds[self.at + 1] in (WORD, QUOTED) and self.peek(2) == ")":
            self.at += 1
            name = self.identifier()
            self.at += 1
            return UnresolvedWindowExpression(function, name)
        return WindowExpression(function, self.window_spec())

    def window_spec(self) -> WindowSpec:
        """( PARTITION BY ... ORDER BY ... frame )."""
        start = self.at
        self.expect("(")
        partition: list[Expression] = []
        order: list[SortOrder] = []
        if self.accept("CLUSTER", "BY"):
            partition = self.separated(self.expression)
        else:
            if self.sees_any("PARTITION", "DISTRIBUTE") and self.peek(1) == "BY":
                self.at += 2
                partition = self.separated(self.expression)
            if self.sees_any("ORDER", "SORT") and self.peek(1) == "BY":
                self.at += 2
                order = self.separated(self.sort_item)
        frame: Expression = UnspecifiedFrame()
        if self.at == start + 1 and self.kind == WORD and not self.sees_any("ROWS", "RANGE"):
            # No window is made of another one.
            self.at = start
            self.fail()
        if self.sees_any("ROWS", "RANGE"):
            kind = "RowFrame" if self.take().upper() == "ROWS" else "RangeFrame"
            if self.accept("BETWEEN"):
                lower = self._bound()
                self.expect("AND")
                frame = SpecifiedWindowFrame(kind, lower, self._bound())
            else:
                frame = SpecifiedWindowFrame(kind, self._bound(), CURRENT_ROW)
        self.expect(")")
        # A frame is told of at the parenthesis, as Spark does.
        spec = WindowSpec(tuple(partition), tuple(order), self.placed(frame, start))
        return self.placed(spec, start)

    def _bound(self) -> Expression:
        if self.accept("UNBOUNDED"):
            if self.accept("PRECEDING"):
                return UNBOUNDED_PRECEDING
            self.expect("FOLLOWING")
            return UNBOUNDED_FOLLOWING
        if self.accept("CURRENT", "ROW"):
            return CURRENT_ROW
        start = self.at
        e = self.expression()
        if not e.resolved or not e.foldable:
            raise self.error(
                "INVALID_SQL_SYNTAX.INVALID_WINDOW_FRAME_BOUND", "The bound of a frame must be a literal.", start
            )
        if self.accept("PRECEDING"):
            return UnaryMinus(e)
        self.expect("FOLLOWING")
        return e

    # -------------------------------------------------------------------------------------------- forms by name

    def _form_cast(self) -> Cast | None:
        e = self.expression()
        self.expect("AS")
        made = Cast(e, without_lengths(self.data_type()), user_specified=True)
        self.expect(")")
        return made

    def _form_try_cast(self) -> Expression:
        e = self.expression()
        if self.sees("AS"):
            self.came_with("TRY_CAST")
        self.expect("AS")
        made = Cast(e, without_lengths(self.data_type()), "TRY", True)
        self.expect(")")
        return made

    def _form_struct(self) -> Expression:
        items = [] if self.sees(")") else self.separated(self._aliased)
        self.expect(")")
        made = _struct_with_aliases(items) if any(isinstance(i, Alias) for i in items) else struct_of(items, "struct")
        return _with_open_names(made) if made.bits & UnresolvedStar.BIT else made

    def _form_extract(self) -> Expression | None:
        if self.kind not in (WORD, QUOTED) or self.peek(1) != "FROM":
            return None
        field = self.identifier()
        self.at += 1
        source = self.expression()
        self.expect(")")
        return UnresolvedFunction(("extract",), (lit(field), source))

    def _form_substring(self) -> Expression | None:
        if self.sees(")"):
            return None
        e = self.value()
        if not self.accept("FROM"):
            return None
        position = self.value()
        length = self.value() if self.accept("FOR") else Literal(2147483647, INT)
        self.expect(")")
        return StringForm("substring", (e, position, length))

    _form_substr = _form_substring

    def _form_trim(self) -> Expression | None:
        if self.sees(")"):
            return None
        side = "trim"
        if self.sees_any("BOTH", "LEADING", "TRAILING") and self.peek(1) not in (",", ")"):
            side = {"BOTH": "trim", "LEADING": "ltrim", "TRAILING": "rtrim"}[self.take().upper()]
            what = None if self.sees("FROM") else self.value()
        else:
            what = self.value()
        if not self.accept("FROM"):
            return None
        source = self.value()
        self.expect(")")
        return StringForm(side, (source,) if what is None else (source, what))

    def _form_position(self) -> Expression | None:
        if self.sees(")"):
            return None
        what = self.value(1)
        if not self.accept("IN"):
            return None
        source = self.value()
        self.expect(")")
        return StringForm("locate", (what, source, lit(1)))

    def _form_overlay(self) -> Expression | None:
        if self.sees(")"):
            return None
        source = self.value()
        if not self.accept("PLACING"):
            return None
        what = self.value()
        self.expect("FROM")
        position = self.value()
        length = self.value() if self.accept("FOR") else lit(-1)
        self.expect(")")
        return StringForm("overlay", (source, what, position, length))

    def _form_first(self) -> Expression | None:
        return self._first_last(self.keys[self.at - 2].lower())

    _form_last = _form_first

    def _form_any_value(self) -> Expression | None:
        # Before, a name like any other, of a function that there is not.
        return None if "any_value()" in self.dialect.later else self._form_first()

    def _first_last(self, name: str) -> Expression | None:
        if self.sees(")") or self.sees_any("DISTINCT", "ALL"):
            return None
        e = self.expression()
        ignore = self.accept("IGNORE", "NULLS")
        if not self.accept(")") or self.sees_any("IGNORE", "RESPECT", "FILTER", "OVER", "WITHIN"):
            return None
        return AggregateExpression(FirstLast(e, name, ignore), "Complete", False, None, next_id())

    def _form_identifier(self) -> Expression | None:
        self.came_with("IDENTIFIER()")
        start = self.at - 2
        name = self.expression()
        self.expect(")")
        if self.sees(".", "*"):
            # Spark takes the whole for the name that the star is of.
            written = self.source(start)
            self.at += 1
            return self.star((written,))
        if not self.sees("("):
            return ExpressionWithUnresolvedIdentifier(name)
        text = constant_text(name)
        if text is not None:
            return self.call(name_parts(text), start)
        return ExpressionWithUnresolvedIdentifier(name, self.placed(self.call(NO_NAME, start), start))

    def _unit_form(self, name: str) -> Expression | None:
        """name(UNIT, a, b); None where no unit comes first, which is another function of that name.

        A column may be called as a unit is: date_add(day, 7) is of two arguments, and no such form.
        """
        if self.kind == STRING and self.peek(1) == ",":
            self._no_unit_as_text(name)
        if self.kind != WORD or self.peek() not in _UNITS or self.peek(1) != ",":
            return None
        start = self.at
        unit = self.take()
        self.at += 1
        a = self.expression()
        if self.sees(")"):
            self.at = start
            return None
        self.expect(",")
        b = self.expression()
        self.expect(")")
        return UnresolvedTimestampFunction((name,), (lit(unit), a, b))

    def _no_unit_as_text(self, name: str) -> None:
        """Refuse a unit in quotes before two more arguments; a call that goes on otherwise is another function."""
        start = self.at
        text = self.take()

        def rest() -> None:
            for ends in (",", ")"):
                self.expression()
                self.expect(ends)

        self.at += 1
        found = self.try_read(rest)
        self.at = start
        if not isinstance(found, ParseError):
            raise self.error(
                "INVALID_PARAMETER_VALUE.DATETIME_UNIT",
                f"{name} takes one of the units YEAR, QUARTER, MONTH, WEEK, DAY and so on without quotes, not {text}.",
                start - 2,
            )

    def _form_timestampadd(self) -> Expression | None:
        return self._unit_form("timestampadd")

    _form_dateadd = _form_timestampadd
    _form_date_add = _form_timestampadd

    def _form_timestampdiff(self) -> Expression | None:
        return self._unit_form("timestampdiff")

    _form_datediff = _form_timestampdiff
    _form_date_diff = _form_timestampdiff
    _form_timediff = _form_timestampdiff

    def ilike(self, e: Expression, pattern: Expression, escape: str) -> Expression:
        """e ILIKE pattern."""
        return RegexpForm("ilike", (e, pattern), escape)


def _with_open_names(made: CreateNamedStruct) -> CreateNamedStruct:
    """The names of what a star stands for are not known yet (Spark: NamePlaceholder)."""
    open_name = Literal("NamePlaceholder", STRING_TYPE)
    parts = [p for n, v in zip(made.parts[::2], made.values, strict=True)
             for p in (open_name if isinstance(v, UnresolvedStar) else n, v)]  # fmt: skip
    return made.replace(parts=tuple(parts))


def _struct_with_aliases(items: list[Expression]) -> CreateNamedStruct:
    parts: list[Expression] = []
    for i, e in enumerate(items, 1):
        name = e.name if isinstance(e, NamedExpression) else f"col{i}"
        parts += [Literal(name, STRING_TYPE), e]
    return CreateNamedStruct(tuple(parts), "struct")
