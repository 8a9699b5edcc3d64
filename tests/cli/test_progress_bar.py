"""Progress of a long command, on a terminal and elsewhere."""

import io

import pytest

from sparks.cli.progress_bar import ProgressBar, format_duration


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_terminal_shows_a_bar_with_rate_and_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    screen, clock = Screen(), Clock()
    with ProgressBar(200, noun="files", stream=screen, clock=clock) as progress:
        clock.now += 10
        progress.show(50, note="2 failed")
        drawn = screen.getvalue()
        assert drawn.startswith("\r[####")
        assert "----] 50 of 200 files, 5.0 a second, 30 s left, 2 failed" in drawn
        assert len(drawn.strip("\r").removesuffix("\x1b[K")) == 79
    assert screen.getvalue().endswith("\r\x1b[K")


def test_a_narrow_terminal_shows_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    screen, clock = Screen(), Clock()
    progress = ProgressBar(2000, noun="files", stream=screen, clock=clock)
    clock.now += 1
    progress.show(1000)
    assert screen.getvalue() == "\r1,000 of 2,000 file\x1b[K"


def test_without_a_terminal_a_line_is_printed_now_and_then() -> None:
    stream, clock = io.StringIO(), Clock()
    with ProgressBar(100, noun="files", stream=stream, clock=clock) as progress:
        for second in range(61):
            clock.now = 100.0 + second
            progress.show(second)
    assert stream.getvalue().splitlines() == [
        "30 of 100 files, 1.0 a second, 1:10 min left",
        "60 of 100 files, 1.0 a second, 40 s left",
    ]


def test_without_a_terminal_short_work_prints_nothing() -> None:
    stream, clock = io.StringIO(), Clock()
    with ProgressBar(2, noun="files", stream=stream, clock=clock) as progress:
        progress.show(1)
        progress.show(2)
    assert stream.getvalue() == ""


def test_the_rate_is_that_of_the_last_minute() -> None:
    stream, clock = io.StringIO(), Clock()
    progress = ProgressBar(10_000, noun="files", stream=stream, clock=clock)
    for done in (5000, 5030, 5060, 5090):
        clock.now += 31
        progress.show(done)
    assert "1.0 a second" in stream.getvalue().splitlines()[-1]


@pytest.mark.parametrize(
    ("seconds", "shown"), [(0, "0 s"), (59.4, "59 s"), (60, "1:00 min"), (3599, "59:59 min"), (43_500, "12:05 h")]
)
def test_durations_are_formatted_for_people(seconds: float, shown: str) -> None:
    assert format_duration(seconds) == shown
