"""Photos that a caller may download as a zip: of an album, person, search or selection.

A photo that the caller may not download is left out.
"""

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from functools import partial
from hashlib import sha256
from itertools import islice
from typing import Final

from sparks.blobs.port import Blobs
from sparks.feed.search import SearchCriteria, photo_search_for
from sparks.library import entity_types, keys
from sparks.library.authorized_reads import album_for, person_for
from sparks.library.bulk_access import BulkAccess
from sparks.library.people.person_photos import list_photos_of
from sparks.library.people.visible_persons import VisiblePerson
from sparks.library.photos.photo_lists import ReadPage
from sparks.library.photos.photo_rows import find_photo
from sparks.library.records import read_items
from sparks.library.search.search_index import SearchIndex
from sparks.model.access import Action
from sparks.model.archive import Archive
from sparks.model.caller import Caller, GuestCaller, Member, caller_name
from sparks.model.errors import NotAllowed, NotFound
from sparks.model.keyring import Keyring
from sparks.model.photo import Photo
from sparks.table.port import Key, Table, every
from sparks.takeout.archive.file_choice import ArchiveChoice, ArchiveSize, plan_entries
from sparks.takeout.archive.plan_archive import ArchivePurpose, plan_archive
from sparks.takeout.archive.plan_store import GONE, PlannedEntry, find_archive, keyed_hash

BATCH_SIZE: Final = 500
DOWNLOAD: Final = Action.DOWNLOAD_ORIGINAL
NO_SEARCH: Final = "guests cannot search: name the album or the photos"
NO_ORIGINALS: Final = "this link hides metadata, and originals contain it: use size=large"

Sees = Callable[[Photo], bool]
PhotoReader = Callable[[], Iterator[Photo]]
ArchiveSource = tuple[ArchivePurpose, PhotoReader]

_OWNER: Final = frozenset({"owner"})


class ArchiveSources:
    def __init__(
        self,
        *,
        table: Table,
        blobs: Blobs,
        keyring: Keyring,
        search: SearchIndex | None,
        clock: Callable[[], datetime],
    ) -> None:
        self._table = table
        self._blobs = blobs
        self._keyring = keyring
        self._search = search
        self._now = clock

    def selection(self, caller: Caller, ids: list[str], size: ArchiveSize | None) -> ArchiveSource:
        digest = sha256("\n".join(ids).encode()).hexdigest()
        purpose = ArchivePurpose(caller_name(caller), f"selection {digest}", archive_choice_for(caller, size), "Photos")
        return purpose, lambda: photos_with_ids(ids, sees=self._access(caller).sees, table=self._table)

    def album(self, caller: Caller, album_id: str, size: ArchiveSize | None) -> ArchiveSource:
        album = album_for(caller, DOWNLOAD, album_id, at=self._now(), table=self._table).album
        choice = archive_choice_for(caller, size)
        purpose = ArchivePurpose(caller_name(caller), f"album {album.album_id}", choice, album.title)
        return purpose, lambda: photos_in_album(album.album_id, sees=self._access(caller).sees, table=self._table)

    def person(self, caller: Caller, person_id: str, size: ArchiveSize | None) -> ArchiveSource:
        person = person_for(caller, Action.SEE_PERSONS, person_id, at=self._now(), table=self._table)
        what, title = f"person {person.person_id}", person.person.display_name
        purpose = ArchivePurpose(caller_name(caller), what, archive_choice_for(caller, size), title)
        return purpose, lambda: photos_of_person(person, sees=self._access(caller).sees, table=self._table)

    def search(self, caller: Caller, criteria: SearchCriteria, size: ArchiveSize | None) -> ArchiveSource:
        """NotAllowed for guests."""
        if not isinstance(caller, Member):
            raise NotAllowed(NO_SEARCH)
        search = photo_search_for(caller, index=self._search, at=self._now(), table=self._table)
        purpose = ArchivePurpose(caller_name(caller), f"search {criteria}", archive_choice_for(caller, size), "Photos")
        return purpose, lambda: photos_in_pages(partial(search.page, criteria), sees=self._access(caller).sees)

    def plan(self, purpose: ArchivePurpose, photos: PhotoReader) -> Archive:
        """Plans the archive of those photos that the caller may download."""
        entries = plan_entries(photos(), purpose.wanted, blobs=self._blobs)
        return plan_archive(entries, purpose, at=self._now(), table=self._table, keyring=self._keyring)

    def planned(self, archive_id: str, caller: Caller) -> Archive:
        """NotFound for an archive that was planned for another caller, or that shows metadata which the caller's link
        now hides.
        """
        archive = find_archive(archive_id, at=self._now(), table=self._table)
        if archive.made_for != keyed_hash(caller_name(caller), keyring=self._keyring):
            raise NotFound(GONE)
        check_still_allowed(caller, archive)
        return archive

    def downloadable(self, caller: Caller, entries: Iterable[PlannedEntry]) -> set[str]:
        """The ids of the photos that the caller may still download: finished or their own, and not in the trash."""
        rows = self._table.get_many([keys.photo(entry.image_id, entry.owner) for entry in entries])
        access = self._access(caller)
        photos = read_items(Photo, rows.values())
        return {photo.image_id for photo in photos if photo.uploaded_by is not None and access.sees(photo)}

    def _access(self, caller: Caller) -> BulkAccess:
        return BulkAccess(caller, DOWNLOAD, at=self._now(), table=self._table)


