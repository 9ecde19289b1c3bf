"""What a program makes and does nothing with: its last DataFrames, and those of functions that nobody calls."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from planviz.dataframe.frame import DataFrame
from planviz.programs.lakehouse import DbtModel
from planviz.programs.session_names import NAMES
from planviz.programs.signals import Raised
from planviz.programs.values import Class, Function, Instance, Unknown, Value

if TYPE_CHECKING:
    from planviz.programs.calls import Calls
    from planviz.programs.interpreter import Interpreter

#: How many functions that nobody calls are read.
MOST_FUNCTIONS = 40


def read_rest(reader: Interpreter, last: object) -> None:
    """Note the DataFrames that a notebook would show or that are left over; `last` is the last expression's value."""
    body = reader.tree.body
    if body and isinstance(body[-1], ast.Expr) and isinstance(last, DataFrame) and last.output:
        reader.at = body[-1]
        reader.act("last", last)
    if reader.session.guesses.tables:
        _uncalled(reader)
        _left_over(reader)
        _handed_over(reader)
    elif not reader.program.actions:
        # What somebody else calls: a scheduler, a runner of tests, a command line.
        _uncalled(reader)
        if not reader.program.actions and not reader.program.error:
            _last_made(reader)


def _last_made(reader: Interpreter) -> None:
    frames = [v for v in reader.module.names.values() if isinstance(v, DataFrame)]
    body = reader.tree.body
    if frames and body:
        reader.at = next((s for s in reversed(body) if isinstance(s, ast.Assign | ast.AnnAssign)), body[-1])
        reader.act("last", frames[-1])


def _has_columns(frame: DataFrame) -> bool:
    """Whether a DataFrame is a query of its own: one that asks an outer query's columns has no columns before."""
    return frame.plan.resolved and bool(frame.output)


def _left_over(reader: Interpreter) -> None:
    """DataFrames with a name that nothing reads any more."""
    stored: dict[str, ast.Name] = {}
    for node in _in_order(reader.tree):
        if isinstance(node.ctx, ast.Store):
            stored[node.id] = node
        else:
            stored.pop(node.id, None)
    shown = [a.execution.stages.get("analyzed") for a in reader.program.actions]
    for name, node in stored.items():
        frame = reader.module.names.get(name)
        if isinstance(frame, DataFrame) and _has_columns(frame) and not any(p is frame.plan for p in shown):
            reader.at = node
            reader.act("last", frame)


def _handed_over(reader: Interpreter) -> None:
    """DataFrames that the program gives to what nobody knows, such as a model, and that no action shows."""
    shown = [a.execution.stages.get("analyzed") for a in reader.program.actions]
    for name, frame, node in reader.handed_over:
        if frame.output and not any(p is frame.plan for p in shown):
            reader.at = node
            reader.act(name, frame)
            shown.append(frame.plan)


def _in_order(tree: ast.AST) -> list[ast.Name]:
    """The names as they are evaluated: what is assigned comes after what it is made of."""
    found: list[tuple[int, int, int, ast.Name]] = []
    for statement in _statements(tree):
        if isinstance(statement, ast.FunctionDef | ast.ClassDef):
            continue
        for child in ast.iter_child_nodes(statement):
            if isinstance(child, ast.stmt):
                continue
            for n in ast.walk(child):
                if isinstance(n, ast.Name):
                    late = 1 if isinstance(n.ctx, ast.Store) else 0
                    found.append((statement.lineno, late, n.col_offset, n))
    return [n for *_, n in sorted(found, key=lambda f: f[:3])]


def _statements(tree: ast.AST) -> Iterator[ast.stmt]:
    """All statements, without going through what they are made of."""
    todo = [tree]
    while todo:
        for child in ast.iter_child_nodes(todo.pop()):
            if isinstance(child, ast.stmt):
                yield child
            if isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case):
                todo.append(child)


