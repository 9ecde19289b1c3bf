"""Expressions, by Spark's grammar: booleanExpression, valueExpression, primaryExpression."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from planviz.errors import ParseError
from planviz.expressions.arithmetic import (
    Add,
    BitwiseAnd,
    BitwiseNot,
    BitwiseOr,
    BitwiseXor,
    Divide,
    IntegralDivide,
    Multiply,
    Remainder,
    Shift,
    Subtract,
    UnaryMinus,
    UnaryPositive,
)
from planviz.expressions.calls import Concat
from planviz.expressions.casts import Cast
from planviz.expressions.collations import Collate, UnresolvedCollation
from planviz.expressions.complex import CreateNamedStruct, struct_of
from planviz.expressions.conditional import CaseWhen
from planviz.expressions.core import Alias, Expression, Literal, NamedExpression, SortOrder, lit
from planviz.expressions.ids import next_id
from planviz.expressions.lambdas import LambdaFunction, UnresolvedLambdaVariable
from planviz.expressions.patterns import Like, MultiLike, RLike
from planviz.expressions.predicates import (
    And,
    EqualNullSafe,
    EqualTo,
    GreaterThan,
    GreaterThanOrEqual,
    In,
    IsNotNull,
    IsNotUnknown,
    IsNull,
    IsUnknown,
    LessThan,
    LessThanOrEqual,
    Not,
    Or,
)
from planviz.expressions.subqueries import Exists, InSubquery, ListQuery, ScalarSubquery
from planviz.expressions.unresolved import (
    MultiAlias,
    SemiStructuredExtract,
    UnresolvedAlias,
    UnresolvedAttribute,
    UnresolvedExtractValue,
    UnresolvedFunction,
    UnresolvedRegex,
)
from planviz.frontend.cursor import further
from planviz.frontend.lexer import END, NUMBER, QUOTED, STRING, WORD
from planviz.frontend.literals import number
from planviz.frontend.special_forms import SpecialForms
from planviz.frontend.variant_path import starts_path, variant_path
from planviz.logical.plan import LogicalPlan
from planviz.types import STRING as STRING_TYPE
from planviz.types import without_lengths

if TYPE_CHECKING:
    Binary = Callable[[Expression, Expression], Expression]

_COMPARISONS: dict[str, Callable[[Expression, Expression], Expression]] = {
    "=": EqualTo,
    "==": EqualTo,
    "<=>": EqualNullSafe,
    "<>": lambda a, b: Not(EqualTo(a, b)),
    "!=": lambda a, b: Not(EqualTo(a, b)),
    "<": LessThan,
    "<=": LessThanOrEqual,
    "!>": LessThanOrEqual,
    ">": GreaterThan,
    ">=": GreaterThanOrEqual,
    "!<": GreaterThanOrEqual,
}
#: Operators of value expressions by precedence, loosest first.
_LEVELS: list[dict[str, Callable[[Expression, Expression], Expression]]] = [
    _COMPARISONS,
    {"|": BitwiseOr},
    {"^": BitwiseXor},
    {"&": BitwiseAnd},
    {
        "<<": lambda a, b: Shift(a, b, "<<"),
        ">>": lambda a, b: Shift(a, b, ">>"),
        ">>>": lambda a, b: Shift(a, b, ">>>"),
    },
    {"+": Add, "-": Subtract, "||": lambda a, b: Concat((a, b))},
    {"*": Multiply, "/": Divide, "%": Remainder, "DIV": IntegralDivide},
]
_PRECEDENCE = {op: (level, make) for level, ops in enumerate(_LEVELS) for op, make in ops.items()}
_SHIFTS = frozenset(["<<", ">>", ">>>"])
#: What goes on with a query behind its VALUES.
_BEHIND_VALUES = frozenset(
    ["ORDER", "SORT", "CLUSTER", "DISTRIBUTE", "LIMIT", "OFFSET", "UNION", "EXCEPT", "MINUS", "INTERSECT", "AS", "|>"]
)
_BEHIND_QUERY = _BEHIND_VALUES - {"AS"}
_AFTER_NOT = frozenset(["BETWEEN", "IN", "LIKE", "ILIKE", "RLIKE", "REGEXP"])
#: Reserved words that are values of their own, and ALL behind GROUP BY and ORDER BY.
_OF_NOW = frozenset((
    "ALL", "CURRENT_DATE", "CURRENT_PATH", "CURRENT_SCHEMA", "CURRENT_TIME", "CURRENT_TIMESTAMP", "CURRENT_USER",
    "LOCALTIME", "SESSION_USER", "USER",
))  # fmt: skip
_PREDICATES = frozenset(["!", "NOT", "BETWEEN", "IN", "LIKE", "ILIKE", "RLIKE", "REGEXP", "IS"])


def balanced(parts: list[Expression], combine: Callable[[Expression, Expression], Expression]) -> Expression:
    """A chain of AND or OR as the balanced tree that Spark's parser makes of it."""

    def reduce(low: int, high: int) -> Expression:
        if low == high:
            return parts[low]
        if high - low == 1:
            return combine(parts[low], parts[high])
        middle = low + (high - low) // 2
        return combine(reduce(low, middle), reduce(middle + 1, high))

    return reduce(0, len(parts) - 1)


