"""What goes into a jail and what comes out of it."""

import os
from pathlib import Path
from typing import Any

import pytest

from sparks.media.jail import Jail
from sparks.model.errors import Damaged, SparksError, TooLarge, UnsupportedType
from tests.media.jail import crashes, manners
from tests.media.jail.task import SECONDS, Order, Result, call, make_jail, name_of


@pytest.mark.parametrize("value", [None, 1, 1.5, "ä", b"\x00\xff", [1, [2]], {"a": {"b": [None]}}])
def test_a_value_comes_back_as_it_was(jail: Jail[Result], value: Any) -> None:
    assert call(jail, manners.echo, value) == value


def test_blobs_come_back_in_their_order(jail: Jail[Result]) -> None:
    order = Order(name_of(manners.make_blobs), [[3, 0, 5_000_000]])
    blobs = jail.run(order, seconds=SECONDS).blobs

    assert [len(blob) for blob in blobs] == [3, 0, 5_000_000]
    assert blobs[0] == b"bbb"


def test_a_task_reads_the_files_that_it_is_handed(jail: Jail[Result], tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).write_text(name)
    with (tmp_path / "one").open("rb") as one, (tmp_path / "two").open("rb") as two:
        assert call(jail, manners.read_files, files=[one.fileno(), two.fileno()]) == [b"one", b"two"]
        assert one.read() == b"one"  # still open, and where it was


def test_a_task_reads_a_file_that_has_no_name_any_more(jail: Jail[Result], tmp_path: Path) -> None:
    path = tmp_path / "original"
    path.write_bytes(b"bytes")
    with path.open("rb") as file:
        path.unlink()
        assert call(jail, manners.read_like_a_decoder, files=[file.fileno()]) == b"yte"


def test_a_file_never_takes_the_place_of_the_standard_output(jail: Jail[Result], tmp_path: Path) -> None:
    path = tmp_path / "original"
    path.write_bytes(b"bytes")
    with path.open("rb") as file:
        assert min(call(jail, manners.tell_file_numbers, files=[file.fileno()])) > 2
    assert call(jail, manners.print_much) is None


def test_files_are_closed_in_the_child_after_each_request(jail: Jail[Result], tmp_path: Path) -> None:
    path = tmp_path / "original"
    path.write_bytes(b"bytes")
    with path.open("rb") as file:
        for _ in range(3):
            call(jail, manners.read_files, files=[file.fileno()] * 4)

    assert len(call(jail, manners.tell_open_descriptors)) == 4


@pytest.mark.parametrize("mode", ["r+b", "ab"])
def test_a_file_open_for_writing_is_not_let_in_unless_that_was_agreed(
    jail: Jail[Result], tmp_path: Path, mode: str
) -> None:
    path = tmp_path / "original"
    path.write_bytes(b"bytes")
    with path.open(mode) as file, pytest.raises(ValueError, match="for reading only"):
        call(jail, manners.read_files, files=[file.fileno()])


def test_only_regular_files_are_let_in(jail: Jail[Result]) -> None:
    reader, writer = os.pipe()
    with os.fdopen(reader), os.fdopen(writer, "wb"), pytest.raises(ValueError, match="regular files"):
        call(jail, manners.read_files, files=[reader])


def test_no_more_files_are_let_in_than_the_child_takes(jail: Jail[Result], tmp_path: Path) -> None:
    (tmp_path / "one").touch()
    with (tmp_path / "one").open("rb") as file, pytest.raises(ValueError, match="at most 4 files"):
        call(jail, manners.read_files, files=[file.fileno()] * 5)


@pytest.mark.parametrize("kind", [Damaged, TooLarge, UnsupportedType])
def test_what_a_task_says_of_a_file_comes_through(jail: Jail[Result], kind: type[SparksError]) -> None:
    with pytest.raises(kind, match=r"^the words$") as caught:
        call(jail, crashes.refuse, kind.__name__, "the words")

    assert type(caught.value) is kind


def test_an_error_comes_through_as_the_ancestor_that_the_worker_knows(jail: Jail[Result]) -> None:
    with pytest.raises(TooLarge, match="a bomb"):
        call(jail, crashes.refuse_bomb, "a bomb")


@pytest.mark.parametrize("name", ["NotAllowed", "NotFound", "Unavailable", "SparksError"])
def test_no_other_error_of_sparks_is_believed(jail: Jail[Result], name: str) -> None:
    with pytest.raises(Damaged, match="the decoder failed"):
        call(jail, crashes.refuse, name, "the words")


@pytest.mark.parametrize("name", ["EOFError", "KeyError", "KeyboardInterrupt", "SystemExit", "TimeoutError"])
def test_any_other_error_means_that_the_file_cannot_be_decoded(
    jail: Jail[Result], name: str, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(Damaged, match="could not be decoded: the decoder failed"):
        call(jail, crashes.fail, name, "the words")

    assert [vars(record)["detail"].startswith(f"{name}: ") for record in caplog.records] == [True]


def test_the_words_of_an_error_are_short_and_printable(jail: Jail[Result]) -> None:
    with pytest.raises(Damaged) as caught:
        call(jail, crashes.refuse, "Damaged", "one\ntwo\x1b[31m\u202e" + "x" * 10_000)

    assert str(caught.value).startswith("one two [31m x")
    assert len(str(caught.value)) == 500


def test_an_error_with_a_lone_surrogate_comes_through(jail: Jail[Result]) -> None:
    with pytest.raises(Damaged, match=r"^a\?b$"):
        call(jail, crashes.refuse_surrogate)


def test_progress_is_heard_while_the_task_runs(jail: Jail[Result]) -> None:
    heard: list[float] = []
    order = Order(name_of(manners.report_all), [[0.25, 0.5, 1.0]])
    jail.run(order, seconds=SECONDS, progress=heard.append)

    assert heard == [0.25, 0.5, 1.0]


def test_progress_only_grows_and_is_not_heard_too_often(jail: Jail[Result]) -> None:
    heard: list[float] = []
    nonsense = [0.5, 0.25, float("nan"), float("inf"), -1.0, 2.0]
    order = Order(name_of(manners.report_all), [[*nonsense, *(step / 10_000 for step in range(10_001))]])
    jail.run(order, seconds=SECONDS, progress=heard.append)

    assert heard == sorted(heard)
    assert 10 < len(heard) <= 100
    assert heard[-1] <= 1


def test_an_error_of_who_listens_to_progress_is_theirs(jail: Jail[Result]) -> None:
    def fail(_: float) -> None:
        raise TimeoutError("the listener's own")

    with pytest.raises(TimeoutError, match="the listener's own"):
        jail.run(Order(name_of(crashes.report_and_hang), [0.5]), seconds=SECONDS, progress=fail)

    assert call(jail, manners.echo, "next") == "next"


def test_a_closed_jail_runs_nothing() -> None:
    jail = make_jail()
    jail.close()
    jail.close()
    with pytest.raises(RuntimeError, match="closed"):
        call(jail, manners.echo, 1)
