"""The page that plays an operator: steps by key, slider and clock; rows where they belong; nothing from outside."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from planviz.document.rows.plays import named_aggregate, named_join
from planviz.mechanics import Options, Play
from planviz.render.mechanics import mechanics_page
from tests.browser.opened import Opened

pytestmark = pytest.mark.browser
A = "VALUES (1, 'x'), (2, '<img src=//evil.example/x>'), (null, 'n'), (1, 'z') AS a(k, v)"
B = "VALUES (1, 'p'), (1, 'q'), (null, 'm'), (3, 'r') AS b(k, w)"
ROWS = "VALUES ('x', 1), ('y', 2), ('x', 3), ('z', 4) AS t(k, n)"


class Page(Opened):
    """A page that plays."""

    def rows(self, panel: str) -> list[list[str]]:
        """The cells that a panel shows, row by row."""
        found: list[list[str]] = self.page.evaluate(
            """title => [...document.querySelectorAll(".pv-table")]
              .filter((t) => t.querySelector("b").textContent === title)
              .flatMap((t) => [...t.querySelectorAll(".pv-line-row")]
                .map((r) => [...r.querySelectorAll("td:not(.pv-gutter, .pv-bucket)")].map((c) => c.textContent)))""",
            panel,
        )
        return found

    def step(self) -> int:
        """The number of the step, from 1."""
        return int(self.state()["k"]) + 1

    def go(self, step: int) -> None:
        """Show a step."""
        self.page.evaluate(f"__planviz.handle.go({step - 1})")


@pytest.fixture
def opened(browser: Any, tmp_path: Path) -> Iterator[Any]:
    contexts: list[Any] = []

    def open_page(plays: list[Play], **options: Any) -> Page:
        path = tmp_path / "play.html"
        path.write_text(mechanics_page([p.to_json() for p in plays]), encoding="utf-8")
        contexts.append(browser.new_context(viewport={"width": 1200, "height": 800}, **options))
        page = Page(contexts[-1].new_page())
        page.page.goto(path.as_uri())
        page.wait("window.__planviz && window.__planviz.handle")
        return page

    yield open_page
    for context in contexts:
        context.close()


def join() -> Play:
    return named_join("BroadcastHashJoin", "left", A, B, "k")


def test_keys_walk_the_steps(opened: Any) -> None:
    page, count = opened([join()]), len(join().steps)
    assert page.step() == 1
    page.page.keyboard.press("ArrowRight")
    page.page.keyboard.press("ArrowRight")
    assert page.step() == 3
    page.page.keyboard.press("ArrowLeft")
    assert page.step() == 2
    page.page.keyboard.press("ArrowDown")
    assert page.page.locator(".pv-batch-pill").text_content() == "Probe, task 0"
    page.page.keyboard.press("End")
    assert page.step() == count
    page.page.keyboard.press("ArrowRight")
    assert page.step() == count
    page.page.keyboard.press("Home")
    assert page.step() == 1
    assert page.complaints == []


def test_the_board_shows_what_the_step_left(opened: Any) -> None:
    page, play = opened([join()]), join()
    page.go(len(play.steps))
    wanted = [["null" if v is None else str(v) for v in row] for row in play.rows]
    assert page.rows("Output") == wanted
    assert page.rows("Hash relation") == [["1", "q"], ["1", "p"], ["3", "r"]]
    page.go(2)
    assert page.rows("Output") == []
    assert page.rows("Hash relation") == [["1", "p"]]
    text = page.page.locator(".pv-now-text").text_content()
    assert text == play.steps[1].text
    assert page.page.locator(".pv-step-words[aria-current]").text_content() == text


def test_text_of_rows_stays_text_and_nothing_is_requested(opened: Any) -> None:
    page = opened([join()])
    page.go(len(join().steps))
    assert page.page.locator("img").count() == 0
    assert any("<img src=//evil.example/x>" in cell for row in page.rows("a") for cell in row)
    assert [u for u in page.requests if not u.startswith(("file:", "data:"))] == []
    assert page.complaints == []


def test_the_clock_plays_and_stops(opened: Any) -> None:
    page = opened([join()], reduced_motion="reduce")
    page.page.keyboard.press("Space")
    assert page.state()["playing"] is True
    page.wait("__planviz.handle.state().k >= 1")
    page.page.keyboard.press("Space")
    assert page.state()["playing"] is False


def test_the_slider_and_the_list_go_to_a_step(opened: Any) -> None:
    page = opened([join()])
    page.page.locator(".pv-slider").fill("5")
    assert page.step() == 5
    page.page.locator(".pv-step-words").first.click()
    phase = join().steps[4].phase
    assert page.step() == next(n for n, s in enumerate(join().steps, 1) if s.phase == phase)


def test_stages_are_tabs_that_keep_their_steps(opened: Any) -> None:
    plays = named_aggregate("HashAggregate", ROWS, "k", "count(*), sum(n)", Options(capacity=1))
    page = opened(plays)
    page.go(4)
    page.page.get_by_text("3 Final Hash Aggregate").click()
    assert page.step() == 1
    assert page.page.locator(".pv-panel h3").text_content() == "Final Hash Aggregate"
    page.page.get_by_text("1 Partial Hash Aggregate").click()
    assert page.step() == 4
    assert page.rows("Spilled runs") == [["x", "1", "1"]]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_both_themes(opened: Any, scheme: str) -> None:
    page = opened([join()], color_scheme=scheme)
    assert page.state()["mode"] == scheme
    page.go(next(n for n, s in enumerate(join().steps, 1) if s.kind == "emit"))
    assert page.page.locator(".pv-board-links path").count() == 1


def test_a_narrow_page_has_everything(opened: Any) -> None:
    page = opened([join()])
    page.page.set_viewport_size({"width": 420, "height": 800})
    page.wait("document.querySelector('.pv-narrow')")
    page.go(6)
    assert page.page.locator(".pv-now-text").is_visible()
    assert page.page.locator(".pv-round").first.is_visible()
