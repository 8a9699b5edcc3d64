"""Faces of photos from upload to deletion, by the steps that jobs run."""

from dataclasses import dataclass, field, replace
from typing import Final

import pytest

from sparks.blobs.memory import MemoryBlobs
from sparks.faces.opencv_engine import OpenCvEngine
from sparks.jobs.memory import MemoryJobs
from sparks.journey import Journey, Stores
from sparks.library.face_index import FaceIndex
from sparks.library.photo_deletion import begin_deletion
from sparks.media.sandboxed_renderer import SandboxedRenderer
from sparks.model.events import PhotoChanged, PhotoDeletionBegun, PhotoEvent, Uploaded
from sparks.model.photo import FaceStatus, Photo, Visibility
from sparks.model.pipeline_settings import FacePipelineSettings, PipelineSettings
from sparks.model.times import now
from sparks.table.memory import MemoryTable
from sparks.vectors.memory import MemoryVectors
from sparks.worker import Worker
from tests.account_makers import everything, keep, stored_keys
from tests.faces.conftest import opencv_engine
from tests.faces.fake_engine import faces_in
from tests.faces.samples import FOLDER
from tests.faces.samples import photo as checked
from tests.journey.sample_steps import KEYRING, Clock
from tests.library.tables import new_account
from tests.stored_traces import traces_of
from tests.uploads.pending_photos import arrive, now_of

__all__ = ["opencv_engine"]

MINUTE: Final = 60.0


@dataclass
class Trip:
    stores: Stores
    clock: Clock
    owner: str
    photos: list[Photo] = field(default_factory=list)

    def upload(self, *names: str) -> None:
        """Photos of the groups of faces, one after the other."""
        for name in names:
            checked(f"groups/{name}")
            content = (FOLDER / "groups" / name).read_bytes()
            self.photos.append(arrive(content, self.stores, owner=self.owner))
        self.follow(*(Uploaded(photo.image_id, photo.owner) for photo in self.photos))

    def delete(self) -> None:
        for photo in self.photos:
            begin_deletion(now_of(photo, self.stores.table), table=self.stores.table)
        self.follow(*(PhotoDeletionBegun(photo.image_id, photo.owner) for photo in self.photos))

    def follow(self, *events: PhotoEvent) -> None:
        """All that follows is done, soon or later."""
        journey, jobs = Journey(clock=self.clock), self.stores.jobs
        worker = Worker(journey=journey, stores=self.stores, report=lambda _: None, wait=0, overdue=lambda: None)
        for event in events:
            journey.send_after(event, jobs=jobs)
        for _ in range(20):
            assert all(report.done for report in worker.run_waiting())
            if not jobs.counts().delayed:
                return
            self.clock.now += MINUTE
        raise AssertionError("there is no end of it")

    def now(self) -> list[Photo]:
        return [now_of(photo, self.stores.table) for photo in self.photos]


@pytest.fixture
def trip(opencv_engine: OpenCvEngine, renderer: SandboxedRenderer) -> Trip:
    known, clock, table = opencv_engine.thresholds, Clock(), MemoryTable()
    pipeline = FacePipelineSettings(
        engine=opencv_engine.name,
        dimensions=opencv_engine.dimensions,
        candidate=known.candidate,
        strong=known.strong,
        founding=known.founding,
        min_photos=2,
    )
    stores = Stores(
        table=table,
        blobs=MemoryBlobs(keyring=KEYRING),
        jobs=MemoryJobs(clock=clock),
        keyring=KEYRING,
        renderer=renderer,
        engine=opencv_engine,
        index=FaceIndex(MemoryVectors(opencv_engine.dimensions), engine=opencv_engine.name, table=table),
        pipeline=PipelineSettings(faces=pipeline),
    )
    return Trip(stores, clock, new_account(table, photos=10, bytes=100_000_000))


def test_one_face_in_two_photos_is_one_person_and_a_couple_is_two(trip: Trip) -> None:
    trip.upload("001_A.jpg", "004_A.jpg", "010_2.jpg")
    first, second, couple = trip.now()
    assert {photo.face_status for photo in (first, second, couple)} == {FaceStatus.INDEXED}
    assert set(first.persons) & set(second.persons)
    assert (couple.face_count, len(set(couple.persons) - {*first.persons, *second.persons})) == (2, 2)


def test_persons_have_pictures_until_their_photos_become_private(trip: Trip) -> None:
    trip.upload("001_A.jpg", "004_A.jpg", "010_2.jpg")
    table, blobs = trip.stores.table, trip.stores.blobs
    persons = {person for photo in trip.now() for person in photo.persons}
    pictures = [key for key in stored_keys(blobs) if key.startswith("persons/")]
    assert pictures == sorted(f"persons/{person}.jpg" for person in persons)
    crops = {b"".join(blobs.open(key)) for key in stored_keys(blobs) if key.startswith("faces/")}
    assert {b"".join(blobs.open(key)) for key in pictures} <= crops
    keep(table, *(replace(photo, visibility=Visibility.PRIVATE) for photo in trip.now()))
    trip.follow(*(PhotoChanged(photo.image_id, photo.owner) for photo in trip.photos))
    assert not [key for key in stored_keys(blobs) if key.startswith("persons/")]
    assert not [row for row in everything(table) if row.get("entityType") == "PERSON" and "s3Key" in row]


def test_deleting_photos_deletes_their_faces(trip: Trip) -> None:
    trip.upload("001_A.jpg", "004_A.jpg")
    faces = [face for photo in trip.photos for face in faces_in(photo, trip.stores.table)]
    trip.delete()
    stores = trip.stores
    assert [traces_of(photo.image_id, table=stores.table, blobs=stores.blobs) for photo in trip.photos] == [[], []]
    assert stored_keys(stores.blobs) == []
    assert not [item for item in everything(stores.table) if "PERSON#" in item["PK"] or "FACE#" in item["PK"]]
    assert stores.index is not None
    stores.index.catch_up(at=now())
    assert not stores.index.held(face.face_id for face in faces)
