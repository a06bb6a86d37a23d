"""Background work gives way to turns, but not for ever."""

from __future__ import annotations

import os
import threading
import time

import pytest

from rag.foreground import LONG_TURN_S, NICENESS, Foreground, lower_priority


def test_nothing_waits_while_nobody_asks() -> None:
    began = time.monotonic()
    Foreground().give_way()
    assert time.monotonic() - began < 1


def test_work_waits_until_the_last_turn_is_over() -> None:
    foreground = Foreground()
    order: list[str] = []

    def work() -> None:
        foreground.give_way(5.0)
        order.append("work")

    with foreground.turn():
        assert foreground.busy
        with foreground.turn():
            thread = threading.Thread(target=work)
            thread.start()
        time.sleep(0.05)
        order.append("turn")
    thread.join(5)
    assert order == ["turn", "work"]
    assert not foreground.busy


def test_a_wait_has_an_end() -> None:
    foreground = Foreground()
    with foreground.turn():
        began = time.monotonic()
        foreground.give_way(0.1)
        assert 0.08 < time.monotonic() - began < 30


def test_a_turn_that_waits_for_a_language_model_is_left_to_itself() -> None:
    now = [0.0]
    foreground = Foreground(lambda: now[0])
    with foreground.turn():
        now[0] = LONG_TURN_S + 1
        assert not foreground.busy
        foreground.give_way()


@pytest.mark.skipif(os.name != "posix" or os.uname().sysname != "Linux", reason="Linux only")
def test_a_thread_can_step_back_alone() -> None:
    seen: list[int] = []

    def work() -> None:
        lower_priority()
        seen.append(os.getpriority(os.PRIO_PROCESS, threading.get_native_id()))

    before = os.getpriority(os.PRIO_PROCESS, 0)
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [max(NICENESS, before)]
    assert os.getpriority(os.PRIO_PROCESS, 0) == before
