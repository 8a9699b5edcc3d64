"""Removes face rows, crops, derived rows and account links of erased persons.

A crop is deleted before the row that names it, unlike elsewhere: an interruption in between leaves no picture.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import replace
from datetime import datetime
from typing import Final

from sparks.blobs.port import Blobs
from sparks.library import blob_keys
from sparks.library.accounts.users import all_users, update_user
from sparks.library.people.apply_decision import remove_if_empty
from sparks.library.people.face_moves import BUSY, write_face
from sparks.library.people.face_rows import finish_indexing, remove_face
from sparks.library.people.person_picture import picture_blob_key, picture_due, update_due_pictures
from sparks.library.people.photo_faces import TRIES, read_faces_or_raise
from sparks.library.people.reconcile import delete_face, reconcile_people
from sparks.library.photos.photo_rows import find_photo, update_photo
from sparks.model.account import User
from sparks.model.errors import Busy, NotFound
from sparks.model.face import Box, Face
from sparks.model.photo import FaceStatus, Photo
from sparks.model.scope import Scope
from sparks.people.biometric_erasure.find_traces import ErasureTarget, FoundTraces
from sparks.people.biometric_erasure.redact_decisions import redact_decisions
from sparks.table.port import Delete, Table

MAX_BOXES: Final = 100  # of one photo


def remove_traces(
    traces: FoundTraces,
    target: ErasureTarget,
    *,
    keep_boxes: bool,
    at: datetime,
    min_photos: int | None,
    table: Table,
    blobs: Blobs,
) -> frozenset[Scope]:
    """Removes these traces and returns the scopes whose persons have changed. A repeat is harmless.

    `keep_boxes` notes on each photo where its faces were, so that no engine finds them there again.
    """
    touched: set[Scope] = set()
    photos = _photos(traces, target, table)
    faces_in = defaultdict[str, list[Face]](list)
    for face in traces.faces.values():
        faces_in[face.image_id].append(face)
    for photo in photos:
        faces = faces_in.pop(photo.image_id, [])
        _remove_from_photo(photo, faces, target, keep_boxes=keep_boxes, at=at, table=table, blobs=blobs)
    for faces in faces_in.values():
        _delete_faces(faces, at=at, table=table, blobs=blobs)
    for face in traces.engine_matches.values():
        _clear_engine_person(face, at, table)
    redact_decisions(traces, target.persons, table=table)
    for photo in photos:
        touched |= reconcile_people(photo.image_id, photo.owner, min_photos=min_photos, table=table)
        _clear_persons(photo, target, table)
    reconciled = {photo.image_id for photo in photos}
    for key, row in traces.persons_in_photos.items():
        if row.image_id not in reconciled:
            table.write(Delete(key))
    _remove_persons(traces, target, table, blobs)
    return frozenset(touched)


def unlink_accounts(person_ids: Collection[str], *, table: Table) -> None:
    """Removes these persons, and claims to be one of them, from all accounts."""
    for user in all_users(table=table) if person_ids else ():
        if {user.person_id, user.claimed_person_id} & set(person_ids):
            try:
                update_user(user.email, lambda user: (_unlinked(user, person_ids), ()), table=table)
            except NotFound:
                continue  # the account was removed meanwhile


def pictures_of(person_ids: Iterable[str]) -> set[str]:
    """The keys of the copies of crops that everyone sees."""
    return {key for key in map(picture_blob_key, person_ids) if key is not None}


def crops_of(faces: Collection[Face]) -> set[str]:
    """The keys of their crops: as stored, and as a new crop would be named."""
    stored = {face.thumb_key for face in faces if face.thumb_key is not None}
    return stored | {blob_keys.face_thumb(face.face_id) for face in faces}


# -- One photo


def _photos(traces: FoundTraces, target: ErasureTarget, table: Table) -> list[Photo]:
    """The existing photos of all traces."""
    images = {face.image_id for face in (*traces.faces.values(), *traces.engine_matches.values())}
    images |= {row.image_id for row in traces.persons_in_photos.values()}
    images |= {each.image_id for each in traces.face_decisions.values() if target.names_person(each)}
    found = (find_photo(image_id, table=table) for image_id in sorted(images))
    return [photo for photo in found if photo is not None]


def _remove_from_photo(
    photo: Photo,
    faces: list[Face],
    target: ErasureTarget,
    *,
    keep_boxes: bool,
    at: datetime,
    table: Table,
    blobs: Blobs,
) -> None:
    """A photo whose faces are forbidden counts as not indexed. That status is written before the faces are removed:
    after an interruption they lead here again.
    """
    try:
        if target.photo(photo.image_id, photo.owner):
            finish_indexing(photo, FaceStatus.RAW, engine=None, table=table)
        if keep_boxes:
            boxes = [face.box for face in faces]
            update_photo(photo, lambda photo: _with_boxes(photo, boxes), watching=("forgottenBoxes",), table=table)
        for face in faces:
            _delete_crops(face, blobs)
            remove_face(face.image_id, face.owner, face.face_id, at=at, table=table)
            _delete_crops(face, blobs)  # indexing may have stored the crop again before the row was removed
    except NotFound:  # the photo is being deleted, and its faces with it
        _delete_faces(faces, at=at, table=table, blobs=blobs)


def _delete_faces(faces: Iterable[Face], *, at: datetime, table: Table, blobs: Blobs) -> None:
    """Deletes the rows and crops of faces whose photo is deleted or being deleted."""
    for face in faces:
        _delete_crops(face, blobs)
        delete_face(face, at=at, table=table)


def _delete_crops(face: Face, blobs: Blobs) -> None:
    for crop in crops_of([face]):
        blobs.delete(crop)


def _with_boxes(photo: Photo, boxes: Iterable[Box]) -> Photo:
    new = [box for box in boxes if not any(box.is_same_face(known) for known in photo.forgotten_boxes)]
    return replace(photo, forgotten_boxes=(*photo.forgotten_boxes, *new)[-MAX_BOXES:])


def _clear_engine_person(face: Face, at: datetime, table: Table) -> None:
    """Removes the erased person, to whom the engine assigned this face, from its row."""
    try:
        for _ in range(TRIES):
            photo = read_faces_or_raise(face.image_id, face.owner, table=table)
            before = photo.faces.get(face.face_id)
            if before is None or before.stored_engine_person_id != face.stored_engine_person_id:
                return
            if write_face(photo, before, replace(before, stored_engine_person_id=None), at=at, table=table):
                return
    except NotFound:
        return
    raise Busy(BUSY)


def _clear_persons(photo: Photo, target: ErasureTarget, table: Table) -> None:
    """Removes the erased persons from the photo's row, and leaves those that were added meanwhile."""
    try:
        update_photo(
            photo,
            lambda photo: replace(photo, persons=tuple(each for each in photo.persons if each not in target.persons)),
            watching=("facesVersion",),
            table=table,
        )
    except NotFound:
        return


# -- Persons


def _remove_persons(traces: FoundTraces, target: ErasureTarget, table: Table, blobs: Blobs) -> None:
    """Removes the erased persons, and other persons who have no face left and no name."""
    for key in (*traces.suggestions, *traces.persons_in_scopes):
        table.write(Delete(key))
    for key, person in traces.persons.items():
        if person.picture_key is not None and person.picture_key.startswith(blob_keys.PERSON_PICTURES):
            blobs.delete(person.picture_key)
        table.write(Delete(key), picture_due(person.person_id))
    others = sorted({row.person_id for row in traces.persons_in_photos.values()} - target.persons)
    for person_id in others:
        remove_if_empty(person_id, table=table)
    update_due_pictures((*sorted(target.persons), *others), table=table, blobs=blobs)


def _unlinked(user: User, person_ids: Collection[str]) -> User:
    person = None if user.person_id in person_ids else user.person_id
    claimed = None if user.claimed_person_id in person_ids else user.claimed_person_id
    return replace(user, person_id=person, claimed_person_id=claimed)
