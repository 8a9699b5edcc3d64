"""Whether faces may be looked for: a ledger of who switched what, and when. The last word about a subject counts.

A subject is the site, an album, an account (all its photos) or a person. Nobody has to say yes; whoever says no is
heard, whatever the others say. An album is heard about the photos that their owners, or guests, have put there: nobody
speaks for a photo by adding somebody else's to an album of their own.

[Note: asked twice] Who finds faces asks before, and once more when they are kept. What was forbidden before that second
question is removed by the one who asked; what is forbidden later finds the faces there, and removes them.
"""

from collections.abc import Iterator
from datetime import datetime
from typing import Final

from sparks.library import keys
from sparks.library.records import from_item, to_item
from sparks.model.album import AlbumPhoto
from sparks.model.ids import new_event_id
from sparks.model.ledger import Consent
from sparks.model.photo import Photo
from sparks.table.port import Put, Table, every

SITE: Final = "site"
FACES: Final = "faces"  # looking for them
RECOGNISE: Final = "recognise"  # a new face, as somebody who was forgotten
SELFIE: Final = "selfie"  # comparing a guest's with the faces of an album
BIOMETRICS: Final = "biometrics"  # keeping what tells a person by their face

_ALBUM: Final = "album:"
_PERSON: Final = "person:"


def subject_of_album(album_id: str) -> str:
    return _ALBUM + album_id


def subject_of_person(person_id: str) -> str:
    return _PERSON + person_id


def album_of(subject: str) -> str | None:
    """The album that the subject is, or None."""
    return subject.removeprefix(_ALBUM) if subject.startswith(_ALBUM) else None


def consented(subject: str, what: str, *, allowed: bool, who: str, at: datetime) -> Put:
    """The row to write, in the same transaction as what follows from it."""
    entry = Consent(subject=subject, decided_at=at, entry_id=new_event_id(), who=who, what=what, allowed=allowed)
    return Put(to_item(entry))


def switch_faces(subject: str, allowed: bool, who: str, *, at: datetime, table: Table) -> None:
    """From now on faces are looked for there, or are not. What is there already is not touched."""
    table.write(consented(subject, FACES, allowed=allowed, who=who, at=at))


def faces_allowed(photo: Photo, *, table: Table) -> bool:
    """Unless the site, an album that it is in, or its owner's account has them switched off: see [Note: asked twice]"""
    if not all(is_allowed(subject, table=table) for subject in (SITE, photo.owner)):
        return False
    return not any(_is_forbidden_in(album_id, photo, table) for album_id in photo.albums)


def _is_forbidden_in(album_id: str, photo: Photo, table: Table) -> bool:
    if is_allowed(subject_of_album(album_id), table=table):
        return False
    row = table.get(keys.album_photo(photo.image_id, album_id))
    return row is None or from_item(AlbumPhoto, row).is_meant_by_owner(photo)


def is_allowed(subject: str, what: str = FACES, *, table: Table) -> bool:
    """By the last word; yes where nobody has said anything."""
    last = next((each for each in history(subject, table=table) if each.what == what), None)
    return last is None or last.allowed


def history(subject: str, *, table: Table) -> Iterator[Consent]:
    """All that was ever said about it, newest first."""
    return (from_item(Consent, row) for row in every(table, keys.consents(subject), newest_first=True, page=10))
