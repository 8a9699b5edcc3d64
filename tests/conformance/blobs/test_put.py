"""Writes: a blob is stored whole or not at all, and replaces another only if all went well."""

import itertools
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest

from sparks.blobs.port import DEFAULT_TYPE, Blobs
from sparks.model.errors import AlreadyThere, BadInput, Damaged, NotFound
from tests.conformance.blobs.content import FAR_FUTURE, MIB, content_of, sha256_of


def assert_nothing_there(blobs: Blobs, key: str) -> None:
    with pytest.raises(NotFound):
        blobs.head(key)
    assert blobs.list().blobs == []
    assert list(blobs.list_uploads(started_before=FAR_FUTURE)) == []


def test_a_blob_is_read_back_as_it_was_put(blobs: Blobs) -> None:
    blobs.put("originals/a.jpg", [b"one ", b"", b"two"])
    assert content_of(blobs, "originals/a.jpg") == b"one two"


def test_put_and_head_return_the_metadata(blobs: Blobs) -> None:
    before = datetime.now(UTC)
    put = blobs.put("originals/a.jpg", [b"bytes"], content_type="image/jpeg")
    head = blobs.head("originals/a.jpg")
    for info in (put, head):
        assert (info.key, info.size, info.content_type) == ("originals/a.jpg", 5, "image/jpeg")
        assert info.sha256 == sha256_of(b"bytes")
        assert info.etag
        assert '"' not in info.etag
        assert abs(info.modified - before) < timedelta(minutes=1)
        assert info.modified.utcoffset() == timedelta(0)
    assert put.etag == head.etag


def test_a_blob_without_a_type_has_the_default_type(blobs: Blobs) -> None:
    blobs.put("uploads/a", [b"bytes"])
    assert blobs.head("uploads/a").content_type == DEFAULT_TYPE


def test_any_type_is_kept(blobs: Blobs) -> None:
    for content_type in ("image/svg+xml", "text/plain; charset=utf-8", 'a/b;c="d e"', "x/" + "y" * 98):
        blobs.put("key", [b"bytes"], content_type=content_type)
        assert blobs.head("key").content_type == content_type


def test_an_empty_blob_is_a_blob(blobs: Blobs) -> None:
    assert blobs.put("empty", []).size == 0
    assert blobs.head("empty").sha256 == sha256_of(b"")
    assert content_of(blobs, "empty") == b""


def test_a_put_replaces_an_existing_blob(blobs: Blobs) -> None:
    first = blobs.put("key", [b"first"], content_type="image/png")
    second = blobs.put("key", [b"second, and longer"], content_type="image/webp")
    assert first.etag != second.etag
    assert content_of(blobs, "key") == b"second, and longer"
    assert blobs.head("key").content_type == "image/webp"
    assert blobs.head("key").sha256 == sha256_of(b"second, and longer")


def test_size_and_hash_may_be_announced(blobs: Blobs) -> None:
    info = blobs.put("key", [b"bytes"], size=5, sha256=sha256_of(b"bytes").upper())
    assert info.sha256 == sha256_of(b"bytes")


def test_another_length_than_announced_is_damaged_and_stores_nothing(blobs: Blobs) -> None:
    for size in (0, 4, 6, 2**40):
        with pytest.raises(Damaged):
            blobs.put("key", [b"bytes"], size=size)
    assert_nothing_there(blobs, "key")


def test_endless_bytes_are_damaged_once_they_exceed_the_announced_size(blobs: Blobs) -> None:
    with pytest.raises(Damaged):
        blobs.put("key", itertools.repeat(b"bytes"), size=1000)
    assert_nothing_there(blobs, "key")


def test_another_hash_than_announced_is_damaged_and_stores_nothing(blobs: Blobs) -> None:
    with pytest.raises(Damaged):
        blobs.put("key", [b"bytes"], sha256=sha256_of(b"other"))
    assert_nothing_there(blobs, "key")


def test_damaged_bytes_leave_the_existing_blob(blobs: Blobs) -> None:
    old = blobs.put("key", [b"old"], content_type="image/png")
    with pytest.raises(Damaged):
        blobs.put("key", [b"new"], sha256=sha256_of(b"other"))
    with pytest.raises(Damaged):
        blobs.put("key", [b"new"], size=2)
    assert content_of(blobs, "key") == b"old"
    assert (blobs.head("key").etag, blobs.head("key").content_type) == (old.etag, "image/png")


@pytest.mark.parametrize("error", [RuntimeError("the source broke"), OSError(28, "the source's disk is full")])
def test_an_error_of_the_source_is_raised_and_leaves_the_existing_blob(blobs: Blobs, error: Exception) -> None:
    def breaking() -> Iterator[bytes]:
        yield b"new"
        raise error

    blobs.put("key", [b"old"])
    with pytest.raises(type(error), match="the source") as raised:
        blobs.put("key", breaking())
    assert raised.value is error
    assert content_of(blobs, "key") == b"old"


def test_a_blob_is_not_visible_while_it_arrives(blobs: Blobs) -> None:
    def watched() -> Iterator[bytes]:
        for _ in range(3):
            yield b"some"
            with pytest.raises(NotFound):
                blobs.head("key")
            assert blobs.list().blobs == []

    assert blobs.put("key", watched()).size == 12


def test_if_absent_stores_a_new_blob(blobs: Blobs) -> None:
    blobs.put("key", [b"first"], if_absent=True)
    assert content_of(blobs, "key") == b"first"


