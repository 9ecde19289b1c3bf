"""Java's expressions as Python's: calls of Spark's API, `new`, collections and streams, lambdas, literals."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable

from planviz.dataframe.column import LongNumber
from planviz.programs.scala_expressions import BINARY, COMPARE, OPERATORS, RENAMED, TYPES, Expressions
from planviz.programs.scala_nodes import Node, arguments_of
from planviz.programs.values import Value

#: What PySpark has without parentheses.
_PROPERTY_NAMES = """read write readStream writeStream builder catalog na stat conf rdd sparkContext schema columns udf
dtypes currentRow unboundedPreceding unboundedFollowing sqlContext"""
_PROPERTIES = frozenset(_PROPERTY_NAMES.split())
_RENAMED = {
    "collectAsList": "collect", "takeAsList": "take", "javaRDD": "rdd", "toJavaRDD": "rdd", "trim": "strip",
    "getOrDefault": "get",
}  # fmt: skip
#: What the reader has of Scala's sequences, maps and texts without parentheses.
_PARTS = {"size": "size", "length": "length", "keySet": "keys", "values": "values", "entrySet": "toSeq"}
#: Calls that give what they are called on, or what they are given.
_SAME = frozenset(["stream", "toSeq", "seq", "toList", "toArray", "asScala", "iterator", "parallelStream", "boxed"])
_LISTS = re.compile(
    r"(?:Arrays\.asList|(?:List|Set|Stream)\.of|Collections\.singletonList|ImmutableList\.of|Sets\.newHashSet)"
)
#: Methods that take the class of what their function gives.
_TYPED = frozenset(["map", "flatMap", "mapPartitions", "groupByKey", "mapGroups", "flatMapGroups"])
_CONVERSIONS = re.compile(r"(?:\w+\.)*(?:JavaConverters|JavaConversions|CollectionConverters|Seq\w*)\.\w+")
_MADE = {
    "createStructField": "StructField", "createStructType": "StructType", "createArrayType": "ArrayType",
    "createMapType": "MapType", "createDecimalType": "DecimalType",
}  # fmt: skip
#: The types of properties by those of Java.
_TYPE_OF = {
    "int": "IntegerType", "Integer": "IntegerType", "long": "LongType", "Long": "LongType", "double": "DoubleType",
    "Double": "DoubleType", "float": "FloatType", "Float": "FloatType", "boolean": "BooleanType",
    "Boolean": "BooleanType", "short": "ShortType", "Short": "ShortType", "byte": "ByteType", "Byte": "ByteType",
    "String": "StringType", "Timestamp": "TimestampType", "Instant": "TimestampType", "Date": "DateType",
    "LocalDate": "DateType", "java.sql.Timestamp": "TimestampType", "java.sql.Date": "DateType",
}  # fmt: skip
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "s": " ", "0": "\0", "\n": ""}


class JavaCalls(Expressions):
    """Expressions, each by the name of its node.

    `lists` and `texts` are the variables that hold lists and StringBuilders; `created` is what the constructor is given
    of each class that has one object.
    """

    def __init__(self, source: bytes) -> None:
        super().__init__(source)
        self.lists: set[str] = set()
        self.texts: set[str] = set()
        self.created: dict[str, list[Node]] = {}
        #: Of every class that has getters: its properties with their types, as text.
        self.beans: dict[str, list[tuple[str, str]]] = {}

    def note_objects(self, root: Node) -> None:
        """Look for what is made of the text's own classes."""
        made: dict[str, list[Node]] = {}
        waiting = [root]
        while waiting:
            node = waiting.pop()
            waiting += node.named_children
            if node.type == "class_declaration":
                self._note_bean(node)
            if node.type == "object_creation_expression":
                made.setdefault(self.class_of(node), []).append(node.child_by_field_name("arguments"))
        self.created = {name: self.inside(found[0]) for name, found in made.items() if len(found) == 1}

    def _note_bean(self, node: Node) -> None:
        """The properties of a class by its getters, in the order of their names, as Spark takes them."""
        body = node.child_by_field_name("body")
        found: dict[str, str] = {}
        for method in [] if body is None else body.named_children:
            name = method.child_by_field_name("name") if method.type == "method_declaration" else None
            getter = re.fullmatch(r"(?:get|is)([A-Z]\w*)", self._text(name)) if name is not None else None
            if getter is not None and not self.inside(method.child_by_field_name("parameters")):
                found[getter[1][0].lower() + getter[1][1:]] = self._text(method.child_by_field_name("type"))
        if found:
            self.beans[self._text(node.child_by_field_name("name"))] = sorted(found.items())

    def class_of(self, node: Node) -> str:
        """The class of a `new`, without its package and parameters."""
        return self._text(node.child_by_field_name("type")).partition("<")[0].rpartition(".")[2].strip()

    def value(self, node: Node) -> ast.expr:
        """Python's expression for one of Java's; what has none is a value that nobody knows."""
        if node is None:  # the text is damaged there
            return ast.Constant(None)
        method: Callable[[Node], ast.expr] | None = getattr(self, f"_java_of_{node.type}", None)
        if method is None:
            self.passed.append((node.start_point[0] + 1, f"{node.type.replace('_', ' ')} is passed over."))
            return self._name("java_" + node.type, node)
        made: ast.expr = self._at(method(node), node)
        return made

    def _text(self, node: Node) -> str:
        """What is written; nothing where a damaged text lacks it."""
        return "" if node is None else super()._text(node)

    @staticmethod
    def inside(node: Node) -> list[Node]:
        """What stands in a node; nothing where a damaged text lacks it."""
        return [] if node is None else node.named_children

    def operation(self, left: ast.expr, operator: str, right: ast.expr) -> ast.expr:
        """An operator between two values; one that Python lacks gives the left one."""
        if operator in COMPARE:
            return ast.Compare(left, [COMPARE[operator]()], [right])
        return ast.BinOp(left, BINARY[operator](), right) if operator in BINARY else left

    # -- literals and names

    def _java_of_identifier(self, node: Node) -> ast.expr:
        return self._name(self._text(node), node)

    _java_of_type_identifier = _java_of_this = _java_of_super = _java_of_identifier

    def _java_of_string_literal(self, node: Node) -> ast.expr:
        text = self._text(node)
        if not text.startswith('"""'):
            return ast.Constant(_unescaped(text[1:-1]))
        lines = text[3:-3].partition("\n")[2].split("\n")
        indents = [len(line) - len(line.lstrip()) for line in lines if line.strip()]
        cut = min(indents, default=0)
        return ast.Constant(_unescaped("\n".join(line[cut:].rstrip() for line in lines)))

    _java_of_character_literal = _java_of_string_literal

    def _java_of_decimal_integer_literal(self, node: Node) -> ast.expr:
        written = self._text(node).replace("_", "")
        text = written.rstrip("lL")
        try:
            number = int(text, 0) if not text.isdigit() else int(text)
        except ValueError:
            return ast.Constant(0)
        return ast.Constant(number if text == written else LongNumber(number))

    _java_of_hex_integer_literal = _java_of_binary_integer_literal = _java_of_decimal_integer_literal

    def _java_of_decimal_floating_point_literal(self, node: Node) -> ast.expr:
        return self._of_floating_point_literal(node)

    def _java_of_true(self, node: Node) -> ast.expr:
        return ast.Constant(self._text(node) == "true")

    _java_of_false = _java_of_true

    def _java_of_null_literal(self, node: Node) -> ast.expr:
        return ast.Constant(None)

    def _java_of_class_literal(self, node: Node) -> ast.expr:
        """X.class: the columns of a class of the text, else a value that nobody knows."""
        written = self._text(node)
        fields = self.beans.get(written.removesuffix(".class").rpartition(".")[2])
        if fields is None or any(kind not in _TYPE_OF for _, kind in fields):
            return self._call(self._name("scala_unknown", node), [ast.Constant(written)])
        made: list[ast.expr] = []
        for name, kind in fields:
            held = self._call(self._name(_TYPE_OF[kind], node), [])
            told = [ast.Constant(name), held, ast.Constant(not kind[0].islower())]
            made.append(self._call(self._name("StructField", node), told))
        return self._call(self._name("StructType", node), [ast.List(made, ast.Load())])

    # -- operators

    def _java_of_parenthesized_expression(self, node: Node) -> ast.expr:
        return self.value(node.named_children[0]) if node.named_children else ast.Constant(None)

    def _java_of_binary_expression(self, node: Node) -> ast.expr:
        left, right = self.value(node.child_by_field_name("left")), self.value(node.child_by_field_name("right"))
        return self.operation(left, self._text(node.child_by_field_name("operator")), right)

    def _java_of_unary_expression(self, node: Node) -> ast.expr:
        operator, inner = self._text(node)[0], self.value(node.child_by_field_name("operand"))
        kinds: dict[str, ast.unaryop] = {"!": ast.Not(), "-": ast.USub(), "~": ast.Invert()}
        return ast.UnaryOp(kinds[operator], inner) if operator in kinds else inner

    def _java_of_ternary_expression(self, node: Node) -> ast.expr:
        test, yes, no = (self.value(node.child_by_field_name(n)) for n in ("condition", "consequence", "alternative"))
        return ast.IfExp(test, yes, no)

    def _java_of_cast_expression(self, node: Node) -> ast.expr:
        return self.value(node.child_by_field_name("value"))

    def _java_of_assignment_expression(self, node: Node) -> ast.expr:
        return self.value(node.child_by_field_name("right"))

    def _java_of_array_access(self, node: Node) -> ast.expr:
        array, index = node.child_by_field_name("array"), node.child_by_field_name("index")
        return ast.Subscript(self.value(array), self.value(index), ast.Load())

    def _java_of_array_initializer(self, node: Node) -> ast.expr:
        return ast.List([self.value(c) for c in node.named_children if "comment" not in c.type], ast.Load())

    def _java_of_array_creation_expression(self, node: Node) -> ast.expr:
        held = node.child_by_field_name("value")
        if held is not None:
            return self.value(held)
        size = next((c for c in node.named_children if c.type == "dimensions_expr"), None)
        length = ast.Constant(0) if size is None or not size.named_children else self.value(size.named_children[0])
        return ast.BinOp(ast.List([ast.Constant(None)], ast.Load()), ast.Mult(), length)

    def _java_of_lambda_expression(self, node: Node) -> ast.expr:
        parameters, body = node.child_by_field_name("parameters"), node.child_by_field_name("body")
        if parameters is not None and parameters.type == "formal_parameters":
            names = [self._text(p.child_by_field_name("name")) for p in parameters.named_children]
        else:
            names = re.findall(r"\w+", self._text(parameters))
        if body is None or body.type != "block":
            return ast.Lambda(arguments_of(names), self.value(body))
        returned = [c for c in body.named_children if c.type == "return_statement" and c.named_children]
        if len(returned) == 1 and len(body.named_children) == 1:
            return ast.Lambda(arguments_of(names), self.value(returned[0].named_children[0]))
        unknown = self._call(self._name("scala_unknown", node), [ast.Constant("a function's value")])
        return ast.Lambda(arguments_of(names), unknown)

    def _java_of_method_reference(self, node: Node) -> ast.expr:
        """functions::col, String::toUpperCase"""
        name = self._text(node).rpartition("::")[2]
        of_functions = self._text(node).startswith("functions::") or name in ("col", "column", "lit", "expr")
        if of_functions:
            return self._name(name, node)
        # Column::and is a function of two, String::trim of one.
        others = [self._name("_2", node)] if RENAMED.get(name) in OPERATORS or name in ("union", "unionByName") else []
        body = self._method(self._name("_1", node), _RENAMED.get(name, name), others, [], node)
        return ast.Lambda(arguments_of(["_1", "_2"][: 1 + len(others)]), body)

    # -- fields, calls, objects

    def _java_of_field_access(self, node: Node) -> ast.expr:
        holder, name = node.child_by_field_name("object"), self._text(node.child_by_field_name("field"))
        before = self._text(holder)
        if name in TYPES:
            return self._call(self._name(name, node), [])
        if before == "this" or self._is_scope(holder):
            return self._name(name, node)
        if before in ("SaveMode", "OutputMode", "Trigger"):
            return ast.Constant(name.lower())
        return self._attribute(self.value(holder), name, node)

    def _java_of_scoped_identifier(self, node: Node) -> ast.expr:
        return self._name(self._text(node).rpartition(".")[2], node)

    def _java_of_method_invocation(self, node: Node) -> ast.expr:
        holder, name = node.child_by_field_name("object"), self._text(node.child_by_field_name("name"))
        given = self._arguments(node.child_by_field_name("arguments"))
        if holder is None:
            return self._called("create_map" if name == "map" else name, given, [], node)
        before = self._text(holder).removeprefix("java.util.")
        if before == "this" or self._is_scope(holder):
            return self._called("create_map" if name == "map" else name, given, [], node)
        known = self._of_library(f"{before}.{name}", name, given, node)
        if known is not None:
            return known
        return self._of_object(self.value(holder), name, given, node)

    def _of_library(self, called: str, name: str, given: list[ast.expr], node: Node) -> ast.expr | None:
        """A call of Java's library or of Spark's classes for Java; None for any other."""
        if _LISTS.fullmatch(called):
            return given[0] if len(given) == 1 and isinstance(given[0], ast.List) else ast.List(given, ast.Load())
        if _CONVERSIONS.fullmatch(called) and given:
            return given[0]
        if called in ("Map.of", "ImmutableMap.of"):
            return ast.Dict(list(given[::2]), list(given[1::2]))
        if called in ("Optional.of", "Optional.ofNullable") and given:
            return given[0]
        if called.startswith("Collections.empty"):
            return ast.Dict([], []) if called.endswith("Map") else ast.List([], ast.Load())
        if called == "String.join" and len(given) >= 2:
            items = given[1] if len(given) == 2 else ast.List(given[1:], ast.Load())
            return self._call(self._attribute(given[0], "join", node), [items])
        if called == "String.format" and given:
            return ast.BinOp(given[0], ast.Mod(), ast.Tuple(given[1:], ast.Load()))
        if called == "String.valueOf" and given:
            return self._call(self._name("scala_shown", node), given[:1])
        if called in ("Integer.parseInt", "Integer.valueOf", "Long.parseLong", "Long.valueOf") and given:
            return self._call(self._name("int", node), given[:1])
        if called.startswith(("System.", "Thread.", "LogManager.", "Logger.")):
            return self._call(self._name("scala_unknown", node), [ast.Constant(called)])
        if called == "RowFactory.create":
            return ast.Tuple(given, ast.Load())
        if called.startswith("DataTypes.") and name in _MADE:
            return self._call(self._name(_MADE[name], node), given[:3])
        if called in ("Metadata.empty", "Collectors.toList", "Collectors.toSet"):
            return ast.Constant(None)
        return None

    def _of_object(self, holder: ast.expr, name: str, given: list[ast.expr], node: Node) -> ast.expr:
        name = _RENAMED.get(name, name)
        if not given and name in _PROPERTIES:
            return self._attribute(holder, name, node)
        if name in _SAME or (name == "as" and not given):
            return holder
        if name == "as" and len(given) == 1 and isinstance(given[0], ast.Name):
            # An encoder, or the name of an alias.
            return self._call(self._name("java_as", node), [holder, given[0]])
        if name == "collect" and len(given) == 1:
            match given[0]:
                case ast.Call(ast.Attribute(attr="joining"), between):
                    apart = between[0] if between else ast.Constant("")
                    return self._call(self._attribute(apart, "join", node), [holder])
            return holder
        if name in _PARTS and not given:
            return self._attribute(holder, _PARTS[name], node)
        if name == "isPresent" and not given:
            return ast.Compare(holder, [ast.IsNot()], [ast.Constant(None)])
        if name in ("get", "toString", "orElseThrow") and not given:
            return holder
        if name in ("equals", "equalsIgnoreCase") and len(given) == 1:
            return ast.Compare(holder, [ast.Eq()], given)
        if name in ("getKey", "getValue") and not given:
            return ast.Subscript(holder, ast.Constant(0 if name == "getKey" else 1), ast.Load())
        if name == "get" and len(given) == 1 and isinstance(given[0], ast.Constant) and isinstance(given[0].value, int):
            return ast.Subscript(holder, given[0], ast.Load())
        return self._method(holder, name, given, [], node)

    def _arguments(self, node: Node) -> list[Value]:
        """What a call is given; encoders say of which class the objects are that a function gives."""
        called = None if node.parent is None else node.parent.child_by_field_name("name")
        typed = called is not None and self._text(called) in _TYPED
        given: list[Value] = []
        for c in self.inside(node):
            if "comment" in c.type:
                continue
            if not re.match(r"Encoders?\b|RowEncoder\b", self._text(c)):
                given.append(self.value(c))
            elif typed and (simple := re.match(r"Encoders\.([A-Z]+)\(\)", self._text(c))):
                given.append(self._call(self._name("scala_encoder", c), [ast.Constant(simple[1])]))
        return given

    def _java_of_object_creation_expression(self, node: Node) -> ast.expr:
        name = (
            re.sub(r"<.*", "", self._text(node.child_by_field_name("type")), flags=re.DOTALL).rpartition(".")[2].strip()
        )
        given = self._arguments(node.child_by_field_name("arguments"))
        if re.search(r"(?:List|Set|Deque)$", name):
            return given[0] if given and isinstance(given[0], ast.List) else ast.List([], ast.Load())
        if name.endswith("Map"):
            return ast.Dict([], [])
        if name in ("StringBuilder", "StringBuffer"):
            return given[0] if given else ast.Constant("")
        if name == "StructField":
            given = given[:3]
        if name == "Column" and len(given) == 1:
            name = "col"
        if name in self.classes:
            return self._name(name, node)
        return self._call(self._name(name, node), given)


def _unescaped(text: str) -> str:
    def one(found: re.Match[str]) -> str:
        if found[1].startswith("u"):
            return chr(int(found[1].lstrip("u"), 16))
        return _ESCAPES.get(found[1], found[1])

    return re.sub(r"\\(u+[0-9a-fA-F]{4}|[\s\S])", one, text)
