"""SELECT TRANSFORM, MAP and REDUCE: rows that go through a script."""

from __future__ import annotations

from collections.abc import Callable

from planviz.expressions.core import AttributeReference, Expression
from planviz.expressions.ids import next_id
from planviz.frontend.relation import RelationReader
from planviz.logical.plan import LogicalPlan
from planviz.logical.scripts import ScriptTransformation
from planviz.types import STRING

Format = tuple[tuple[str, str], ...]
#: In the order in which Spark shows them, wherever they stand in the text.
_DELIMITERS = (
    (("FIELDS", "TERMINATED", "BY"), "TOK_TABLEROWFORMATFIELD"),
    (("COLLECTION", "ITEMS", "TERMINATED", "BY"), "TOK_TABLEROWFORMATCOLLITEMS"),
    (("MAP", "KEYS", "TERMINATED", "BY"), "TOK_TABLEROWFORMATMAPKEYS"),
    (("NULL", "DEFINED", "AS"), "TOK_TABLEROWFORMATNULL"),
    (("LINES", "TERMINATED", "BY"), "TOK_TABLEROWFORMATLINES"),
)


class ScriptReader(RelationReader):
    """Reads the clause that names a script."""

    def script_follows(self) -> bool:
        """Whether TRANSFORM( ... ) with a script is next, and not the function of that name."""
        if not self.sees("TRANSFORM", "("):
            return False
        depth = 0
        for i in range(self.at + 1, len(self.keys) - 1):
            depth += {"(": 1, ")": -1}.get(self.keys[i], 0)
            if depth == 0:
                return self.keys[i + 1] in ("USING", "ROW", "RECORDWRITER")
        return False

    def script_items(self) -> list[Expression]:
        """The expressions in the brackets of TRANSFORM( ... )."""
        self.expect("TRANSFORM", "(")
        if self.sees_any("DISTINCT", "ALL") and self.peek(1) not in (",", ")", "."):
            raise self.error(
                "UNSUPPORTED_FEATURE.TRANSFORM_DISTINCT_ALL",
                "The feature is not supported: TRANSFORM with the DISTINCT/ALL clause.",
            )
        items = self.separated(self.named_expression)
        self.expect(")")
        return items

    def script(self, start: int) -> Callable[[LogicalPlan], LogicalPlan]:
        """[ROW FORMAT ...] USING 'script' [AS columns] [ROW FORMAT ...]; what puts the script over a plan."""
        given = self._row_format()
        self.expect("USING")
        command = self.string()
        columns: tuple[AttributeReference, ...] = ()
        named = self.accept("AS")
        if named:
            bracketed = self.accept("(")
            columns = tuple(self.separated(self._script_column))
            if bracketed:
                self.expect(")")
        taken = self._row_format()
        if not named:
            columns = tuple(AttributeReference(n, STRING, True, next_id()) for n in ("key", "value"))

        def over(child: LogicalPlan) -> LogicalPlan:
            return self.placed(ScriptTransformation(command, columns, given, taken, not named, child), start)

        return over

    def _script_column(self) -> AttributeReference:
        name = self.identifier()
        ends = self.peek() in (",", ")", "FROM", "ROW", "WHERE", "")
        return AttributeReference(name, STRING if ends else self.data_type(), True, next_id())

    def _row_format(self) -> Format:
        if not self.accept("ROW", "FORMAT"):
            return ()
        if self.sees("SERDE"):
            raise self.error(
                "UNSUPPORTED_FEATURE.TRANSFORM_NON_HIVE",
                "The feature is not supported: TRANSFORM with SERDE is only supported in hive mode.",
            )
        self.expect("DELIMITED")
        found: list[tuple[str, str]] = []
        while True:
            for words, token in _DELIMITERS:
                if self.accept(*words):
                    found.append((token, self.string()))
                    if self.accept("ESCAPED", "BY"):
                        self.string()
                    break
            else:
                order = [token for _, token in _DELIMITERS]
                return tuple(sorted(found, key=lambda pair: order.index(pair[0])))
