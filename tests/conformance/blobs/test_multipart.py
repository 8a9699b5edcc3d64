"""Multipart uploads: parts in any order and repeated, joined in one step."""

import itertools
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import httpx
import pytest

from sparks.blobs.port import DEFAULT_TYPE, MIN_PART_SIZE, Blobs, UploadPart
from sparks.model.errors import AlreadyThere, BadInput, Conflict, Damaged, NotFound
from tests.conformance.blobs.content import FAR_FUTURE, content_of, keys_of

KEY = "originals/film.mp4"
FIRST = b"1" * MIN_PART_SIZE
SECOND = b"2" * (MIN_PART_SIZE + 1)
UNKNOWN = ["", "x", "0" * 32, "../../etc", "0" * 32 + "/..", "é", "0" * 5000, "a b", "a\0b"]


@pytest.fixture
def upload_id(blobs: Blobs) -> str:
    return blobs.create_upload(KEY, content_type="video/mp4")


def put_part(blobs: Blobs, upload_id: str, number: int, content: bytes) -> UploadPart:
    return blobs.put_part(KEY, upload_id, number, [content], size=len(content))


def test_parts_are_joined_in_the_order_of_their_numbers(blobs: Blobs, upload_id: str) -> None:
    last = put_part(blobs, upload_id, 10_000, b"last")
    first = put_part(blobs, upload_id, 1, FIRST)
    second = put_part(blobs, upload_id, 7, SECOND)
    completed = blobs.complete_upload(KEY, upload_id, [first, second, last])
    for info in (completed, blobs.head(KEY)):
        assert (info.key, info.size, info.content_type) == (KEY, len(FIRST) + len(SECOND) + 4, "video/mp4")
        assert info.sha256 is None
    assert completed.etag == blobs.head(KEY).etag
    assert content_of(blobs, KEY) == FIRST + SECOND + b"last"


def test_a_part_has_its_number_size_and_etag(blobs: Blobs, upload_id: str) -> None:
    part = put_part(blobs, upload_id, 3, b"bytes")
    assert (part.number, part.size) == (3, 5)
    assert part.etag
    assert '"' not in part.etag
    assert blobs.list_parts(KEY, upload_id) == [part]


def test_an_upload_can_be_resumed_from_the_parts_that_arrived(blobs: Blobs, upload_id: str) -> None:
    put_part(blobs, upload_id, 2, b"rest")
    put_part(blobs, upload_id, 1, FIRST)
    arrived = blobs.list_parts(KEY, upload_id)
    assert [(part.number, part.size) for part in arrived] == [(1, len(FIRST)), (2, 4)]
    blobs.complete_upload(KEY, upload_id, arrived)
    assert content_of(blobs, KEY) == FIRST + b"rest"


def test_a_part_replaces_an_earlier_one_of_its_number(blobs: Blobs, upload_id: str) -> None:
    earlier = put_part(blobs, upload_id, 1, b"earlier")
    later = put_part(blobs, upload_id, 1, b"later")
    assert earlier.etag != later.etag
    assert len(blobs.list_parts(KEY, upload_id)) == 1
    blobs.complete_upload(KEY, upload_id, [later])
    assert content_of(blobs, KEY) == b"later"


def test_only_the_later_of_two_parts_of_one_number_is_listed(
    blobs: Blobs, upload_id: str, request: pytest.FixtureRequest
) -> None:
    if "seaweedfs" in request.node.name:
        pytest.skip("SeaweedFS tells of both, and when only to the second")
    put_part(blobs, upload_id, 1, b"earlier")
    later = put_part(blobs, upload_id, 1, b"later")
    assert blobs.list_parts(KEY, upload_id) == [later]


def test_parts_that_are_not_named_are_dropped(blobs: Blobs, upload_id: str) -> None:
    named = put_part(blobs, upload_id, 1, b"named")
    put_part(blobs, upload_id, 2, b"not named")
    blobs.complete_upload(KEY, upload_id, [named])
    assert content_of(blobs, KEY) == b"named"


def test_an_etag_may_come_in_quotes(blobs: Blobs, upload_id: str) -> None:
    part = put_part(blobs, upload_id, 1, b"bytes")
    blobs.complete_upload(KEY, upload_id, [UploadPart(1, 5, f'"{part.etag}"')])
    assert content_of(blobs, KEY) == b"bytes"


def test_an_upload_without_a_type_has_the_default_type(blobs: Blobs) -> None:
    upload_id = blobs.create_upload("uploads/a")
    part = blobs.put_part("uploads/a", upload_id, 1, [b"bytes"], size=5)
    assert blobs.complete_upload("uploads/a", upload_id, [part]).content_type == DEFAULT_TYPE


def test_a_completed_upload_replaces_an_existing_blob(blobs: Blobs, upload_id: str) -> None:
    blobs.put(KEY, [b"old"], content_type="image/png")
    part = put_part(blobs, upload_id, 1, b"new")
    assert content_of(blobs, KEY) == b"old"
    blobs.complete_upload(KEY, upload_id, [part])
    assert content_of(blobs, KEY) == b"new"
    assert blobs.head(KEY).content_type == "video/mp4"


