"""Who may import whom (docs/architecture.md): floors, towers, and the only importers of some libraries."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "planviz"

# A room may import rooms of its own floor or below; towers name what they may see.
FLOORS = [
    {"versions"},
    {"errors", "config", "units", "limits"},
    {"trees", "types", "decisions"},
    {"expressions"},
    {"logical", "catalog"},
    {"frontend", "analysis"},
    {"optimizer"},
    {"physical"},
    {"execution", "catalogs"},
    {"replay"},
    {"document", "dataframe", "programs"},
    {"cli", "ui", "notebook", "pytest_plugin", "__main__"},
]
TOWERS = {
    "graph": {"errors", "trees"},
    "plantext": {"errors", "graph", "versions"},
    "layout": {"errors", "graph"},
    "render": {"errors", "graph", "layout"},
    "mechanics": {"errors", "types", "expressions", "logical", "catalog", "optimizer", "physical"},
    "spark": {"errors", "graph", "plantext", "document", "catalog", "types", "expressions", "logical", "frontend"},
    "history": {"errors", "graph", "document", "logical", "spark"},
    "findings": {"errors", "graph", "config", "execution", "document"},
    "reference": {
        "errors",
        "config",
        "versions",
        "catalogs",
        "execution",
        "optimizer",
        "physical",
        "logical",
        "analysis",
        "plantext",
        "document",
        "findings",
    },
    "store": {"errors", "graph"},
    "samples": {"errors"},
}
EVERYWHERE = {"errors", "config", "versions", "units"}
FROM_THE_TOP = {*TOWERS}
MORE = {"replay": {"graph", "plantext"}, "document": {"graph", "plantext", "render", "mechanics"}}
ONLY = {
    "sqlglot": ({"frontend"}, "parse SQL in planviz/frontend and hand plans around"),
    "pyspark": ({"spark"}, "reach Spark through planviz/spark"),
    "graphviz": ({"layout", "render"}, "lay out with planviz/layout"),
    "streamlit": ({"ui"}, "keep Streamlit in planviz/ui and pages/"),
}


def imports(path: Path) -> Iterator[tuple[str, int]]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            yield node.module, node.lineno


def allowed(room: str) -> set[str]:
    if room in TOWERS:
        return TOWERS[room] | {room, "units"}
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


def test_the_product_never_reads_the_captures() -> None:
    sources = [*PACKAGE.rglob("*.py"), *(ROOT / "pages").glob("*.py"), *ROOT.glob("*.py")]
    assert not [path for path in sources if "../shared" in path.read_text(encoding="utf-8")]


def test_pages_and_the_router_stay_thin() -> None:
    lines = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in (ROOT / "pages").glob("*.py")}
    assert not {path.name: count for path, count in lines.items() if count > 80}
    app = ROOT / "app.py"
    assert not app.exists() or len(app.read_text(encoding="utf-8").splitlines()) <= 40
