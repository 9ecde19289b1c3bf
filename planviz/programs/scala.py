"""Scala Spark read as the Python that means the same: tree-sitter's tree becomes Python's, at the same places.

Chains, vals, definitions, lambdas and the column syntax ($"x", 'x, ===) have their counterpart in PySpark; the reader
of programs goes over the result as over any program. What has none is passed over.
"""

from __future__ import annotations

import ast
import functools
import keyword
import re
from collections.abc import Callable
from typing import Any, TypeAlias

from planviz.dataframe.column import LongNumber
from planviz.programs.scala_rows import local_rows
from planviz.programs.scala_values import more_of_sequence
from planviz.programs.values import Native, Value

#: A node of tree-sitter's tree. By its own types every child may be missing, also those that the grammar always gives.
Node: TypeAlias = Any

#: Methods that Scala calls without parentheses.
_BARE_NAMES = """show count distinct cache persist unpersist printSchema collect first head desc asc isNull isNotNull
isNaN toDF explain getOrCreate stop desc_nulls_last desc_nulls_first asc_nulls_last asc_nulls_first collectAsList
toLocalIterator isEmpty checkpoint localCheckpoint toJSON enableHiveSupport awaitTermination start toUpperCase
toLowerCase toDS"""
_BARE = frozenset(_BARE_NAMES.split())
_RENAMED = {
    "as": "alias", "startsWith": "startswith", "endsWith": "endswith", "equalTo": "__eq__", "notEqual": "__ne__",
    "gt": "__gt__", "lt": "__lt__", "geq": "__ge__", "leq": "__le__", "and": "__and__", "or": "__or__",
    "plus": "__add__", "minus": "__sub__", "multiply": "__mul__", "divide": "__truediv__", "mod": "__mod__",
    "isInCollection": "isin", "dropDuplicates": "dropDuplicates", "typedLit": "lit", "typedlit": "lit", "not": "not_",
    "callUDF": "call_udf", "unionAll": "union", "toUpperCase": "upper", "toLowerCase": "lower", "replaceAll": "replace",
    "except": "subtract", "toDS": "toDF",
}  # fmt: skip
_COMPARE: dict[str, type[ast.cmpop]] = {
    "===": ast.Eq, "=!=": ast.NotEq, "!==": ast.NotEq, "==": ast.Eq, "!=": ast.NotEq, ">": ast.Gt, "<": ast.Lt,
    ">=": ast.GtE, "<=": ast.LtE,
}  # fmt: skip
_BINARY: dict[str, type[ast.operator]] = {
    "+": ast.Add, "-": ast.Sub, "*": ast.Mult, "/": ast.Div, "%": ast.Mod, "&&": ast.BitAnd, "||": ast.BitOr,
    "&": ast.BitAnd, "|": ast.BitOr, "++": ast.Add, ":+": ast.Add, ":::": ast.Add,
}  # fmt: skip
_METHODS = {
    "__eq__": ast.Eq,
    "__ne__": ast.NotEq,
    "__gt__": ast.Gt,
    "__lt__": ast.Lt,
    "__ge__": ast.GtE,
    "__le__": ast.LtE,
}
_OPERATORS = {"__and__": ast.BitAnd, "__or__": ast.BitOr, "__add__": ast.Add, "__sub__": ast.Sub, "__mul__": ast.Mult,
              "__truediv__": ast.Div, "__mod__": ast.Mod}  # fmt: skip
#: Methods of sequences, by the Python that means the same.
_SEQUENCES: dict[str, Callable[[Value, list[Value]], Value]] = {
    "map": lambda reader, xs: lambda f: [reader.call(f, [x], {}, None) for x in xs],
    "flatMap": lambda reader, xs: lambda f: [y for x in xs for y in reader.rounds(reader.call(f, [x], {}, None))],
    "foreach": lambda reader, xs: lambda f: [reader.call(f, [x], {}, None) for x in xs] and None,
    "filter": lambda reader, xs: lambda f: [x for x in xs if reader.truth(reader.call(f, [x], {}, None)) is not False],
    "filterNot": lambda reader, xs: (
        lambda f: [x for x in xs if reader.truth(reader.call(f, [x], {}, None)) is not True]
    ),
    "reduce": lambda reader, xs: lambda f: functools.reduce(lambda a, b: reader.call(f, [a, b], {}, None), xs),
    "reduceLeft": lambda reader, xs: lambda f: functools.reduce(lambda a, b: reader.call(f, [a, b], {}, None), xs),
    "mkString": lambda reader, xs: lambda *a: (a[1] if len(a) > 2 else a[0] if a else "").join(map(str, xs)),
    "zip": lambda reader, xs: lambda ys: list(zip(xs, ys, strict=False)),
    "contains": lambda reader, xs: lambda x: x in xs,
    "toDF": lambda reader, xs: lambda *names: _rows(reader, xs, list(names)),
    "toDS": lambda reader, xs: lambda: _rows(reader, xs, []),
}
_PARTS: dict[str, Callable[[list[Value]], Value]] = {
    "head": lambda xs: xs[0] if xs else None, "last": lambda xs: xs[-1] if xs else None, "tail": lambda xs: xs[1:],
    "length": len, "size": len, "isEmpty": lambda xs: not xs, "nonEmpty": bool, "toSeq": list, "toArray": list,
    "toList": list, "distinct": lambda xs: list(dict.fromkeys(xs)), "reverse": lambda xs: xs[::-1],
    "zipWithIndex": lambda xs: [(x, i) for i, x in enumerate(xs)], "indices": lambda xs: list(range(len(xs))),
    "init": lambda xs: xs[:-1],
}  # fmt: skip
#: Of a number they make a time (scala.concurrent.duration).
_DURATIONS = frozenset(
    ["millis", "milliseconds", "second", "seconds", "minute", "minutes", "hour", "hours", "day", "days"]
)
_LISTS = ("Seq", "List", "Array", "Vector", "Set", "IndexedSeq", "ArrayBuffer", "ListBuffer")
_TYPE_NAMES = """StringType IntegerType LongType DoubleType FloatType BooleanType DateType TimestampType ShortType
ByteType BinaryType NullType TimestampNTZType"""
_TYPES = frozenset(_TYPE_NAMES.split())
_PRELUDE = """from pyspark.sql.functions import *
from pyspark.sql.functions import countDistinct, sumDistinct, approxCountDistinct, toDegrees, toRadians, bitwiseNOT
from pyspark.sql.functions import shiftLeft, shiftRight, shiftRightUnsigned
from pyspark.sql.types import *
from pyspark.sql import SparkSession, Window, Row
from functools import reduce
"""
_LOOKS = re.compile(
    r"^[^\S\n]*(?:scala>|import\s+org\.apache\.spark\b|import\s+spark\.implicits"
    r"|(?:val|var)\s+\w+(?:\s*:\s*[\w\[\]]+)?\s*=|object\s+\w+|case\s+class\s|package\s+\w)|===|=!=|\$\"\w",
    re.MULTILINE,
)
_PROMPT = re.compile(r"^\s*scala>\s?")
_PIPE = re.compile(r"^\s*\|\s?")