def test_if_absent_leaves_an_existing_blob(blobs: Blobs) -> None:
    blobs.put("key", [b"first"], content_type="image/png")
    with pytest.raises(AlreadyThere):
        blobs.put("key", [b"second"], content_type="image/webp", if_absent=True)
    assert content_of(blobs, "key") == b"first"
    assert blobs.head("key").content_type == "image/png"


def test_if_absent_stores_again_after_a_deletion(blobs: Blobs) -> None:
    blobs.put("key", [b"first"], if_absent=True)
    blobs.delete("key")
    blobs.put("key", [b"second"], if_absent=True)
    assert content_of(blobs, "key") == b"second"


def test_of_twenty_writers_with_if_absent_one_wins(blobs: Blobs) -> None:
    start = threading.Barrier(20)

    def write(number: int) -> bool:
        start.wait()
        try:
            blobs.put("originals/raced.jpg", [b"writer %d" % number], if_absent=True)
        except AlreadyThere:
            return False
        return True

    with ThreadPoolExecutor(20) as threads:
        won = list(threads.map(write, range(20)))
    assert won.count(True) == 1
    assert content_of(blobs, "originals/raced.jpg") == b"writer %d" % won.index(True)


def test_readers_see_one_whole_blob_while_others_replace_it(blobs: Blobs) -> None:
    versions = [bytes([65 + number]) * 200_000 for number in range(4)]
    blobs.put("key", [versions[0]])

    def write(version: bytes) -> None:
        for _ in range(5):
            blobs.put("key", [version], content_type=f"x/{chr(version[0])}")

    def read(_: int) -> None:
        content = content_of(blobs, "key")
        assert content in versions
        info = blobs.head("key")
        assert info.content_type in {DEFAULT_TYPE, *(f"x/{chr(version[0])}" for version in versions)}
        assert info.sha256 in {sha256_of(version) for version in versions}

    with ThreadPoolExecutor(6) as threads:
        writing = [threads.submit(write, version) for version in versions]
        list(threads.map(read, range(20)))
        for writer in writing:
            writer.result()


def test_a_folder_that_empties_while_others_write_into_it_loses_nothing(blobs: Blobs) -> None:
    def write(number: int) -> None:
        for turn in range(10):
            blobs.put(f"uploads/x{number}", [b"%d" % turn])
            assert content_of(blobs, f"uploads/x{number}") == b"%d" % turn
            blobs.delete(f"uploads/x{number}")

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(write, range(4)))
    assert blobs.list().blobs == []


def large_content() -> list[bytes]:
    return [bytes([number]) * MIB for number in range(11)]


def test_a_large_blob_of_unknown_length_is_stored(blobs: Blobs) -> None:
    content = b"".join(large_content())
    info = blobs.put("originals/film.mp4", large_content(), content_type="video/mp4")
    assert (info.size, info.sha256, info.content_type) == (11 * MIB, sha256_of(content), "video/mp4")
    assert content_of(blobs, "originals/film.mp4") == content


def test_a_large_blob_keeps_its_announced_hash(blobs: Blobs) -> None:
    told = sha256_of(b"".join(large_content()))
    blobs.put("originals/film.mp4", large_content(), size=11 * MIB, sha256=told, if_absent=True)
    assert blobs.head("originals/film.mp4").sha256 == told
    with pytest.raises(AlreadyThere):
        blobs.put("originals/film.mp4", large_content(), if_absent=True)
    assert list(blobs.list_uploads(started_before=FAR_FUTURE)) == []


def test_a_large_blob_that_is_damaged_stores_nothing(blobs: Blobs) -> None:
    with pytest.raises(Damaged):
        blobs.put("originals/film.mp4", large_content(), sha256=sha256_of(b"other"))
    with pytest.raises(Damaged):
        blobs.put("originals/film.mp4", large_content(), size=11 * MIB + 1)
    assert_nothing_there(blobs, "originals/film.mp4")


def test_a_large_blob_whose_source_breaks_stores_nothing(blobs: Blobs) -> None:
    def breaking() -> Iterator[bytes]:
        yield from large_content()
        raise RuntimeError("the source broke")

    with pytest.raises(RuntimeError, match="the source broke"):
        blobs.put("originals/film.mp4", breaking())
    assert_nothing_there(blobs, "originals/film.mp4")


def test_a_bad_hash_is_refused(blobs: Blobs) -> None:
    for sha256 in ("", "0" * 63, "0" * 65, "g" * 64, "\u0660" * 64):
        with pytest.raises(BadInput):
            blobs.put("key", [b""], sha256=sha256)
        with pytest.raises(BadInput):
            blobs.sign_put("key", size=1, expires_in=60, sha256=sha256)


def test_a_bad_type_is_refused(blobs: Blobs) -> None:
    for content_type in ("", "jpeg", "image/", "a/b\r\nX: y", "image/jpég", "a/b;", "a/" + "b" * 99):
        with pytest.raises(BadInput):
            blobs.put("key", [b""], content_type=content_type)
        with pytest.raises(BadInput):
            blobs.create_upload("key", content_type=content_type)
        with pytest.raises(BadInput):
            blobs.sign_put("key", size=1, expires_in=60, content_type=content_type)
        with pytest.raises(BadInput):
            blobs.sign_get("key", expires_in=60, content_type=content_type)


def test_a_negative_size_is_refused(blobs: Blobs) -> None:
    with pytest.raises(BadInput):
        blobs.put("key", [b""], size=-1)
    with pytest.raises(BadInput):
        blobs.sign_put("key", size=-1, expires_in=60)
