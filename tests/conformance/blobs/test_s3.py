"""S3 alone: faults on the way, large copies, the bucket."""

import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import httpx
import pytest

from sparks.blobs.port import MIN_PART_SIZE
from sparks.blobs.s3 import S3Blobs, connect, create_bucket
from sparks.blobs.s3.multipart import in_parts, part_size
from sparks.model.errors import AlreadyThere, Busy, Damaged, SparksError, StorageFull, Unavailable
from tests.conformance.blobs import faults
from tests.conformance.blobs.content import FAR_FUTURE, MIB, content_of, keys_of, sha256_of
from tests.servers.commands import ACCESS_KEY, REGION, SECRET_KEY, seaweedfs
from tests.servers.process import free_port

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client


@pytest.fixture
def client() -> Iterator["S3Client"]:
    """A client for one test, which may manipulate it."""
    client = connect(region=REGION, endpoint=seaweedfs(), access_key=ACCESS_KEY, secret_key=SECRET_KEY, attempts=2)
    yield client
    client.close()


@pytest.fixture
def faulty(client: "S3Client", bucket: str, s3_blobs: S3Blobs) -> S3Blobs:
    """The bucket of `s3_blobs`, through `client`."""
    assert keys_of(s3_blobs) == []
    return S3Blobs(client, bucket, piece_size=MIN_PART_SIZE)


def test_a_put_whose_response_was_lost_recognizes_its_own_blob(client: "S3Client", faulty: S3Blobs) -> None:
    faults.lose_first_answer(client, "PutObject")
    info = faulty.put("key", [b"bytes"], content_type="image/png", if_absent=True)
    assert (info.size, info.content_type, info.sha256) == (5, "image/png", sha256_of(b"bytes"))
    with pytest.raises(AlreadyThere):
        faulty.put("key", [b"bytes"], content_type="image/png", if_absent=True)


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (503, "SlowDown", Busy),
        (503, "ServiceUnavailable", Busy),
        (429, "TooManyRequests", Busy),
        (409, "ConditionalRequestConflict", Busy),
        (412, "PreconditionFailed", AlreadyThere),
        (400, "BadDigest", Damaged),
        (403, "AccessDenied", Unavailable),
        (404, "NoSuchBucket", Unavailable),
        (500, "InternalError", Unavailable),
        (507, "InsufficientStorage", StorageFull),
    ],
)
def test_errors_are_distinguished(
    client: "S3Client", faulty: S3Blobs, status: int, code: str, kind: type[SparksError]
) -> None:
    faults.answer(client, "PutObject", status, code)
    with pytest.raises(SparksError) as raised:
        faulty.put("key", [b"bytes"], if_absent=True)
    assert type(raised.value) is kind


def test_a_blob_that_ends_too_early_is_noticed(client: "S3Client", faulty: S3Blobs) -> None:
    faults.cut_off(client, b"half", announced=8)
    with pytest.raises(Unavailable):
        list(faulty.open("key"))


def test_a_missing_server_is_unavailable() -> None:
    endpoint = f"http://127.0.0.1:{free_port()}"
    client = connect(region=REGION, endpoint=endpoint, access_key=ACCESS_KEY, secret_key=SECRET_KEY, attempts=1)
    blobs = S3Blobs(client, "bucket")
    with pytest.raises(Unavailable):
        blobs.head("key")
    with pytest.raises(Unavailable):
        blobs.check()
    blobs.close()


def test_a_missing_bucket_is_unavailable(s3_client: "S3Client") -> None:
    with pytest.raises(Unavailable):
        S3Blobs(s3_client, f"none-{uuid.uuid4().hex}").check()


def test_a_wrong_secret_is_unavailable(bucket: str) -> None:
    client = connect(region=REGION, endpoint=seaweedfs(), access_key=ACCESS_KEY, secret_key="wrong", attempts=1)
    blobs = S3Blobs(client, bucket)
    with pytest.raises(Unavailable):
        blobs.check()
    blobs.close()


