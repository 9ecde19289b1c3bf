"""Definitions of a program: functions and classes with their decorators, and what it imports."""

from __future__ import annotations

import ast
from abc import abstractmethod
from typing import TYPE_CHECKING

from planviz.programs.expressions import Expressions
from planviz.programs.guesses import Guesses
from planviz.programs.signals import Raised
from planviz.programs.values import (
    MISSING,
    Class,
    ErrorClass,
    Function,
    Module,
    Scope,
    Unknown,
    Value,
    base_names,
    enumerate_members,
)

if TYPE_CHECKING:
    from planviz.programs.session import ProgramSession


class Definitions(Expressions):
    """Binds functions, classes and modules to the names of a scope."""

    guesses: Guesses
    session: ProgramSession

    @abstractmethod
    def run(self, body: list[ast.stmt], scope: Scope) -> None:
        """Statements in order."""

    def _do_FunctionDef(self, node: ast.FunctionDef, scope: Scope) -> None:
        made: Value = self.function(node, scope)
        for decorator in reversed(node.decorator_list):
            made = self.decorated(decorator, made, scope)
        scope.set(node.name, made)

    _do_AsyncFunctionDef = _do_FunctionDef

    def decorated(self, decorator: ast.expr, made: object, scope: Scope) -> object:
        """A function or class with a decorator: the property kinds and UDFs are known, others change nothing."""
        text = ast.unparse(decorator)
        name = text.split("(")[0].split(".")[-1]
        if isinstance(made, Function) and name in ("property", "cached_property", "staticmethod", "classmethod"):
            made.decorated = "property" if name == "cached_property" else name
            return made
        if name in ("setter", "getter", "deleter", "abstractmethod", "wraps", "lru_cache", "cache"):
            return made
        try:
            found = self.value(decorator, scope)
        except Raised:
            return made
        if isinstance(found, Unknown):
            if isinstance(made, Function):
                made.wrapped = True
                self._given_by(decorator, made, scope)
            return made
        result = self.call(found, [made], {}, decorator)
        return made if isinstance(result, Unknown) else result

    def _given_by(self, decorator: ast.expr, made: Function, scope: Scope) -> None:
        """The default that a decorator names of a parameter, as click's options do: `@option("--rows", default=5)`."""
        if not isinstance(decorator, ast.Call):
            return
        default = next((k.value for k in decorator.keywords if k.arg == "default"), None)
        flags = [a.value for a in decorator.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
        if default is None or not flags:
            return
        # A name without hyphens is the parameter's own, else the longest option gives it.
        plain = [f for f in flags if not f.startswith("-")]
        name = (plain or sorted(flags, key=len))[-1].lstrip("-").replace("-", "_").lower()
        made.defaults.setdefault(name, self.value(default, scope))

    def _do_ClassDef(self, node: ast.ClassDef, scope: Scope) -> None:
        bases = [self.value(b, scope) for b in node.bases if not isinstance(b, ast.Starred)]
        inner = Scope(outer=scope)
        self.run(node.body, inner)
        made = Class(node.name, bases, inner.names)
        for value in inner.names.values():
            # What a decorator gives may be a function of another place, with names of its own.
            if isinstance(value, Function) and value.scope is inner:
                value.owner = made
                # Names of a class are no names of its methods.
                value.scope = scope
        if any(ast.unparse(d).split("(")[0].split(".")[-1] == "dataclass" for d in node.decorator_list) or any(
            b in ("NamedTuple", "BaseModel") for b in base_names(made)
        ):
            made.of_tuples = "NamedTuple" in base_names(made)
            made.fields = {}
            for base in bases:
                if isinstance(base, Class) and base.fields:
                    made.fields.update(base.fields)
            for s in node.body:
                if isinstance(s, ast.AnnAssign) and isinstance(s.target, ast.Name):
                    made.fields[s.target.id] = inner.names.get(s.target.id, MISSING)
        enumerate_members(made)
        scope.set(node.name, self._decorated_class(node, made, scope))
        self._tell_bases(node, made, scope)

    def _tell_bases(self, node: ast.ClassDef, made: Class, scope: Scope) -> None:
        """`__init_subclass__` of the class that a new one comes from: registers of classes are kept so."""
        found: Value = None
        for base in made.bases:
            if isinstance(base, Class):
                try:
                    found = base.find("__init_subclass__")
                    break
                except KeyError:
                    continue
        if isinstance(found, Function):
            named = {k.arg: self.value(k.value, scope) for k in node.keywords if k.arg not in (None, "metaclass")}
            found(made, **named)

    def _decorated_class(self, node: ast.ClassDef, made: Class, scope: Scope) -> object:
        """A class with its decorators: `udtf` makes a table function of it, others change nothing."""
        for decorator in node.decorator_list:
            called = decorator.func if isinstance(decorator, ast.Call) else decorator
            if ast.unparse(called).rpartition(".")[2] == "udtf":
                return self.call(self.value(decorator, scope), [made], {}, decorator)
        return made

    # ---------------------------------------------------------------------------------------- imports

    def _do_Import(self, node: ast.Import, scope: Scope) -> None:
        for alias in node.names:
            found = self.importing(alias.name)
            if alias.asname:
                scope.set(alias.asname, found)
            else:
                scope.set(alias.name.split(".")[0], self.importing(alias.name.split(".")[0]))

    def _do_ImportFrom(self, node: ast.ImportFrom, scope: Scope) -> None:
        module = self.importing("." * node.level + (node.module or ""))
        for alias in node.names:
            if alias.name == "*":
                if isinstance(module, Module):
                    for name, value in (module.exported() if module.exported else module.names).items():
                        scope.set(name, value)
                    if not module.closed:
                        self.open_star = True
                continue
            whole = f"{node.module}.{alias.name}"
            try:
                value = self.module_attribute(module, alias.name)
            except KeyError:
                value = self.importing(whole)
                if isinstance(module, Module) and module.closed and not value.names and value.get is None:
                    self.pass_over(node, f"{node.module} has no {alias.name}.")
            scope.set(alias.asname or alias.name, value)

    def module_attribute(self, module: object, name: str) -> Value:
        """What a module holds under a name; raises KeyError."""
        if not isinstance(module, Module):
            return Unknown(name)
        if name in module.names:
            return module.names[name]
        if module.get is not None:
            return module.get(name)
        if module.closed:
            raise KeyError(name)
        # A class or function of a library that is not known; errors by their names can be handled.
        if name.endswith(("Error", "Exception")):
            return ErrorClass(name)
        return Unknown(name)
