"""Statements of a program: assignments, branches, loops, errors and their handlers."""

from __future__ import annotations

import ast
from abc import abstractmethod
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from planviz.programs.guesses import Again
from planviz.programs.matching import Matching
from planviz.programs.signals import Broken, Continued, Ended, LimitReached, Raised, Returned, raised
from planviz.programs.values import (
    Class,
    ErrorClass,
    ErrorValue,
    Instance,
    Scope,
    Unknown,
    Value,
    YieldedValues,
)

#: How often a loop over known values is gone through at most.
MOST_ROUNDS = 10_000
#: How many DataFrames a `while` may make, the rounds of loops within it included: who waits for one that ends sees the
#: plan grow with every round.
MOST_FRAMES = 2_000


if TYPE_CHECKING:
    pass


class Statements(Matching):
    """Carries statements out on the names of a scope."""

    #: Whether a loop or a function was left on a condition that nobody knows.
    may_leave: bool = False
    #: What the next context manager of the program that is called runs where it yields.
    opens: Callable[[Value], None] | None = None

    def run(self, body: list[ast.stmt], scope: Scope) -> None:
        """Statements in order; what ends them early comes as a signal."""
        for node in body:
            self.statement(node, scope)

    def statement(self, node: ast.stmt, scope: Scope) -> None:
        """One statement. An error of the program comes as Raised with its place."""
        self.step()
        method: Callable[[Any, Scope], None] | None = getattr(self, f"_do_{type(node).__name__}", None)
        if method is None:
            self.pass_over(node, f"{type(node).__name__} is passed over.")
            return
        try:
            method(node, scope)
        except Raised as e:
            if e.place is None:
                e.place = self.place(node)
            raise
        except LimitReached as e:
            e.line = e.line or node.lineno
            raise

    def at_top(self, body: list[ast.stmt], scope: Scope) -> None:
        """The statements of the module: after an error the rest is read on, with what failed unknown."""
        for node in body:
            try:
                self.statement(node, scope)
            except Again:
                if not self.goes_on_after(node):
                    raise
                self.session.incomplete = True
                scope.names |= {name: Unknown(name) for name in _bound_names(node)}
            except Raised as e:
                self.tell_error(e)
                for name in _bound_names(node):
                    if name not in scope.names or self.session.incomplete or self.session.learning:
                        scope.names[name] = Unknown(name)
            except (Returned, Broken, Continued):
                self.pass_over(node, "This statement has no place outside a function or loop.")
            except Ended:
                self.ended = True
            except RecursionError:
                self.pass_over(node, "This statement nests too deep to be read.")
        if self.session.incomplete or self.session.learning:
            raise Again

    @abstractmethod
    def goes_on_after(self, node: ast.stmt) -> bool:
        """Whether the rest can be read, to learn more of it, after a statement of which a guessed table was wrong."""

    # ---------------------------------------------------------------------------------------- plain statements

    def _do_Expr(self, node: ast.Expr, scope: Scope) -> None:
        self.value(node.value, scope)

    def _do_Pass(self, node: ast.Pass, scope: Scope) -> None:
        pass

    def _do_Assign(self, node: ast.Assign, scope: Scope) -> None:
        value = self.value(node.value, scope)
        for target in node.targets:
            self.assign(target, value, scope)

    def _do_AnnAssign(self, node: ast.AnnAssign, scope: Scope) -> None:
        if node.value is not None:
            self.assign(node.target, self.value(node.value, scope), scope)

    def _do_AugAssign(self, node: ast.AugAssign, scope: Scope) -> None:
        before = self.value(_as_load(node.target), scope)
        self.assign(node.target, self.operate(node.op, before, self.value(node.value, scope)), scope)

    def _do_Delete(self, node: ast.Delete, scope: Scope) -> None:
        for target in node.targets:
            if isinstance(target, ast.Name):
                scope.names.pop(target.id, None)
            elif isinstance(target, ast.Subscript):
                holder, key = self.value(target.value, scope), self.value(target.slice, scope)
                if isinstance(holder, dict | list) and not isinstance(key, Unknown):
                    self.python(partial(holder.__delitem__, key))

    def _do_Global(self, node: ast.Global, scope: Scope) -> None:
        scope.elsewhere.update(dict.fromkeys(node.names, self.module))

    def _do_Nonlocal(self, node: ast.Nonlocal, scope: Scope) -> None:
        for name in node.names:
            around = scope.outer
            while around is not None and name not in around.names:
                around = around.outer
            if around is not None:
                scope.elsewhere[name] = around

    def _do_Assert(self, node: ast.Assert, scope: Scope) -> None:
        # Where tables are guessed what is asserted holds in the program that its author means.
        found = self.value(node.test, scope)
        if isinstance(found, bool | int | str | list | dict | tuple | None) and not found and not self.guesses.columns:
            raise raised("AssertionError", "" if node.msg is None else str(self.value(node.msg, scope)))

    def _do_Return(self, node: ast.Return, scope: Scope) -> None:
        raise Returned(None if node.value is None else self.value(node.value, scope))

    def _do_Break(self, node: ast.Break, scope: Scope) -> None:
        raise Broken

    def _do_Continue(self, node: ast.Continue, scope: Scope) -> None:
        raise Continued

    # ---------------------------------------------------------------------------------------- assignment

    def assign(self, target: ast.expr, value: Value, scope: Scope) -> None:
        """Let a name, an attribute, an item or several of them stand for a value."""
        match target:
            case ast.Name(id=name):
                # What a call gives that nobody knows is called as the program calls it.
                called = type(value) is Unknown and value.what.endswith("(...)") and value.what != "auto(...)"
                scope.set(name, Unknown(name, value.kind) if called else value)
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                self._unpack(parts, value, scope)
            case ast.Starred(value=inner):
                self.assign(inner, value, scope)
            case ast.Attribute(value=holder, attr=name):
                self.set_attribute(self.value(holder, scope), name, value)
            case ast.Subscript(value=holder, slice=key):
                self.set_item(self.value(holder, scope), self.value(key, scope), value)

    def _unpack(self, parts: list[ast.expr], value: object, scope: Scope) -> None:
        if isinstance(value, Unknown):
            for i, part in enumerate(parts):
                self.assign(part, Unknown(f"{value.what}[{i}]"), scope)
            return
        items = list(self.iterate(value))
        star = next((i for i, p in enumerate(parts) if isinstance(p, ast.Starred)), None)
        if star is None:
            if len(items) != len(parts):
                many = "too many values to unpack" if len(items) > len(parts) else "not enough values to unpack"
                raise raised("ValueError", f"{many} (expected {len(parts)})")
            for part, item in zip(parts, items, strict=True):
                self.assign(part, item, scope)
            return
        behind = len(parts) - star - 1
        if len(items) < len(parts) - 1:
            raise raised("ValueError", "not enough values to unpack")
        for part, item in zip(parts[:star], items, strict=False):
            self.assign(part, item, scope)
        self.assign(parts[star], items[star : len(items) - behind], scope)
        for part, item in zip(parts[star + 1 :], items[len(items) - behind :], strict=True):
            self.assign(part, item, scope)

    # ---------------------------------------------------------------------------------------- branches and loops

    def _do_If(self, node: ast.If, scope: Scope) -> None:
        known = self.truth(self.value(node.test, scope))
        # Like an assertion: where columns are guessed the program that its author means has what it asks for.
        if known and self.guesses.columns and isinstance(node.body[-1], ast.Raise) and not node.orelse:
            self.pass_over(node, f"{ast.unparse(node.test)[:80]} holds with guessed columns; the error is passed over.")
            return
        if known is not None:
            self.run(node.body if known else node.orelse, scope)
            return
        self.both_ways(node, [node.body, node.orelse], ast.unparse(node.test), scope)

    def both_ways(self, node: ast.stmt, ways: list[list[ast.stmt]], condition: str, scope: Scope) -> None:
        """Ways of which nobody can know which is taken: all are read, the first that goes on counts behind them."""
        before, told = dict(scope.names), self.variant
        self.pass_over(node, f"Whether {condition[:80]} holds is not known: both ways are read.")
        chosen: dict[str, object] | None = None
        signal: Exception | None = None
        for i, way in enumerate(ways):
            scope.names.clear()
            scope.names.update(before)
            self.variant = condition if i == 0 else f"not ({condition})"
            try:
                self.run(way, scope)
            except (Raised, Ended, Returned, Broken, Continued) as e:
                # A way that returns a value counts like one that goes on, where no other does.
                self.may_leave = self.may_leave or isinstance(e, Broken | Returned)
                if isinstance(e, Returned) and (signal is None or not isinstance(signal, Returned)):
                    signal = e
                signal = signal or e
                continue
            finally:
                self.variant = told
            if chosen is None:
                chosen = dict(scope.names)
            else:
                for name, value in scope.names.items():
                    chosen.setdefault(name, value)
        scope.names.clear()
        scope.names.update(before if chosen is None else chosen)
        if chosen is None and signal is not None:
            raise signal

    def _do_While(self, node: ast.While, scope: Scope) -> None:
        made = self.session.plans
        for _ in range(MOST_ROUNDS):
            if self.session.plans - made > MOST_FRAMES:
                break
            known = self.truth(self.value(node.test, scope))
            if known is False:
                self.run(node.orelse, scope)
                return
            outside, self.may_leave = self.may_leave, False
            try:
                self.run(node.body, scope)
            except Broken:
                return
            except Continued:
                pass
            finally:
                left, self.may_leave = self.may_leave, outside
            # Where nobody knows whether the loop is left, another round would be as good as any number of them.
            if known is None or (left and self.leaves(node)) or not self.turns(node):
                return
        raise LimitReached("a loop goes on for too long")

    def turns(self, node: ast.While) -> bool:
        """Whether a loop is worth another round: one that waits for something, as `while True` does, is read once."""
        asked = [n for n in ast.walk(node.test) if isinstance(n, ast.Name | ast.Call | ast.Attribute)]
        named = {n.id for part in node.body for n in ast.walk(part) if isinstance(n, ast.Name)}
        if all(isinstance(n, ast.Name) and n.id not in named for n in asked):
            return self.leaves(node) or any(isinstance(n, ast.Raise) for n in ast.walk(node))
        return True

    @staticmethod
    def leaves(node: ast.While) -> bool:
        """Whether something in a loop can leave it."""
        return any(isinstance(n, ast.Break | ast.Return) for n in ast.walk(node))

    def _do_For(self, node: ast.For, scope: Scope) -> None:
        source = self.value(node.iter, scope)
        for item in self.rounds(source):
            self.step()
            self.assign(node.target, item, scope)
            try:
                self.run(node.body, scope)
            except Broken:
                return
            except Continued:
                continue
        self.run(node.orelse, scope)

    _do_AsyncFor = _do_For

    def _do_With(self, node: ast.With, scope: Scope) -> None:
        self._with(node.items, node.body, scope)

    def _with(self, items: list[ast.withitem], body: list[ast.stmt], scope: Scope) -> None:
        """The body within what the items open; a generator of the program runs it where it yields."""
        for place, item in enumerate(items):
            left = self._opened(item, items[place + 1 :], body, scope)
            if left is not None:
                for signal in left:
                    raise signal
                return
        self.run(body, scope)

    def _opened(
        self, item: ast.withitem, further: list[ast.withitem], body: list[ast.stmt], scope: Scope
    ) -> list[Exception] | None:
        """Open one item. Where a generator has run the rest, the signal that it ended with, if any; else None."""
        left: list[Exception] = []
        ran = False

        def block(value: Value) -> None:
            nonlocal ran
            ran = True
            if item.optional_vars is not None:
                self.assign(item.optional_vars, value, scope)
            try:
                self._with(further, body, scope)
            except (Returned, Broken, Continued) as signal:
                left.append(signal)  # what the generator has behind its yield comes first

        self.opens = block
        try:
            value = self.value(item.context_expr, scope)
        finally:
            self.opens = None
        if ran:
            return left
        if isinstance(value, YieldedValues):
            value = value[0] if value else None
        if isinstance(value, Instance):
            value = self.call_method(value, "__enter__", [], value)
        if item.optional_vars is not None:
            self.assign(item.optional_vars, value, scope)
        return None

    _do_AsyncWith = _do_With

    # ---------------------------------------------------------------------------------------- errors

    def _do_Raise(self, node: ast.Raise, scope: Scope) -> None:
        value = None if node.exc is None else self.value(node.exc, scope)
        if value is None and self.handling:
            raise self.handling[-1]
        made = raised("Exception", "")
        if isinstance(value, ErrorClass):
            made = raised(value.name, "")
        elif isinstance(value, ErrorValue):
            made = Raised(value)
        elif isinstance(value, Instance):
            made = Raised(ErrorValue(value.of.name, tuple(value.names.get("args", ())), value.of))
        elif isinstance(value, Class):
            made = Raised(ErrorValue(value.name, (), value))
        made.own = True
        raise made

    def _do_Try(self, node: ast.Try, scope: Scope) -> None:
        try:
            try:
                self.run(node.body, scope)
            except Raised as e:
                if e.place is None:
                    e.place = self.place(node)
                handler = next((h for h in node.handlers if self._handles(h, e, scope)), None)
                if handler is None:
                    raise
                if handler.name:
                    scope.set(handler.name, e.value)
                self.handling.append(e)
                try:
                    self.run(handler.body, scope)
                finally:
                    self.handling.pop()
            else:
                self.run(node.orelse, scope)
        finally:
            self.run(node.finalbody, scope)

    _do_TryStar = _do_Try

    def _handles(self, handler: ast.ExceptHandler, error: Raised, scope: Scope) -> bool:
        if handler.type is None:
            return True
        classes = self.value(handler.type, scope)
        for cls in classes if isinstance(classes, tuple | list) else [classes]:
            if isinstance(cls, Unknown) or self.is_error_of(error.value, cls):
                return True
        return False


def _as_load(target: ast.expr) -> ast.expr:
    match target:
        case ast.Name(id=name):
            made: ast.expr = ast.Name(name, ast.Load())
        case ast.Attribute(value=value, attr=attr):
            made = ast.Attribute(value, attr, ast.Load())
        case ast.Subscript(value=value, slice=key):
            made = ast.Subscript(value, key, ast.Load())
        case _:
            made = target
    return ast.copy_location(made, target)


def _bound_names(node: ast.stmt) -> list[str]:
    """The names that a statement would have bound."""
    return [n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
