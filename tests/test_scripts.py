"""The browser's scripts under the type checker, the linter and the formatter that package.json names."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TOOLS = ROOT / "node_modules" / ".bin"

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("scripts")]


@pytest.fixture(scope="module")
def tools() -> Path:
    """Where the tools are; installed if they are not and can be, else the tests are skipped and say why."""
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        pytest.skip("the browser's scripts are not checked: there is no Node")
    if not (TOOLS / "tsc").exists() or not (TOOLS / "biome").exists():
        command = [
            npm,
            "ci",
            "--prefer-offline",
            "--no-audit",
            "--no-fund",
            "--fetch-retries=0",
            "--fetch-timeout=20000",
        ]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=180, check=False)
        if done.returncode:
            pytest.skip(f"the browser's scripts are not checked: npm ci failed ({done.stderr.strip()[-200:]})")
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
