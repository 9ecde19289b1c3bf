"""The browser's scripts under the type checker, the linter and the formatter that package.json names."""

from __future__ import annotations

import gzip
import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from planviz.document.comparison.chain_text import chain_data
from planviz.document.comparison.chains import compare_chain
from planviz.document.comparison.plans import compare_plans
from planviz.document.comparison.view import difference_data
from planviz.render.theme import tokens
from planviz.samples import load
from planviz.ui import aggregate_views, cardinality, joins, reasons, rules, views
from planviz.ui.cache import open_document

ROOT = Path(__file__).parents[1]
TOOLS = ROOT / "node_modules" / ".bin"

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("scripts")]


@pytest.fixture(scope="module")
def tools() -> Path:
    """Where the tools are that `make check` installs where there is Node 20; without them the tests are skipped."""
    node = shutil.which("node")
    if node is None or int(run(node, "--version").stdout.strip("v\n").split(".")[0]) < 20:
        pytest.skip("the browser's scripts are not checked: there is no Node 20")
    if not (TOOLS.parent / ".package-lock.json").exists():  # which npm writes last
        pytest.skip("the browser's scripts are not checked: `make check-js` installs what checks them")
    return TOOLS


def run(*command: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(part) for part in command], cwd=ROOT, capture_output=True, text=True, timeout=180, check=False
    )


def scripts() -> set[str]:
    folders = (ROOT / "planviz" / "render" / "web", ROOT / "planviz" / "ui")
    return {str(path.relative_to(ROOT)) for folder in folders for path in folder.glob("*.js")}


def test_types_of_all_scripts_hold(tools: Path) -> None:
    done = run(tools / "tsc", "-p", ".", "--listFiles")
    assert done.returncode == 0, done.stdout
    listed = {line.removeprefix(f"{ROOT}/") for line in done.stdout.splitlines()}
    assert scripts() <= listed, scripts() - listed


def test_a_wrong_type_is_seen(tools: Path, tmp_path: Path) -> None:
    """Types in comments hold only while the checker reads them."""
    called = f'import {{ short }} from "{ROOT}/planviz/render/web/units.js";\nshort({{}});\n'
    (tmp_path / "wrong.js").write_text(called, encoding="utf-8")
    config = f'{{"extends": "{ROOT}/tsconfig.json", "include": ["{tmp_path}/wrong.js"]}}'
    (tmp_path / "tsconfig.json").write_text(config, encoding="utf-8")
    done = run(tools / "tsc", "-p", tmp_path)
    assert re.search(r"wrong\.js\(2,7\): error TS2345", done.stdout), done.stdout


JOINS = (
    "SELECT count(*) FROM lineitem l JOIN orders o ON l.l_orderkey = o.o_orderkey "
    "JOIN customer c ON o.o_custkey = c.c_custkey WHERE o.o_totalprice > 10 AND 1 = 1"
)
AGGREGATE = (
    "SELECT c.country, count(DISTINCT o.user_id) AS n, sum(o.amount) AS s FROM orders o "
    "JOIN users c ON o.user_id = c.user_id WHERE o.amount > 1 GROUP BY c.country"
)
NO_BROADCAST = {"settings": {"spark.sql.autoBroadcastJoinThreshold": -1}}


def unpacked(data: bytes) -> object:
    told: object = json.loads(gzip.decompress(data) if data[:1] == b"\x1f" else data)
    return told


def told() -> Iterator[tuple[str, object]]:
    """What the server sends to each element, of SQL and of pasted texts, and the type that the scripts read it with."""
    query, pasted = open_document(JOINS, "tpch"), open_document(load("broadcast-and-merge-join"))
    for at in range(len(query.facts.stages)):
        yield "WorkbenchData", unpacked(views.workbench(query, str(at), None))
    last = str(len(query.facts.stages) - 1)
    yield "WhyAnswer", reasons.joins_in_short(query, last)
    for node in query.document.plans[-1]:
        yield "WhyAnswer", reasons.reasons_of(query, last, node.id)
    for opened in (pasted, open_document(load("rest-execution")), open_document(load("event-log"))):
        yield "WorkbenchData", unpacked(views.workbench(opened, views.first_plan(opened), None))
        if cardinality.has_numbers(opened):
            yield "EstimatesData", unpacked(cardinality.data(opened, cardinality.asked_of(opened, None)))
    silent = list(rules.silent(query.document.trace))[:3]
    yield "RulesData", unpacked(rules.data(query, None, ["PushDownPredicates"], silent))
    yield "RulesData", unpacked(rules.data(open_document(load("rule-log")), 2, [], []))
    plans = [query.document.plans[at] for at in (0, -1, -2)]
    dressed = {"theme": tokens(), "dark": None}
    yield "CompareData", difference_data(compare_plans(*plans[:2]), "two") | dressed
    yield "CompareData", chain_data(compare_chain(plans, ["a", "b", "c"]), "three") | dressed
    yield "JoinsData", joins.page_data(query, None, "")
    yield "JoinsData", joins.page_data(pasted, None, "")
    yield "JoinsTold", joins.reply(query, {"join": 0, "asked": NO_BROADCAST})
    for at in range(4):
        yield "FlipAnswer", joins.reply(query, {"join": 0, "want": "flips", "at": at})
    yield "PlanDifference | null", joins.reply(query, {"join": 0, "want": "diff", "asked": NO_BROADCAST})["diff"]
    yield "Play", joins.reply(query, {"join": 0, "want": "play"})["play"]
    asked = cardinality.asked_of(query, None)
    yield "EstimatesData", unpacked(cardinality.data(query, asked))
    for what, name in (("order", "OrderAnswer"), ("sizes", "SizesAnswer")):
        yield name, unpacked(cardinality.asked_for(query, what, json.dumps(asked).encode())[1])
    opened = open_document(AGGREGATE, "shop")
    yield "AggregationsData", aggregate_views.page_data(opened, None)
    for play in aggregate_views.reply(opened, {"number": 1, "want": "plays"})["plays"]:
        yield "Play", play


def test_what_the_server_sends_is_of_the_types_that_scripts_read(tools: Path, tmp_path: Path) -> None:
    """Neither side knows of the other's change: a field that is renamed in Python would be undefined in the browser."""
    lines = [f"export const told{at}: {name} = {json.dumps(value)};" for at, (name, value) in enumerate(told())]
    (tmp_path / "told.ts").write_text("\n".join(lines), encoding="utf-8")
    include = [f"{tmp_path}/told.ts", f"{ROOT}/planviz/render/web/*.d.ts"]
    config = {"extends": f"{ROOT}/tsconfig.json", "include": include}
    (tmp_path / "tsconfig.json").write_text(json.dumps(config), encoding="utf-8")
    done = run(tools / "tsc", "-p", tmp_path)
    assert done.returncode == 0, done.stdout[:4_000]


def test_scripts_are_formatted_and_linted(tools: Path) -> None:
    done = run(tools / "biome", "check", "--error-on-warnings", "--max-diagnostics=20")
    assert done.returncode == 0, done.stdout + done.stderr
    checked = re.search(r"Checked (\d+) files", done.stdout + done.stderr)
    assert checked is not None
    assert int(checked[1]) >= len(scripts())


def test_no_script_switches_the_checks_off() -> None:
    """A file or line that nobody checks would look as if somebody did."""
    for name in scripts():
        source = (ROOT / name).read_text(encoding="utf-8")
        assert not re.search(r"@ts-(?:nocheck|ignore|expect-error)|biome-ignore", source), name
