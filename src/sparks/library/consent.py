"""Consent to face recognition per site, album, account and person; the last entry counts.

A subject is the site, an album, an account (all its photos) or a person. Consent is given by default; a no of any
subject of a photo counts, whatever the others say. The setting of an album counts for photos that their owners, or
guests, put there, so that no member decides about another's photo by adding it to an album.

[Note: consent is checked twice] Face detection checks before it begins and again when the faces are stored. Faces that
were forbidden in between are removed by the detecting step; a later prohibition finds the faces and removes them
itself.
"""

from collections.abc import Iterator
from datetime import datetime
from typing import Final

from sparks.library import keys
from sparks.library.records import from_item, to_item
from sparks.model.album import AlbumPhoto
from sparks.model.ids import new_event_id
from sparks.model.photo import Photo
from sparks.model.system_records import Consent
from sparks.table.port import Put, Table, every

SITE: Final = "site"
FACES: Final = "faces"  # detecting them
RECOGNIZE: Final = "recognise"  # recognizing a person whose face was erased
SELFIE: Final = "selfie"  # comparing a guest's selfie with the faces of an album
BIOMETRICS: Final = "biometrics"  # keeping the biometric data of a person

_ALBUM: Final = "album:"
_PERSON: Final = "person:"


def subject_of_album(album_id: str) -> str:
    return _ALBUM + album_id


def subject_of_person(person_id: str) -> str:
    return _PERSON + person_id


def album_of_subject(subject: str) -> str | None:
    """The album of the subject, or None."""
    return subject.removeprefix(_ALBUM) if subject.startswith(_ALBUM) else None


def consent_entry(subject: str, what: str, *, allowed: bool, who: str, at: datetime) -> Put:
    """The row to write in the same transaction as the change that follows from it."""
    entry = Consent(subject=subject, decided_at=at, entry_id=new_event_id(), who=who, what=what, allowed=allowed)
    return Put(to_item(entry))


def faces_allowed(photo: Photo, *, table: Table) -> bool:
    """Whether neither the site, nor an album of the photo, nor the owner's account has face detection switched off: see
    [Note: consent is checked twice].
    """
    if not all(is_allowed(subject, table=table) for subject in (SITE, photo.owner)):
        return False
    return not any(_is_forbidden_in(album_id, photo, table) for album_id in photo.albums)


def _is_forbidden_in(album_id: str, photo: Photo, table: Table) -> bool:
    if is_allowed(subject_of_album(album_id), table=table):
        return False
    row = table.get(keys.album_photo(photo.image_id, album_id))
    return row is None or from_item(AlbumPhoto, row).is_meant_by_owner(photo)


def is_allowed(subject: str, what: str = FACES, *, table: Table) -> bool:
    """The last entry; yes where there is none."""
    last = next((each for each in history(subject, table=table) if each.what == what), None)
    return last is None or last.allowed


def history(subject: str, *, table: Table) -> Iterator[Consent]:
    """All entries about the subject, newest first."""
    return (from_item(Consent, row) for row in every(table, keys.consents(subject), newest_first=True, page=10))
