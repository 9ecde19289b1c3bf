"""What tests share: the captures of real Spark, where they are at hand."""

from __future__ import annotations

import gc
import gzip
import json
import os
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from planviz.logical.integrity import broken
from planviz.trees.executor import RuleExecutor
from tests import lanes

# No test writes to the library of whoever runs it.
os.environ["PLANVIZ_STORE"] = "none"

# Defects are to be seen where they are, and plans must hold together after every step.
RuleExecutor.guarded = False
RuleExecutor.standing = (broken,)
lanes.shorten_the_start_of_jvms()

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write the texts that golden tests compare with")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What is collected stays: the collector of cycles would go through it again and again and find nothing."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    lanes.group(items)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    return lanes.scheduler(config, log)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    return lanes.processes(config)


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Any:
    """`golden(text, name)`: the text must be that of the file `name` beside the test."""

    def same(text: str, name: str) -> None:
        path = Path(request.path).parent / name
        if request.config.getoption("--update-golden"):
            path.write_text(text, encoding="utf-8")
        assert text == path.read_text(encoding="utf-8")

    return same


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The folder of captures from real Spark; tests that need it are skipped on a plain clone."""
    folder = SHARED / "corpus"
    if not folder.is_dir():
        pytest.skip("the captures of real Spark (../shared/corpus) are not beside this checkout")
    return folder


def read_plan_text(path: Path) -> str:
    """A plan text of the corpus, bytes that are no UTF-8 kept, line ends as they are."""
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return data.decode("utf-8", errors="surrogateescape")


def read_capture(path: Path) -> dict[str, Any]:
    """One captured query (`*.json.gz`)."""
    return json.loads(gzip.decompress(path.read_bytes()).decode("utf-8", errors="surrogatepass"))
