"""The worker processes: what they answer, and that whatever they are at can be stopped without harm to others."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from planviz.catalog.bundled import read_bundled
from planviz.catalog.files import write_catalog
from planviz.errors import LimitExceeded, NotAPlan
from planviz.samples import load
from planviz.ui import cache, joins, questions, views, worker, workers
from planviz.ui.questions import Question
from planviz.ui.workers import Workers

pytestmark = pytest.mark.slow
SQL = "SELECT u.name, count(*) FROM users u JOIN orders o ON u.user_id = o.user_id GROUP BY u.name"
TASKS = "tests.ui.worker_tasks"


@pytest.fixture(scope="module")
def pool() -> Iterator[Workers]:
    found = Workers(2, seconds=1.0, megabytes=700)
    found.start()
    yield found
    found.close()


@pytest.fixture(autouse=True)
def used(pool: Workers, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(cache, "_server", cache._Shelf(cache.KEPT))
    before = questions.use(pool)
    pool.seconds = 1.0
    yield
    questions.use(before)


def test_answers_are_those_of_the_document_itself(pool: Workers) -> None:
    pool.seconds = 60
    opened = cache.open_document(SQL, "shop")
    told = [views.workbench(opened, "3", None), views.tabs(opened), joins.data(opened, None, "")]
    questions.use(None)
    cache._server.kept.clear()
    here = cache.open_document(SQL, "shop")
    assert opened.here is None
    assert here.here is not None
    assert opened.key == here.key
    assert told == [views.workbench(here, "3", None), views.tabs(here), joins.data(here, None, "")]


def test_an_answer_is_asked_for_once(pool: Workers, monkeypatch: pytest.MonkeyPatch) -> None:
    pool.seconds = 60
    opened = cache.open_document(load("broadcast-and-merge-join"))
    data = views.workbench(opened, "3", None)
    monkeypatch.setattr(pool, "answer", None)
    assert views.workbench(opened, "3", None) is data


def test_what_will_be_compared_is_opened_where_the_other_one_is(pool: Workers, monkeypatch: pytest.MonkeyPatch) -> None:
    pool.seconds = 60
    asked: list[str] = []
    answer = pool.answer
    monkeypatch.setattr(pool, "answer", lambda question, near: (asked.append(near), answer(question, near))[1])
    first = cache.open_document(SQL, "shop")
    cache.open_document(load("broadcast-and-merge-join"), near=first.key)
    third = cache.open_document(load("window-top-n"))
    assert asked == [first.key, first.key, third.key]


def test_errors_come_back_as_they_are(pool: Workers) -> None:
    with pytest.raises(NotAPlan) as error:
        cache.open_document("nothing at all")
    assert str(error.value)
    with pytest.raises(ValueError, match="no such number"):
        questions.run(TASKS, "wrong")


def test_a_worker_asks_for_the_catalogue_and_the_document_that_it_lacks(pool: Workers) -> None:
    pool.seconds = 60
    name = cache.keep_catalog(write_catalog(read_bundled("shop")))
    opened = cache.open_document(SQL, name)
    assert opened.facts.error is None
    for place in pool._places:
        place.pool.schedule(worker.forget, args=((opened.key,),)).result()
    assert joins.data(opened, None, "")


@pytest.mark.parametrize("task", ["forever", "forever_in_c", "swallowing"])
def test_work_without_end_is_stopped_and_told(task: str) -> None:
    with pytest.raises(LimitExceeded, match=r"took more than 1 s.*The text is kept"):
        questions.run(TASKS, task)
    assert questions.run(TASKS, "pid")


def test_work_that_takes_all_memory_is_stopped_and_told(pool: Workers) -> None:
    pool.seconds = 60
    with pytest.raises(LimitExceeded, match="took more than 700 MB of memory"):
        questions.run(TASKS, "hungry")
    assert questions.run(TASKS, "pid")


def test_a_dead_worker_is_replaced() -> None:
    with pytest.raises(LimitExceeded, match="Stopped"):
        questions.run(TASKS, "dead")
    assert questions.run(TASKS, "pid")


def test_a_worker_that_was_killed_while_it_rested_is_replaced(pool: Workers) -> None:
    pool.seconds = 60
    for place in pool._places:
        os.kill(place.pool.schedule(os.getpid).result(timeout=60), signal.SIGKILL)
        while place.pool.active:
            time.sleep(0.02)
    for place in pool._places:
        assert pool._reply(place, Question(None, TASKS, "pid")).value


def test_a_worker_never_runs_the_page_that_streamlit_runs(
    pool: Workers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pool.seconds = 60
    main = ModuleType("__main__")
    main.__file__ = str(tmp_path / "page.py")
    (tmp_path / "page.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w').close()")
    monkeypatch.setitem(sys.modules, "__main__", main)
    for place in pool._places:
        pool._replace(place)
    assert questions.run(TASKS, "pid")
    assert not (tmp_path / "ran").exists()


class Gone(Exception):
    """The session has left."""


def test_what_nobody_waits_for_is_stopped(pool: Workers) -> None:
    pool.seconds = 600
    looked = []

    def look() -> None:
        looked.append(1)
        if len(looked) > 2:
            raise Gone

    token = questions.watch.set(look)
    try:
        with pytest.raises(Gone):
            questions.run(TASKS, "forever_in_c")
    finally:
        questions.watch.reset(token)
    # Both workers answer: none is still at it.
    assert all(place.pool.schedule(worker.memory).result(timeout=60) for place in pool._places)


def test_a_slow_document_delays_nobody(pool: Workers) -> None:
    pool.seconds = 600
    stop = threading.Event()

    def look() -> None:
        if stop.is_set():
            raise Gone

    def slow() -> None:
        questions.watch.set(look)
        with pytest.raises(Gone):
            questions.run(TASKS, "forever")

    asked = threading.Thread(target=slow)
    asked.start()
    try:
        while not any(place.owner is not None for place in pool._places):
            time.sleep(0.01)
        assert cache.open_document("== Physical Plan ==\nRange (0, 4711, step=1, splits=2)\n").facts.stages
        assert asked.is_alive()
    finally:
        stop.set()
        asked.join()


def test_one_session_has_at_most_half_of_the_workers(pool: Workers) -> None:
    me: Any = pool._places[0]
    me.owner = "me"
    try:
        assert pool._choose("me", "") is None
        assert pool._choose("another", "") is pool._places[1]
    finally:
        me.owner = None


def test_the_memory_of_sessions_that_left_is_given_back(pool: Workers) -> None:
    pool.seconds = 60
    text = "== Physical Plan ==\n" + "".join(f"{'   ' * i}+- Project [a#{i}, b#{i}]\n" for i in range(1, 400))
    large = "\n\n".join(text.replace("a#", f"c{i}#") for i in range(40))
    opened = cache.open_document(large)
    cache.looked_at(opened.key, "session")
    views.workbench(opened, "0", None)
    holding = next(place for place in pool._places if opened.key in place.keys)
    assert cache.left(lambda session: True, grace=0) == ()
    assert cache.find(opened.key) is opened
    gone = cache.left(lambda session: False, grace=0)
    assert gone == (opened.key,)
    before, pool._fresh = holding.megabytes, 0
    pool.forget()
    after = [place.pool.schedule(worker.memory).result(timeout=60) for place in pool._places]
    assert cache.find(opened.key) is None
    assert opened.key not in holding.keys
    assert max(after) < before


def test_what_failed_questions_took_is_given_back(pool: Workers) -> None:
    """A text that cannot be opened is open nowhere: it keeps no worker large, nor does what is still open elsewhere."""
    pool.seconds = 60
    pool._fresh = min(place.pool.schedule(worker.memory).result(timeout=60) for place in pool._places)
    wide = ", ".join(f"a + {n} AS a{n}" for n in range(20_000))
    for n in range(2):
        with pytest.raises(NotAPlan):
            cache.open_document(f"{'(' * n}[{'1, ' * 3_000_000}")
    small = cache.open_document(SQL, "shop")
    kept = next(place for place in pool._places if small.key in place.keys)
    cache.open_document(f"SELECT {wide} FROM range(1)")
    cache._server.kept.popitem()
    for place in pool._places:
        place.megabytes = pool._fresh + 500
    pool.forget()
    assert [*kept.keys] == [small.key]
    assert all(place.megabytes < pool._fresh + 500 for place in pool._places)
    assert all(not place.keys for place in pool._places if place is not kept)
    # Nothing was asked since, so nothing is looked at again.
    kept.megabytes, kept.owner = pool._fresh + 500, None
    pool.forget()
    assert kept.megabytes == pool._fresh + 500
    kept.megabytes = 0


def test_who_asks_most_waits_for_who_asks_least() -> None:
    """Half of the workers stay for others, and of those who wait the one with the fewest comes first."""
    many = Workers(4)  # no process begins before there is a task

    def chosen(who: str) -> bool:
        place = many._choose(who, "")
        if place is not None:
            place.owner = who
        return place is not None

    assert [chosen("script") for _ in range(3)] == [True, True, False]
    assert chosen("one")
    many._waiting["another"] += 1
    assert not chosen("one")
    assert chosen("another")


def test_one_asker_cannot_fill_the_queue() -> None:
    many = Workers(2)
    many._waiting["10.0.0.1"] = workers.WAITING_OF_ONE
    before = questions.asker.set("10.0.0.1")
    try:
        with pytest.raises(LimitExceeded, match="busy"), many._place("a"):
            pass
        questions.asker.set("10.0.0.2")
        with many._place("a") as place:
            assert place.owner == "10.0.0.2"
    finally:
        questions.asker.reset(before)
    assert many._waiting == {"10.0.0.1": workers.WAITING_OF_ONE}
