"""Search documents of photos, and searchable names of persons, albums and members.

A photo is found by its own words. The names of its persons and albums are kept apart and joined by the query: a new
name is one entry, however many photos show the person.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Final

from sparks.model.account import User
from sparks.model.album import Album
from sparks.model.audience import is_in_community
from sparks.model.caller import Member
from sparks.model.person import Person
from sparks.model.photo import Photo, PhotoState
from sparks.model.text_validation import tag_key
from sparks.model.times import EPOCH, utc, zone
from sparks.search.port import EARLIEST, LATEST, Document, GeoPoint, NameEntry, NameKind, facet
from sparks.search.tokenizer import folded, words_of

# Attributes of the photo's row that `document_of` reads.
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
    """None for a photo that is not ready, in the trash or being deleted."""
    if photo.state is not PhotoState.READY:
        return None
    taken, camera = photo.time or EPOCH, None if photo.exif is None else photo.exif.camera
    place = None if photo.location is None else GeoPoint(photo.location.latitude, photo.location.longitude)
    return Document(
        image_id=photo.image_id,
        owner=photo.owner,
        time=max(EARLIEST, min(LATEST, (utc(taken) - EPOCH) // _MILLISECOND)),
        day=_day_of(taken, photo.taken_offset if photo.taken_at is not None else None),
        name_words=words_of(photo.title, *photo.tags),
        other_words=words_of(photo.description, photo.original_filename, camera),
        facets=frozenset(_facets(photo, camera)),
        place=place,
        camera=camera,
    )


def _facets(photo: Photo, camera: str | None) -> Iterable[str]:
    yield facet("kind", photo.asset_type.value)
    yield owner_facet(photo.owner)
    if is_in_community(photo):
        yield EVERYONE
    if camera is not None:
        yield camera_facet(camera)
    yield from (facet("tag", key) for key in map(tag_key, photo.tags) if key is not None)
    yield from (facet("person", person_id) for person_id in photo.persons)
    yield from (facet("album", album_id) for album_id in photo.albums)


def audience_facets(caller: Member, albums: Iterable[str]) -> frozenset[str]:
    """Facets of which a photo has one if a member of these albums sees it: the same rule as `audience.audience_of`."""
    return frozenset({EVERYONE, owner_facet(caller.email), *(facet("album", album_id) for album_id in albums)})


def owner_facet(email: str) -> str:
    return facet("owner", email)


def camera_facet(camera: str) -> str:
    return facet("camera", " ".join(folded(camera).split()))


def tag_facet(tag: str) -> str:
    """The facet of an invalid tag finds no photo."""
    return facet("tag", tag_key(tag) or "")


def name_of_person(person: Person) -> NameEntry:
    """A person without a name has no words, nor has a merged one."""
    has_name = person.is_named and person.canonical_person_id is None
    return NameEntry(NameKind.PERSON, person.person_id, words_of(person.display_name) if has_name else frozenset())


def name_of_album(album: Album) -> NameEntry:
    return NameEntry(NameKind.ALBUM, album.album_id, words_of(album.title))


def name_of_member(user: User) -> NameEntry:
    """A member is found by their name, and by the part of the address before the @."""
    gone = user.removed_at is not None
    return NameEntry(
        NameKind.MEMBER, user.email, frozenset() if gone else words_of(user.username, user.email.partition("@")[0])
    )


def missing_name(kind: NameKind, each: str) -> NameEntry:
    """For an entity whose row does not exist."""
    return NameEntry(kind, each, frozenset())


def _day_of(taken: datetime, offset: str | None) -> int:
    """Days since 1970 by the photographer's clock."""
    ahead = zone(offset).utcoffset(None) or timedelta()
    return (utc(taken) - EPOCH + ahead) // _DAY
