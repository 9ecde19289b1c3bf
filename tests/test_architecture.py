"""Who may import whom (docs/architecture.md): floors, towers, and the only importers of some libraries."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import networkx as nx

from tools.draw_rooms import PAGE, PICTURE, drawn, in_page, told

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "planviz"

# A room may import rooms of its own floor or below; towers name what they may see.
FLOORS = [
    {"versions"},
    {"errors", "settings", "config", "units", "limits", "placeholders", "language"},
    {"trees", "types", "decisions"},
    {"expressions"},
    {"logical", "catalog", "evaluation"},
    {"frontend"},
    {"functions"},
    {"analysis"},
    {"estimation"},
    {"optimizer"},
    {"physical"},
    {"execution", "catalogs"},
    {"replay", "dataframe"},
    {"programs"},
    {"document"},
    {"cli", "ui", "notebook", "pytest_plugin", "__main__"},
]
TOWERS: dict[str, set[str]] = {
    "graph": {"trees"},
    "plantext": {"errors", "graph", "versions"},
    "pseudonyms": {"errors", "graph"},
    "layout": set(),
    "render": {"errors", "graph", "layout"},
    "mechanics": {
        "errors",
        "types",
        "expressions",
        "logical",
        "catalog",
        "evaluation",
        "physical",
    },
    "spark": {"errors", "plantext", "document", "catalog", "types", "expressions", "logical", "frontend"},
    "history": {"errors", "graph", "document", "spark"},
    "findings": {"errors", "graph", "settings", "config", "plantext", "execution", "document"},
    "reference": {
        "errors",
        "settings",
        "config",
        "versions",
        "catalogs",
        "execution",
        "optimizer",
        "physical",
        "logical",
        "functions",
        "plantext",
        "document",
        "findings",
    },
    "store": {"errors", "graph", "document", "findings"},
    "samples": {"errors"},
}
EVERYWHERE = {"errors", "settings", "config", "versions", "units", "jsontypes", "language"}
FROM_THE_TOP = {*TOWERS}
MORE = {"replay": {"graph", "plantext"}, "document": {"graph", "plantext", "render", "mechanics"}}
ONLY = {
    "sqlglot": ({"frontend"}, "parse SQL in planviz/frontend and hand plans around"),
    "pyspark": ({"spark"}, "reach Spark through planviz/spark"),
    "graphviz": ({"layout", "render"}, "lay out with planviz/layout"),
    "sqlalchemy": ({"store"}, "keep the database in planviz/store"),
    "alembic": ({"store"}, "keep the database in planviz/store"),
    "streamlit": ({"ui"}, "keep Streamlit in planviz/ui and pages/"),
}

#: The most times that a room's code may name the type Any. They only fall: who takes some out lowers its room's.
ANY = {
    "__init__": 1,
    "analysis": 2,
    "decisions": 2,
    "document": 3,
    "evaluation": 1,
    "expressions": 6,
    "frontend": 1,
    "graph": 1,
    "jsontypes": 1,
    "mechanics": 4,
    "plantext": 6,
    "programs": 27,
    "render": 3,
    "spark": 4,
    "trees": 19,
    "types": 1,
    "ui": 11,
    "versions": 1,
}


@cache
def _nodes(path: Path) -> tuple[ast.AST, ...]:
    """The nodes of a file that the tests look at: going through a whole tree takes as long as parsing the file."""
    wanted = (ast.Import, ast.ImportFrom, ast.If, ast.Name, ast.Assign)
    return tuple(n for n in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(n, wanted))


def imports(path: Path) -> Iterator[tuple[str, int]]:
    for node in _nodes(path):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            yield node.module, node.lineno


def allowed(room: str) -> set[str]:
    if room in TOWERS:
        return TOWERS[room] | {room, "units", "jsontypes"}
    level = next(at for at, floor in enumerate(FLOORS) if room in floor)
    rooms = set().union(*FLOORS[: level + 1]) | EVERYWHERE | MORE.get(room, set())
    return rooms | FROM_THE_TOP if level == len(FLOORS) - 1 else rooms


def test_imports_point_one_way() -> None:
    wrong = []
    for path in PACKAGE.rglob("*.py"):
        room = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        if room == "__init__":
            continue
        for name, line in imports(path):
            parts = name.split(".")
            if parts[0] == "planviz" and len(parts) > 1 and parts[1] not in allowed(room):
                wrong.append(f"{path.relative_to(ROOT)}:{line}: {room} may not import {parts[1]}: move it down")
            if parts[0] in ONLY and room not in ONLY[parts[0]][0]:
                owners, advice = ONLY[parts[0]]
                wrong.append(f"{path.relative_to(ROOT)}:{line}: only {owners} import {parts[0]}; {advice}")
    assert not wrong, "\n".join(wrong)


def test_types_say_more_and_more() -> None:
    uses: Counter[str] = Counter()
    for path in PACKAGE.rglob("*.py"):
        room = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        uses[room] += sum(isinstance(n, ast.Name) and n.id == "Any" for n in _nodes(path))
    more = {room: (count, ANY.get(room, 0)) for room, count in uses.items() if count > ANY.get(room, 0)}
    assert not more, f"more Any (now, most): {more}; say the type, or object where a value passes through"


def test_the_product_never_reads_the_captures() -> None:
    sources = [*PACKAGE.rglob("*.py"), *(ROOT / "pages").glob("*.py"), *ROOT.glob("*.py")]
    assert not [path for path in sources if "../shared" in path.read_text(encoding="utf-8")]


def test_pages_and_the_router_stay_thin() -> None:
    lines = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in (ROOT / "pages").glob("*.py")}
    assert not {path.name: count for path, count in lines.items() if count > 80}
    app = ROOT / "app.py"
    assert not app.exists() or len(app.read_text(encoding="utf-8").splitlines()) <= 40


def _modules() -> dict[str, Path]:
    names = {".".join(path.relative_to(ROOT).with_suffix("").parts): path for path in PACKAGE.rglob("*.py")}
    return {name.removesuffix(".__init__"): path for name, path in names.items()}


def _only_checked(path: Path) -> set[int]:
    """The `id()` of what stands in a file for the type checker alone."""
    return {
        id(inner)
        for node in _nodes(path)
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }


def _imported(path: Path, modules: dict[str, Path]) -> Iterator[str]:
    """The modules that a file imports, in functions, too; not those that only the type checker does."""
    checked = _only_checked(path)
    for node in _nodes(path):
        if id(node) in checked:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules)
        elif isinstance(node, ast.ImportFrom) and node.module in modules:
            assert node.module is not None
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if inner in modules else node.module


def _circles(graph: nx.DiGraph[str]) -> list[set[str]]:
    return [circle for circle in nx.strongly_connected_components(graph) if len(circle) > 1]


def _graph() -> nx.DiGraph[str]:
    modules = _modules()
    graph: nx.DiGraph[str] = nx.DiGraph()
    for name, path in modules.items():
        graph.add_edges_from((name, other) for other in _imported(path, modules) if other != name)
    return graph


def test_no_modules_import_each_other() -> None:
    wrong = _circles(_graph())

    assert not wrong, f"move what both need into a module of its own: {[sorted(circle) for circle in wrong]}"


def _at_once(path: Path, modules: dict[str, Path]) -> set[str]:
    """The modules that are loaded when a file's is: its own imports that stand in no function, and their packages."""
    outside = [node for node in _nodes(path) if isinstance(node, ast.ImportFrom | ast.Import) and not node.col_offset]
    named = {node.module for node in outside if isinstance(node, ast.ImportFrom) and node.module}
    named |= {f"{n.module}.{alias.name}" for n in outside if isinstance(n, ast.ImportFrom) for alias in n.names}
    named |= {alias.name for n in outside if isinstance(n, ast.Import) for alias in n.names}
    found = {name for name in named if name in modules}
    return found | {".".join(name.split(".")[:at]) for name in found for at in range(1, name.count(".") + 1)}


