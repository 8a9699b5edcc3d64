"""Faces that are forgotten: whose, written down first; then all that tells them, wherever it is interrupted.

A crop goes before its row, which names it, unlike elsewhere: whoever is interrupted in between leaves no picture.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import replace
from datetime import datetime
from typing import Final

from sparks.blobs.port import Blobs
from sparks.library import objects
from sparks.library.accounts import all_users
from sparks.library.accounts.changing import change_user
from sparks.library.people.gathering import drop_emptied
from sparks.library.people.indexing import finish_indexing, remove_face
from sparks.library.people.leaving import delete_face
from sparks.library.people.reading import TRIES, read_faces_there
from sparks.library.people.remains import Aim, Remains
from sparks.library.people.settling import settle_people
from sparks.library.people.unsaying import unsay
from sparks.library.people.writing import BUSY, write_face
from sparks.library.photos import find_photo
from sparks.library.photos.writing import change_photo
from sparks.model.account import User
from sparks.model.errors import Busy, NotFound
from sparks.model.face import Box, Face
from sparks.model.photo import FaceStatus, Photo
from sparks.model.scope import Scope
from sparks.table.port import Delete, Table

MOST_BOXES: Final = 100  # of one photo


def remove_remains(
    remains: Remains, aim: Aim, *, keep_boxes: bool, at: datetime, enough: int | None, table: Table, blobs: Blobs
) -> frozenset[Scope]:
    """Nothing of it is left when this returns, but what came meanwhile; the scopes where that is to be seen.
    `keep_boxes` notes on each photo where its faces were, so that nobody finds them there again. A repeat is harmless.
    """
    touched: set[Scope] = set()
    photos = _photos(remains, aim, table)
    faces_in = defaultdict[str, list[Face]](list)
    for face in remains.faces.values():
        faces_in[face.image_id].append(face)
    for photo in photos:
        _leave_photo(
            photo, faces_in.pop(photo.image_id, []), aim, keep_boxes=keep_boxes, at=at, table=table, blobs=blobs
        )
    for faces in faces_in.values():
        delete_faces(faces, at=at, table=table, blobs=blobs)
    for face in remains.strays.values():
        _take_home(face, at, table)
    unsay(remains, aim.persons, table=table)
    for photo in photos:
        touched |= settle_people(photo.image_id, photo.owner, enough=enough, table=table)
        _tidy(photo, aim, table)
    there = {photo.image_id for photo in photos}
    for key, tagging in remains.taggings.items():
        if tagging.image_id not in there:
            table.write(Delete(key))
    _leave_persons(remains, aim, table, blobs)
    return frozenset(touched)


def forget_accounts(person_ids: Collection[str], *, table: Table) -> None:
    """No account is, or claims to be, one of these persons."""
    for user in all_users(table=table) if person_ids else ():
        if {user.person_id, user.claimed_person_id} & set(person_ids):
            try:
                change_user(user.email, lambda user: (_nobody(user, person_ids), ()), table=table)
            except NotFound:
                continue  # the account is gone, too


def crops_of(faces: Collection[Face]) -> set[str]:
    """The keys that their crops have, or would have."""
    told = {face.thumb_key for face in faces if face.thumb_key is not None}
    return told | {objects.face_thumb(face.face_id) for face in faces}


# -- One photo


def _photos(remains: Remains, aim: Aim, table: Table) -> list[Photo]:
    """All that are there of those in which somebody has a face, is tagged, or was said to be."""
    images = {face.image_id for face in (*remains.faces.values(), *remains.strays.values())}
    images |= {tagging.image_id for tagging in remains.taggings.values()}
    images |= {told.image_id for told in remains.told.values() if aim.is_in(told)}
    found = (find_photo(image_id, table=table) for image_id in sorted(images))
    return [photo for photo in found if photo is not None]


def _leave_photo(
    photo: Photo, faces: list[Face], aim: Aim, *, keep_boxes: bool, at: datetime, table: Table, blobs: Blobs
) -> None:
    """[Note: first the status] Where no face may be, none has been looked for. That is told before the faces go: they
    are what leads here again after a crash.

    [Note: a late crop] Another engine may have cut the face out once more before its row went.
    """
    try:
        if aim.photo(photo.image_id, photo.owner):
            finish_indexing(photo, FaceStatus.RAW, engine=None, table=table)
        if keep_boxes:
            boxes = [face.box for face in faces]
            change_photo(photo, lambda photo: _with_boxes(photo, boxes), watching=("forgottenBoxes",), table=table)
        for face in faces:
            _delete_crops(face, blobs)
            remove_face(face.image_id, face.owner, face.face_id, at=at, table=table)
            _delete_crops(face, blobs)
    except NotFound:  # it is being deleted: so are its faces, by whoever is first
        delete_faces(faces, at=at, table=table, blobs=blobs)


def delete_faces(faces: Iterable[Face], *, at: datetime, table: Table, blobs: Blobs) -> None:
    """Their rows and crops, and nothing else: of a photo that is gone, or on its way out."""
    for face in faces:
        _delete_crops(face, blobs)
        delete_face(face, at=at, table=table)


def _delete_crops(face: Face, blobs: Blobs) -> None:
    for crop in crops_of([face]):
        blobs.delete(crop)


def _with_boxes(photo: Photo, boxes: Iterable[Box]) -> Photo:
    new = [box for box in boxes if not any(box.is_same_face(known) for known in photo.forgotten_boxes)]
    return replace(photo, forgotten_boxes=(*photo.forgotten_boxes, *new)[-MOST_BOXES:])


def _take_home(face: Face, at: datetime, table: Table) -> None:
    """An engine took it for somebody who is forgotten: it did not, from now on."""
    try:
        for _ in range(TRIES):
            seen = read_faces_there(face.image_id, face.owner, table=table)
            before = seen.faces.get(face.face_id)
            if before is None or before.home_person_id != face.home_person_id:
                return
            if write_face(seen, before, replace(before, home_person_id=None), at=at, table=table):
                return
    except NotFound:
        return
    raise Busy(BUSY)


def _tidy(photo: Photo, aim: Aim, table: Table) -> None:
    """Nobody who is forgotten stands on the photo's own row. Who came meanwhile stays there."""
    try:
        change_photo(
            photo,
            lambda photo: replace(photo, persons=tuple(each for each in photo.persons if each not in aim.persons)),
            watching=("facesVersion",),
            table=table,
        )
    except NotFound:
        return


# -- Persons


def _leave_persons(remains: Remains, aim: Aim, table: Table, blobs: Blobs) -> None:
    """Those who are forgotten go; of others whom only these photos showed, what is not needed."""
    for key in (*remains.suggestions, *remains.lists):
        table.write(Delete(key))
    for key, person in remains.persons.items():
        for picture in {person.picture_key, objects.person_picture(person.person_id)} - {None}:
            if picture is not None and picture.startswith(objects.PERSON_PICTURES):
                blobs.delete(picture)
        table.write(Delete(key))
    for person_id in sorted({tagging.person_id for tagging in remains.taggings.values()} - aim.persons):
        drop_emptied(person_id, table=table)


def _nobody(user: User, person_ids: Collection[str]) -> User:
    person = None if user.person_id in person_ids else user.person_id
    claimed = None if user.claimed_person_id in person_ids else user.claimed_person_id
    return replace(user, person_id=person, claimed_person_id=claimed)