def _uncalled(reader: Interpreter) -> None:
    """Functions that the program only defines: their parameters stand for tables or values that nobody knows."""
    todo: list[tuple[Function, Any]] = []
    for value in list(reader.module.names.values()):
        if isinstance(value, Function):
            todo.append((value, None))
        elif isinstance(value, Class):
            todo += [(f, value) for f in value.names.values() if isinstance(f, Function) and f.__name__ != "__init__"]
    known = {f.__name__: _calls(f.node) for f, _ in todo}
    direct = {f.__name__ for f, _ in todo if _about_frames(reader, f.node)}
    about = set(direct)
    while more := {n for n, calls in known.items() if n not in about and calls & about}:
        about |= more
    # What calls the others comes first: it tells what their arguments are.
    inner = {c for n, calls in known.items() for c in calls if c != n}
    todo.sort(key=lambda f: (f[0].__name__ in inner, f[0].__name__ not in direct))
    for function, owner in todo[:MOST_FUNCTIONS]:
        node = function.node
        if id(node) in reader.entered or isinstance(node, ast.Lambda) or function.__name__ not in about:
            continue
        try:
            arguments = _arguments(reader, function, owner)
            reader.uncalled = function
            made = reader.call(function, arguments, {}, None)
        except Raised as e:
            reader.pass_over(node, f"{function.__name__} is not called; read by itself it ends with: {e.value.name}.")
            continue
        if isinstance(made, DataFrame):
            returned = [n for n in ast.walk(node) if isinstance(n, ast.Return)]
            reader.at = returned[-1] if returned else node
            reader.act("returned", made)


def _calls(node: ast.AST) -> set[str]:
    """The names of the functions and methods that a function calls or hands over."""
    found = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    return found | {n.attr for n in ast.walk(node) if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Load)}


def _about_frames(reader: Interpreter, node: Any) -> bool:
    """Whether a function deals with DataFrames: it names a session, or a parameter of it is used as a DataFrame."""
    names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)} | {
        n.attr for n in ast.walk(node) if isinstance(n, ast.Attribute)
    }
    parameters = [a.arg for a in (*node.args.posonlyargs, *node.args.args)]
    return bool(names & set(NAMES)) or "dbt" in parameters or any(_is_frame(reader, a, None) for a in parameters)


def _arguments(reader: Interpreter, function: Function, owner: Class | None) -> list[Value]:
    node = function.node
    parameters = [*node.args.posonlyargs, *node.args.args]
    made: list[Value] = []
    if owner is not None and function.decorated != "staticmethod" and parameters:
        made.append(_object(reader, owner) if function.decorated != "classmethod" else owner)
        parameters = parameters[1:]
    for a in parameters:
        made.append(function.defaults[a.arg] if a.arg in function.defaults else argument(reader, a))
    return made


def _object(reader: Interpreter, owner: Class) -> Instance:
    """An object of a class, made with arguments that nobody knows."""
    made = Instance(owner)
    try:
        start = owner.find("__init__")
        if isinstance(start, Function):
            start(made, *_arguments(reader, start, None)[1:])
    except (KeyError, Raised):
        pass  # what was set before is there, the rest nobody knows
    return made


def argument(reader: Calls, parameter: ast.arg) -> object:
    """What stands for an argument that the text does not show: a session, a table, or a value that nobody knows."""
    shown = "" if parameter.annotation is None else ast.unparse(parameter.annotation)
    if parameter.arg in NAMES or shown.endswith("SparkSession"):
        return reader.session
    if parameter.arg == "dbt":
        return DbtModel(reader)
    if _is_frame(reader, parameter.arg, shown):
        known = reader.session.guesses.tables or reader.session.table_exists((parameter.arg,))
        return reader.session.table(parameter.arg) if known else reader.session.guessed_rows(parameter.arg)
    return Unknown(parameter.arg)


def _is_frame(reader: Calls, name: str, annotation: str | None) -> bool:
    if annotation:
        return annotation.endswith(("DataFrame", "SparkDataFrame", "SDF")) and "pd." not in annotation
    return reader.uses.is_frame(name)