def test_if_absent_leaves_an_existing_blob_and_the_upload(blobs: Blobs, upload_id: str) -> None:
    blobs.put(KEY, [b"old"])
    part = put_part(blobs, upload_id, 1, b"new")
    with pytest.raises(AlreadyThere):
        blobs.complete_upload(KEY, upload_id, [part], if_absent=True)
    assert content_of(blobs, KEY) == b"old"
    assert blobs.list_parts(KEY, upload_id) == [part]
    blobs.delete(KEY)
    blobs.complete_upload(KEY, upload_id, [part], if_absent=True)
    assert content_of(blobs, KEY) == b"new"


@pytest.mark.parametrize("etag", ["0" * 32, "0" * 64, "", '"'])
def test_a_part_with_another_etag_is_a_conflict_and_leaves_the_upload(blobs: Blobs, upload_id: str, etag: str) -> None:
    part = put_part(blobs, upload_id, 1, b"bytes")
    with pytest.raises(Conflict):
        blobs.complete_upload(KEY, upload_id, [UploadPart(1, 5, etag)])
    assert blobs.list_parts(KEY, upload_id) == [part]
    assert keys_of(blobs) == []


def test_a_part_that_is_missing_is_a_conflict_and_leaves_the_upload(blobs: Blobs, upload_id: str) -> None:
    first = put_part(blobs, upload_id, 1, FIRST)
    with pytest.raises(Conflict):
        blobs.complete_upload(KEY, upload_id, [first, UploadPart(2, 5, first.etag)])
    assert blobs.list_parts(KEY, upload_id) == [first]
    assert keys_of(blobs) == []


def test_only_the_last_part_may_be_small(blobs: Blobs, upload_id: str) -> None:
    small = put_part(blobs, upload_id, 1, b"1" * (MIN_PART_SIZE - 1))
    last = put_part(blobs, upload_id, 2, b"last")
    with pytest.raises(BadInput):
        blobs.complete_upload(KEY, upload_id, [small, last])
    assert blobs.list_parts(KEY, upload_id) == [small, last]
    assert keys_of(blobs) == []


def test_no_parts_or_another_order_is_refused(blobs: Blobs, upload_id: str) -> None:
    first = put_part(blobs, upload_id, 1, FIRST)
    last = put_part(blobs, upload_id, 2, b"last")
    for parts in ([], [last, first], [first, first], [UploadPart(0, 5, "e")], [first, UploadPart(10_001, 5, "e")]):
        with pytest.raises(BadInput):
            blobs.complete_upload(KEY, upload_id, parts)
    assert blobs.list_parts(KEY, upload_id) == [first, last]


@pytest.mark.parametrize("size", [0, 4, 6])
def test_a_part_of_another_length_is_damaged_and_leaves_the_earlier_one(
    blobs: Blobs, upload_id: str, size: int
) -> None:
    earlier = put_part(blobs, upload_id, 1, b"earlier")
    with pytest.raises(Damaged):
        blobs.put_part(KEY, upload_id, 1, [b"bytes"], size=size)
    with pytest.raises(Damaged):
        blobs.put_part(KEY, upload_id, 1, itertools.repeat(b"bytes"), size=size)
    assert blobs.list_parts(KEY, upload_id) == [earlier]


def test_a_part_whose_source_breaks_leaves_the_earlier_one(blobs: Blobs, upload_id: str) -> None:
    def breaking() -> Iterator[bytes]:
        yield b"byt"
        raise RuntimeError("the source broke")

    earlier = put_part(blobs, upload_id, 1, b"earlier")
    with pytest.raises(RuntimeError, match="the source broke"):
        blobs.put_part(KEY, upload_id, 1, breaking(), size=5)
    assert blobs.list_parts(KEY, upload_id) == [earlier]


@pytest.mark.parametrize("number", [-1, 0, 10_001])
def test_a_part_has_a_number_from_one_to_ten_thousand(blobs: Blobs, upload_id: str, number: int) -> None:
    with pytest.raises(BadInput):
        put_part(blobs, upload_id, number, b"bytes")
    with pytest.raises(BadInput):
        blobs.sign_part(KEY, upload_id, number, size=5, expires_in=60)


def test_an_unknown_upload_is_not_found(blobs: Blobs) -> None:
    for upload_id in UNKNOWN:
        with pytest.raises(NotFound):
            put_part(blobs, upload_id, 1, b"bytes")
        with pytest.raises(NotFound):
            blobs.list_parts(KEY, upload_id)
        with pytest.raises(NotFound):
            blobs.complete_upload(KEY, upload_id, [UploadPart(1, 5, "0" * 32)])
        blobs.abort_upload(KEY, upload_id)


