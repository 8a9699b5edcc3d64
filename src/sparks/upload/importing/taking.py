"""One file, taken in: looked at, hashed, and if its owner has not got these bytes yet, stored and recorded.

[Note: killed at any moment] Until the bytes are recorded there is a reservation, which the sweeper gives back, and
perhaps a blob, which goes with it. From then on they are a photo, which the next import finds by its hash.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Final

from sparks.blobs.port import Blobs
from sparks.library import keys, objects
from sparks.library.photos import usable_tags
from sparks.library.photos.writing import change_photo
from sparks.media.kinds import Kind
from sparks.media.sniff import HEAD_BYTES, sniff
from sparks.model.errors import Conflict, Damaged, NotFound, TooLarge, UnsupportedType
from sparks.model.events import Event, PhotoChanged
from sparks.model.photo import Photo, Visibility
from sparks.model.times import now
from sparks.table.port import Table
from sparks.upload.digests import Digests, chunks_of, digests_of
from sparks.upload.importing.albums import AlbumsByTitle
from sparks.upload.importing.outcome import Fate, Outcome
from sparks.upload.importing.reading import opened
from sparks.upload.importing.sidecars import Candidate
from sparks.upload.importing.told import Told, read_sidecars
from sparks.upload.recording import Original, Recorded, record_upload
from sparks.upload.tickets import find_same, give_up_upload, reserve_upload
from sparks.upload.wish import Wish, check_size

ALBUMS: Final = "albumNames"  # of a photo's row that was imported when there were no albums: those that it was in
CHANGED: Final = "it changed while it was read: import it again"
IN_THE_BIN: Final = "it was in the bin of Google Photos"


@dataclass(frozen=True, slots=True, kw_only=True)
class Taker:
    """Takes files in for one owner, and into the `album` of that title, if any. `most_bytes`: of one file."""

    owner: str
    visibility: Visibility
    most_bytes: int
    table: Table
    blobs: Blobs
    album: str | None = None
    albums: AlbumsByTitle = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "albums", AlbumsByTitle(self.owner, table=self.table))

    def take_in(self, candidate: Candidate) -> Outcome:
        """Raises what stands in the way of all files: a limit that is reached, a store that is full or gone."""
        return self._with(candidate, self._take)

    def look_at(self, candidate: Candidate) -> Outcome:
        """What `take_in` would make of it, had the owner room for it: nothing is changed."""
        return self._with(candidate, self._look)

    def _with(self, candidate: Candidate, act: "Callable[[_File], Outcome]") -> Outcome:
        try:
            with opened(candidate.path) as descriptor:
                size = os.fstat(descriptor).st_size
                check_size(size, most=self.most_bytes)
                kind = sniff(os.pread(descriptor, HEAD_BYTES, 0), size=size)
                told = read_sidecars(candidate, kind, descriptor)
                if told.is_trashed:
                    return Outcome(candidate.path, Fate.SKIPPED, IN_THE_BIN)
                return act(_File(candidate, descriptor, kind, told, digests_of(chunks_of(descriptor))))
        except UnsupportedType as error:
            return Outcome(candidate.path, Fate.SKIPPED, _first_sentence(error))
        except (TooLarge, Damaged, Conflict) as error:
            return Outcome(candidate.path, Fate.FAILED, str(error))
        except OSError as error:
            return Outcome(candidate.path, Fate.FAILED, f"it cannot be read ({error.strerror})")

    def _look(self, file: "_File") -> Outcome:
        row = self.table.get(keys.same_bytes(self.owner, file.digests.sha256))
        return file.outcome(Fate.IMPORTED if row is None else Fate.THERE)

    def _take(self, file: "_File") -> Outcome:
        same = find_same(self.owner, file.digests.sha256, at=now(), table=self.table)
        recorded = self._store(file) if same is None else Recorded(same.photo, duplicate=True, follows=same.follows)
        photo, placed = recorded.photo, self._put_into_albums(recorded.photo, file.candidate.album)
        changed = PhotoChanged(photo.image_id, photo.owner) if placed else None
        return file.outcome(
            Fate.THERE if recorded.duplicate else Fate.IMPORTED, photo=photo, follows=recorded.follows or changed
        )

    def _store(self, file: "_File") -> Recorded:
        photo = reserve_upload(self._wish(file), at=now(), table=self.table)
        key, digests = objects.original(photo.image_id, file.kind.extension), file.digests
        try:
            self.blobs.put(
                key,
                chunks_of(file.descriptor),
                size=digests.size,
                sha256=digests.sha256,
                content_type=file.kind.mime,
            )
        except BaseException as error:
            give_up_upload(photo, key, table=self.table, blobs=self.blobs)
            if isinstance(error, Damaged):
                raise Damaged(CHANGED) from error
            raise
        original = Original(key, file.kind, digests.size, digests.sha256, digests.sha1)
        return record_upload(photo, original, at=now(), table=self.table, blobs=self.blobs)

    def _wish(self, file: "_File") -> Wish:
        told = file.told
        return Wish(
            filename=told.filename,
            size=file.digests.size,
            owner=self.owner,
            sha256=file.digests.sha256,
            title=told.title,
            description=told.description,
            tags=usable_tags(told.keywords),
            visibility=self.visibility,
            taken_at=told.taken_at,
            taken_offset=told.taken_offset,
            file_time=_modified(file.descriptor),
            location=told.location,
        )

    def _put_into_albums(self, photo: Photo, album: str | None) -> bool:
        """Whether it was not in all of them before. The same photo lies in the folder of each album that it is in; one
        that was imported long ago may still name those that there were none for.
        """
        names = [*photo.extra.get(ALBUMS, ()), *(each for each in (album, self.album) if each is not None)]
        try:
            placed = [self.albums.put(photo, name) for name in dict.fromkeys(names)]
            change_photo(photo, _without_names, table=self.table)
        except NotFound:  # it is deleted this very moment
            return False
        return any(placed)


@dataclass(frozen=True, slots=True)
class _File:
    """A candidate that is open, and all that is known of it before it is taken in."""

    candidate: Candidate
    descriptor: int
    kind: Kind
    told: Told
    digests: Digests

    def outcome(self, fate: Fate, *, photo: Photo | None = None, follows: Event | None = None) -> Outcome:
        size, sha256 = self.digests.size, self.digests.sha256
        return Outcome(self.candidate.path, fate, photo=photo, follows=follows, size=size, sha256=sha256)


def _without_names(photo: Photo) -> Photo:
    return replace(photo, extra={name: value for name, value in photo.extra.items() if name != ALBUMS})


def _modified(file: int) -> datetime | None:
    try:
        return datetime.fromtimestamp(os.fstat(file).st_mtime, UTC)
    except (OverflowError, ValueError):
        return None


def _first_sentence(error: Exception) -> str:
    return str(error).partition(". ")[0].removesuffix(".")
