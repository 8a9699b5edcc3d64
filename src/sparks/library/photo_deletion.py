"""Deletion of a photo: hidden first, then blobs, counters, cached copies, jobs and rows.

Every step finds its work done when it runs again, so an interrupted deletion is simply repeated. The photo's own row is
deleted after everything else that is found by it: an interrupted run finds that row again. Jobs about the photo are
dropped last, since the running job may be among them; until then it is run again.
"""

from collections.abc import Sequence
from dataclasses import replace

from sparks.blobs.port import Blobs
from sparks.jobs.port import Jobs
from sparks.library import blob_keys, keys
from sparks.library.live_events import announce, announce_people
from sparks.library.people.person_picture import update_due_pictures
from sparks.library.people.reconcile import delete_face, remove_photo_from_people
from sparks.library.photos.photo_rows import read_photo
from sparks.library.photos.reconcile_links import reconcile_links
from sparks.library.records import from_item, key_of
from sparks.library.sharing.guest_uploads import released_changes
from sparks.library.timeline_blobs import drop_months, months_from_row, settle_months
from sparks.library.upload_limits.account_limit import TRIES
from sparks.library.upload_limits.photo_usage import release_photo
from sparks.model.errors import Busy, ConditionFailed
from sparks.model.events import PhotoDeletionBegun
from sparks.model.face import Face
from sparks.model.keyring import Keyring
from sparks.model.photo import Photo, PhotoState, ProcessingStatus
from sparks.model.scope import Scope
from sparks.model.share import who_is_guest
from sparks.model.times import now
from sparks.table.port import Change, Check, Delete, Equals, Item, Key, Present, Table, every


def begin_deletion(photo: Photo, *, also: Sequence[Change] = (), table: Table) -> None:
    """Hides the photo, gives it back to its owner's upload limit, and lets the same bytes be uploaded again. `also` is
    part of the same transaction. Nothing happens where it is deleted or being deleted already.

    Conflict where a photo that was read as reserved or trashed is not any more; ConditionFailed where a change of
    `also` fails, or the same bytes were uploaded again at the same time.
    """
    for _ in range(TRIES):
        counted = released_changes(photo, table=table)
        try:
            return release_photo(photo, *counted, *content_digest_removals(photo, table), *also, table=table)
        except ConditionFailed as failed:
            if failed.position >= len(counted):
                raise  # otherwise a link was revoked or got caps meanwhile
    raise Busy("this photo's link is being changed by other requests: try again later")


def delete_rows_and_blobs(
    photo: Photo, *more_blobs: str, also: Sequence[Change] = (), table: Table, blobs: Blobs
) -> frozenset[Scope]:
    """Begins as `begin_deletion` does and leaves no row and no blob, nor any of `more_blobs`. Returns the scopes whose
    persons the photo showed until now.

    Other places that may hold its id (copies of months, jobs, open pages) are left to `delete_photo`.
    """
    begin_deletion(photo, also=also, table=table)
    for key in more_blobs:
        blobs.delete(key)
    hidden = read_photo(key_of(photo), table=table)  # from now on the pipeline adds nothing
    return frozenset() if hidden is None else _delete_hidden(hidden, table, blobs)


def _delete_hidden(hidden: Photo, table: Table, blobs: Blobs) -> frozenset[Scope]:
    reconcile_links(hidden.image_id, hidden.owner, table=table)
    touched = remove_photo_from_people(hidden, table=table)
    update_due_pictures(hidden.persons, table=table, blobs=blobs)
    rows = list(every(table, keys.photo_rows(hidden.image_id)))
    faces = [from_item(Face, row) for row in rows if row["SK"].startswith(keys.FACES.text)]
    if hidden.upload_id is not None:
        blobs.abort_upload(blob_keys.upload(hidden.image_id), hidden.upload_id)
    for key in _objects(hidden, faces, blobs):
        blobs.delete(key)
    for face in faces:
        delete_face(face, at=now(), table=table)
    for row in rows:
        if _key(row) != key_of(hidden):
            table.write(Delete(_key(row)))
    for change in content_digest_removals(hidden, table):  # hashed since the photo was read
        try:
            table.write(change)
        except ConditionFailed:
            continue  # another run was faster
    table.write(Delete(key_of(hidden)))
    return touched


