"""FROM: tables, subqueries, functions, joins, pivots, samples."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal

from planviz.errors import ParseError
from planviz.expressions.casts import Cast, needs_time_zone
from planviz.expressions.complex import CreateNamedStruct, struct_of
from planviz.expressions.conditional import Coalesce
from planviz.expressions.core import Alias, AttributeReference, Expression
from planviz.expressions.ids import next_id
from planviz.expressions.predicates import IsNotNull, Or
from planviz.expressions.subqueries import LateralSubquery
from planviz.expressions.unresolved import UnresolvedAttribute
from planviz.frontend.cursor import MAX_JOINS, further
from planviz.frontend.expression import ExpressionReader
from planviz.frontend.lexer import NUMBER, QUOTED, STRING, WORD
from planviz.frontend.naming import constant_text, name_parts
from planviz.logical.combining import Join, LateralJoin, NearestByJoin
from planviz.logical.operators import Filter, Generate, GlobalLimit, LocalLimit, Sample, SubqueryAlias
from planviz.logical.plan import LogicalPlan
from planviz.logical.relations import LocalRelation, cell
from planviz.logical.unresolved import (
    Pivot,
    PlanWithUnresolvedIdentifier,
    RelationTimeTravel,
    Unpivot,
    UnresolvedInlineTable,
    UnresolvedRelation,
    UnresolvedSubqueryColumnAliases,
    UnresolvedTableValuedFunction,
    UnresolvedTVFAliases,
)
from planviz.types import NULL, DataType, is_string, wider_common
from planviz.types.data import parts_of

AUTO_NAME = "__auto_generated_subquery_name"


#: How many rows a join with NEAREST gives at most for one row.
_MOST_NEAREST = 100_000


class RelationReader(ExpressionReader):
    """Reads the relations of a FROM clause."""

    def from_clause(self) -> LogicalPlan:
        """Relations with commas between, the word FROM taken; lateral views and pivots behind them."""
        start = self.at
        plan = self.relation()
        chain = 0
        while self.accept(","):
            chain = self.longer(chain, "relations", MAX_JOINS)
            plan = self._beside(plan, start)
        viewed = self.sees("LATERAL", "VIEW")
        while self.sees("LATERAL", "VIEW"):
            plan = self._lateral_view(plan)
        if viewed and self.sees_any("PIVOT", "UNPIVOT") and self.peek(1) == "(":
            raise self.error(
                f"NOT_ALLOWED_IN_FROM.LATERAL_WITH_{self.peek()}",
                f"Not allowed in the FROM clause: LATERAL together with {self.peek()}.",
            )
        return plan

    def _beside(self, left: LogicalPlan, start: int) -> LogicalPlan:
        """`left` with the relation behind a comma: joins and pivots behind that one are of both.

        Where joins come before commas (spark.sql.ansi.relationPrecedence), they are of the second alone.
        """
        at, first = self.at, self.dialect.joins_before_commas
        if not self.sees("LATERAL"):
            right = self.relation() if first else self._primary()
            plan: LogicalPlan = self.placed(Join(left, right, "Inner"), start)
        else:
            self.came_with("a LATERAL subquery", self.at + 1)
            self.at += 1
            right = self._lateral_plan()
            right = self._extensions(right, at) if first else right
            plan = self.placed(LateralJoin(left, LateralSubquery(right, (), next_id()), "Inner"), start)
        return plan if first else self._extensions(plan, start)

    def relation(self) -> LogicalPlan:
        """One relation with its joins."""
        start = self.at
        if self.sees("LATERAL"):
            self.came_with("a LATERAL subquery", self.at + 1)
            self.at += 1
            # Nothing stands before it that it could read.
            plan = self._lateral_plan()
        else:
            plan = self._primary()
        return self._extensions(plan, start)

    def _extensions(self, plan: LogicalPlan, start: int) -> LogicalPlan:
        chain = -1
        while True:
            chain = self.longer(chain, "joins", MAX_JOINS)
            at = self.at
            if self.sees("PIVOT", "("):
                plan = self.placed(self.pivot(plan), at)
            elif self.sees_any("UNPIVOT") and self.peek(1) in ("(", "INCLUDE", "EXCLUDE"):
                self.came_with("UNPIVOT")
                plan = self.placed(self.unpivot(plan), at)
            else:
                joined = self.joined(plan, start)
                if joined is None:
                    return plan
                plan = joined

    # -------------------------------------------------------------------------------------------- joins

    def _join_kind(self) -> tuple[str, bool] | None:
        """(kind, natural) of a join that begins here, its words taken, or None."""
        at = self.at
        natural = self.accept("NATURAL")
        kind = "Inner"
        if self.accept("CROSS"):
            kind = "Cross"
        elif self.accept("INNER"):
            kind = "Inner"
        elif self.sees_any("LEFT", "RIGHT", "FULL", "SEMI", "ANTI"):
            side = self.take().upper()
            if side == "LEFT" and self.sees_any("SEMI", "ANTI"):
                side = self.take().upper()
            else:
                self.accept("OUTER")
            kind = {
                "LEFT": "LeftOuter", "RIGHT": "RightOuter", "FULL": "FullOuter", "SEMI": "LeftSemi", "ANTI": "LeftAnti",
            }[side]  # fmt: skip
        if not self.accept("JOIN"):
            if self.at > at:
                self.fail("JOIN was expected")
            return None
        return kind, natural

    def joined(self, left: LogicalPlan, start: int) -> LogicalPlan | None:
        """`left` joined with the relation that follows, or None where no join begins."""
        clause = self.at
        found = self._join_kind()
        if found is None:
            return None
        kind, natural = found
        if self.sees("LATERAL"):
            self.came_with("a LATERAL subquery")
            self.at += 1
            if kind not in ("Inner", "Cross", "LeftOuter"):
                raise self.error(
                    "INVALID_LATERAL_JOIN_TYPE",
                    f"A {kind} join with LATERAL is not allowed: such a subquery belongs to a row on the left.",
                    clause,
                )
            if natural:
                raise self._incompatible("LATERAL", "NATURAL", clause)
            right = self._lateral()
            if self.sees("USING"):
                raise self.error(
                    "UNSUPPORTED_FEATURE.LATERAL_JOIN_USING",
                    "A join with LATERAL takes no USING; compare the columns behind ON.",
                    clause,
                )
            if self._nearest_follows():
                raise self.error(
                    "UNSUPPORTED_FEATURE.LATERAL_JOIN_NEAREST_BY", "A join with LATERAL takes no NEAREST BY.", clause
                )
            condition = self.expression() if self.accept("ON") else None
            return self.placed(LateralJoin(left, right, kind, condition), clause)
        if natural and kind == "Cross":
            raise self._incompatible("NATURAL", "CROSS", clause)
        plan = self._primary()
        if natural:
            return self.placed(Join(left, plan, f"NaturalJoin({kind})"), clause)
        if self.accept("ON"):
            return self.placed(Join(left, plan, kind, self.expression()), clause)
        if self.accept("USING"):
            return self.placed(Join(left, plan, kind, None, self.identifier_list()), clause)
        if self._nearest_follows():
            return self._nearest(left, plan, kind, clause)
        return self.placed(Join(left, plan, kind), clause)

    def _nearest(self, left: LogicalPlan, right: LogicalPlan, kind: str, clause: int) -> LogicalPlan:
        """The join of each row with the nearest of the other side: APPROX|EXACT NEAREST [n] BY how e."""
        self.came_with("JOIN with NEAREST")
        approximate = self.take().upper() == "APPROX"
        self.expect("NEAREST")
        count = self.integer() if self.kind == NUMBER else 1
        self.expect("BY")
        if not self.sees_any("DISTANCE", "SIMILARITY"):
            self.fail("missing {'DISTANCE', 'SIMILARITY'}")
        direction = f"NearestBy{self.take().capitalize()}"
        ranking = self.expression()
        if kind not in ("Inner", "LeftOuter"):
            named = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", kind).upper()
            raise self.error(
                "NEAREST_BY_JOIN.UNSUPPORTED_JOIN_TYPE",
                f"Invalid nearest-by join. Unsupported nearest-by join type {named}. Supported types: 'INNER', "
                "'LEFT OUTER'.",
                clause,
            )
        if not 1 <= count <= _MOST_NEAREST:
            raise self.error(
                "NEAREST_BY_JOIN.NUM_RESULTS_OUT_OF_RANGE",
                f"Invalid nearest-by join. The number of results {count} must be between 1 and {_MOST_NEAREST}.",
                clause,
            )
        return self.placed(NearestByJoin(left, right, kind, approximate, count, ranking, direction), clause)

    def _incompatible(self, one: str, two: str, at: int) -> ParseError:
        return self.error("INCOMPATIBLE_JOIN_TYPES", f"The join types {one} and {two} are incompatible.", at)

    def _lateral(self) -> LateralSubquery:
        return LateralSubquery(self._lateral_plan(), (), next_id())

    def _lateral_plan(self) -> LogicalPlan:
        plan: LogicalPlan
        start = self.at
        if self.accept("("):
            self.deeper()
            plan = self.query()
            self.depth -= 1
            self.expect(")")
            return self._aliased_plan(plan, start, AUTO_NAME)
        self.came_with("a function behind LATERAL")
        return self._table_function()

    def _lateral_view(self, plan: LogicalPlan) -> LogicalPlan:
        start = self.at
        self.expect("LATERAL", "VIEW")
        outer = self.accept("OUTER")
        generator = self.call_by_name()
        qualifier = self.identifier()
        columns: list[str] = []
        if self.accept("AS") or (self.is_identifier(True) and self.alias_word()):
            columns = self.separated(self.identifier)
        names = tuple(UnresolvedAttribute((c,)) for c in columns)
        return self.placed(Generate(generator, (), outer, qualifier.lower(), names, plan), start)

    def call_by_name(self) -> Expression:
        """name(arguments)."""
        start = self.at
        result: Expression = self.placed(self.call(self.identifier_parts(), start), start)
        return result

    # -------------------------------------------------------------------------------------------- primaries

    def _primary(self) -> LogicalPlan:
        start = self.at
        if self.sees("("):
            return self._parenthesized(start)
        if (
            self.sees("VALUES")
            and self.kinds[self.at + 1] in ("operator", NUMBER, "string", WORD)
            and not self.sees("VALUES", ".")
        ):
            return self.inline_table()
        if not self.is_identifier() or self.clause_instead("WHERE", "HAVING", "GROUP", "ORDER"):
            self.fail("a table or a query in parentheses was expected")
        if self.sees("IDENTIFIER", "("):
            found = self.try_read(self._relation_by_text)
            if not isinstance(found, ParseError):
                return self._aliased_plan(self.placed(found, start), start)
        at = self.at
        parts = self._dataset() or self.identifier_parts()
        if self.sees("("):
            self.at = at
            return self._table_function()
        self.plain_name()
        plan = self._time_travel(parts, start)
        if self.sees("WITH", "("):
            options = self._table_options()
            plan = plan.replace(options=options) if isinstance(plan, UnresolvedRelation) else plan
        if self.sees("TABLESAMPLE"):
            sample = self.sample_clause()
            return sample(self._aliased_plan(plan, start))
        return self._aliased_plan(plan, start)

    def _dataset(self) -> tuple[str, ...] | None:
        """STREAM(name), STREAM name and LIVE.name of a declarative pipeline; None elsewhere."""
        if not self.in_pipeline:
            return None
        streams = self.sees("STREAM") and (self.peek(1) == "(" or self.kinds[self.at + 1] in (WORD, QUOTED))
        self.at += streams
        bracketed = streams and self.accept("(")
        parts = self.dataset_name(self.identifier_parts())
        if bracketed:
            self.expect(")")
        return parts

    @staticmethod
    def dataset_name(parts: tuple[str, ...]) -> tuple[str, ...]:
        """The name of a pipeline's dataset without the schema LIVE, which all of them have."""
        return parts[1:] if len(parts) == 2 and parts[0].upper() == "LIVE" else parts

    def _relation_by_text(self) -> LogicalPlan:
        """IDENTIFIER(expression); a constant text is the name itself."""
        self.came_with("IDENTIFIER()", self.at + 1)
        self.expect("IDENTIFIER", "(")
        name = self.expression()
        self.expect(")")
        if self.sees_any("(", "."):
            self.fail("a table was expected, and this calls a function or begins a longer name")
        text = constant_text(name)
        return PlanWithUnresolvedIdentifier(name) if text is None else UnresolvedRelation(name_parts(text))

    def _time_travel(self, parts: tuple[str, ...], start: int) -> LogicalPlan:
        if self.sees("CHANGES", "FROM") and self.peek(2) in ("VERSION", "TIMESTAMP"):
            raise self.error(
                "UNSUPPORTED_FEATURE.CHANGE_DATA_CAPTURE", "The changes of a table cannot be read here; name it only."
            )
        if self.sees("FOR") and self.peek(1) in ("VERSION", "TIMESTAMP", "SYSTEM_VERSION", "SYSTEM_TIME"):
            self.at += 1
        if not self.sees_any("VERSION", "TIMESTAMP", "SYSTEM_VERSION", "SYSTEM_TIME") or (
            self.peek(1),
            self.peek(2),
        ) != ("AS", "OF"):
            return self.placed(UnresolvedRelation(parts), start)
        word = self.take().upper()
        self.expect("AS", "OF")
        if word in ("VERSION", "SYSTEM_VERSION"):
            version = self.string() if self.kind == STRING else str(self.integer())
            return self.placed(RelationTimeTravel(parts, None, version), start)
        timestamp = self.value()
        if timestamp.bits & UnresolvedAttribute.BIT:
            raise self.error("_LEGACY_ERROR_TEMP_0056", "The time of a time travel cannot refer to a column.", start)
        return self.placed(RelationTimeTravel(parts, timestamp), start)

    def _table_options(self) -> tuple[str, ...]:
        """WITH (key = value, ...) behind a table, each option as Spark prints it."""
        self.expect("WITH", "(")
        options = self.separated(self._table_option)
        self.expect(")")
        return tuple(options)

    def _table_option(self) -> str:
        key = self.string() if self.kind == STRING else ".".join(self.identifier_parts())
        self.accept("=")
        minus = "-" if self.accept("-") else ""
        return f"{key}={minus}{self.string() if self.kind == STRING else self.take()}"

    def _parenthesized(self, start: int) -> LogicalPlan:
        self.deeper()
        plan: LogicalPlan | None = None
        error: ParseError | None = None
        if self._query_follows(0):
            found = self.try_read(self._query_in_parentheses)
            if isinstance(found, LogicalPlan):
                plan = self._aliased_plan(self._sampled(found), start, AUTO_NAME)
            else:
                error = found
        if plan is None:
            again = self.try_read(self._relation_in_parentheses)
            if isinstance(again, ParseError):
                raise further(error, again)
            plan = self._aliased_plan(self._sampled(again), start)
        self.depth -= 1
        return self.placed(plan, start)

    def _query_in_parentheses(self) -> LogicalPlan:
        self.expect("(")
        plan = self.query()
        self.expect(")")
        return plan

    def _relation_in_parentheses(self) -> LogicalPlan:
        self.expect("(")
        plan = self.from_clause()
        self.expect(")")
        return plan

    def _table_function(self) -> LogicalPlan:
        start = self.at
        parts = self.identifier_parts()
        self.expect("(")
        arguments = [] if self.sees(")") else self.separated(self._argument)
        self.expect(")")
        plan: LogicalPlan = self.placed(UnresolvedTableValuedFunction(parts, tuple(arguments)), start)
        name, columns = self._alias()
        if columns:
            plan = UnresolvedTVFAliases(parts, plan, columns)
        return self.placed(SubqueryAlias((name,), plan), start) if name else plan

    def inline_table(self) -> LogicalPlan:
        """VALUES rows with an optional alias."""
        start = self.at
        self.expect("VALUES")
        rows = [self._row(e) for e in self.separated(self.expression)]
        width = len(rows[0])
        if any(len(r) != width for r in rows):
            raise self.error(
                "INVALID_INLINE_TABLE.NUM_COLUMNS_MISMATCH",
                f"Every row of an inline table needs {width} columns, as the first one has.", start,
            )  # fmt: skip
        name, columns = self._alias()
        if columns and len(columns) != width:
            raise self.error(
                "INVALID_INLINE_TABLE.NUM_COLUMNS_MISMATCH",
                f"The inline table has {width} columns, but {len(columns)} names are given.", start,
            )  # fmt: skip
        names = columns or tuple(f"col{i}" for i in range(1, width + 1))
        plan = self.placed(inline_relation(names, rows), start)
        return self.placed(SubqueryAlias((name,), plan), start) if name else plan

    @staticmethod
    def _row(e: Expression) -> tuple[Expression, ...]:
        # struct(1, 2) is the row (1, 2), too; named_struct() is a call like any other.
        return e.values if isinstance(e, CreateNamedStruct) else (e,)

    # -------------------------------------------------------------------------------------------- aliases, samples

    def _alias(self) -> tuple[str | None, tuple[str, ...]]:
        if self.sees("AS", "("):
            # No reserved word: before a list of columns AS is the name itself.
            name = self.identifier()
            return name, self.identifier_list()
        if self.accept("AS"):
            if not self.is_identifier():
                self.fail("an alias was expected")
        elif not self.alias_word():
            return None, ()
        name = self.identifier()
        columns = self.identifier_list() if self.sees("(") else ()
        return name, columns

    def _aliased_plan(self, plan: LogicalPlan, start: int, default: str | None = None) -> LogicalPlan:
        if self.sees("AS", "("):
            self.at += 1
        if self.sees("(") and default is not None:
            name, columns = None, self.identifier_list()
        else:
            name, columns = self._alias()
        if columns:
            plan = self.placed(UnresolvedSubqueryColumnAliases(columns, plan), start)
        name = name or default
        return self.placed(SubqueryAlias((name,), plan), start) if name else plan

    def _sampled(self, plan: LogicalPlan) -> LogicalPlan:
        # The alias of what stands in parentheses goes above its sample.
        return self.sample_clause(named=False)(plan) if self.sees("TABLESAMPLE") else plan

    def sample_clause(self, named: bool = True) -> Callable[[LogicalPlan], LogicalPlan]:
        """TABLESAMPLE (...): the function that puts it over a plan. A table's alias, behind it, goes below."""
        start = self.at
        self.expect("TABLESAMPLE")
        if not self.sees("("):
            self.came_with("a method of TABLESAMPLE")
        system = self.accept("SYSTEM")
        if not system:
            self.accept("BERNOULLI")
        self.expect("(")
        build = self._sample_method(start, system)
        self.expect(")")
        seed: int | None = None
        if self.sees("REPEATABLE"):
            self.came_with("REPEATABLE")
            self.at += 1
            if system:
                raise self.error(
                    "UNSUPPORTED_FEATURE.TABLESAMPLE_SYSTEM_REPEATABLE", "SYSTEM sampling cannot be repeated.", start
                )
            self.expect("(")
            seed = self.integer()
            self.expect(")")

        def over(plan: LogicalPlan) -> LogicalPlan:
            aliased = self._aliased_plan(plan, start) if named else plan
            return self.placed(build(aliased, seed), start)

        return over

    def _sample_method(self, start: int, system: bool) -> Callable[[LogicalPlan, int | None], LogicalPlan]:
        def share_of(share: float) -> Callable[[LogicalPlan, int | None], LogicalPlan]:
            if not 0 <= share <= 1:
                message = f"Sampling fraction ({share}) must be on interval [0, 1]."
                raise self.error("INVALID_TABLESAMPLE_FRACTION", message, start)
            method = "System" if system else "Bernoulli"
            return lambda plan, seed: Sample(0.0, share, False, seed, plan, method)

        negative = self.accept("-")
        if self.kind == NUMBER and self.peek(1) in ("PERCENT", "%"):
            share = Decimal(self.take().rstrip("BDbdFfLl")) / 100
            self.at += 1
            return share_of(float(-share if negative else share))
        if system:
            raise self.error(
                "UNSUPPORTED_FEATURE.TABLESAMPLE_SYSTEM_SAMPLE_METHOD", "SYSTEM sampling takes a PERCENT only.", start
            )
        if self.accept("BUCKET"):
            numerator = self.integer()
            self.expect("OUT", "OF")
            denominator = self.integer()
            if self.accept("ON"):
                raise self.error(
                    "_LEGACY_ERROR_TEMP_0015", "TABLESAMPLE(BUCKET x OUT OF y ON colname) is not supported.", start
                )
            return share_of(numerator / denominator)
        if self.kind == WORD and self.peek(1) == ")" and re.fullmatch(r"(?i)\d+[bkmg]", self.tokens.texts[self.at]):
            raise self.error("_LEGACY_ERROR_TEMP_0015", "TABLESAMPLE(byteLengthLiteral) is not supported.", start)
        if self.sees(")"):
            raise self.error("_LEGACY_ERROR_TEMP_0014", "TABLESAMPLE does not accept empty inputs.", start)
        self.at -= negative
        rows = self.expression()
        if self.sees(")"):
            told = "TABLESAMPLE (...) lacks what it counts: write PERCENT or ROWS behind the number."
            raise self.error("_LEGACY_ERROR_TEMP_0016", told, start)
        if not self.accept("ROWS"):
            self.fail("PERCENT or ROWS was expected")
        return lambda plan, seed: GlobalLimit(rows, LocalLimit(rows, plan))

    # -------------------------------------------------------------------------------------------- pivots

    def pivot(self, plan: LogicalPlan) -> LogicalPlan:
        """PIVOT (...) over a plan."""
        start = self.at
        self.expect("PIVOT", "(")
        aggregates = [self._named(e) for e in self.separated(self._pivot_item)]
        self.expect("FOR")
        if self.accept("("):
            names = self.separated(self.identifier)
            columns: list[Expression] = [self.placed(UnresolvedAttribute((n,)), start) for n in names]
            self.expect(")")
            column: Expression = struct_of(columns) if len(columns) > 1 else columns[0]
        else:
            column = self.placed(UnresolvedAttribute((self.identifier(),)), start)
        self.expect("IN", "(")
        values = [self._named(e) for e in self.separated(self._pivot_item)]
        self.expect(")", ")")
        pivot = Pivot(column, tuple(values), tuple(aggregates), plan)
        behind = self.at
        name, columns_given = self._alias()
        if columns_given:
            self.at = self.keys.index("(", behind)
            self.fail("a PIVOT takes no column names")
        return SubqueryAlias((name,), self.placed(pivot, start)) if name else pivot

    def _pivot_item(self) -> tuple[Expression, str | None]:
        e = self.expression()
        if self.accept("AS") or (self.alias_word() and not self.sees("FOR")):
            return e, self.identifier()
        return e, None

    @staticmethod
    def _named(item: tuple[Expression, str | None]) -> Expression:
        e, name = item
        return e if name is None else Alias(e, name, next_id())

    def unpivot(self, plan: LogicalPlan) -> LogicalPlan:
        """UNPIVOT (...) over a plan."""
        self.expect("UNPIVOT")
        nulls = self.accept("INCLUDE", "NULLS")
        self.accept("EXCLUDE", "NULLS")
        self.expect("(")
        several = self.sees("(")
        values = self.identifier_list() if several else (self.identifier(),)
        self.expect("FOR")
        name = self.identifier()
        self.expect("IN", "(")
        groups = self.separated(lambda: self._unpivot_group(several))
        self.expect(")", ")")
        columns = tuple(c for c, _ in groups)
        aliases = tuple(a for _, a in groups)
        made: LogicalPlan = Unpivot(columns, aliases, name, values, plan)
        if not nulls:
            attributes: list[Expression] = [UnresolvedAttribute((v,)) for v in values]
            condition: Expression
            if len(attributes) == 1:
                condition = IsNotNull(Coalesce((attributes[0],)))
            else:
                condition = IsNotNull(attributes[0])
                for a in attributes[1:]:
                    condition = Or(condition, IsNotNull(a))
            made = Filter(condition, made)
        # Its columns cannot be renamed here.
        alias = self.identifier() if self.accept("AS") or self.alias_word() else None
        return SubqueryAlias((alias,), made) if alias else made

    def _unpivot_group(self, several: bool) -> tuple[tuple[Expression, ...], str | None]:
        columns: list[Expression]
        if several:
            self.expect("(")
            columns = [UnresolvedAttribute(p) for p in self.separated(self.identifier_parts)]
            self.expect(")")
        else:
            columns = [UnresolvedAttribute(self.identifier_parts())]
        alias = self.identifier() if self.accept("AS") or self.alias_word() else None
        return tuple(columns), alias


