"""Requests, files, results, errors and progress of a sandbox."""

import os
from pathlib import Path
from typing import Any

import pytest

from sparks.media.sandbox import Sandbox
from sparks.model.errors import Damaged, SparksError, TooLarge, UnsupportedType
from tests.media.sandbox import crashes, good_tasks
from tests.media.sandbox.tasks import SECONDS, Result, TaskRequest, call, make_sandbox, name_of


@pytest.mark.parametrize("value", [None, 1, 1.5, "ä", b"\x00\xff", [1, [2]], {"a": {"b": [None]}}])
def test_a_value_is_returned_unchanged(sandbox: Sandbox[Result], value: Any) -> None:
    assert call(sandbox, good_tasks.echo, value) == value


def test_blobs_are_returned_in_their_order(sandbox: Sandbox[Result]) -> None:
    request = TaskRequest(name_of(good_tasks.make_blobs), [[3, 0, 5_000_000]])
    blobs = sandbox.run(request, seconds=SECONDS).blobs

    assert [len(blob) for blob in blobs] == [3, 0, 5_000_000]
    assert blobs[0] == b"bbb"


def test_a_task_reads_the_files_of_its_request(sandbox: Sandbox[Result], tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).write_text(name)
    with (tmp_path / "one").open("rb") as one, (tmp_path / "two").open("rb") as two:
        assert call(sandbox, good_tasks.read_files, files=[one.fileno(), two.fileno()]) == [b"one", b"two"]
        assert one.read() == b"one"  # still open, and where it was


def test_a_task_reads_a_file_that_was_unlinked(sandbox: Sandbox[Result], tmp_path: Path) -> None:
    path = tmp_path / "original"
    path.write_bytes(b"bytes")
    with path.open("rb") as file:
        path.unlink()
        assert call(sandbox, good_tasks.read_like_a_decoder, files=[file.fileno()]) == b"yte"


def test_a_file_never_gets_the_descriptor_number_of_a_standard_stream(sandbox: Sandbox[Result], tmp_path: Path) -> None:
    path = tmp_path / "original"
    path.write_bytes(b"bytes")
    with path.open("rb") as file:
        assert min(call(sandbox, good_tasks.file_numbers, files=[file.fileno()])) > 2
    assert call(sandbox, good_tasks.print_much) is None


def test_files_are_closed_in_the_child_after_each_request(sandbox: Sandbox[Result], tmp_path: Path) -> None:
    path = tmp_path / "original"
    path.write_bytes(b"bytes")
    with path.open("rb") as file:
        for _ in range(3):
            call(sandbox, good_tasks.read_files, files=[file.fileno()] * 4)

    assert len(call(sandbox, good_tasks.open_descriptors)) == 4


@pytest.mark.parametrize("mode", ["r+b", "ab"])
def test_a_sandbox_without_output_rejects_a_file_open_for_writing(
    sandbox: Sandbox[Result], tmp_path: Path, mode: str
) -> None:
    path = tmp_path / "original"
    path.write_bytes(b"bytes")
    with path.open(mode) as file, pytest.raises(ValueError, match="for reading only"):
        call(sandbox, good_tasks.read_files, files=[file.fileno()])


def test_only_regular_files_are_accepted(sandbox: Sandbox[Result]) -> None:
    reader, writer = os.pipe()
    with os.fdopen(reader), os.fdopen(writer, "wb"), pytest.raises(ValueError, match="regular files"):
        call(sandbox, good_tasks.read_files, files=[reader])


def test_a_request_with_too_many_files_is_rejected(sandbox: Sandbox[Result], tmp_path: Path) -> None:
    (tmp_path / "one").touch()
    with (tmp_path / "one").open("rb") as file, pytest.raises(ValueError, match="at most 4 files"):
        call(sandbox, good_tasks.read_files, files=[file.fileno()] * 5)


@pytest.mark.parametrize("kind", [Damaged, TooLarge, UnsupportedType])
def test_an_error_about_the_file_is_raised_in_the_worker(sandbox: Sandbox[Result], kind: type[SparksError]) -> None:
    with pytest.raises(kind, match=r"^the message$") as caught:
        call(sandbox, crashes.refuse, kind.__name__, "the message")

    assert type(caught.value) is kind


def test_an_unknown_error_is_raised_as_its_closest_known_base_class(sandbox: Sandbox[Result]) -> None:
    with pytest.raises(TooLarge, match="a bomb"):
        call(sandbox, crashes.refuse_bomb, "a bomb")


@pytest.mark.parametrize("name", ["NotAllowed", "NotFound", "Unavailable", "SparksError"])
def test_errors_of_sparks_that_are_not_about_files_are_not_raised_in_the_worker(
    sandbox: Sandbox[Result], name: str
) -> None:
    with pytest.raises(Damaged, match="the decoder failed"):
        call(sandbox, crashes.refuse, name, "the message")


@pytest.mark.parametrize("name", ["EOFError", "KeyError", "KeyboardInterrupt", "SystemExit", "TimeoutError"])
def test_any_other_error_makes_the_file_damaged(
    sandbox: Sandbox[Result], name: str, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(Damaged, match="could not be decoded: the decoder failed"):
        call(sandbox, crashes.fail, name, "the message")

    assert [vars(record)["detail"].startswith(f"{name}: ") for record in caplog.records] == [True]


def test_the_message_of_an_error_is_short_and_printable(sandbox: Sandbox[Result]) -> None:
    with pytest.raises(Damaged) as caught:
        call(sandbox, crashes.refuse, "Damaged", "one\ntwo\x1b[31m\u202e" + "x" * 10_000)

    assert str(caught.value).startswith("one two [31m x")
    assert len(str(caught.value)) == 500


def test_an_error_message_with_a_lone_surrogate_is_transmitted(sandbox: Sandbox[Result]) -> None:
    with pytest.raises(Damaged, match=r"^a\?b$"):
        call(sandbox, crashes.refuse_surrogate)


def test_progress_is_reported_while_the_task_runs(sandbox: Sandbox[Result]) -> None:
    reports: list[float] = []
    request = TaskRequest(name_of(good_tasks.report_all), [[0.25, 0.5, 1.0]])
    sandbox.run(request, seconds=SECONDS, progress=reports.append)

    assert reports == [0.25, 0.5, 1.0]


def test_progress_only_grows_and_is_reported_at_most_a_hundred_times(sandbox: Sandbox[Result]) -> None:
    reports: list[float] = []
    nonsense = [0.5, 0.25, float("nan"), float("inf"), -1.0, 2.0]
    request = TaskRequest(name_of(good_tasks.report_all), [[*nonsense, *(step / 10_000 for step in range(10_001))]])
    sandbox.run(request, seconds=SECONDS, progress=reports.append)

    assert reports == sorted(reports)
    assert 10 < len(reports) <= 100
    assert reports[-1] <= 1


def test_an_error_of_the_progress_callback_is_raised_to_its_caller(sandbox: Sandbox[Result]) -> None:
    def fail(_: float) -> None:
        raise TimeoutError("raised by the callback")

    with pytest.raises(TimeoutError, match="raised by the callback"):
        sandbox.run(TaskRequest(name_of(crashes.report_and_hang), [0.5]), seconds=SECONDS, progress=fail)

    assert call(sandbox, good_tasks.echo, "next") == "next"


def test_a_closed_sandbox_runs_nothing() -> None:
    sandbox = make_sandbox()
    sandbox.close()
    sandbox.close()
    with pytest.raises(RuntimeError, match="closed"):
        call(sandbox, good_tasks.echo, 1)
