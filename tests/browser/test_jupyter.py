"""`planviz.show`, `diff` and `%%planviz` in a real JupyterLab; `make notebook` installs one."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest

from tests.browser.app import ROOT

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(
        importlib.util.find_spec("jupyterlab") is None, reason="no JupyterLab is installed: make notebook installs it"
    ),
]

QUERY = "SELECT c_name FROM customer JOIN orders ON c_custkey = o_custkey"
CELLS = (
    f"import planviz\nplanviz.show({QUERY!r}, catalog='tpch')",
    f"planviz.diff(planviz.explain({QUERY!r}, catalog='tpch'),\n"
    f"    planviz.explain({QUERY!r}, catalog='tpch', conf={{'spark.sql.autoBroadcastJoinThreshold': 10**15}}))",
    "%load_ext planviz",
    f"%%planviz --catalog tpch\n{QUERY} ORDER BY c_name",
    "%%planviz\nSELECT a FRM t",
)


def notebook() -> dict[str, Any]:
    cells = [
        {"cell_type": "code", "id": f"c{at}", "metadata": {}, "source": source, "outputs": [], "execution_count": None}
        for at, source in enumerate(CELLS)
    ]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the notebook in a JupyterLab of our own, which knows no other notebooks or settings."""
    home = tmp_path_factory.mktemp("jupyter")
    (home / "plans.ipynb").write_text(json.dumps(notebook()))
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [
        sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", f"--ServerApp.port={port}",
        "--ServerApp.ip=127.0.0.1", f"--ServerApp.root_dir={home}", "--IdentityProvider.token=t",
        "--LabApp.news_url=None", "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
    ]  # fmt: skip
    places = {name: str(home / name) for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")}
    search = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    log = (home / "log").open("w")
    server = subprocess.Popen(
        command, cwd=home, env={**os.environ, **places, "PYTHONPATH": search}, stdout=log, stderr=log
    )
    try:
        end = time.monotonic() + 90
        while time.monotonic() < end and server.poll() is None:
            with contextlib.suppress(OSError):
                urllib.request.urlopen(f"http://127.0.0.1:{port}/api?token=t", timeout=2).close()
                break
            time.sleep(0.3)
        assert server.poll() is None, (home / "log").read_text()
        yield f"http://127.0.0.1:{port}/lab/tree/plans.ipynb?token=t"
    finally:
        server.terminate()
        server.communicate(timeout=30)
        log.close()


def test_plans_are_shown_and_used_in_a_notebook(browser: Any, lab: str) -> None:
    page = browser.new_page(viewport={"width": 1440, "height": 2400})
    page.set_default_timeout(90_000)
    page.goto(lab)
    page.get_by_text("%load_ext planviz").wait_for()
    page.locator(".jp-Notebook-ExecutionIndicator[data-status=idle]").first.wait_for()
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
    page.get_by_text("planviz: ").wait_for()

    shown, compared, cell = (page.frame_locator("iframe[title=planviz]").nth(at) for at in range(3))
    # The tree takes the keyboard, and the panel tells of the operator that was chosen.
    join = shown.get_by_role("treeitem").filter(has_text="Join").first
    join.click()
    assert join.get_attribute("aria-selected") == "true"
    compared.get_by_role("button", name="SortMergeJoin → BroadcastHashJoin").click()
    compared.get_by_role("region", name="Selected operator").wait_for()
    cell.get_by_role("treeitem").filter(has_text="Sort").first.wait_for()
    # A frame of its own origin: nothing in it reaches the notebook.
    frame = page.locator("iframe[title=planviz]").first
    assert frame.get_attribute("sandbox") == "allow-scripts allow-downloads"
    assert page.frames[1].evaluate("origin") == "null"
    assert "line 1" in page.get_by_text("planviz: ").inner_text()
    page.close()
