"""Deletions: nothing is left of the photo, whatever else is done with it at the same time."""

from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest

from sparks.actions.outbox import Outbox
from sparks.actions.photo_changes import PhotoChanges
from sparks.blobs.memory import MemoryBlobs
from sparks.jobs.embedded import EmbeddedJobs
from sparks.jobs.memory import MemoryJobs
from sparks.jobs.port import QueueCounts
from sparks.journey import Journey, Stores
from sparks.library.photo_deletion import begin_deletion, finish_deletion
from sparks.library.photos.photo_edit import PhotoEdit
from sparks.library.photos.photo_rows import find_photo
from sparks.library.photos.reconcile_links import reconcile_links
from sparks.library.upload_limits.account_limit import read_limit
from sparks.media.sandboxed_renderer import SandboxedRenderer
from sparks.metrics import JobReport
from sparks.model import times
from sparks.model.caller import Credential, Member
from sparks.model.errors import NotFound, VersionMismatch
from sparks.model.events import PhotoDeletionBegun, Uploaded
from sparks.model.photo import Photo, PhotoState, Visibility
from sparks.sqlitefile import SqliteFile
from sparks.table.port import Table
from sparks.table.sqlite import SqliteTable
from sparks.uploads.finalize import finalize_upload
from sparks.uploads.reservations import reserve_upload
from sparks.worker import Worker
from tests.account_makers import at_once, everything, hang
from tests.factories import a_user
from tests.journey.sample_steps import open_memory
from tests.library.tables import new_account
from tests.media.container_builders import gradient, saved
from tests.stored_traces import traces_of
from tests.uploads.files import KEYRING, a_jpeg, an_upload_request, stored
from tests.uploads.pending_photos import arrive

PHOTOS = 6
PICTURE = saved(gradient(90, 60), "JPEG")

in_ci = pytest.mark.parametrize("seed", range(2))
many = pytest.mark.parametrize("seed", range(2, 100))


# -- The step


def erase(photo: Photo, stores: Stores) -> None:
    event = PhotoDeletionBegun(photo.image_id, photo.owner)
    finish_deletion(event, table=stores.table, blobs=stores.blobs, jobs=stores.jobs, keyring=stores.keyring)


def traces(photo: Photo, stores: Stores) -> list[str]:
    return traces_of(photo.image_id, table=stores.table, blobs=stores.blobs, jobs=stores.jobs, owner=photo.owner)


def work(stores: Stores) -> list[JobReport]:
    worker = Worker(journey=Journey(), stores=stores, report=lambda _: None, wait=0, overdue=lambda: None)
    return worker.run_waiting()


def test_a_photo_whose_deletion_has_begun_is_deleted() -> None:
    stores = open_memory()
    photo = hang(stores.table, stores.blobs)
    begin_deletion(photo, table=stores.table)
    erase(photo, stores)
    assert traces(photo, stores) == []


@pytest.mark.parametrize("state", [state for state in PhotoState if state is not PhotoState.DELETING])
def test_a_photo_whose_deletion_has_not_begun_stays(state: PhotoState) -> None:
    stores = open_memory()
    photo = hang(stores.table, stores.blobs, state=state)
    before = everything(stores.table)
    erase(photo, stores)
    assert everything(stores.table) == before


def test_the_last_jobs_of_a_deleted_photo_are_dropped() -> None:
    stores = open_memory()
    photo = hang(stores.table, stores.blobs)
    begin_deletion(photo, table=stores.table)
    erase(photo, stores)
    Journey().send_after(Uploaded(photo.image_id, photo.owner), jobs=stores.jobs)
    erase(photo, stores)
    assert traces(photo, stores) == []


def test_the_deleting_job_itself_is_dropped_and_succeeds() -> None:
    stores = open_memory(MemoryJobs())
    photo = hang(stores.table, stores.blobs)
    begin_deletion(photo, table=stores.table)
    for _ in range(3):
        Journey().send_after(PhotoDeletionBegun(photo.image_id, photo.owner), jobs=stores.jobs)
    assert [report.done for report in work(stores)] == [True]
    assert stores.jobs.counts() == QueueCounts(0, 0, 0, 0)


# -- Races


@pytest.fixture(params=["sqlite", "dynamodb"])
def stores(request: pytest.FixtureRequest, tmp_path: Path, renderer: SandboxedRenderer) -> Iterator[Stores]:
    """Stores that take many at once."""
    blobs = MemoryBlobs(keyring=KEYRING)
    more: dict[str, Any] = {"blobs": blobs, "keyring": KEYRING, "renderer": renderer}
    if request.param == "dynamodb":
        table: Table = request.getfixturevalue("dynamodb")
        yield Stores(table=table, jobs=MemoryJobs(), **more)
        return
    with closing(SqliteFile(tmp_path / "sparks.db")) as file, closing(EmbeddedJobs(file)) as jobs:
        yield Stores(table=SqliteTable(file), jobs=jobs, **more)


