"""Scala's expressions as Python's: operators of columns, calls, lambdas, blocks, comprehensions."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from typing import Any

from planviz.dataframe.column import FloatNumber, LongNumber
from planviz.programs.scala_matching import Matching
from planviz.programs.scala_nodes import Node, arguments_of
from planviz.programs.values import Value

#: Methods that Scala calls without parentheses.
_BARE_NAMES = """show count distinct cache persist unpersist printSchema collect first head desc asc isNull isNotNull
isNaN toDF explain getOrCreate stop desc_nulls_last desc_nulls_first asc_nulls_last asc_nulls_first collectAsList
toLocalIterator isEmpty checkpoint localCheckpoint toJSON enableHiveSupport awaitTermination start toUpperCase
toLowerCase toDS"""
_BARE = frozenset(_BARE_NAMES.split())
RENAMED = {
    "as": "alias", "startsWith": "startswith", "endsWith": "endswith", "equalTo": "__eq__", "notEqual": "__ne__",
    "gt": "__gt__", "lt": "__lt__", "geq": "__ge__", "leq": "__le__", "and": "__and__", "or": "__or__",
    "plus": "__add__", "minus": "__sub__", "multiply": "__mul__", "divide": "__truediv__", "mod": "__mod__",
    "isInCollection": "isin", "dropDuplicates": "dropDuplicates", "typedLit": "lit", "typedlit": "lit", "not": "not_",
    "callUDF": "call_udf", "unionAll": "union", "toUpperCase": "upper", "toLowerCase": "lower", "replaceAll": "replace",
    "except": "subtract", "toDS": "toDF",
}  # fmt: skip
COMPARE: dict[str, type[ast.cmpop]] = {
    "===": ast.Eq, "=!=": ast.NotEq, "!==": ast.NotEq, "==": ast.Eq, "!=": ast.NotEq, ">": ast.Gt, "<": ast.Lt,
    ">=": ast.GtE, "<=": ast.LtE,
}  # fmt: skip
BINARY: dict[str, type[ast.operator]] = {
    "+": ast.Add, "-": ast.Sub, "*": ast.Mult, "/": ast.Div, "%": ast.Mod, "&&": ast.BitAnd, "||": ast.BitOr,
    "&": ast.BitAnd, "|": ast.BitOr, "++": ast.Add, ":::": ast.Add,
}  # fmt: skip
_METHODS = {
    "__eq__": ast.Eq,
    "__ne__": ast.NotEq,
    "__gt__": ast.Gt,
    "__lt__": ast.Lt,
    "__ge__": ast.GtE,
    "__le__": ast.LtE,
}
OPERATORS = {"__and__": ast.BitAnd, "__or__": ast.BitOr, "__add__": ast.Add, "__sub__": ast.Sub, "__mul__": ast.Mult,
              "__truediv__": ast.Div, "__mod__": ast.Mod}  # fmt: skip
#: Of a number they make a time (scala.concurrent.duration).
_PACKAGES = re.compile(
    r"org\.apache\.spark\.sql(\.(functions|expressions|types))?|(scala\.)?collection(\.(im)?mutable)?|(im)?mutable"
    r"|scala(\.util)?"
)
#: How a value is written, behind it in a text that begins with f.
_FORM = re.compile(r"%[-+ 0,#]*\d*(?:\.\d+)?[a-zA-Z]")
_DURATIONS = frozenset(
    ["millis", "milliseconds", "second", "seconds", "minute", "minutes", "hour", "hours", "day", "days"]
)
_LISTS = ("Seq", "List", "Array", "Vector", "Set", "IndexedSeq", "ArrayBuffer", "ListBuffer")
_TYPE_NAMES = """StringType IntegerType LongType DoubleType FloatType BooleanType DateType TimestampType ShortType
ByteType BinaryType NullType TimestampNTZType"""
TYPES = frozenset(_TYPE_NAMES.split())


class Expressions(Matching):
    """Expressions, each by the name of its node."""

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
        if name in TYPES:
            return self._call(self._name(name, node), [])
        if name in ("None", "Nil"):
            return ast.Constant(None) if name == "None" else ast.List([], ast.Load())
        found = self._name(RENAMED.get(name, name) if name in ("typedLit", "callUDF") else name, node)
        return self._call(found, []) if name in self.bare else found

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
            written = self._text(node)
            number = float(written.rstrip("dDfF").replace("_", ""))
            return ast.Constant(FloatNumber(number) if written[-1:] in "fF" else number)
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
        formats = self._text(interpolator) == "f"
        for c in inner.named_children:
            if c.type != "interpolation":
                continue
            parts.append(ast.Constant(_unescaped(self.source[at : c.start_byte].decode("utf-8", "replace"), quote)))
            held = c.named_children[-1]
            held = held.named_children[-1] if held.type == "block" and held.named_children else held
            at = c.end_byte
            form = _FORM.match(self.source[at:end].decode("utf-8", "replace")) if formats else None
            if form is None:
                shown = self._call(self._name("scala_shown", held), [self.value(held)])
            else:
                at += len(form[0].encode())
                shown = self._call(self._name("scala_formatted", held), [ast.Constant(form[0]), self.value(held)])
            parts.append(ast.FormattedValue(shown, -1, None))
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
            holder = self.value(function.child_by_field_name("value"))
            written = node.child_by_field_name("type_arguments")
            if self._text(field) == "asInstanceOf" or written is None:
                return holder
            return self._call(self._name("scala_as", node), [holder, ast.Constant(self._text(written)[1:-1])])
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
        if operator in COMPARE:
            return ast.Compare(self.value(left), [COMPARE[operator]()], [self.value(right)])
        if operator == "<=>":
            return self._call(self._attribute(self.value(left), "eqNullSafe", node), [self.value(right)])
        if operator == ":+":
            return ast.BinOp(self.value(left), ast.Add(), ast.List([self.value(right)], ast.Load()))
        if operator in ("+:", "::"):
            return ast.BinOp(ast.List([self.value(left)], ast.Load()), ast.Add(), self.value(right))
        if operator in BINARY:
            return ast.BinOp(self.value(left), BINARY[operator](), self.value(right))
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
        if name in TYPES:
            return self._call(self._name(name, node), [])
        if self._is_scope(holder):
            return self._call(self._name(name, node), []) if name in self.bare else self._name(name, node)
        if holder.type == "integer_literal" and name in _DURATIONS:
            return ast.Constant(f"{self._text(holder)} {name}")
        if self._text(holder) in ("SaveMode", "OutputMode", "Trigger", "StorageLevel"):
            return (
                ast.Constant(name.lower())
                if self._text(holder) != "StorageLevel"
                else self._attribute(self.value(holder), name, field)
            )
        inner = self.value(holder)
        if name == "stripMargin":
            return self._call(self._name("scala_without_margin", field), [inner])
        if name in _BARE:
            return self._call(self._attribute(inner, RENAMED.get(name, name), field), [])
        return self._attribute(inner, name, field)

    def _is_scope(self, node: Node) -> bool:
        """Whether what stands before a dot only says where a name is: a package of Spark's, an object of the text."""
        text = self._text(node)
        return text == "functions" or text in self.objects or _PACKAGES.fullmatch(text) is not None

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
            if self._is_scope(holder):
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
        if name in ("Some", "Option", "Right", "Success") and len(given) == 1:
            return given[0]
        if name in ("typedLit", "typedlit") and len(given) == 1:
            return self._call(self._name("scala_typed_literal", node), given)
        if name == "map" and len(given) != 1:
            return self._call(self._name("create_map", node), given)
        if name in ("aggregate", "reduce") and len(given) == 3 and isinstance(given[2], ast.Lambda):
            # What is made of the result at the end: the result, as Scala's function says.
            given = [*given, ast.Lambda(arguments_of(["x"]), ast.Name("x", ast.Load()))]
        other = RENAMED.get(name, name)
        # Operators of columns have names that functions of the text may have, too.
        called = name if name == "as" or other.startswith("__") else other
        return self._call(self._name(called, node), given, keywords)

    def _method(
        self, holder: ast.expr, name: str, given: list[ast.expr], keywords: list[ast.keyword], node: object
    ) -> ast.expr:
        name = RENAMED.get(name, name)
        if self._is_object(holder):
            return self._call(self._name(name, node), given, keywords)
        if name in self.extensions:
            return self._call(self._name(name, node), [holder, *given], keywords)
        match given:
            case [ast.Call(ast.Name("col"), [ast.Constant() as symbol])] if name == "alias":
                given = [symbol]
        if name in _METHODS and len(given) == 1:
            return ast.Compare(holder, [_METHODS[name]()], given)
        if name in OPERATORS and len(given) == 1:
            return ast.BinOp(holder, OPERATORS[name](), given[0])
        if name == "apply":
            return self._call(holder, given, keywords)
        if name == "over" and not given:
            window = self._attribute(self._name("Window", node), "partitionBy", node)
            return self._call(self._attribute(holder, name, node), [self._call(window, [])])
        if name == "stripMargin":
            return self._call(self._name("scala_without_margin", node), [holder, *given])
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
            each = self._call(self._name("map", node), [given[0], holder])
            return self._call(self._name("scala_flattened" if name == "flatMap" else "list", node), [each])
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
            elif c.type != "wildcard" and _has_wildcard(c):
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
        return self._at(ast.Lambda(arguments_of(names), body), node)

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
        arguments = arguments_of([name.strip() for name, _, _ in named])
        for a, (_, _, kind) in zip(arguments.args, named, strict=True):
            a.annotation = ast.Constant(kind.strip()) if kind else None
        body = node.named_children[-1]
        return ast.Lambda(arguments, self.value(body))

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
        body, enumerators = node.child_by_field_name("body"), enumerators_of(node)
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


def _has_wildcard(node: Node) -> bool:
    """Whether a `_` stands in an expression that makes it a function; arguments of calls within make their own."""
    if node.type == "wildcard":
        return True
    if node.type == "arguments":
        # f(_) is a function of what f takes, f(_ + 1) gives f a function.
        return any(c.type == "wildcard" for c in node.named_children)
    if node.type in ("lambda_expression", "case_block"):
        return False
    return any(_has_wildcard(c) for c in node.named_children)


def enumerators_of(node: Node) -> Node:
    """What a for goes through; the field of that name is the bracket before it, too."""
    return next((c for c in node.named_children if c.type == "enumerators"), None)


def _unquoted(text: str) -> str:
    if text.startswith('"""'):
        return text[3:-3]
    return _unescaped(text[1:-1], '"')


def _unescaped(text: str, quote: str) -> str:
    if quote == '"""':
        return text
    marks = {"n": "\n", "t": "\t", "r": "\r"}
    return re.sub(r"\\(.)", lambda m: marks.get(m[1], m[1]), text)
