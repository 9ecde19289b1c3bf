"""The Live page with a real Spark: made data, a query that ran, beside what planviz makes of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from planviz.spark.process import SparkSettings
from planviz.ui import live_choices, live_places, sparks
from planviz.ui.live_access import VARIABLE
from tests.acceptance.engines import skip_without_java
from tests.ui.test_live import ROOT, ask, until_done, words

pytestmark = pytest.mark.spark


@pytest.fixture
def app(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[AppTest]:
    skip_without_java()
    monkeypatch.setenv(VARIABLE, "all")
    monkeypatch.setenv(live_places.MASTERS, "local[1]")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(live_choices, "SAMPLE_SCALE", 0.002)
    yield AppTest.from_file(str(ROOT / "pages" / "live.py"), default_timeout=60).run()
    sparks.close_all()


def test_from_nothing_to_measured_rows(app: AppTest) -> None:
    app.selectbox(key="planviz.live.master").set_value("local[1]").run()
    app.selectbox(key="planviz.live.memory").set_value("1g").run()
    app.selectbox(key="planviz.live.tables").set_value("sample").run()
    app = until_done(app.button(key="planviz.live.sample").click().run(), 240)
    assert 'class="pv-alert"' not in words(app)
    app.text_area(key="planviz.live.settings").set_value("spark.sql.cbo.enabled=true").run()
    app.toggle(key="planviz.live.run").set_value(True).run()
    sql = "SELECT tier, count(*) AS n FROM orders JOIN users ON orders.user_id = users.user_id GROUP BY tier"
    app = until_done(ask(app, sql), 240)
    assert 'class="pv-alert"' not in words(app)
    assert "<b>3</b><span>rows came</span>" in words(app)
    app.button_group(key="planviz.live.shown.3").set_value("planviz beside Spark").run()
    assert "planviz and Spark agree: 4 of 4 plans equal" in words(app)
    sparks.spark_of(SparkSettings("local[1]", memory="1g")).close()
    assert "not started" in words(app.run())