def test_a_failed_abort_does_not_hide_the_error(client: "S3Client", faulty: S3Blobs) -> None:
    faults.answer(client, "AbortMultipartUpload", 403, "AccessDenied")
    with pytest.raises(Damaged):
        faulty.put("key", [bytes(MIB)] * 6, sha256=sha256_of(b"other"))
    assert [upload.key for upload in faulty.list_uploads(started_before=FAR_FUTURE)] == ["key"]


def test_an_upload_that_the_server_lost_may_be_tried_again(client: "S3Client", faulty: S3Blobs) -> None:
    faults.answer(client, "CompleteMultipartUpload", 404, "NoSuchUpload")
    with pytest.raises(Busy):
        faulty.put("key", [bytes(MIB)] * 6)


def test_a_large_blob_is_copied_in_parts(s3_blobs: S3Blobs, client: "S3Client", bucket: str) -> None:
    content = b"".join(bytes([number]) * MIB for number in range(11)) + b"end"
    s3_blobs.put("uploads/film", [content], sha256=sha256_of(content), content_type="video/mp4")
    copied = S3Blobs(client, bucket, max_copy=MIN_PART_SIZE).copy("uploads/film", "originals/film")
    assert copied.etag.endswith("-3")
    assert (copied.size, copied.content_type, copied.sha256) == (len(content), "video/mp4", sha256_of(content))
    assert content_of(s3_blobs, "originals/film") == content


@pytest.mark.parametrize("operation", ["CopyObject", "UploadPartCopy"])
def test_a_source_that_changes_while_it_is_copied_may_be_tried_again(
    client: "S3Client", bucket: str, s3_blobs: S3Blobs, operation: str
) -> None:
    s3_blobs.put("a", [b"bytes"])
    largest = MIN_PART_SIZE if operation == "CopyObject" else 1
    faults.answer(client, operation, 412, "PreconditionFailed")
    with pytest.raises(Busy):
        S3Blobs(client, bucket, max_copy=largest).copy("a", "b")
    assert keys_of(s3_blobs) == ["a"]
    assert list(s3_blobs.list_uploads(started_before=FAR_FUTURE)) == []


def test_objects_of_other_programs_are_not_listed(s3_blobs: S3Blobs, s3_client: "S3Client", bucket: str) -> None:
    strange = ["a b", "é", "originals/a b", ".hidden"]
    for key in (*strange, "b", "c"):
        s3_client.put_object(Bucket=bucket, Key=key, Body=b"")
    assert keys_of(s3_blobs) == ["b", "c"]
    first = s3_blobs.list(limit=1)
    assert ([blob.key for blob in first.blobs], first.after) == (["b"], "b")
    for key in strange:
        s3_client.delete_object(Bucket=bucket, Key=key)


def test_several_processes_may_create_the_bucket_at_once(s3_client: "S3Client") -> None:
    name = f"made-{uuid.uuid4().hex}"
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda _: create_bucket(s3_client, name), range(4)))
    assert create_bucket(s3_client, name) == ["blocking of public access"]  # this server has no public access at all
    S3Blobs(s3_client, name).check()


def test_the_bucket_is_private(s3_blobs: S3Blobs, http: httpx.Client, bucket: str) -> None:
    s3_blobs.put("key", [b"bytes"])
    assert http.get(f"{seaweedfs()}/{bucket}/key").status_code == 403
    assert http.get(f"{seaweedfs()}/{bucket}").status_code == 403


def test_bytes_are_regrouped_into_pieces() -> None:
    assert list(in_parts([], 3)) == [b""]
    assert list(in_parts([b""], 3)) == [b""]
    assert list(in_parts([b"ab", b"", b"c"], 3)) == [b"abc"]
    assert list(in_parts([b"a", b"bcdefgh", b"i", b"j"], 3)) == [b"abc", b"def", b"ghi", b"j"]


def test_the_part_size_grows_so_that_ten_thousand_parts_suffice() -> None:
    assert part_size(None, 16) == 16
    assert part_size(160_000, 16) == 16
    assert part_size(160_001, 16) == 17