def archive_choice_for(caller: Caller, size: ArchiveSize | None) -> ArchiveChoice:
    """The files that the caller is given. Guests are given large renditions by default, and originals only where the
    link shows metadata: NotAllowed for originals behind any other link.
    """
    if not isinstance(caller, GuestCaller):
        return ArchiveChoice(size or ArchiveSize.ORIGINAL)
    if size is ArchiveSize.ORIGINAL and not caller.link.show_metadata:
        raise NotAllowed(NO_ORIGINALS)
    return ArchiveChoice(size or ArchiveSize.LARGE, bare=not caller.link.show_metadata)


def check_still_allowed(caller: Caller, archive: Archive) -> None:
    """NotFound where the archive shows metadata, and the caller's link has hidden that since it was planned."""
    hides = isinstance(caller, GuestCaller) and not caller.link.show_metadata
    if hides and archive.wanted not in {str(ArchiveChoice(size, bare=True)) for size in ArchiveSize}:
        raise NotFound(GONE)


def photos_in_album(album_id: str, *, sees: Sees, table: Table) -> Iterator[Photo]:
    """The list may lag behind: each photo's own row decides whether it is in the album."""
    rows = every(table, entity_types.album_photo(album_id), page=BATCH_SIZE, only=_OWNER)
    while batch := [keys.photo(row["PK"], row["owner"]) for row in islice(rows, BATCH_SIZE)]:
        found = table.get_many(batch)
        photos = read_items(Photo, (found[key] for key in batch if key in found))
        yield from (photo for photo in photos if album_id in photo.albums and sees(photo))


def photos_of_person(person: VisiblePerson, *, sees: Sees, table: Table) -> Iterator[Photo]:
    """Newest first."""
    return photos_in_pages(partial(list_photos_of, person, sees=sees, table=table), sees=sees)


def photos_in_pages(read: ReadPage, *, sees: Sees) -> Iterator[Photo]:
    """All photos of a list, in its own order."""
    after: Key | None = None
    while True:
        items, after = read(limit=BATCH_SIZE, after=after)
        yield from filter(sees, read_items(Photo, items))
        if after is None:
            return


def photos_with_ids(ids: Iterable[str], *, sees: Sees, table: Table) -> Iterator[Photo]:
    """In the order of the ids, each once."""
    for image_id in dict.fromkeys(ids):
        photo = find_photo(image_id, table=table)
        if photo is not None and sees(photo):
            yield photo