def test_the_upload_of_another_key_is_not_found(blobs: Blobs, upload_id: str) -> None:
    part = put_part(blobs, upload_id, 1, b"bytes")
    with pytest.raises(NotFound):
        blobs.put_part("other", upload_id, 1, [b"bytes"], size=5)
    with pytest.raises(NotFound):
        blobs.list_parts("other", upload_id)
    with pytest.raises(NotFound):
        blobs.complete_upload("other", upload_id, [part])
    blobs.abort_upload("other", upload_id)
    assert blobs.list_parts(KEY, upload_id) == [part]


def test_a_completed_upload_is_not_found(blobs: Blobs, upload_id: str) -> None:
    part = put_part(blobs, upload_id, 1, b"bytes")
    blobs.complete_upload(KEY, upload_id, [part])
    with pytest.raises(NotFound):
        put_part(blobs, upload_id, 1, b"bytes")
    with pytest.raises(NotFound):
        blobs.list_parts(KEY, upload_id)
    assert list(blobs.list_uploads(started_before=FAR_FUTURE)) == []
    blobs.abort_upload(KEY, upload_id)
    assert content_of(blobs, KEY) == b"bytes"


def test_completing_again_finds_nothing_or_the_same_blob(blobs: Blobs, upload_id: str) -> None:
    part = put_part(blobs, upload_id, 1, b"bytes")
    completed = blobs.complete_upload(KEY, upload_id, [part])
    try:
        assert blobs.complete_upload(KEY, upload_id, [part]).etag == completed.etag
    except NotFound:
        assert blobs.head(KEY).etag == completed.etag


def test_an_aborted_upload_leaves_nothing(blobs: Blobs, upload_id: str) -> None:
    part = put_part(blobs, upload_id, 1, b"bytes")
    blobs.abort_upload(KEY, upload_id)
    blobs.abort_upload(KEY, upload_id)
    with pytest.raises(NotFound):
        blobs.list_parts(KEY, upload_id)
    with pytest.raises(NotFound):
        blobs.complete_upload(KEY, upload_id, [part])
    assert list(blobs.list_uploads(started_before=FAR_FUTURE)) == []
    assert keys_of(blobs) == []


def test_uploads_of_one_key_are_independent(blobs: Blobs, upload_id: str) -> None:
    other_id = blobs.create_upload(KEY, content_type="image/png")
    part, other = put_part(blobs, upload_id, 1, b"one"), put_part(blobs, other_id, 1, b"other")
    blobs.complete_upload(KEY, upload_id, [part])
    assert content_of(blobs, KEY) == b"one"
    blobs.complete_upload(KEY, other_id, [other])
    assert content_of(blobs, KEY) == b"other"


def test_uploads_are_listed_by_their_start_time(blobs: Blobs) -> None:
    before = datetime.now(UTC)
    ids = {blobs.create_upload(key) for key in ("a", "b/c", "b/c")}
    listed = list(blobs.list_uploads(started_before=before + timedelta(minutes=1)))
    assert {upload.upload_id for upload in listed} == ids
    assert sorted(upload.key for upload in listed) == ["a", "b/c", "b/c"]
    assert all(abs(upload.started - before) < timedelta(minutes=1) for upload in listed)
    assert list(blobs.list_uploads(started_before=before - timedelta(minutes=1))) == []


def test_a_part_may_be_uploaded_to_a_signed_url(blobs: Blobs, upload_id: str, http: httpx.Client) -> None:
    signed = blobs.sign_part(KEY, upload_id, 1, size=5, expires_in=60)
    assert signed.method == "PUT"
    for content in (b"four", b"sixsix", b""):
        assert http.put(signed.url, headers=signed.headers, content=content).is_client_error
    assert blobs.list_parts(KEY, upload_id) == []
    answer = http.put(signed.url, headers=signed.headers, content=b"bytes")
    assert answer.status_code == 200
    part = UploadPart(1, 5, answer.headers["ETag"])
    blobs.complete_upload(KEY, upload_id, [part])
    assert content_of(blobs, KEY) == b"bytes"


def test_the_url_of_a_part_is_for_that_part_of_that_upload(blobs: Blobs, upload_id: str, http: httpx.Client) -> None:
    other_id = blobs.create_upload(KEY)
    signed = blobs.sign_part(KEY, upload_id, 1, size=5, expires_in=60)
    others = [
        signed.url.replace(upload_id, other_id),
        signed.url.replace("artNumber=1", "artNumber=2").replace("part=1", "part=2"),
        signed.url.replace("film", "other"),
    ]
    for url in others:
        assert url != signed.url
        assert http.put(url, content=b"bytes").status_code == 403
    assert http.get(signed.url).status_code == 403
    assert blobs.list_parts(KEY, upload_id) == blobs.list_parts(KEY, other_id) == []


def test_the_url_of_a_part_is_refused_after_its_upload_has_ended(
    blobs: Blobs, upload_id: str, http: httpx.Client
) -> None:
    signed = blobs.sign_part(KEY, upload_id, 1, size=5, expires_in=60)
    blobs.abort_upload(KEY, upload_id)
    assert http.put(signed.url, headers=signed.headers, content=b"bytes").status_code == 404
    assert keys_of(blobs) == []
