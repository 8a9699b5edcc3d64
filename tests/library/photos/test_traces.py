"""The search for traces finds every trace, because other tests rely on it."""

import os
import uuid
from pathlib import Path

import pytest

from sparks.blobs.memory import MemoryBlobs
from sparks.jobs.memory import MemoryJobs
from sparks.jobs.port import MAX_TRIES, Job
from sparks.library import blob_keys
from sparks.model import ids
from sparks.table.memory import MemoryTable
from sparks.table.port import Add, Key, Put
from tests.factories import ANN, BOB
from tests.library.photos.photo_makers import IMAGE_ID, settled
from tests.stored_traces import traces_in, traces_of


@pytest.fixture
def table() -> MemoryTable:
    return MemoryTable()


@pytest.fixture
def blobs() -> MemoryBlobs:
    return MemoryBlobs()


@pytest.fixture
def jobs() -> MemoryJobs:
    return MemoryJobs()


@pytest.mark.parametrize(
    "more",
    [
        {"imageId": IMAGE_ID},
        {"address": f"/api/photos/{IMAGE_ID.upper()}/original"},
        {"body": {"images": [{"id": IMAGE_ID}]}},
        {"favourites": {IMAGE_ID: True}},
        {"column": uuid.UUID(IMAGE_ID).bytes},
        {"PK": IMAGE_ID},
        {"SK": f"x#{IMAGE_ID.replace('-', '')}"},
    ],
)
def test_a_row_that_mentions_it_is_found(table: MemoryTable, blobs: MemoryBlobs, more: dict[str, object]) -> None:
    table.write(Put({"PK": "a", "SK": "b", **more}))
    assert traces_of(IMAGE_ID, table=table, blobs=blobs) == [f"row {more.get('PK', 'a')} | {more.get('SK', 'b')}"]


@pytest.mark.parametrize(
    ("key", "content"),
    [
        (blob_keys.upload(IMAGE_ID), b""),
        ("derived/month", f'["{IMAGE_ID}"]'.encode()),
        ("derived/column", b"\0" + uuid.UUID(IMAGE_ID).bytes),
    ],
)
def test_a_blob_that_mentions_it_is_found(table: MemoryTable, blobs: MemoryBlobs, key: str, content: bytes) -> None:
    blobs.put(key, [content])
    assert traces_of(IMAGE_ID, table=table, blobs=blobs) == [f"blob {key}"]


def test_all_blobs_are_looked_at(table: MemoryTable, blobs: MemoryBlobs) -> None:
    for number in range(1001):
        blobs.put(f"derived/{number:04}", [b""])
    blobs.put("derived/z", [IMAGE_ID.encode()])
    assert traces_of(IMAGE_ID, table=table, blobs=blobs) == ["blob derived/z"]


def test_jobs_and_dead_letters_that_mention_it_are_found(
    table: MemoryTable, blobs: MemoryBlobs, jobs: MemoryJobs
) -> None:
    jobs.send(Job("doomed", {"imageId": IMAGE_ID}))
    for _ in range(MAX_TRIES):
        [delivery] = jobs.receive(wait=0)
        jobs.retry_later(delivery, delay=0)
    for number in range(11):
        jobs.send(Job(f"other{number}", {"imageId": ids.new_image_id()}))
    jobs.send(Job("waiting", {"event": {"imageId": IMAGE_ID}}))
    traces = traces_of(IMAGE_ID, table=table, blobs=blobs, jobs=jobs)
    assert traces == ["job waiting", "dead letter doomed"]
    assert jobs.counts().waiting == 12


def test_an_unreadable_job_counts_as_a_trace(table: MemoryTable, blobs: MemoryBlobs, jobs: MemoryJobs) -> None:
    jobs.send(Job("leased", {}))
    jobs.receive(wait=0)
    jobs.send(Job("later", {}), delay=60)
    traces = traces_of(IMAGE_ID, table=table, blobs=blobs, jobs=jobs)
    assert traces == ["2 jobs that cannot be looked at now"]


def test_rows_and_jobs_of_other_photos_are_no_trace(table: MemoryTable, blobs: MemoryBlobs, jobs: MemoryJobs) -> None:
    other = ids.new_image_id()
    table.write(Put({"PK": other, "SK": "b", "count": 3, "ratio": True}))
    blobs.put(blob_keys.upload(other), [b"0123456789"])
    jobs.send(Job("other", {"imageId": other}))
    assert traces_of(IMAGE_ID, table=table, blobs=blobs, jobs=jobs) == []


def test_a_counter_that_still_counts_it_is_found(table: MemoryTable, blobs: MemoryBlobs) -> None:
    settled(table, tags=("sea",))
    assert traces_of(IMAGE_ID, table=table, blobs=blobs, owner=ANN) == []
    table.write(Add(Key(f"TIMELINE#{ANN}", "2025-08"), {"count": 1}))
    table.write(Put({"PK": f"TAGS#{ANN}", "SK": "forest", "count": 1}))
    found = [f"counter TAGS#{ANN} | forest", f"counter TIMELINE#{ANN} | 2025-08"]
    assert traces_of(IMAGE_ID, table=table, blobs=blobs, owner=ANN) == found
    assert traces_of(IMAGE_ID, table=table, blobs=blobs, owner=BOB) == []


# -- In a folder


@pytest.mark.parametrize(
    "content", [IMAGE_ID, IMAGE_ID.upper(), IMAGE_ID.replace("-", ""), uuid.UUID(IMAGE_ID).bytes], ids=repr
)
def test_a_file_that_holds_it_is_found(tmp_path: Path, content: str | bytes) -> None:
    inside = tmp_path / "a" / ".hidden"
    inside.parent.mkdir()
    inside.write_bytes(b"\0..." + (content if isinstance(content, bytes) else content.encode()) + b"...")
    (tmp_path / "other").write_bytes(ids.new_image_id().encode())
    assert traces_in(tmp_path, IMAGE_ID) == ["a/.hidden"]


def test_files_and_folders_that_are_named_after_it_are_found(tmp_path: Path) -> None:
    (tmp_path / f"{IMAGE_ID}.jpg").touch()
    (tmp_path / f"x-{IMAGE_ID}").mkdir()
    assert traces_in(tmp_path, IMAGE_ID) == [f"{IMAGE_ID}.jpg", f"x-{IMAGE_ID}"]


def test_extended_attributes_of_a_file_are_searched(tmp_path: Path) -> None:
    (tmp_path / "blob").touch()
    os.setxattr(tmp_path / "blob", "user.note", IMAGE_ID.encode())
    assert traces_in(tmp_path, IMAGE_ID) == ["blob"]
