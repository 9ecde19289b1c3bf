"""Sets of expressions that are equal however they are written (Spark: ExpressionSet)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from planviz.expressions.core import Expression


class ExpressionSet:
    """Expressions in order of first appearance, each once however it is written; random ones are all kept."""

    __slots__ = ("_forms", "_items", "implied")

    def __init__(self, items: Iterable[Expression] = ()) -> None:
        self._items: list[Expression] = []
        self._forms: set[object] = set()
        #: What follows from the predicates of a set that is complete; None before somebody asked.
        self.implied: ExpressionSet | None = None
        for e in items:
            self.add(e)

    def add(self, e: Expression) -> None:
        """Add one expression unless an equal one is there."""
        if not e.deterministic:
            self._items.append(e)
            return
        forms = self._forms
        before = len(forms)
        forms.add(e.canonicalized)
        if len(forms) > before:
            self._items.append(e)

    def __contains__(self, e: Expression) -> bool:
        return e.canonicalized in self._forms

    def __iter__(self) -> Iterator[Expression]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def union(self, *others: Iterable[Expression]) -> ExpressionSet:
        """This set and what others add; itself when that is nothing."""
        new = self
        for o in others:
            for e in o:
                if e.deterministic and e.canonicalized in new._forms:
                    continue
                if new is self:
                    new = self.copy()
                new.add(e)
        return new

    def copy(self) -> ExpressionSet:
        """The same expressions in a set that can be added to."""
        new = ExpressionSet()
        new._items, new._forms = list(self._items), set(self._forms)
        return new

    def minus(self, other: ExpressionSet) -> ExpressionSet:
        """This set without what is in the other."""
        forms = other._forms
        return self.where(lambda e: e.canonicalized not in forms)

    def where(self, test: Callable[[Expression], object]) -> ExpressionSet:
        """The expressions for which `test` holds; the set itself when that is all of them."""
        kept: list[Expression] = []
        dropped: list[Expression] = []
        for e in self._items:
            (kept if test(e) else dropped).append(e)
        if not dropped:
            return self
        new = ExpressionSet()
        new._items, new._forms = kept, self._forms.difference([e.canonicalized for e in dropped])
        return new
