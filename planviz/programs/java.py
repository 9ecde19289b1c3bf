"""Java Spark read as the Python that means the same: tree-sitter's tree becomes Python's, at the same places.

Java calls the Scala API, so that methods of columns and DataFrames are Scala's (`programs/scala_expressions.py`); what
is Java's own are declarations with types, `new`, arrays, collections and streams, and parentheses behind everything.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable

from planviz.programs.java_calls import JavaCalls
from planviz.programs.scala import prelude
from planviz.programs.scala_nodes import Node, plain_name
from planviz.programs.values import Value

_LOOKS = re.compile(
    r"^[^\S\n]*import\s+(?:static\s+)?org\.apache\.spark[\w.]*(?:\.\*)?[^\S\n]*;|\bDataset<\s*\w|\bJavaRDD<"
    r"|\bpublic\s+static\s+void\s+main\s*\(",
    re.MULTILINE,
)
#: What Java has no words for; a text of Scala may quote Java's classes, and end its imports with a semicolon.
_SCALA = re.compile(r"^[^\S\n]*(?:(?:lazy\s+)?val\s+\w|def\s+\w|object\s+\w|case\s+class\s)", re.MULTILINE)
_SPARK = re.compile(r"\bspark\b|\bSparkSession\b|\bDataset<", re.IGNORECASE)
#: What a class leaves to others, and what is not read.
_NO_STATEMENTS = """import_declaration package_declaration line_comment block_comment ; interface_declaration modifiers
enum_declaration annotation_type_declaration super_interfaces explicit_constructor_invocation break_statement
continue_statement assert_statement"""
_NOTHING = frozenset(_NO_STATEMENTS.split())
_FENCE = re.compile(r"^[^\S\n]*```", re.MULTILINE)
_LOOP = re.compile(r"\s*(?:final\s+)?int\s+(\w+)\s*=")


def looks_like_java(text: str) -> bool:
    """Whether a text is Java that uses Spark."""
    return all(sign.search(text) for sign in (_LOOKS, _SPARK)) and _SCALA.search(text) is None


def java_tree(text: str) -> tuple[ast.Module, list[tuple[int, str]]]:
    """Python's tree of a Java text, and the lines that were passed over with the reason."""
    import tree_sitter
    import tree_sitter_java

    parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_java.language()))
    # Half a character, as of a file that is no UTF-8, is a question mark to the parser.
    source = _without_prose(text).encode("utf-8", "replace")
    made = JavaTranslation(source)
    body = prelude()
    root = parser.parse(source).root_node
    made.note_objects(root)
    body += made.statements(root.named_children)
    return ast.fix_missing_locations(ast.Module(body, [])), made.passed


def _without_prose(text: str) -> str:
    """The code of a text with fences (```), at its lines; a text without any as it is."""
    if not _FENCE.search(text):
        return text
    made, inside = [], False
    for line in text.split("\n"):
        fence = _FENCE.match(line) is not None
        made.append(line if inside and not fence else "")
        inside ^= fence
    return "\n".join(made)