def test_no_function_imports_what_is_loaded_anyway() -> None:
    """An import in a function says that what it imports is seldom needed or dear: not of a module that is there."""
    modules = _modules()
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(modules)
    graph.add_edges_from((name, other) for name, path in modules.items() for other in _at_once(path, modules))
    wrong = []
    for name, path in modules.items():
        if name.split(".")[1:2] in (["cli"], ["ui"]):  # which start at once, and load what a command or page needs
            continue
        checked = _only_checked(path)
        late = [n for n in _nodes(path) if isinstance(n, ast.ImportFrom) and n.col_offset and id(n) not in checked]
        loaded = nx.descendants(graph, name) if late else set()
        for node in late:
            named = {f"{node.module}.{alias.name}" for alias in node.names}
            if {one if one in modules else str(node.module) for one in named} <= loaded:
                wrong.append(f"{path.relative_to(ROOT)}:{node.lineno}: {node.module} is loaded already: move it up")
    assert not wrong, "\n".join(sorted(wrong))


def test_the_picture_shows_the_rooms() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert PICTURE.read_text(encoding="utf-8") == drawn(FLOORS, TOWERS), "draw it anew: python -m tools.draw_rooms"
    assert page == in_page(page, told(FLOORS, TOWERS, MORE)), "write it anew: python -m tools.draw_rooms"


def test_nothing_is_allowed_that_no_import_needs() -> None:
    used: dict[str, set[str]] = {}
    for path in PACKAGE.rglob("*.py"):
        room = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        names = (name.split(".") for name, _ in imports(path))
        used.setdefault(room, set()).update(parts[1] for parts in names if parts[0] == "planviz" and len(parts) > 1)
    idle = {room: seen - used[room] for room, seen in (*TOWERS.items(), *MORE.items())}

    assert not {room: seen for room, seen in idle.items() if seen}, "take these allowances back"


def test_every_room_stands_in_the_table() -> None:
    told = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    rooms = {path.relative_to(PACKAGE).parts[0].removesuffix(".py") for path in PACKAGE.rglob("*.py")}
    rooms -= {"__init__", "__main__"}

    assert not [room for room in sorted(rooms) if f"{room}/`" not in told and f"{room}.py`" not in told]


#: Who writes into the `__dict__` of another's object: trees, and the reader of Scala into a node of `ast`, whose
#: field only newer Pythons ask for.
WRITERS = {"trees/node.py", "trees/memo.py", "programs/scala_nodes.py"}


def test_what_is_remembered_of_nodes_is_declared() -> None:
    wrong = []
    for path in PACKAGE.rglob("*.py"):
        written = [
            target.lineno
            for n in _nodes(path)
            if isinstance(n, ast.Assign)
            for target in n.targets
            if isinstance(target, ast.Subscript)
            and isinstance(target.value, ast.Attribute)
            and target.value.attr == "__dict__"
        ]
        where = path.relative_to(PACKAGE).as_posix()
        wrong += [f"{where}:{line}: declare a Memo" for line in written if where not in WRITERS]
    assert not wrong, "\n".join(wrong)
