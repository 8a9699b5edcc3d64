"""Finding the faces of a photo, in its largest rendition, or of a video, all over it.

Whether faces may be looked for is asked before, and once more when all is kept: see `library.consent`.
"""

import logging
import os
from collections.abc import Sequence
from typing import Final

from sparks.blobs.local_file import local_file
from sparks.blobs.port import Blobs
from sparks.blobs.served import ServedBlobs
from sparks.faces.keeping import keep_faces, remove_faces, withdraw_forgotten
from sparks.faces.port import FaceEngine, FoundFace
from sparks.library import keys
from sparks.library.consent import faces_allowed
from sparks.library.live import announce_people, announce_while_there, scopes_showing
from sparks.library.people import finish_indexing, settle_people
from sparks.library.photos import NO_PHOTO, read_photo
from sparks.media.sniff import HEAD_BYTES, sniff
from sparks.model.errors import Damaged, NotFound, TooLarge, UnsupportedType
from sparks.model.events import FacesFound, FacesWanted, PhotoEvent, RenditionsReady
from sparks.model.keyring import Keyring
from sparks.model.photo import AssetType, FaceStatus, Photo, PhotoState, Rendition
from sparks.model.terms import FaceTerms, Terms
from sparks.model.times import now
from sparks.table.port import Table

LOST: Final = "its file is missing from the store: restore it from a backup"
REFUSALS: Final = (Damaged, TooLarge, UnsupportedType)  # of a file that cannot be looked at, today or tomorrow
SHOWN: Final = frozenset({PhotoState.READY, PhotoState.TRASHED})

log = logging.getLogger(__name__)


def find_faces(
    event: RenditionsReady,
    *,
    table: Table,
    blobs: Blobs,
    served: ServedBlobs | None,
    engine: FaceEngine | None,
    terms: Terms,
    keyring: Keyring,
) -> FacesFound | None:
    """The photo has the faces that are to be seen in it, each with its crop, and open pages show them. Nothing happens
    where nobody looks for faces; where this engine has looked already, it is only told again.
    """
    return _find(event, table, blobs, served, engine, terms, keyring)


def find_faces_again(
    event: FacesWanted,
    *,
    table: Table,
    blobs: Blobs,
    served: ServedBlobs | None,
    engine: FaceEngine | None,
    terms: Terms,
    keyring: Keyring,
) -> FacesFound | None:
    """The same, where nobody has looked, or another engine: what that one found is in use until then."""
    return _find(event, table, blobs, served, engine, terms, keyring)


def give_up_faces(event: PhotoEvent, reason: str, *, table: Table, engine: FaceEngine | None, keyring: Keyring) -> None:
    """Says on its row that it did not work, and to open pages; what was found before stays."""
    try:
        photo = _photo(event, table)
        if engine is None or _has_looked(photo, engine):
            return
        finish_indexing(photo, FaceStatus.FAILED, engine=engine.name, table=table)
    except NotFound:
        return
    announce_while_there(scopes_showing(photo), photo, at=now(), table=table, keyring=keyring)
    log.error("the search for faces in a photo was given up: %s", reason)


def looked_at(photo: Photo) -> str | None:
    """The key of what its faces are looked for in; None where that is not there yet."""
    if photo.state not in SHOWN:
        return None
    if photo.asset_type is AssetType.VIDEO:
        return photo.original_key
    return None if photo.renditions is None else photo.renditions.keys.get(Rendition.LARGE)


def _find(
    event: PhotoEvent,
    table: Table,
    blobs: Blobs,
    served: ServedBlobs | None,
    engine: FaceEngine | None,
    terms: Terms,
    keyring: Keyring,
) -> FacesFound | None:
    if engine is None or terms.faces is None or engine.missing:
        return None
    try:
        photo = _photo(event, table)
        key = looked_at(photo)
        if key is None:
            return None
        if faces_allowed(photo, table=table) and not _has_looked(photo, engine):
            _look(photo, key, table, blobs, served, engine, terms.faces)
        _withdraw(event, table, blobs, engine, terms.faces)
        touched = settle_people(event.image_id, event.owner, enough=terms.enough, table=table)
        found = _photo(event, table)
    except NotFound:
        return None
    if found != photo:
        announce_while_there(scopes_showing(found), found, at=now(), table=table, keyring=keyring)
    announce_people(touched, at=now(), table=table)
    return FacesFound(event.image_id, event.owner) if found.face_count else None


def _photo(event: PhotoEvent, table: Table) -> Photo:
    """NotFound where it is gone."""
    photo = read_photo(keys.photo(event.image_id, event.owner), table=table)
    if photo is None:
        raise NotFound(NO_PHOTO)
    return photo


def _has_looked(photo: Photo, engine: FaceEngine) -> bool:
    return photo.face_status is FaceStatus.INDEXED and photo.face_engine == engine.name


def _look(
    photo: Photo,
    key: str,
    table: Table,
    blobs: Blobs,
    served: ServedBlobs | None,
    engine: FaceEngine,
    terms: FaceTerms,
) -> None:
    status = FaceStatus.INDEXED
    try:
        found = _found_in(photo, key, blobs, served, engine)
        keep_faces(photo, found, engine=engine, strong=terms.strong, at=now(), table=table, blobs=blobs)
    except REFUSALS as refusal:
        log.warning("faces cannot be looked for in a photo: %s", refusal)
        status = FaceStatus.FAILED
    finish_indexing(photo, status, engine=engine.name, table=table)


def _found_in(
    photo: Photo, key: str, blobs: Blobs, served: ServedBlobs | None, engine: FaceEngine
) -> Sequence[FoundFace]:
    try:
        with local_file(key, blobs=blobs, served=served) as file:
            if photo.asset_type is not AssetType.VIDEO:
                return engine.find_faces(file)
            return engine.watch(file, sniff(os.pread(file, HEAD_BYTES, 0), size=os.fstat(file).st_size))
    except NotFound as error:
        raise Damaged(LOST) from error


def _withdraw(event: PhotoEvent, table: Table, blobs: Blobs, engine: FaceEngine, terms: FaceTerms) -> None:
    """What may not be there: somebody has said so since it was looked for, or before it was told once more."""
    photo = _photo(event, table)
    if faces_allowed(photo, table=table):
        withdraw_forgotten(photo, engine=engine, strong=terms.strong, at=now(), table=table, blobs=blobs)
        return
    remove_faces(photo, at=now(), table=table, blobs=blobs)
    finish_indexing(photo, FaceStatus.RAW, engine=None, table=table)