def looks_like_scala(text: str) -> bool:
    """Whether a text is Scala that uses Spark."""
    spark = re.search(r"\bspark\b|\bsqlContext\b|\bsc\.|DataFrame|Dataset|\.toD[FS]\b|\$\"|===", text)
    return (
        spark is not None
        and _LOOKS.search(text) is not None
        and not re.search(r"^\s*(?:from\s+\w|def\s.*:\s*$)", text, re.M)
    )


def without_prompts(text: str) -> str:
    """The lines behind spark-shell's prompts; what it printed is left out."""
    lines = text.replace("\r\n", "\n").split("\n")
    if not any(_PROMPT.match(s) for s in lines):
        return text
    made, going_on = [], False
    for line in lines:
        found = _PROMPT.match(line) or (_PIPE.match(line) if going_on else None)
        going_on = found is not None
        made.append(line[found.end() :] if found else "")
    return "\n".join(made)


def scala_tree(text: str) -> tuple[ast.Module, list[tuple[int, str]]]:
    """Python's tree of a Scala text, and the lines that were passed over with the reason."""
    import tree_sitter
    import tree_sitter_scala

    parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_scala.language()))
    source = text.encode("utf-8")
    made = Translation(source)
    body = ast.parse(_PRELUDE).body
    for n in ast.walk(ast.Module(body, [])):
        if hasattr(n, "lineno"):
            n.lineno = n.end_lineno = 1  # type: ignore[attr-defined]
    body += made.statements(parser.parse(source).root_node.named_children)
    return ast.fix_missing_locations(ast.Module(body, [])), made.passed


def _rows(reader: Value, values: list[Value], names: list[Value]) -> Value:
    local = local_rows(reader.session, values)
    if local is not None:
        return local.toDF(*names) if names else local
    given = [values, names] if names else [values]
    return reader.call(reader.attribute(reader.session, "createDataFrame"), given, {}, None)


def sequence_method(reader: Value, values: list[Value], name: str) -> Value:
    """A method of a Scala sequence, or what it gives where it takes nothing; None for one that is not known."""
    if name in _SEQUENCES:
        return Native(name, _SEQUENCES[name](reader, values), True)
    if name in ("head", "isEmpty", "distinct"):
        # Written without parentheses they were given some.
        return Native(name, lambda *a: _PARTS[name](values), True)
    return _PARTS[name](values) if name in _PARTS else more_of_sequence(reader, values, name)


