"""Ready values of the model, each a sensible one; a test names only what it is about: `a_photo(title="Sea")`."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Final

from sparks.model import ids
from sparks.model.account import User
from sparks.model.album import Album
from sparks.model.face import Box, Face
from sparks.model.person import Person
from sparks.model.photo import Photo, PhotoState, ProcessingStatus

ANN: Final = "ann@example.com"
BOB: Final = "bob@example.com"
NOON: Final = datetime(2025, 8, 1, 12, 0, tzinfo=UTC)


def a_photo(**changes: Any) -> Photo:
    """A finished photo of Ann's in the community's feed."""
    image_id = changes.get("image_id") or ids.new_image_id()
    photo = Photo(
        image_id=image_id,
        owner=ANN,
        state=PhotoState.READY,
        processing_status=ProcessingStatus.COMPLETED,
        original_key=f"originals/{image_id}.jpg",
        original_filename="sea.jpg",
        mime_type="image/jpeg",
        width=4000,
        height=3000,
        aspect_ratio=1.3333,
        created_at=NOON,
        uploaded_at=NOON,
    )
    return replace(photo, **changes)


def a_user(email: str = ANN, **changes: Any) -> User:
    return replace(User(email=email, username=email.partition("@")[0], created_at=NOON), **changes)


def a_person(number: int = 1, **changes: Any) -> Person:
    """Founded, and not named yet."""
    person_id = ids.person_id(number)
    return replace(Person(person_id=person_id, display_name=person_id, created_at=NOON), **changes)


def a_face(photo: Photo, box: Box, *, engine: str = "test-1", **changes: Any) -> Face:
    """A face in this photo that has no person yet."""
    face = Face(
        image_id=photo.image_id,
        face_id=ids.face_id(photo.image_id, engine, box),
        owner=photo.owner,
        box=box,
        engine=engine,
        confidence=0.99,
        quality=0.8,
        indexed_at=NOON,
    )
    return replace(face, **changes)


def an_album(**changes: Any) -> Album:
    return replace(Album(album_id=ids.random_id(), owner=ANN, title="Summer", created_at=NOON), **changes)