def inline_relation(names: tuple[str, ...], rows: list[tuple[Expression, ...]]) -> LogicalPlan:
    """A LocalRelation when every cell can be evaluated at once (as in Spark), else an UnresolvedInlineTable."""
    cells = [[_bare(c) for c in r] for r in rows]
    plain = all(_at_once(c) for r in cells for c in r)
    types = [column_type([r[i].data_type for r in cells]) for i in range(len(names))] if plain else []
    if not plain or any(t is None for t in types):
        return UnresolvedInlineTable(names, tuple(rows))
    columns = []
    for i, (n, t) in enumerate(zip(names, types, strict=True)):
        assert t is not None
        columns.append(AttributeReference(n, t, any(r[i].nullable for r in cells), next_id()))
    values = tuple(tuple(cell(c, a.type) for c, a in zip(r, columns, strict=True)) for r in cells)
    return LocalRelation(tuple(columns), values)


def column_type(types: list[DataType]) -> DataType | None:
    """The type of a column of VALUES; None where texts stand beside something else, which is cast in neither mode."""
    return None if _mixes_texts(types) else wider_common(types)


def _mixes_texts(types: list[DataType]) -> bool:
    """Whether texts stand beside something else in these types or at one place within them."""
    known = [t for t in types if t != NULL]
    texts = [is_string(t) for t in known]
    if any(texts):
        return not all(texts)
    parts = [parts_of(t) for t in known]
    return any(_mixes_texts(list(at)) for at in zip(*parts, strict=False))


def _at_once(e: Expression) -> bool:
    """Whether an expression is complete as it was parsed; casts that read the time zone are not."""
    if not e.resolved or not e.foldable:
        return False
    return not any(needs_time_zone(c.child.data_type, c.type) for c in e.collect(Cast))


def _bare(e: Expression) -> Expression:
    return e.child if isinstance(e, Alias) else e