def content_digest_removals(photo: Photo, table: Table) -> list[Change]:
    """Deletes the digests of the photo, so that the same bytes may be uploaded again. The row of a digest may be
    another photo's, since the digest of a reservation was only claimed.
    """
    uploader = photo.owner if photo.guest_id is None else who_is_guest(photo.guest_id)
    digests = [keys.content_digest(uploader, digest) for digest in (photo.sha256, photo.sha1) if digest is not None]
    found = table.get_many(digests)
    mine = [key for key, item in found.items() if item.get("imageId") == photo.image_id]
    return [Delete(key, (Equals("imageId", photo.image_id),)) for key in mine]


def _objects(photo: Photo, faces: list[Face], blobs: Blobs) -> set[str]:
    """The blobs of the photo, including those that a killed process stored but did not record."""
    noted = {} if photo.renditions is None else photo.renditions.keys
    crops = [face.thumb_key for face in faces if face.thumb_key is not None]
    original = [] if photo.original_key is None else [photo.original_key]
    prefixes = blob_keys.original_prefix(photo.image_id), blob_keys.made_prefix(photo.image_id)
    stored = [blob.key for prefix in prefixes for blob in blobs.list(prefix).blobs]
    return {blob_keys.upload(photo.image_id), *original, *noted.values(), *crops, *stored}


def _key(row: Item) -> Key:
    return Key(row["PK"], row["SK"])


def delete_photo(
    photo: Photo, *, also: Sequence[Change] = (), table: Table, blobs: Blobs, jobs: Jobs, keyring: Keyring
) -> None:
    """Begins as `begin_deletion` does and leaves nothing of the photo."""
    begin_deletion(photo, also=also, table=table)
    hidden = read_photo(key_of(photo), table=table)
    if hidden is not None:
        _delete_everywhere(hidden, table, blobs, keyring)
    jobs.drop_about(photo.image_id)


def _delete_everywhere(hidden: Photo, table: Table, blobs: Blobs, keyring: Keyring) -> None:
    _leave_months(hidden, table, blobs, keyring)
    _announce(hidden, table, keyring)
    announce_people(_delete_hidden(hidden, table, blobs), at=now(), table=table)


def _leave_months(photo: Photo, table: Table, blobs: Blobs, keyring: Keyring) -> None:
    """The photo's own row names a month too, in case its links are deleted already."""
    left = settle_months(photo.image_id, photo.owner, table=table, blobs=blobs, keyring=keyring)
    drop_months(months_from_row(photo) - left, blobs=blobs, keyring=keyring)


def _announce(photo: Photo, table: Table, keyring: Keyring) -> None:
    """While the photo's row exists. Once it is gone, another run has announced that, and the owner may be gone, too."""
    there = Check(key_of(photo), (Present(),))
    try:
        announce(_as_it_was(photo), None, at=now(), also=(there,), table=table, keyring=keyring)
    except ConditionFailed:
        return


def _as_it_was(photo: Photo) -> Photo:
    """The photo before it was hidden. Its state then is not stored, but only a finished one was shown."""
    finished = photo.processing_status is ProcessingStatus.COMPLETED
    return replace(photo, state=PhotoState.READY if finished else PhotoState.PENDING)


def finish_deletion(event: PhotoDeletionBegun, *, table: Table, blobs: Blobs, jobs: Jobs, keyring: Keyring) -> None:
    """Deletes a photo whose deletion has begun, and no other. Of a photo that is deleted already, the last jobs are
    dropped.
    """
    photo = read_photo(keys.photo(event.image_id, event.owner), table=table)
    if photo is not None and photo.state is not PhotoState.DELETING:
        return
    if photo is not None:
        _delete_everywhere(photo, table, blobs, keyring)
    jobs.drop_about(event.image_id)