def changes_in(stores: Stores) -> PhotoChanges:
    return PhotoChanges(
        table=stores.table,
        blobs=stores.blobs,
        keyring=stores.keyring,
        outbox=Outbox(journey=Journey(), jobs=stores.jobs),
        clock=times.now,
    )


def member(email: str) -> Member:
    return Member(a_user(email), via=Credential("session", "s1"))


def pictures_of(owner: str, stores: Stores) -> list[Photo]:
    """On their way to be processed."""
    photos = [arrive(PICTURE + bytes([number]), stores, owner=owner) for number in range(PHOTOS)]
    for photo in photos:
        Journey().send_after(Uploaded(photo.image_id, owner), jobs=stores.jobs)
    return photos


def do_all(*acts: Callable[[], object]) -> None:
    """Each, unless its photo is gone by then."""
    for act in acts:
        try:
            act()
        except (NotFound, VersionMismatch):
            continue


def delete_all(photos: list[Photo], caller: Member, stores: Stores, random: Random) -> int:
    """In any order; how often one was there to be deleted."""
    deleted = 0
    for photo in random.sample(photos, len(photos)):
        try:
            changes_in(stores).delete(caller, photo.image_id)
        except NotFound:
            continue
        deleted += 1
    return deleted


def check_nothing_left(photos: list[Photo], stores: Stores) -> None:
    while work(stores):
        continue
    for photo in photos:
        assert traces(photo, stores) == []


def race_workers(seed: int, stores: Stores) -> None:
    """Two workers make renditions while two callers delete the photos and one edits them."""
    random, owner = Random(seed), new_account(stores.table, photos=10, bytes=10_000)
    who, photos = member(owner), pictures_of(owner, stores)
    edit = PhotoEdit(tags=("sea",), visibility=Visibility.PRIVATE)
    editing = [partial(changes_in(stores).edit, who, photo.image_id, edit, version=1) for photo in photos]
    at_once(
        *[partial(work, stores)] * 2,
        *[partial(delete_all, photos, who, stores, Random(random.random())) for _ in range(2)],
        partial(do_all, *editing),
    )
    check_nothing_left(photos, stores)
    left = read_limit(owner, table=stores.table)
    assert (left.photos_left, left.bytes_left) == (10 + PHOTOS, 10_000 + sum(photo.file_size or 0 for photo in photos))


@in_ci
def test_photos_that_are_deleted_while_they_are_processed_leave_no_trace(stores: Stores, seed: int) -> None:
    race_workers(seed, stores)


@pytest.mark.long
@many
def test_photos_that_are_deleted_while_they_are_processed_leave_no_trace_often(stores: Stores, seed: int) -> None:
    race_workers(seed, stores)


def race_uploads(seed: int, stores: Stores) -> None:
    """Uploads are completed while they are deleted: in any order they are deleted, and the limit is whole."""
    owner = new_account(stores.table, photos=10, bytes=100_000)
    files = [a_jpeg() for _ in range(PHOTOS)]
    at = times.now()
    photos = [reserve_upload(an_upload_request(owner, data), at=at, table=stores.table) for data in files]

    def complete(number: int) -> None:
        original = stored(photos[number], files[number], stores.blobs)
        recorded = finalize_upload(photos[number], original, at=at, table=stores.table, blobs=stores.blobs)
        assert recorded.follows is not None
        Journey().send_after(recorded.follows, jobs=stores.jobs)

    at_once(
        partial(do_all, *(partial(complete, number) for number in Random(seed).sample(range(PHOTOS), PHOTOS))),
        partial(delete_all, photos, member(owner), stores, Random(seed + 1)),
        partial(work, stores),
    )
    check_nothing_left(photos, stores)
    left = read_limit(owner, table=stores.table)
    assert (left.photos_left, left.bytes_left) == (10, 100_000)


@in_ci
def test_uploads_that_are_completed_while_they_are_deleted_leave_no_trace(stores: Stores, seed: int) -> None:
    race_uploads(seed, stores)


@pytest.mark.long
@many
def test_uploads_that_are_completed_while_they_are_deleted_leave_no_trace_often(stores: Stores, seed: int) -> None:
    race_uploads(seed, stores)


def test_concurrent_deletions_give_the_photo_back_to_the_limit_once(stores: Stores) -> None:
    owner = new_account(stores.table, photos=10, bytes=10_000)
    photo = arrive(PICTURE, stores, owner=owner, state=PhotoState.READY, tags=("sea",))
    reconcile_links(photo.image_id, owner, table=stores.table)
    delete = partial(changes_in(stores).delete, member(owner), photo.image_id)
    answers = at_once(*[delete] * 6)
    assert all(isinstance(answer, Photo | NotFound) for answer in answers)
    assert any(isinstance(answer, Photo) for answer in answers)
    assert read_limit(owner, table=stores.table).photos_left == 11
    check_nothing_left([photo], stores)
    assert find_photo(photo.image_id, table=stores.table) is None
