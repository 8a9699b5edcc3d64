"""Rows as search knows them: a photo as a document, and the names of persons, albums and members.

A photo is found by its own words. What its persons and albums are called is kept apart and joined when somebody asks: a
new name is one entry, however many photos show the person.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Final

from sparks.library.photos import tag_key
from sparks.model.account import User
from sparks.model.album import Album
from sparks.model.caller import Member
from sparks.model.person import Person
from sparks.model.photo import Photo, PhotoState, Visibility
from sparks.model.times import EPOCH, utc, zone
from sparks.search.port import EARLIEST, LATEST, Document, Name, NameKind, Place, facet
from sparks.search.words import folded, words_of

# What `document_of` looks at, as the photo's row has it.
ATTRIBUTES: Final = frozenset(
    {
        "entityType",
        "owner",
        "visibility",
        "assetType",
        "title",
        "description",
        "originalFilename",
        "tags",
        "persons",
        "albums",
        "exif",
        "location",
        "takenAt",
        "takenOffset",
        "uploaded_datetime",
    }
)
EVERYONE: Final = facet("seen", "everyone")
_MILLISECOND: Final = timedelta(milliseconds=1)
_DAY: Final = timedelta(days=1)


def document_of(photo: Photo) -> Document | None:
    """None for a photo that is not finished, in the trash or on its way out: nobody finds it."""
    if photo.state is not PhotoState.READY:
        return None
    taken, camera = photo.taken_at or photo.uploaded_at or EPOCH, None if photo.exif is None else photo.exif.camera
    place = None if photo.location is None else Place(photo.location.latitude, photo.location.longitude)
    return Document(
        image_id=photo.image_id,
        owner=photo.owner,
        time=max(EARLIEST, min(LATEST, (utc(taken) - EPOCH) // _MILLISECOND)),
        day=_day_of(taken, photo.taken_offset if photo.taken_at is not None else None),
        named=words_of(photo.title, *photo.tags),
        told=words_of(photo.description, photo.original_filename, camera),
        facets=frozenset(_facets(photo, camera)),
        place=place,
        camera=camera,
    )


def _facets(photo: Photo, camera: str | None) -> Iterable[str]:
    yield facet("kind", photo.asset_type.value)
    yield theirs(photo.owner)
    if photo.visibility is Visibility.COMMUNITY:
        yield EVERYONE
    if camera is not None:
        yield camera_facet(camera)
    yield from (facet("tag", key) for key in map(tag_key, photo.tags) if key is not None)
    yield from (facet("person", person_id) for person_id in photo.persons)
    yield from (facet("album", album_id) for album_id in photo.albums)


def seen_by(who: Member, albums: Iterable[str]) -> frozenset[str]:
    """What a photo has one of if a member of these albums sees it."""
    return frozenset({EVERYONE, theirs(who.email), *(facet("album", album_id) for album_id in albums)})


def theirs(email: str) -> str:
    return facet("owner", email)


def camera_facet(camera: str) -> str:
    return facet("camera", " ".join(folded(camera).split()))


def wanted_tag(tag: str) -> str:
    """[Note: no tag] What no photo can have as a tag is found nowhere."""
    return facet("tag", tag_key(tag) or "")


def name_of_person(person: Person) -> Name:
    """Somebody without a name has none, nor has one who became somebody else."""
    is_called = person.is_named and person.canonical_person_id is None
    return Name(NameKind.PERSON, person.person_id, words_of(person.display_name) if is_called else frozenset())


def name_of_album(album: Album) -> Name:
    return Name(NameKind.ALBUM, album.album_id, words_of(album.title))


def name_of_member(user: User) -> Name:
    """[Note: addresses] A member is found by their name, and by what stands before the @."""
    gone = user.removed_at is not None
    return Name(
        NameKind.MEMBER, user.email, frozenset() if gone else words_of(user.username, user.email.partition("@")[0])
    )


def nobody(kind: NameKind, each: str) -> Name:
    """Of whom no row is there."""
    return Name(kind, each, frozenset())


def _day_of(taken: datetime, offset: str | None) -> int:
    """Days since 1970 by the photographer's clock."""
    ahead = zone(offset).utcoffset(None) or timedelta()
    return (utc(taken) - EPOCH + ahead) // _DAY
