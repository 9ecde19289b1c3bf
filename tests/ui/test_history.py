"""The Event logs page by Streamlit's own test driver, and what it shows of a catalogue."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from planviz.errors import InputError
from planviz.history.catalogue import PastExecution
from planviz.history.questions import Question
from planviz.history.ranked import Answer
from planviz.ui import history, history_places, state
from planviz.ui.history_places import VARIABLE, path_of, places
from planviz.ui.live_access import VARIABLE as LIVE
from tests.history.catalogues import BROADCAST, MERGED, catalogue, joined, log, query
from tests.ui.pages import PAGES, components, page

ROOT = Path(__file__).parents[2]
EVIL = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("history") / "jobs"
    folder.mkdir()
    first = log("nightly", query(0, "select 1", joined(MERGED, 0), took=1_500), query(1, EVIL, error=f"{EVIL} boom"))
    second = log("nightly", query(100_000, "select 1", joined(BROADCAST, 1_000_000)), id="app-2")
    path = catalogue(folder, {"first": first, "second": f"{second}garbage {EVIL}\n"})
    return Path(path).rename(folder.parent / "runs")


@pytest.fixture(autouse=True)
def served(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, str(made.parent))
    monkeypatch.delenv(LIVE, raising=False)


def history_page(**query: str) -> AppTest:
    app = page("history", **query)
    assert not app.exception
    return app


def words(app: AppTest) -> str:
    return "\n".join(str(element.proto.body) for element in app.get("html"))


def column(table: dict[str, Any], label: str) -> list[Any]:
    at = [name for name, _ in table["columns"]].index(label)
    return [cell["text"] if isinstance(cell := row["cells"][at], dict) else cell for row in table["rows"]]


def test_it_opens_with_the_first_catalogue_of_the_server_and_the_slowest() -> None:
    app = history_page()
    table = components(app)["planviz_history"]
    assert column(table, "What") == ["select 1", "select 1", EVIL] or column(table, "What") == [
        "select 1",
        EVIL,
        "select 1",
    ]
    assert column(table, "Time") == ["1.5 s", "250 ms", "250 ms"]
    assert table["columns"][table["ranked"]][0] == "Time"
    assert "3 executions of 1 application in 2 logs, 2026-09-21 to 2026-09-22" in words(app)
    assert components(app)["planviz_address"]["query"] == "catalogue=runs&rank=slowest"
    assert "planviz_workbench" not in components(app)


def test_the_address_asks_the_question_and_opens_the_execution() -> None:
    app = history_page(
        catalogue="runs", rank="latest", text="SELECT", join=BROADCAST, since="2026-09-22", execution="app-2#100000"
    )
    told = components(app)
    assert column(told["planviz_history"], "What") == ["select 1"]
    assert column(told["planviz_history"], "Joins") == ["BroadcastHash"]
    nodes = told["planviz_workbench"]["scene"]["nodes"]
    assert len(nodes["id"]) == 4
    assert "Spark 4.3.0" in words(app)
    assert "since=2026-09-22" in told["planviz_address"]["query"]
    assert [badge["text"] for badge in column(told["planviz_history"], "")[0]] == ["plan changed"]


def test_filters_and_rankings_are_asked_for() -> None:
    app = history_page()
    app.text_input(key="planviz.history.text").set_value("boom").run()
    assert column(components(app)["planviz_history"], "What") == [EVIL]
    app.text_input(key="planviz.history.text").set_value("").run()
    app.selectbox(key="planviz.history.join").set_value(MERGED).run()
    assert column(components(app)["planviz_history"], "Time") == ["1.5 s"]
    app.selectbox(key="planviz.history.join").set_value(None).run()
    app.segmented_control(key="planviz.history.rank").set_value("failed").run()
    table = components(app)["planviz_history"]
    assert column(table, "What") == [f"{EVIL} boom"]
    assert column(table, "")[0][0]["text"] == "failed"


def test_plans_that_changed_have_both_times_and_the_difference_in_words() -> None:
    app = history_page(rank="changed")
    table = components(app)["planviz_history"]
    assert (column(table, "Before"), column(table, "After")) == (["1.5 s"], ["250 ms"])
    app = history_page(rank="changed", execution=table["rows"][0]["open"])
    said = words(app)
    assert "SortMergeJoin became BroadcastHashJoin" in said
    assert "6.0 times as fast" in said
    assert len(components(app)["planviz_workbench"]["scene"]["nodes"]["id"]) == 4
    before = history_page(rank="changed", execution=table["rows"][0]["open"], side="before")
    titles = json.dumps(components(before)["planviz_workbench"]["scene"]["nodes"])
    assert "Merge" in titles
    assert "Broadcast" not in titles


def test_an_empty_ranking_says_why() -> None:
    app = history_page(rank="estimate")
    assert "spark.sql.ui.explainMode=cost" in words(app)
    assert "planviz_history" not in components(app)


def test_texts_of_logs_are_escaped() -> None:
    app = history_page(rank="failed", execution="app-1#1")
    said = words(app)
    assert EVIL not in said
    assert said.count("&lt;img src=x") >= 2
    assert EVIL in json.dumps(components(app)["planviz_history"])  # textContent takes it


def test_faults_of_logs_are_listed() -> None:
    app = history_page()
    assert "second</td><td>line 9</td><td>this line is no event" in words(app)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"catalogue": "/etc"}, "This server shows only the catalogues that it was started with: runs."),
        ({"execution": "app-7#1"}, "There is no execution 1 of app-7"),
        ({"execution": "nothing"}, "an execution is named LOG#ID"),
        ({"operator": "Window"}, "No execution has the operator Window"),
    ],
)
def test_what_cannot_be_shown_is_told(asked: dict[str, str], said: str) -> None:
    app = history_page(**asked)
    assert said in words(app)
    assert 'role="alert"' in words(app)


def test_an_address_of_nonsense_is_the_first_page() -> None:
    app = history_page(rank="fastest", since="soon", until="2026-99-99", status="fine")
    assert "There is no status fine" in words(app)
    assert app.segmented_control(key="planviz.history.rank").value == "slowest"


def test_without_a_catalogue_the_way_to_one_is_shown(monkeypatch: pytest.MonkeyPatch, made: Path) -> None:
    monkeypatch.delenv(VARIABLE)
    app = history_page()
    assert "planviz spark ingest LOGS" in words(app)
    assert "planviz serve --history FOLDER" in words(app)
    assert "planviz serve --history catalogue/" in words(app), "the last of the commands opens what the first made"
    assert not app.selectbox


def test_the_executions_of_the_log_that_is_open_are_offered_the_slowest_first(
    monkeypatch: pytest.MonkeyPatch, made: Path
) -> None:
    """The page asked to paste the log that was open."""
    monkeypatch.delenv(VARIABLE)
    explore = page("explore", sample="event-log")
    app = AppTest.from_file(str(PAGES / "history.py"), default_timeout=60)
    app.session_state[state.DOCUMENT] = explore.session_state[state.DOCUMENT]
    app.run()
    offered = [button for button in app.button if (button.key or "").startswith("planviz.history.open.")]
    assert [button.label for button in offered] == ["#20 · stores · 443 ms", "#21 · items, stores · 368 ms"]


@pytest.mark.parametrize(
    "address", ["/etc", "webhdfs://127.0.0.1:9/x", "s3://b/x?endpoint_override=127.0.0.1:9", "~/x"]
)
def test_an_address_of_a_link_is_never_opened(
    address: str, made: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(LIVE, "all")  # as on a server that only this machine reaches

    def opened(path: str) -> None:
        raise AssertionError(path)

    monkeypatch.setattr(history, "history_of", opened)
    assert "only the catalogues that it was started with: runs" in words(history_page(catalogue=address))
    assert "only the catalogues" in words(history_page(catalogue=str(made)))


def test_the_catalogues_of_a_folder_are_known_by_name(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert places() == {"runs": str(made)}
    assert path_of("runs") == str(made)
    with pytest.raises(InputError, match="only the catalogues"):
        path_of(str(made))
    monkeypatch.setenv(VARIABLE, str(made))
    assert places() == {"runs": str(made)}
    monkeypatch.setenv(VARIABLE, "s3://bucket/runs/")
    assert history_places.places() == {"runs": "s3://bucket/runs/"}
    monkeypatch.setenv(VARIABLE, f"s3://bucket/other\n{made}")
    assert places() == {"other": "s3://bucket/other", "runs": str(made)}
    monkeypatch.setenv(VARIABLE, str(made / "nowhere"))
    assert places() == {}


def test_answers_are_kept_until_something_is_added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = catalogue(tmp_path, {"one": log("a", query(0, "select 1"))})
    found = history.history_of(path)
    first = found.ranked(Question())
    assert history.history_of(path) is found
    assert found.ranked(Question()) is first
    catalogue(tmp_path, {"two": log("b", query(0, "select 2"), id="app-2")})
    assert history.history_of(path) is not found
    assert history.history_of(path).ranked(Question()).count == 2


def test_a_table_leaves_out_what_no_row_has_and_draws_the_ranked() -> None:
    some = [PastExecution("l", at, milliseconds=ms, app_name="a", description="d") for at, ms in ((1, 400), (2, 100))]
    table = history.executions_table(Answer(tuple(some), 2), "slowest", set(), "l#2")
    assert [label for label, _ in table["columns"]] == ["#", "Application", "What", "Time"]
    assert [row["cells"][3] for row in table["rows"]] == [
        {"text": "400 ms", "bar": 1.0},
        {"text": "100 ms", "bar": 0.25},
    ]
    assert (table["ranked"], table["selected"]) == (3, "l#2")


def test_the_estimate_is_toned_by_its_direction() -> None:
    few = PastExecution("l", 1, estimated_rows=10.0, output_rows=1_000)
    many = PastExecution("l", 2, estimated_rows=1_000.0, output_rows=10)
    table = history.executions_table(Answer((few, many), 2), "estimate", set(), "")
    at = [label for label, _ in table["columns"]].index("Estimate")
    assert [row["cells"][at]["tone"] for row in table["rows"]] == ["under", "over"]
    assert table["rows"][0]["cells"][at]["title"] == "10 rows expected, 1K came"