class JavaTranslation(JavaCalls):
    """One text's way from tree-sitter's nodes to Python's: its statements."""

    def turn(self, node: Node) -> int:
        """Methods count in all of the class, before they stand in it, too; a program begins with main."""
        if node.type in ("class_declaration", "record_declaration"):
            return 2 if b"void main(" in self.source[node.start_byte : node.end_byte] else 0
        if node.type != "method_declaration":
            return 1
        return 2 if self._text(node.child_by_field_name("name")) == "main" else 0

    def statement(self, node: Node) -> list[ast.stmt]:
        """Python's statements for one of Java's."""
        method: Callable[[Node], list[ast.stmt]] | None = getattr(self, f"_java_{node.type}", None)
        if method is not None:
            return method(node)
        if node.type in _NOTHING:
            return []
        return [self._at(ast.Expr(self.value(node)), node)]

    def _java_ERROR(self, node: Node) -> list[ast.stmt]:
        """What the grammar does not read: what stands in it is read, as in a snippet without its class."""
        return [
            s for c in node.named_children if c.type.endswith(("statement", "declaration")) for s in self.statement(c)
        ]

    # -- declarations

    def _java_class_declaration(self, node: Node) -> list[ast.stmt]:
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if name is not None:
            self.classes.add(self._text(name))
            self.objects.add(self._text(name))
        return [] if body is None else self.statements(body.named_children)

    _java_record_declaration = _java_class_declaration

    def _java_static_initializer(self, node: Node) -> list[ast.stmt]:
        return self._body(node.named_children[0]) if node.named_children else []

    def _java_constructor_declaration(self, node: Node) -> list[ast.stmt]:
        """What a class is made with: what stands where the one object of it is made, else values that nobody knows."""
        made: list[ast.stmt] = []
        given = self.created.get(self._text(node.child_by_field_name("name")), [])
        for at, p in enumerate(self.inside(node.child_by_field_name("parameters"))):
            name, kind = p.child_by_field_name("name"), p.child_by_field_name("type")
            shown = "" if kind is None else self._text(kind)
            if name is None or shown.startswith("Dataset"):
                continue
            value = self._call(self._name("scala_unknown", p), [ast.Constant(self._text(name))])
            if shown == "SparkSession":
                value = self._name("spark", p)
            elif at < len(given) and given[at].type.endswith("literal"):
                value = self.value(given[at])
            made.append(self._at(ast.Assign([self._target(name)], value), p))
        return [*made, *self._body(node.child_by_field_name("body"))]

    def _java_method_declaration(self, node: Node) -> list[ast.stmt]:
        written, name = node.child_by_field_name("body"), self._text(node.child_by_field_name("name"))
        if written is None:
            return []
        parameters = node.child_by_field_name("parameters")
        statements = self._body(written)
        if name == "main":
            # The program's own beginning, with arguments that nobody knows.
            taken = self._parameters([parameters])
            for arg in [*taken.args, taken.vararg][:1]:
                if arg is not None:
                    told = self._call(self._name("scala_unknown", node), [ast.Constant("args")])
                    statements.insert(0, self._at(ast.Assign([ast.Name(arg.arg, ast.Store())], told), node))
            return [s for s in statements if not isinstance(s, ast.Return)]
        return [self._function(plain_name(name), self._parameters([parameters]), statements or [ast.Pass()], node)]

    def _parameters(self, groups: list[Value]) -> ast.arguments:
        args: list[ast.arg] = []
        several: ast.arg | None = None
        for p in [p for group in groups for p in self.inside(group)]:
            if p.type == "spread_parameter":
                declared = next((c for c in p.named_children if c.type == "variable_declarator"), None)
                several = self._at(ast.arg(plain_name(self._text(declared)) if declared is not None else "_", None), p)
            elif p.type == "formal_parameter":
                kind = self._text(p.child_by_field_name("type"))
                note = ast.Name("DataFrame", ast.Load()) if kind.startswith("Dataset") else None
                if kind == "SparkSession":
                    note = ast.Name("SparkSession", ast.Load())
                args.append(self._at(ast.arg(plain_name(self._text(p.child_by_field_name("name"))), note), p))
        return ast.arguments([], args, several, [], [], None, [])

    def _java_local_variable_declaration(self, node: Node) -> list[ast.stmt]:
        kind, made = self._text(node.child_by_field_name("type")), []
        for declared in [c for c in node.named_children if c.type == "variable_declarator"]:
            name, value = declared.child_by_field_name("name"), declared.child_by_field_name("value")
            if re.match(r"(?:\w+\.)*(?:\w*List|\w*Set|Collection|\w*Deque)\b", kind) or (
                value is not None and re.match(r"new\s+\w*(?:List|Set)\b", self._text(value))
            ):
                self.lists.add(self._text(name))
            if kind in ("StringBuilder", "StringBuffer"):
                self.texts.add(self._text(name))
            if (
                value is not None
                and value.type == "object_creation_expression"
                and self.class_of(value) in self.classes
            ):
                self.classes.add(self._text(name))
            elif value is not None:
                made.append(self._at(ast.Assign([self._target(name)], self.value(value)), declared))
        return made

    _java_field_declaration = _java_local_variable_declaration

    def _target(self, node: Node) -> Value:
        if node is None:
            return ast.Name("_", ast.Store())
        if node.type == "array_access":
            array, index = node.child_by_field_name("array"), node.child_by_field_name("index")
            return self._at(ast.Subscript(self.value(array), self.value(index), ast.Store()), node)
        if node.type == "field_access":  # this.x
            node = node.child_by_field_name("field")
        return self._at(ast.Name(plain_name(self._text(node)), ast.Store()), node)

    # -- statements

    def _java_expression_statement(self, node: Node) -> list[ast.stmt]:
        inner = node.named_children[0] if node.named_children else None
        if inner is None:
            return []
        if inner.type == "assignment_expression":
            return self._assignment(inner)
        if inner.type == "update_expression":
            return self._update(inner)
        if inner.type == "method_invocation" and (kept := self._collected(inner)) is not None:
            return kept
        return [self._at(ast.Expr(self.value(inner)), node)]

    def _assignment(self, node: Node) -> list[ast.stmt]:
        left, right = node.child_by_field_name("left"), self.value(node.child_by_field_name("right"))
        operator = self._text(node.child_by_field_name("operator"))
        if (
            left is not None
            and left.type == "field_access"
            and self._text(left) == f"this.{self._text(node.child_by_field_name('right'))}"
        ):
            return []
        if operator != "=":
            right = self.operation(self.value(left), operator[:-1], right)
        return [self._at(ast.Assign([self._target(left)], right), node)]

    def _update(self, node: Node) -> list[ast.stmt]:
        held = node.named_children[0]
        step = self.operation(self.value(held), "+" if "++" in self._text(node) else "-", ast.Constant(1))
        return [self._at(ast.Assign([self._target(held)], step), node)]

    def _collected(self, node: Node) -> list[ast.stmt] | None:
        """xs.add(x) and map.put(key, value), which change what they are called on."""
        holder, name = node.child_by_field_name("object"), self._text(node.child_by_field_name("name"))
        given = self._arguments(node.child_by_field_name("arguments"))
        if holder is None or holder.type != "identifier":
            return None
        if name == "append" and len(given) == 1 and self._text(holder) in self.texts:
            longer = ast.BinOp(self.value(holder), ast.Add(), given[0])
            return [self._at(ast.Assign([self._target(holder)], self._at(longer, node)), node)]
        if name == "put" and len(given) == 2:
            place = ast.Subscript(self.value(holder), given[0], ast.Store())
            return [self._at(ast.Assign([self._at(place, node)], given[1]), node)]
        if name in ("add", "addAll") and len(given) == 1 and self._text(holder) in self.lists:
            method = self._attribute(self.value(holder), "append" if name == "add" else "extend", node)
            return [self._at(ast.Expr(self._call(method, given)), node)]
        return None

    def _body(self, node: Node | None) -> list[ast.stmt]:
        if node is None:
            return []
        if node.type in ("block", "constructor_body", "class_body"):
            return [s for c in node.named_children for s in self.statement(c)]
        return self.statement(node)

    _java_block = _body

    def _java_if_statement(self, node: Node) -> list[ast.stmt]:
        condition = self.value(node.child_by_field_name("condition"))
        then, other = (self._body(node.child_by_field_name(n)) for n in ("consequence", "alternative"))
        return [self._at(ast.If(condition, then or [ast.Pass()], other), node)]

    def _java_enhanced_for_statement(self, node: Node) -> list[ast.stmt]:
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        body = self._body(node.child_by_field_name("body"))
        return [self._at(ast.For(self._target(name), self.value(value), body or [ast.Pass()], []), node)]

    def _java_for_statement(self, node: Node) -> list[ast.stmt]:
        init, condition = node.child_by_field_name("init"), node.child_by_field_name("condition")
        body = self._body(node.child_by_field_name("body"))
        if init is None or condition is None or (counted := _LOOP.match(self._text(init))) is None:
            return self._while(condition, body, node)
        bound = re.fullmatch(rf"{counted[1]}\s*(<=?)\s*(.+)", self._text(condition), re.DOTALL)
        declared = next((c for c in init.named_children if c.type == "variable_declarator"), None)
        first = None if declared is None else declared.child_by_field_name("value")
        if bound is None or first is None:
            return [*self.statement(init), *self._while(condition, body, node)]
        end = self.value(condition.child_by_field_name("right"))
        if bound[1] == "<=":
            end = ast.BinOp(end, ast.Add(), ast.Constant(1))
        numbers = self._call(self._name("range", node), [self.value(first), end])
        target = ast.Name(plain_name(counted[1]), ast.Store())
        return [self._at(ast.For(self._at(target, node), numbers, body or [ast.Pass()], []), node)]

    def _while(self, condition: Node | None, body: list[ast.stmt], node: Node) -> list[ast.stmt]:
        test = ast.Constant(True) if condition is None else self.value(condition)
        return [self._at(ast.While(test, body or [ast.Pass()], []), node)]

    def _java_while_statement(self, node: Node) -> list[ast.stmt]:
        return self._while(node.child_by_field_name("condition"), self._body(node.child_by_field_name("body")), node)

    def _java_try_statement(self, node: Node) -> list[ast.stmt]:
        made = self._body(node.child_by_field_name("body"))
        caught = [c for c in node.named_children if c.type == "catch_clause"]
        ends = [b for c in node.named_children if c.type == "finally_clause" for b in c.named_children]
        last = [s for block in ends for s in self._body(block)]
        # What is caught and thrown again ends the program all the same.
        if not caught or "throw " in self._text(caught[0]):
            return [*made, *last]
        body = self._body(caught[0].child_by_field_name("body"))
        name = next((self._text(c.child_by_field_name("name")) for c in caught[0].named_children
                     if c.type == "catch_formal_parameter"), None)  # fmt: skip
        handler = self._at(ast.ExceptHandler(ast.Name("Exception", ast.Load()), name, body or [ast.Pass()]), caught[0])
        return [self._at(ast.Try(made or [ast.Pass()], [handler], [], last), node)]

    def _java_try_with_resources_statement(self, node: Node) -> list[ast.stmt]:
        made: list[ast.stmt] = []
        resources = node.child_by_field_name("resources")
        for r in [] if resources is None else resources.named_children:
            name, value = r.child_by_field_name("name"), r.child_by_field_name("value")
            if name is not None and value is not None:
                made.append(self._at(ast.Assign([self._target(name)], self.value(value)), r))
        return [*made, *self._java_try_statement(node)]

    def _java_return_statement(self, node: Node) -> list[ast.stmt]:
        value = self.value(node.named_children[0]) if node.named_children else None
        return [self._at(ast.Return(value), node)]

    def _java_throw_statement(self, node: Node) -> list[ast.stmt]:
        error = self._call(self._name("Exception", node), [ast.Constant(self._text(node)[:200])])
        return [self._at(ast.Raise(error, None), node)]

    def _java_switch_expression(self, node: Node) -> list[ast.stmt]:
        """A switch as a chain of conditions; what falls through to the next case is not read there."""
        subject, block = node.child_by_field_name("condition"), node.child_by_field_name("body")
        made: list[ast.stmt] = []
        for case in reversed([] if block is None else block.named_children):
            labels = [c for c in case.named_children if c.type == "switch_label"]
            inner = [s for c in case.named_children if c.type != "switch_label" for s in self._body(c)]
            wanted = [v for label in labels for v in label.named_children]
            if not wanted:  # default
                made = inner
                continue
            tests: list[ast.expr] = [ast.Compare(self.value(subject), [ast.Eq()], [self.value(v)]) for v in wanted]
            test = tests[0] if len(tests) == 1 else ast.BoolOp(ast.Or(), tests)
            made = [self._at(ast.If(test, inner or [ast.Pass()], made), case)]
        return made

    _java_switch_statement = _java_switch_expression

    def _java_labeled_statement(self, node: Node) -> list[ast.stmt]:
        return self._body(node.named_children[-1])

    _java_synchronized_statement = _java_labeled_statement