class Translation:
    """One text's way from tree-sitter's nodes to Python's. `passed` are lines of what has no counterpart."""

    def __init__(self, source: bytes) -> None:
        self.source = source
        self.passed: list[tuple[int, str]] = []
        self.wildcards = 0
        #: Classes whose methods stand as functions, and the values that are objects of them.
        self.classes: set[str] = set()
        #: Methods of implicit classes.
        self.extensions: set[str] = set()

    # ------------------------------------------------------------------------------------------ statements

    def statements(self, nodes: list[Value]) -> list[ast.stmt]:
        """Python's statements for Scala's."""
        made: list[ast.stmt] = []
        # Definitions count in all of the text around them, before they stand in it, too; a program begins with main.
        for node in sorted(nodes, key=self._turn):
            made += self.statement(node)
        return made

    def _turn(self, node: Node) -> int:
        if node.type != "function_definition":
            return 0 if node.type == "class_definition" else 1
        name = node.child_by_field_name("name")
        return 2 if name is not None and self._text(name) == "main" else 0

    def statement(self, node: Node) -> list[ast.stmt]:
        """Python's statements for one of Scala's."""
        method: Callable[[Any], list[ast.stmt]] | None = getattr(self, f"_do_{node.type}", None)
        if method is not None:
            return method(node)
        if node.type in (
            "import_declaration",
            "comment",
            "block_comment",
            "package_clause",
            ";",
            "type_definition",
            "trait_definition",
        ):
            return []
        return [self._at(ast.Expr(self.value(node)), node)]

    def _do_val_definition(self, node: Node) -> list[ast.stmt]:
        value = node.child_by_field_name("value")
        if value is None:
            return []
        target, given = self._target(node.child_by_field_name("pattern")), self.value(value)
        if isinstance(target, ast.Name) and self._is_object(given):
            self.classes.add(target.id)
            return []
        return [self._at(ast.Assign([target], given), node)]

    _do_var_definition = _do_val_definition
    _do_lazy_val_definition = _do_val_definition

    def _target(self, node: Node) -> Value:
        if node.type in ("case_class_pattern", "tuple_pattern"):
            parts = [
                self._target(c)
                for c in node.named_children
                if c.type not in ("type_identifier", "stable_type_identifier")
            ]
            return self._at(ast.Tuple(parts, ast.Store()), node)
        name = self._text((node.child_by_field_name("pattern") or node) if node.type == "typed_pattern" else node)
        return self._at(ast.Name(_plain(name), ast.Store()), node)

    def _do_assignment_expression(self, node: Node) -> list[ast.stmt]:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        return [self._at(ast.Assign([self._target(left)], self.value(right)), node)]

    def _do_function_definition(self, node: Node) -> list[ast.stmt]:
        written = node.child_by_field_name("body")
        if written is None:
            return []
        name = self._text(node.child_by_field_name("name"))
        statements = self._returning(written)
        if name == "main":
            # The program's own beginning, with arguments that nobody knows.
            groups = [c for c in node.named_children if c.type == "parameters"]
            given = [a.arg for a in self._parameters(groups).args] if groups else []
            for arg in given[:1]:
                told = self._call(self._name("scala_unknown", node), [ast.Constant("args")])
                statements.insert(0, self._at(ast.Assign([ast.Name(arg, ast.Store())], told), node))
            return [*statements[:-1], self._last_as_expression(statements[-1])] if statements else []
        groups = [c for c in node.named_children if c.type == "parameters"]
        # What is given implicitly is found under its name.
        groups = [g for g in groups if not re.match(r"\(\s*(?:implicit|using)\b", self._text(g))]
        first, rest = groups[:1], groups[1:]
        body = statements or [ast.Pass()]
        for group in reversed(rest):
            # def f(a)(b): called with a it is a function of b.
            body = [
                self._function("_curried", self._parameters([group]), body, node),
                self._at(ast.Return(self._name("_curried", node)), node),
            ]
        return [self._function(name, self._parameters(first), body, node)]

    def _function(self, name: str, arguments: ast.arguments, body: list[ast.stmt], node: Node) -> ast.stmt:
        made = ast.FunctionDef(name, arguments, body, [], None, None)
        made.__dict__["type_params"] = []
        placed: ast.stmt = self._at(made, node)
        return placed

    def _last_as_expression(self, node: ast.stmt) -> ast.stmt:
        if isinstance(node, ast.Return) and node.value is not None:
            return ast.copy_location(ast.Expr(node.value), node)
        return node

    def _returning(self, body: Node) -> list[ast.stmt]:
        made = self.statements(body.named_children) if body.type in ("block", "template_body") else self.statement(body)
        if made and isinstance(made[-1], ast.Expr):
            made[-1] = ast.copy_location(ast.Return(made[-1].value), made[-1])
        return made

    def _parameters(self, groups: list[Value]) -> ast.arguments:
        args, defaults = [], []
        several: ast.arg | None = None
        for group in groups:
            for p in group.named_children:
                if p.type not in ("parameter", "class_parameter", "binding"):
                    continue
                name = p.child_by_field_name("name")
                kind = p.child_by_field_name("type")
                shown = self._text(kind) if kind is not None else ""
                note = ast.Name("DataFrame", ast.Load()) if re.match(r"DataFrame|Dataset\b", shown) else None
                if shown == "SparkSession":
                    note = ast.Name("SparkSession", ast.Load())
                made = self._at(ast.arg(_plain(self._text(name)) if name is not None else "_", note), p)
                if kind is not None and kind.type == "repeated_parameter_type":
                    several = made
                    continue
                args.append(made)
                default = p.child_by_field_name("default_value")
                if default is not None:
                    defaults.append(self.value(default))
        return ast.arguments([], args, several, [], [], None, defaults)

    def _do_object_definition(self, node: Node) -> list[ast.stmt]:
        body = node.child_by_field_name("body")
        return [] if body is None else self.statements(body.named_children)

    _do_package_object = _do_object_definition

    def _do_class_definition(self, node: Node) -> list[ast.stmt]:
        body = node.child_by_field_name("body")
        inner = [] if body is None else self.statements(body.named_children)
        name, given = node.child_by_field_name("name"), node.child_by_field_name("class_parameters")
        if given is not None and "implicit" in [self._text(c) for c in node.children if c.type == "modifiers"]:
            return self._extensions(given, inner)
        if name is None or not any(c.type == "case" for c in node.children):
            return inner if name is None else self._plain_class(self._text(name), given) + inner
        if given is None:
            return inner
        fields = [c.child_by_field_name("name") for c in given.named_children if c.type == "class_parameter"]
        # Its objects are rows, whose class is made of the names of the columns.
        columns: list[ast.expr] = []
        for f in fields:
            kind = None if f is None or f.parent is None else f.parent.child_by_field_name("type")
            if f is not None:
                columns += [ast.Constant(self._text(f)), ast.Constant("" if kind is None else self._text(kind))]
        pairs = [(f, None if f is None or f.parent is None else f.parent.child_by_field_name("default_value"))
                 for f in fields]  # fmt: skip
        given_by = [(self._text(f), self.value(d)) for f, d in pairs if f is not None and d is not None]
        defaults = ast.Dict([ast.Constant(n) for n, _ in given_by], [v for _, v in given_by])
        more = [ast.keyword("kind", ast.Constant(self._text(name))), ast.keyword("defaults", defaults)]
        record = self._call(self._name("scala_record", node), columns, more)
        made = ast.Assign([ast.Name(self._text(name), ast.Store())], record)
        return [self._at(made, node), *inner]

    def _extensions(self, given: Node, inner: list[ast.stmt]) -> list[ast.stmt]:
        """The methods of an implicit class, as functions of what it is made of."""
        own = self._parameters([given]).args[:1]
        for s in inner:
            if isinstance(s, ast.FunctionDef):
                s.args.args[:0] = own
                self.extensions.add(s.name)
        return inner

    def _plain_class(self, name: str, given: Node | None) -> list[ast.stmt]:
        """What a class is made with, as values that nobody knows; its methods stand beside it as functions."""
        self.classes.add(name)
        made: list[ast.stmt] = []
        for p in [] if given is None else given.named_children:
            own, kind = p.child_by_field_name("name"), p.child_by_field_name("type")
            shown = "" if kind is None else self._text(kind)
            if own is None or re.match(r"DataFrame|Dataset\b", shown):
                continue
            value = self._name("spark" if shown == "SparkSession" else f"{name}_{self._text(own)}", p)
            made.append(self._at(ast.Assign([self._target(own)], value), p))
        return made

    def _do_if_expression(self, node: Node) -> list[ast.stmt]:
        parts = [node.child_by_field_name(n) for n in ("condition", "consequence", "alternative")]
        if parts[1] is None:
            return []
        other = [] if parts[2] is None else self._block(parts[2])
        return [self._at(ast.If(self.value(parts[0]), self._block(parts[1]) or [ast.Pass()], other), node)]

    def _block(self, node: Node) -> list[ast.stmt]:
        return self.statements(node.named_children) if node.type == "block" else self.statement(node)

    _do_block = _block

    def _do_for_expression(self, node: Node) -> list[ast.stmt]:
        body = node.child_by_field_name("body")
        made = self._block(body) if body is not None else []
        enumerators = _enumerators(node)
        for e in reversed(
            [c for c in (enumerators.named_children if enumerators is not None else []) if c.type == "enumerator"]
        ):
            parts = e.named_children
            if len(parts) >= 2:
                made = [self._at(ast.For(self._target(parts[0]), self.value(parts[1]), made or [ast.Pass()], []), node)]
        return made

    def _do_try_expression(self, node: Node) -> list[ast.stmt]:
        body = node.child_by_field_name("body")
        return [] if body is None else self._block(body)

    # ------------------------------------------------------------------------------------------ expressions

    def value(self, node: Node) -> ast.expr:
        """Python's expression for one of Scala's; what has none is a value that nobody knows."""
        method: Callable[[Any], ast.expr] | None = getattr(self, f"_of_{node.type}", None)
        if method is None:
            self.passed.append((node.start_point[0] + 1, f"{node.type.replace('_', ' ')} is passed over."))
            return self._name("scala_" + node.type, node)
        made: ast.expr = self._at(method(node), node)
        return made

    def _of_identifier(self, node: object) -> ast.expr:
        name = self._text(node).strip("`")
        if name in _TYPES:
            return self._call(self._name(name, node), [])
        if name in ("None", "Nil"):
            return ast.Constant(None) if name == "None" else ast.List([], ast.Load())
        return self._name(_RENAMED.get(name, name) if name in ("typedLit", "callUDF") else name, node)

    _of_type_identifier = _of_stable_identifier = _of_operator_identifier = _of_identifier

    def _of_integer_literal(self, node: object) -> ast.expr:
        written = self._text(node).replace("_", "")
        text = written.rstrip("lL")
        try:
            # Scala 2.13 has no octal numbers; old code and damaged texts have digits behind a zero.
            number = int(text, 16 if text[:2] in ("0x", "0X") else 10)
            return ast.Constant(number if text == written else LongNumber(number))
        except ValueError:
            return ast.Constant(0)

    def _of_floating_point_literal(self, node: object) -> ast.expr:
        try:
            return ast.Constant(float(self._text(node).rstrip("dDfF").replace("_", "")))
        except ValueError:
            return ast.Constant(0.0)

    def _of_boolean_literal(self, node: Node) -> ast.expr:
        return ast.Constant(self._text(node) == "true")

    def _of_null_literal(self, node: object) -> ast.expr:
        return ast.Constant(None)

    def _of_unit(self, node: object) -> ast.expr:
        return ast.Constant(None)

    def _of_string(self, node: object) -> ast.expr:
        return ast.Constant(_unquoted(self._text(node)))

    _of_multiline_string = _of_character_literal = _of_string

    def _of_quote_expression(self, node: object) -> ast.expr:
        return self._call(self._name("col", node), [ast.Constant(self._text(node).lstrip("'"))])

    _of_symbol_literal = _of_quote_expression

    def _of_interpolated_string_expression(self, node: Node) -> ast.expr:
        interpolator, inner = node.named_children[0], node.named_children[-1]
        parts: list[ast.expr] = []
        text = self._text(inner)
        quote = '"""' if text.startswith('"""') else '"'
        at, end = inner.start_byte + len(quote), inner.end_byte - len(quote)
        for c in inner.named_children:
            if c.type != "interpolation":
                continue
            parts.append(ast.Constant(_unescaped(self.source[at : c.start_byte].decode("utf-8", "replace"), quote)))
            held = c.named_children[-1]
            held = held.named_children[-1] if held.type == "block" and held.named_children else held
            parts.append(ast.FormattedValue(self.value(held), -1, None))
            at = c.end_byte
        parts.append(ast.Constant(_unescaped(self.source[at:end].decode("utf-8", "replace"), quote)))
        whole: ast.expr = ast.JoinedStr(parts) if len(parts) > 1 else parts[0]
        if self._text(interpolator) == "$":
            return self._call(self._name("col", node), [self._at(whole, node)])
        return whole

    def _of_tuple_expression(self, node: Node) -> ast.expr:
        return ast.Tuple([self.value(c) for c in node.named_children], ast.Load())

    def _of_parenthesized_expression(self, node: Node) -> ast.expr:
        return self.value(node.named_children[0]) if node.named_children else ast.Constant(None)

    def _of_generic_function(self, node: Node) -> ast.expr:
        function = node.child_by_field_name("function")
        field = function.child_by_field_name("field") if function.type == "field_expression" else None
        if field is not None and self._text(field) in ("as", "asInstanceOf"):
            # A Dataset's class changes no plan that is shown.
            return self.value(function.child_by_field_name("value"))
        return self.value(function)

    def _of_instance_expression(self, node: Node) -> ast.expr:
        arguments = node.child_by_field_name("arguments")
        name = next((self._text(c) for c in node.named_children if "type" in c.type), "object")
        return self._call(
            self._name(name.split("[")[0].split(".")[-1], node), self._arguments(arguments) if arguments else []
        )

    def _of_prefix_expression(self, node: Node) -> ast.expr:
        operator, inner = self._text(node)[0], self.value(node.named_children[-1])
        kinds: dict[str, ast.unaryop] = {"!": ast.Invert(), "-": ast.USub(), "~": ast.Invert()}
        return ast.UnaryOp(kinds[operator], inner) if operator in kinds else inner

    def _of_infix_expression(self, node: Node) -> ast.expr:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        operator = self._text(node.child_by_field_name("operator"))
        if operator == "->":
            return ast.Tuple([self.value(left), self.value(right)], ast.Load())
        if operator in _COMPARE:
            return ast.Compare(self.value(left), [_COMPARE[operator]()], [self.value(right)])
        if operator == "<=>":
            return self._call(self._attribute(self.value(left), "eqNullSafe", node), [self.value(right)])
        if operator in _BINARY:
            return ast.BinOp(self.value(left), _BINARY[operator](), self.value(right))
        arguments = (
            [self.value(c) for c in right.named_children] if right.type == "tuple_expression" else [self.value(right)]
        )
        if operator in ("to", "until"):
            end = ast.BinOp(arguments[0], ast.Add(), ast.Constant(1)) if operator == "to" else arguments[0]
            return self._call(self._name("range", node), [self.value(left), end])
        return self._method(self.value(left), operator, arguments, [], node)

    def _of_field_expression(self, node: Node) -> ast.expr:
        holder, field = node.child_by_field_name("value"), node.child_by_field_name("field")
        name = self._text(field).strip("`")
        if name in _TYPES:
            return self._call(self._name(name, node), [])
        if self._text(holder) in ("functions", "org.apache.spark.sql.functions"):
            return self._name(name, node)
        if holder.type == "integer_literal" and name in _DURATIONS:
            return ast.Constant(f"{self._text(holder)} {name}")
        if self._text(holder) in ("SaveMode", "OutputMode", "Trigger", "StorageLevel"):
            return (
                ast.Constant(name.lower())
                if self._text(holder) != "StorageLevel"
                else self._attribute(self.value(holder), name, field)
            )
        inner = self.value(holder)
        if name in _BARE:
            return self._call(self._attribute(inner, _RENAMED.get(name, name), field), [])
        return self._attribute(inner, name, field)

    def _of_postfix_expression(self, node: Node) -> ast.expr:
        """$"a" desc"""
        holder, method = node.named_children[0], node.named_children[-1]
        return self._method(self.value(holder), self._text(method), [], [], method)

    def _of_call_expression(self, node: Node) -> ast.expr:
        function, given = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        arguments = self._arguments(given) if given is not None else []
        positional = [a for a in arguments if not isinstance(a, ast.keyword)]
        keywords = [a for a in arguments if isinstance(a, ast.keyword)]
        if function.type == "generic_function":
            function = function.child_by_field_name("function")
        if function.type == "identifier":
            return self._called(self._text(function), positional, keywords, node)
        if function.type == "field_expression":
            holder = function.child_by_field_name("value")
            name = self._text(function.child_by_field_name("field")).strip("`")
            if self._text(holder) == "functions":
                return self._called(name, positional, keywords, node)
            return self._method(self.value(holder), name, positional, keywords, function.child_by_field_name("field"))
        if function.type == "call_expression" and (folded := self._fold(function, positional)) is not None:
            return folded
        return self._call(self.value(function), positional, keywords)

    def _called(self, name: str, given: list[ast.expr], keywords: list[ast.keyword], node: Node) -> ast.expr:
        if name in _LISTS:
            return ast.List(given, ast.Load())
        if name == "Map" and all(isinstance(g, ast.Tuple) and len(g.elts) == 2 for g in given):
            pairs = [g.elts for g in given if isinstance(g, ast.Tuple)]
            return ast.Dict([p[0] for p in pairs], [p[1] for p in pairs])
        if name == "BigDecimal" and len(given) == 1:
            return self._call(self._name("scala_decimal", node), given)
        if name == "sql":
            return self._call(self._attribute(self._name("spark", node), "sql", node), given, keywords)
        if name == "not" and len(given) == 1:
            return ast.UnaryOp(ast.Invert(), given[0])
        if name in ("Some", "Option") and len(given) == 1:
            return given[0]
        return self._call(self._name(_RENAMED.get(name, name) if name != "as" else name, node), given, keywords)

    def _method(
        self, holder: ast.expr, name: str, given: list[ast.expr], keywords: list[ast.keyword], node: object
    ) -> ast.expr:
        name = _RENAMED.get(name, name)
        if self._is_object(holder):
            return self._call(self._name(name, node), given, keywords)
        if name in self.extensions:
            return self._call(self._name(name, node), [holder, *given], keywords)
        match given:
            case [ast.Call(ast.Name("col"), [ast.Constant() as symbol])] if name == "alias":
                given = [symbol]
        if name in _METHODS and len(given) == 1:
            return ast.Compare(holder, [_METHODS[name]()], given)
        if name in _OPERATORS and len(given) == 1:
            return ast.BinOp(holder, _OPERATORS[name](), given[0])
        if name == "apply":
            return self._call(holder, given, keywords)
        if name == "agg" and given and all(isinstance(g, ast.Tuple) for g in given):
            pairs = [g.elts for g in given if isinstance(g, ast.Tuple)]
            return self._call(
                self._attribute(holder, name, node), [ast.Dict([p[0] for p in pairs], [p[1] for p in pairs])]
            )
        if name == "drop" and isinstance(holder, ast.Attribute) and holder.attr == "na" and given:
            # Scala takes the columns behind what counts as missing, or alone.
            keywords += [ast.keyword("subset", g) for g in given if isinstance(g, ast.List)]
            given = [g for g in given if not isinstance(g, ast.List)]
        if name == "dropDuplicates" and given and (len(given) > 1 or isinstance(given[0], ast.Constant)):
            given = [ast.List(given, ast.Load())]
        if name == "valueOf" and isinstance(holder, ast.Attribute | ast.Name):
            kind = (holder.attr if isinstance(holder, ast.Attribute) else holder.id).lower()
            if kind in ("date", "timestamp"):
                return self._call(self._name(f"scala_{kind}", node), given)
        if name in ("map", "foreach", "flatMap") and len(given) == 1 and self._sequence(holder):
            return self._call(self._name("list", node), [self._call(self._name("map", node), [given[0], holder])])
        return self._call(self._attribute(holder, name, node), given, keywords)

    def _is_object(self, value: ast.expr) -> bool:
        """Whether a value is an object of a class of the text, made there or kept under a name."""
        named = value.func if isinstance(value, ast.Call) else value
        return isinstance(named, ast.Name) and named.id in self.classes

    def _sequence(self, holder: ast.expr) -> bool:
        """Whether something is surely a list: written as one, or columns of a DataFrame."""
        if isinstance(holder, ast.Call) and isinstance(holder.func, ast.Name):
            return holder.func.id in ("range", "list")
        return isinstance(holder, ast.List) or (
            isinstance(holder, ast.Attribute) and holder.attr in ("columns", "fields")
        )

    def _fold(self, function: Any, given: list[ast.expr]) -> ast.expr | None:
        """xs.foldLeft(start)(f)"""
        inner = function.child_by_field_name("function")
        if inner is None or inner.type != "field_expression":
            return None
        if self._text(inner.child_by_field_name("field")) not in ("foldLeft", "fold") or len(given) != 1:
            return None
        start = self._arguments(function.child_by_field_name("arguments"))
        first = [a for a in start if not isinstance(a, ast.keyword)]
        holder = self.value(inner.child_by_field_name("value"))
        if isinstance(given[0], ast.Lambda) and len(given[0].args.args) == 1 and not given[0].args.vararg:
            # Option's: what it gives where there is nothing, and of what there is.
            return self._call(self._name("scala_folded", function), [holder, *first, given[0]])
        # A map is gone through pair by pair.
        holder = self._call(self._name("scala_pairs", function), [holder])
        return self._call(self._name("reduce", function), [given[0], holder, *first])

    def _arguments(self, node: Node) -> list[Value]:
        if node.type == "block":
            return [self._lambda_of_block(node)]
        if node.type == "case_block":
            return [self._lambda_of_cases(node)]
        made: list[Value] = []
        for c in node.named_children:
            if c.type in ("comment", "block_comment"):
                continue
            if c.type == "assignment_expression":
                name = self._text(c.child_by_field_name("left"))
                made.append(ast.keyword(name, self.value(c.child_by_field_name("right"))))
            elif c.type in ("vararg", "postfix_expression", "ascription_expression") and self._text(
                c
            ).rstrip().endswith("*"):
                made.append(self._at(ast.Starred(self.value(c.named_children[0]), ast.Load()), c))
            elif _has_wildcard(c):
                made.append(self._with_wildcard(c))
            else:
                made.append(self.value(c))
        return made

    def _with_wildcard(self, node: Node) -> Value:
        """_.name > 1, as a function of one argument."""
        before, self.wildcards = self.wildcards, 0
        body = self.value(node)
        names = [f"_{i + 1}" for i in range(max(1, self.wildcards))]
        self.wildcards = before
        return self._at(ast.Lambda(_arguments_of(names), body), node)

    def _of_wildcard(self, node: object) -> ast.expr:
        self.wildcards += 1
        return self._name(f"_{self.wildcards}", node)

    def _of_lambda_expression(self, node: Node) -> ast.expr:
        parameters = node.child_by_field_name("parameters")
        if parameters is None:
            written = ["_"]
        elif parameters.type == "bindings":
            written = [self._text(b) for b in parameters.named_children]
        else:
            written = [self._text(parameters)]
        named = [w.partition(":") for w in written]
        arguments = _arguments_of([name.strip() for name, _, _ in named])
        for a, (_, _, kind) in zip(arguments.args, named, strict=True):
            a.annotation = ast.Constant(kind.strip()) if kind else None
        body = node.named_children[-1]
        return ast.Lambda(arguments, self.value(body))

    def _lambda_of_cases(self, node: Node) -> ast.expr:
        """{ case (a, (b, c)) => value }: a function that takes its argument, or its arguments, apart."""
        clauses = [c for c in node.named_children if c.type == "case_clause"]
        pattern, body = [clauses[0].child_by_field_name(n) if clauses else None for n in ("pattern", "body")]
        if len(clauses) > 1 or (clauses and any(c.type == "guard" for c in clauses[0].named_children)):
            whole = ast.parse("_given[0] if _given[1:] == () else _given", mode="eval").body
            several = ast.arguments([], [], ast.arg("_given", None), [], [], None, [])
            return ast.Lambda(several, self._match(whole, clauses, node))
        if len(clauses) != 1 or pattern is None or body is None:
            return self._name("partial_function", node)
        # One argument is taken apart itself, of several each; `len` is a function of Spark here.
        given = ast.parse("_given[0] if _given[1:] == () else _given", mode="eval").body
        places: dict[str, ast.expr] = {}

        def take_apart(part: Node, place: ast.expr) -> None:
            if part.type in ("tuple_pattern", "case_class_pattern"):
                inner = [c for c in part.named_children if c.type not in ("type_identifier", "stable_type_identifier")]
                for i, c in enumerate(inner):
                    take_apart(c, ast.Subscript(place, ast.Constant(i), ast.Load()))
            else:
                found = part.child_by_field_name("pattern") or part
                places[self._text(found).split(":")[0].strip()] = place

        take_apart(pattern, given)
        result = self._of_block(body) if body.type == "block" else self.value(body)
        inside = self._at(ast.Lambda(_arguments_of(list(places)), result), node)
        arguments = ast.arguments([], [], ast.arg("_given", None), [], [], None, [])
        made: ast.expr = self._at(ast.Lambda(arguments, self._call(inside, list(places.values()))), node)
        for n in ast.walk(made):
            if isinstance(n, ast.expr) and not hasattr(n, "end_lineno"):
                self._at(n, node)
        return made

    def _lambda_of_block(self, node: Node) -> ast.expr:
        inner = [c for c in node.named_children if c.type not in ("comment", "block_comment")]
        if len(inner) == 1:
            return self._with_wildcard(inner[0]) if _has_wildcard(inner[0]) else self.value(inner[0])
        return self._in_order(inner) if inner else self._name("block", node)

    def _of_block(self, node: Node) -> ast.expr:
        """A block's last value."""
        return self._in_order(node.named_children)

    # What stands indented below `val d =`.
    _of_indented_block = _of_block

    def _of_for_expression(self, node: Node) -> ast.expr:
        """for { a <- xs; b = f(a) if b > 1 } yield c: a comprehension."""
        body, enumerators = node.child_by_field_name("body"), _enumerators(node)
        generators: list[ast.comprehension] = []
        for e in enumerators.named_children if enumerators is not None else []:
            parts = [c for c in e.named_children if c.type not in ("guard", "comment", "block_comment")]
            guards = [g.child_by_field_name("condition") for g in e.named_children if g.type == "guard"]
            if len(parts) > 1:
                source = self.value(parts[1])
                if not any(c.type == "<-" for c in e.children):
                    source = ast.List([source], ast.Load())
                else:
                    source = self._call(self._name("scala_pairs", e), [source])
                generators.append(ast.comprehension(self._target(parts[0]), source, [], 0))
            if generators:
                generators[-1].ifs += [self.value(g) for g in guards if g is not None]
        made = ast.Constant(None) if body is None else self.value(body)
        return ast.ListComp(made, generators) if generators else made

    def _of_match_expression(self, node: Node) -> ast.expr:
        subject, body = node.child_by_field_name("value"), node.child_by_field_name("body")
        return self._match(self.value(subject), [] if body is None else body.named_children, node)

    def _match(self, subject: ast.expr, clauses: list[Value], node: Node) -> ast.expr:
        """Clauses as functions of the names that their patterns bind."""
        made: list[ast.expr] = []
        for clause in clauses:
            pattern, written = clause.child_by_field_name("pattern"), clause.children_by_field_name("body")
            if clause.type != "case_clause" or pattern is None:
                continue
            names: list[str] = []
            spec = self._pattern(pattern, names)
            guard = next((g.child_by_field_name("condition") for g in clause.named_children if g.type == "guard"), None)
            test = ast.Constant(None) if guard is None else ast.Lambda(_arguments_of(names), self.value(guard))
            result = self._in_order(written) if written else ast.Constant(None)
            inside = ast.Lambda(_arguments_of(names), result)
            shown = ast.Constant(self._text(pattern)[:60])
            made.append(self._at(ast.Tuple([spec, test, inside, shown], ast.Load()), clause))
        found: ast.expr = self._call(self._name("scala_match", node), [subject, ast.List(made, ast.Load())])
        return ast.copy_location(found, subject) if not hasattr(found, "lineno") else found

    def _pattern(self, node: Node, names: list[str]) -> ast.expr:
        """A pattern as `scala_match` takes it; `names` gets those that it binds."""

        def spec(kind: str, *parts: ast.expr) -> ast.expr:
            made: ast.expr = self._at(ast.Tuple([ast.Constant(kind), *parts], ast.Load()), node)
            return made

        def several(nodes: list[Value]) -> ast.expr:
            return ast.List([self._pattern(n, names) for n in nodes], ast.Load())

        text = self._text(node)
        match node.type:
            case "wildcard":
                return spec("any")
            case "identifier" if text == "Nil":
                return spec("nil")
            case "identifier" if text[:1].islower():
                names.append(_plain(text))
                return spec("bind", ast.Constant(names[-1]))
            case "typed_pattern":
                kind = node.child_by_field_name("type")
                named = ast.Constant(self._text(kind).split("[")[0].split(".")[-1])
                inner = self._pattern(node.child_by_field_name("pattern"), names)
                return spec("typed", named, inner)
            case "case_class_pattern":
                kind = node.child_by_field_name("type")
                inner_nodes = [c for c in node.named_children if c != kind and "type" not in c.type]
                return spec("class", ast.Constant(self._text(kind).split(".")[-1]), several(inner_nodes))
            case "tuple_pattern":
                return spec("tuple", several(node.named_children))
            case "alternative_pattern":
                return spec("or", several(node.named_children))
            case "infix_pattern":
                left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
                return self._cons(left, self._pattern(right, names), names, spec)
            case "capture_pattern":
                inner_nodes = node.named_children
                names.append(_plain(self._text(inner_nodes[0])))
                return spec("bind", ast.Constant(names[-1]))
        return spec("is", self.value(node))

    def _cons(self, node: Node, rest: ast.expr, names: list[str], spec: Callable[..., ast.expr]) -> ast.expr:
        """a :: b :: rest, of which tree-sitter takes the first two together."""
        if node.type != "infix_pattern":
            return spec("cons", self._pattern(node, names), rest)
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        return self._cons(left, spec("cons", self._pattern(right, names), rest), names, spec)

    def _in_order(self, nodes: list[Value]) -> ast.expr:
        """The last value of statements, which are gone through in order: what they define stands under its name."""
        inner = [c for c in nodes if c.type not in ("comment", "block_comment", "import_declaration", ";")]
        if len(inner) == 1 and inner[0].type == "block":
            return self._in_order(inner[0].named_children)
        parts: list[ast.expr] = []
        for n in inner:
            parts += self._element(n)
        if not parts or (inner and inner[-1].type.endswith("_definition")):
            parts.append(ast.Constant(None))
        if len(parts) == 1:
            return parts[0]
        return ast.Subscript(ast.Tuple(parts, ast.Load()), ast.Constant(-1), ast.Load())

    def _element(self, node: Node) -> list[ast.expr]:
        """A statement within an expression."""
        if node.type in ("val_definition", "var_definition", "lazy_val_definition", "assignment_expression"):
            made = self.statement(node)
        elif node.type == "function_definition":
            made = [s for s in self.statement(node) if isinstance(s, ast.FunctionDef)]
            if made and isinstance(made[0], ast.FunctionDef) and len(made[0].body) == 1:
                only = made[0].body[0]
                value = only.value if isinstance(only, ast.Return) and only.value is not None else ast.Constant(None)
                name = ast.Name(made[0].name, ast.Store())
                return [self._at(ast.NamedExpr(name, ast.Lambda(made[0].args, value)), node)]
            return []
        else:
            return [] if node.type.endswith("_definition") else [self.value(node)]
        found: list[ast.expr] = []
        for s in made:
            if not isinstance(s, ast.Assign):
                continue
            target = s.targets[0]
            if isinstance(target, ast.Name):
                found.append(self._at(ast.NamedExpr(target, s.value), node))
            elif isinstance(target, ast.Tuple):
                whole = ast.Name("_parts", ast.Store())
                found.append(self._at(ast.NamedExpr(whole, s.value), node))
                for i, t in enumerate(target.elts):
                    if isinstance(t, ast.Name):
                        part = ast.Subscript(ast.Name("_parts", ast.Load()), ast.Constant(i), ast.Load())
                        found.append(self._at(ast.NamedExpr(t, part), node))
        return found

    def _of_try_expression(self, node: Node) -> ast.expr:
        body = node.child_by_field_name("body")
        return ast.Constant(None) if body is None else self.value(body)

    def _of_if_expression(self, node: Node) -> ast.expr:
        parts = [node.child_by_field_name(n) for n in ("condition", "consequence", "alternative")]
        other = ast.Constant(None) if parts[2] is None else self.value(parts[2])
        return ast.IfExp(self.value(parts[0]), self.value(parts[1]), other)

    # ------------------------------------------------------------------------------------------ small things

    def _text(self, node: Node) -> str:
        return self.source[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def _at(self, made: Any, node: Node) -> Value:
        made.lineno, made.col_offset = node.start_point[0] + 1, node.start_point[1]
        made.end_lineno, made.end_col_offset = node.end_point[0] + 1, node.end_point[1]
        return made

    def _name(self, name: str, node: object) -> ast.expr:
        made: ast.expr = self._at(ast.Name(_plain(name), ast.Load()), node)
        return made

    def _attribute(self, holder: ast.expr, name: str, node: object) -> ast.expr:
        made: ast.expr = self._at(ast.Attribute(holder, name, ast.Load()), node)
        return made

    def _call(self, function: ast.expr, given: list[ast.expr], keywords: list[ast.keyword] | None = None) -> ast.expr:
        return ast.copy_location(ast.Call(function, given, keywords or []), function)


def _has_wildcard(node: Node) -> bool:
    """Whether a `_` stands in an expression that makes it a function; arguments of calls within make their own."""
    if node.type == "wildcard":
        return True
    if node.type in ("arguments", "lambda_expression", "case_block"):
        return False
    return any(_has_wildcard(c) for c in node.named_children)


def _enumerators(node: Node) -> Node:
    """What a for goes through; the field of that name is the bracket before it, too."""
    return next((c for c in node.named_children if c.type == "enumerators"), None)


def _plain(name: str) -> str:
    """A name as Python may have it: `in` and its like are none."""
    return "_" if not name.isidentifier() else f"{name}_" if keyword.iskeyword(name) else name


def _arguments_of(names: list[str]) -> ast.arguments:
    plain = [_plain(n) for n in names]
    return ast.arguments([], [ast.arg(n, None) for n in plain], None, [], [], None, [])


def _unquoted(text: str) -> str:
    if text.startswith('"""'):
        return text[3:-3]
    return _unescaped(text[1:-1], '"')


def _unescaped(text: str, quote: str) -> str:
    if quote == '"""':
        return text
    marks = {"n": "\n", "t": "\t", "r": "\r"}
    return re.sub(r"\\(.)", lambda m: marks.get(m[1], m[1]), text)
