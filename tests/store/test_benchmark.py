"""The benchmark of the library copies rows as the tables are: a column more must not stop it."""

from __future__ import annotations

import pytest

from benchmarks import store


@pytest.mark.slow
def test_the_benchmark_copies_what_it_saved(capsys: pytest.CaptureFixture[str]) -> None:
    store.main(["40", "--saved", "20"])
    assert "\n40 documents\n" in capsys.readouterr().out