class ExpressionReader(SpecialForms):
    """Reads expressions; queries inside them are read by the subclass."""

    def query(self) -> LogicalPlan:
        """A query, without the parentheses around it."""
        raise NotImplementedError

    # -------------------------------------------------------------------------------------------- boolean level

    def expression(self) -> Expression:
        """Any expression: OR over AND over NOT over predicates."""
        self.deeper()
        start = self.at
        parts = [self._conjunction()]
        while self.keys[self.at] == "OR":
            self._step_over_word()
            parts.append(self._conjunction())
        self.depth -= 1
        return parts[0] if len(parts) == 1 else self.placed(balanced(parts, Or), start)

    def _conjunction(self) -> Expression:
        start = self.at
        parts = [self._negation()]
        while self.keys[self.at] == "AND":
            self._step_over_word()
            parts.append(self._negation())
        return parts[0] if len(parts) == 1 else self.placed(balanced(parts, And), start)

    def _step_over_word(self) -> None:
        """Take AND or OR. Spark points to the word itself where nothing follows."""
        if self.kinds[self.at + 1] == END:
            self.fail("the text ends behind it, and an expression was expected")
        self.at += 1

    def _negation(self) -> Expression:
        start = self.at
        count = 0
        while self.keys[self.at] in ("NOT", "!") and self.kinds[self.at + 1] != END:
            self.at += 1
            count = self.longer(count, "NOTs")
        e = self._predicated()
        for _ in range(count):
            e = self.placed(Not(e), start)
        return e

    def _predicated(self) -> Expression:
        start = self.at
        if self.keys[start] == "EXISTS" and self.peek(1) == "(" and self._query_follows(1):
            self.at += 1
            query = self.try_read(self._parenthesized_query)
            if isinstance(query, ParseError):
                if query.error_class != "PARSE_SYNTAX_ERROR":
                    raise query
                # EXISTS is no reserved word: without a query behind it, it is a column, and the parenthesis wrong.
                self.fail(f"no query in it: {str(query).removeprefix('[PARSE_SYNTAX_ERROR] ')}")
            return self.placed(Exists(query, (), next_id()), start)
        e = self.value()
        if self.keys[self.at] not in _PREDICATES:
            return e
        # One predicate, no chain of them: `a IS NULL IS NULL` needs parentheses.
        word = self.at
        new = self._predicate(e, start)
        # Spark's errors point to the word, people look for the whole.
        return e if new is None else self.placed(new, word, start)

    def _predicate(self, e: Expression, start: int) -> Expression | None:
        if self.keys[self.at] == "!" and self.peek(1) in _AFTER_NOT:
            raise self.error("SYNTAX_DISCONTINUED.BANG_EQUALS_NOT", "The '!' may only be a prefix; write NOT instead.")
        if self.keys[self.at] == "!":
            return None
        negated = self.keys[self.at] == "NOT"
        key = self.peek(1 if negated else 0)
        if negated and key not in _PREDICATES:
            return None
        if key == "ILIKE":
            self.came_with("ILIKE", self.at + negated)
        word = self.at
        self.at += 2 if negated else 1
        quantified = key in ("LIKE", "ILIKE") and self.peek() in ("ANY", "SOME", "ALL") and self.peek(1) == "("
        made = self._positive_predicate(e, key, negated, word)
        return Not(self.placed(made, word, start)) if negated and not quantified else made

    def _positive_predicate(self, e: Expression, key: str, negated: bool, word: int) -> Expression:
        if key == "BETWEEN":
            low = self.value()
            self.expect("AND")
            return UnresolvedFunction(("between",), (e, low, self.value()))
        if key == "IN":
            return self._in(e, word)
        if key in ("LIKE", "ILIKE"):
            return self._like(e, key, negated)
        if key in ("RLIKE", "REGEXP"):
            return RLike(e, self.value())
        return self._is(e)

    def _in(self, e: Expression, word: int) -> Expression:
        if self._calls_values():
            raise self.error(
                "UNRESOLVED_ROUTINE",
                "Cannot resolve routine `VALUES`: before a bracket Spark reads a function here; write VALUES 1, 2 or "
                "SELECT * FROM VALUES (1), (2).",
                self.at + 1,
            )
        if self._query_follows(0) and not self._lists_queries():
            query = self.placed(ListQuery(self._parenthesized_query(), (), next_id()), word)
            values = e.values if isinstance(e, CreateNamedStruct) else (e,)
            return InSubquery(tuple(values), query)
        return In(e, tuple(self._in_list()))

    def _calls_values(self) -> bool:
        """Whether VALUES behind the bracket at the cursor is a function, as Spark's grammar takes it where it can."""
        if not self.sees("(", "VALUES", "("):
            return False
        depth, at = 1, self.at + 2
        while depth and self.kinds[at] != END:
            depth += {"(": 1, ")": -1}.get(self.keys[at], 0)
            if depth == 1 and self.keys[at] in _BEHIND_VALUES:
                return False
            at += 1
        return True

    def _lists_queries(self) -> bool:
        """Whether the bracket at the cursor holds a list whose first value is, or begins with, a scalar subquery."""
        if not self.sees("(", "("):
            return False
        depth, at = 1, self.at + 2
        while depth and self.kinds[at] != END:
            depth += {"(": 1, ")": -1}.get(self.keys[at], 0)
            at += 1
        return self.kinds[at] != END and self.keys[at] not in _BEHIND_QUERY

    def _in_list(self) -> list[Expression]:
        if self.sees("(", ")"):
            self.at -= 1
            raise self.error("INVALID_SQL_SYNTAX.EMPTY_IN_PREDICATE", "IN has no values: write at least one.")
        self.expect("(")
        items = self.separated(self.expression)
        self.expect(")")
        return items

    def _like(self, e: Expression, key: str, negated: bool) -> Expression:
        word = self.at - (2 if negated else 1)
        quantifier = self.peek()
        if quantifier in ("ANY", "SOME", "ALL") and self.peek(1) == "(":
            self.came_with("LIKE ANY and LIKE ALL")
            self.at += 2
            if self.sees(")"):
                told = "Expected something between '(' and ')'."
                raise self.error("INVALID_SQL_SYNTAX.EMPTY_QUANTIFIED_PATTERN", told, word)
            patterns = self.separated(self.expression)
            self.expect(")")
            name = ("notlike" if negated else "like") + ("all" if quantifier == "ALL" else "any")
            literals = [p for p in patterns if isinstance(p, Literal) and p.data_type == STRING_TYPE]
            if len(literals) == len(patterns):
                if key == "ILIKE":
                    lowered = tuple(lit(p.value.lower()) if isinstance(p.value, str) else p for p in literals)
                    return MultiLike(UnresolvedFunction(("lower",), (e,)), lowered, name)
                return MultiLike(e, tuple(literals), name)
            tests: list[Expression] = [self._not(self._like_one(e, p, key, "\\"), negated) for p in patterns]
            return balanced(tests, And if (quantifier == "ALL") else Or)
        pattern = self.value()
        escape = "\\"
        if self.accept("ESCAPE"):
            escape = self.string()
            if len(escape) != 1:
                raise self.error("INVALID_ESC", "The escape character must be one character.", word)
        return self._like_one(e, pattern, key, escape)

    @staticmethod
    def _not(e: Expression, negated: bool) -> Expression:
        return Not(e) if negated else e

    def _like_one(self, e: Expression, pattern: Expression, key: str, escape: str) -> Expression:
        return Like(e, pattern, escape) if key == "LIKE" else self.ilike(e, pattern, escape)

    def _is(self, e: Expression) -> Expression:
        if self.sees("!"):
            raise self.error("SYNTAX_DISCONTINUED.BANG_EQUALS_NOT", "The '!' may only be a prefix; write NOT instead.")
        negated = self.accept("NOT")
        key = self.peek()
        self.at += 1
        if key == "NULL":
            return IsNotNull(e) if negated else IsNull(e)
        if key in ("TRUE", "FALSE"):
            return self._not(EqualNullSafe(e, lit(key == "TRUE")), negated)
        if key == "UNKNOWN":
            return IsNotUnknown(e) if negated else IsUnknown(e)
        if key == "DISTINCT" and self.accept("FROM"):
            return self._not(EqualNullSafe(e, self.value()), not negated)
        # No predicate: what is wrong is the word.
        self.at -= 3 if negated else 2
        raise self.syntax_error("NULL, TRUE, FALSE, UNKNOWN or DISTINCT FROM was expected behind it")

    # -------------------------------------------------------------------------------------------- value level

    def value(self, level: int = 0) -> Expression:
        """A value expression of operators at `level` of precedence and tighter."""
        start = self.at
        left = self.signed()
        chain = 0
        while True:
            found = _PRECEDENCE.get(self.keys[self.at])
            if found is None or found[0] < level:
                return left
            chain = self.longer(chain, "operators")
            if self.keys[self.at] in _SHIFTS:
                self.came_with("a shift operator", self.at + 1)
            self.at += 1
            if self.sees_any("ALL", "ANY", "SOME") and self.peek(1) == "(" and self._query_follows(1):
                # Spark takes the word for a column's name.
                self.at += 1
                self.fail("Spark compares with no ANY, SOME or ALL of a query: write IN, or max() or min() of it")
            right = self.value(found[0] + 1)
            left = self.placed(found[1](left, right), start)

    def signed(self) -> Expression:
        """A primary expression with what stands before and behind it: signs, fields, elements, casts."""
        start = self.at
        key = self.keys[start]
        if key not in ("-", "+", "~"):
            return self._postfix(self.primary(), start)
        if key == "-" and self.kinds[start + 1] == NUMBER:
            self.at += 1
            return self._postfix(self.placed(self.number("-"), start), start)
        self.deeper()
        self.at += 1
        e = self.signed()
        self.depth -= 1
        made = {"-": UnaryMinus, "+": UnaryPositive, "~": BitwiseNot}[key](e)
        result: Expression = self.placed(made, start)
        return result

    def _postfix(self, e: Expression, start: int) -> Expression:
        keys, chain = self.keys, -1
        while True:
            key, chain = keys[self.at], self.longer(chain, "fields, elements or casts")
            if key == "[":
                self.at += 1
                index = self.value()
                self.expect("]")
                e = UnresolvedExtractValue(e, index)
            elif key == "." and self.kinds[self.at + 1] in (WORD, QUOTED):
                self.at += 1
                e = UnresolvedExtractValue(e, lit(self.identifier()))
            elif key == "::":
                self.came_with("the cast operator ::")
                self.at += 1
                e = Cast(e, without_lengths(self.data_type()), user_specified=True)
            elif key == "COLLATE" and self.kinds[self.at + 1] == STRING:
                self.at += 1
                self.fail("the name of a collation stands without quotes")
            elif key == "COLLATE" and self.kinds[self.at + 1] in (WORD, QUOTED):
                self.came_with("COLLATE")
                self.at += 1
                e = Collate(e, UnresolvedCollation(self.identifier_parts()))
            elif key == ":" and not isinstance(e, Literal) and starts_path(self):
                self.came_with("a path into a VARIANT")
                path, name = variant_path(self)
                e = SemiStructuredExtract(e, path)
                e = e if name is None else Alias(e, name, next_id())
            else:
                return e
            e = self.placed(e, start)

    def primary(self) -> Expression:
        """A primary expression: constant, name, call, CASE, cast, subquery, parentheses."""
        start = self.at
        kind = self.kinds[start]
        if kind == NUMBER:
            return self.placed(self.number(), start)
        if kind == STRING:
            text = self.string()
            return self.placed(self.unknown_text(text) or lit(text), start)
        if kind == WORD:
            special: Expression | None = self.special_form(self.keys[start])
            if special is not None:
                return self.placed(special, start)
        if kind in (WORD, QUOTED):
            return self._name_or_call(start)
        key = self.keys[start]
        if key == "(":
            return self._parenthesis(start)
        if key == "*":
            return self.placed(self.star(()), start)
        if key in (":", "?"):
            return self.placed(self.parameter(), start)
        raise self.syntax_error("an expression was expected")

    def number(self, sign: str = "") -> Literal:
        """A number token."""
        found = number(sign + self.take(), self.dialect.exponents_are_decimals)
        if isinstance(found, str):
            wide = "38 digits" in found
            error = "DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION" if wide else "INVALID_NUMERIC_LITERAL_RANGE"
            raise self.error(error, found, self.at - 1)
        return found

    def _parenthesis(self, start: int) -> Expression:
        if self._is_lambda():
            names = self.identifier_list()
            self.expect("->")
            return self.placed(self._lambda(names), start)
        if self._query_follows(0):
            found = self.try_read(self._scalar_subquery)
            if isinstance(found, Expression):
                return self.placed(found, start)
            # Names like SELECT are no words of their own, so it may be an expression, too; what got further is told.
            items = self.try_read(self._items)
            if isinstance(items, ParseError):
                raise further(found, items)
        else:
            items = self._items()
        return items[0] if len(items) == 1 else self.placed(struct_of(items), start)

    def _items(self) -> list[Expression]:
        """The expressions between parentheses."""
        self.expect("(")
        items = self.separated(self._aliased)
        self.expect(")")
        return items

    def _is_lambda(self) -> bool:
        i = self.at + 1
        while self.kinds[i] in (WORD, QUOTED):
            i += 1
            if self.keys[i] == ")":
                return self.keys[i + 1] == "->"
            if self.keys[i] != ",":
                return False
            i += 1
        return False

    def _lambda(self, names: tuple[str, ...]) -> Expression:
        body = self.expression()

        def bind(e: Expression) -> Expression:
            return UnresolvedLambdaVariable(e.parts) if isinstance(e, UnresolvedAttribute) else e

        body = body.transform_up(bind, UnresolvedAttribute.BIT)
        return LambdaFunction(body, tuple(UnresolvedLambdaVariable((n,)) for n in names))

    def _name_or_call(self, start: int) -> Expression:
        keys, kinds = self.keys, self.kinds
        if keys[start + 1] == "->":
            name = self.identifier()
            self.at += 1
            return self.placed(self._lambda((name,)), start)
        parts = [self.take() if self._is_form(start) else self.identifier()]
        while keys[self.at] == ".":
            self.longer(len(parts), "parts of a name")
            if kinds[self.at + 1] in (WORD, QUOTED):
                self.at += 1
                # Behind a dot IDENTIFIER( is a function's name.
                parts.append(self.take() if self.sees("IDENTIFIER", "(") else self.identifier())
            elif keys[self.at + 1] == "*":
                self.at += 1
                star: Expression = self.star(tuple(parts))
                return self.placed(star, start)
            else:
                break
        if keys[self.at] == "(":
            called: Expression = self.call(tuple(parts), start)
            return self.placed(called, start)
        if self.dialect.quoted_regex_names and self.naming and self.tokens.texts[self.at - 1].startswith("`"):
            return self.placed(UnresolvedRegex(tuple(parts[:-1]), (), parts[-1]), start)
        return self.placed(UnresolvedAttribute(tuple(parts)), start)

    def _is_form(self, start: int) -> bool:
        """Whether a reserved word stands here for a function, or for a value of the moment."""
        if not self.dialect.words_are_reserved or self.kinds[start] != WORD:
            return False
        word, called = self.keys[start], self.keys[start + 1] == "("
        return word in ("FILTER", "LEFT", "RIGHT") if called else word in _OF_NOW

    # -------------------------------------------------------------------------------------------- lists

    def named_expression(self) -> Expression:
        """One item of a select list: with its alias, or waiting for one."""
        start = self.at
        if self.clause_instead("FROM"):
            if start and self.keys[start - 1] == ",":
                raise self.error("TRAILING_COMMA_IN_SELECT", "SELECT ends with a comma: take it away.", start)
            self.fail("an expression was expected before it")
        self.naming += 1
        try:
            e = self.expression()
        finally:
            self.naming -= 1
        if self.accept("AS"):
            if self.kind == END:
                # The word is no reserved one: at the end of a text it is the name itself.
                return self.placed(Alias(e, self.tokens.texts[self.at - 1], next_id()), start)
            if self.sees("("):
                return self.placed(MultiAlias(e, self.identifier_list()), start)
            return self.placed(Alias(e, self.identifier(), next_id()), start)
        if self.sees("(") and self.kind != END and isinstance(e, UnresolvedFunction):
            return self.placed(MultiAlias(e, self.identifier_list()), start)
        if self.alias_word():
            return self.placed(Alias(e, self.identifier(), next_id()), start)
        return e if isinstance(e, NamedExpression) else self.placed(UnresolvedAlias(e), start)

    def sort_item(self) -> SortOrder:
        """One sort key with its direction."""
        start = self.at
        e = self.expression()
        direction = "DESC" if self.accept("DESC") else "ASC"
        if direction == "ASC":
            self.accept("ASC")
        nulls = "NULLS FIRST" if direction == "ASC" else "NULLS LAST"
        if self.accept("NULLS"):
            nulls = "NULLS LAST" if self.accept("LAST") else "NULLS FIRST"
            if nulls == "NULLS FIRST":
                self.expect("FIRST")
        return self.placed(SortOrder(e, direction, nulls), start)

    def case(self) -> Expression:
        """CASE ... END, the word CASE taken."""
        subject = None if self.sees("WHEN") else self.expression()
        branches: list[Expression] = []
        while self.accept("WHEN"):
            condition = self.expression()
            if subject is not None:
                condition = EqualTo(subject, condition)
            self.expect("THEN")
            branches += [condition, self.expression()]
        otherwise = self.expression() if self.accept("ELSE") else None
        self.expect("END")
        if not branches:
            self.fail("CASE without WHEN")
        return CaseWhen(tuple(branches), otherwise)

    def _scalar_subquery(self) -> Expression:
        return ScalarSubquery(self._parenthesized_query(), (), next_id())

    def _parenthesized_query(self) -> LogicalPlan:
        self.expect("(")
        self.deeper()
        plan = self.query()
        self.depth -= 1
        self.expect(")")
        return plan
