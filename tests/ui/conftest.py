"""Pages are tested as the server runs them: with documents in a worker, of which pages get plain values alone."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from planviz.ui import cache, questions
from tests.ui.inline import Inline


@pytest.fixture(autouse=True)
def documents_live_in_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """While a page runs; what a test asks beside that is answered where it asks, of documents of its own."""
    run, shelf = AppTest._run, cache._Shelf(cache.KEPT)

    def in_worker(app: AppTest, *args: object, **kwargs: object) -> AppTest:
        before, own = questions.use(Inline()), cache._server
        cache._server = shelf
        try:
            return run(app, *args, **kwargs)  # type: ignore[arg-type]
        finally:
            questions.use(before)
            cache._server = own

    monkeypatch.setattr(AppTest, "_run", in_worker)
