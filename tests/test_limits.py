"""Work is stopped where it is, and told what it was at."""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress
from pathlib import Path

import pytest

from planviz.cli.main import run
from planviz.errors import InputError, LimitExceeded
from planviz.limits import time_limit
from planviz.optimizer.rules.join_reorder import CostBasedJoinReorder


class SlowReorder(CostBasedJoinReorder):
    def apply(self, plan: object) -> object:
        time.sleep(60)
        return plan


SlowReorder.__name__ = "CostBasedJoinReorder"


def test_the_message_says_what_rule_it_was_at_and_what_helps() -> None:
    told = r"at CostBasedJoinReorder.*0\.05 s.*joinReorder\.enabled=false.*raise it"
    with pytest.raises(LimitExceeded, match=told), time_limit(0.05, "raise it"):
        SlowReorder.__new__(SlowReorder).apply(None)


def test_what_swallows_every_error_is_stopped_as_well() -> None:
    def endless() -> None:
        while True:
            with suppress(Exception):
                time.sleep(60)

    with pytest.raises(LimitExceeded), time_limit(0.05):
        endless()


def test_work_within_the_limit_is_left_alone() -> None:
    with time_limit(60):
        pass
    with time_limit(None):
        pass
    with pytest.raises(InputError, match="no limit of time"), time_limit(0):
        pass


def test_a_signal_while_the_block_is_left_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    set_timer = signal.setitimer

    def with_a_signal(which: int, seconds: float, interval: float = 0.0) -> tuple[float, float]:
        if not seconds:
            os.kill(os.getpid(), signal.SIGALRM)
        return set_timer(which, seconds, interval)

    monkeypatch.setattr("planviz.limits.signal.setitimer", with_a_signal)
    with pytest.raises(LimitExceeded, match=r"0\.05 s"), time_limit(0.05):
        time.sleep(60)


def test_a_command_has_a_limit_when_it_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    query = tmp_path / "q.sql"
    query.write_text("SELECT 1")
    monkeypatch.setattr("planviz.cli.explain.explain", lambda options: time.sleep(60))
    assert run(["explain", str(query), "--time-limit", "0.05"]) == 2
    assert "took more than 0.05 s" in capsys.readouterr().err
