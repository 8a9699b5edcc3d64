"""An archive as an answer: whole or a range of it, made while it is sent.

[Note: doors] A download may take hours. So what was asked when it began is asked again while it goes on: who calls by
what let them in, every second, and of the photos those that are next. A link that is revoked, or allows to download no
more, ends its downloads.
"""

import time
from collections.abc import AsyncIterator, Callable, Generator, Sequence
from datetime import datetime
from typing import Final

from anyio import CancelScope
from fastapi import Request, Response
from starlette.concurrency import run_in_threadpool
from starlette.responses import StreamingResponse

from sparks.api.answers import REVALIDATED, span_of
from sparks.api.downloads import attachment
from sparks.api.images import known
from sparks.api.ranges import is_known
from sparks.auth.callers import Callers
from sparks.auth.signing import viewer_of
from sparks.journey import Stores
from sparks.library import keys
from sparks.library.records import from_item
from sparks.library.sight import Sight
from sparks.model.access import Action, admit
from sparks.model.archive import Archive
from sparks.model.caller import GuestCaller, Who, name_of
from sparks.model.errors import NotAllowed, NotFound
from sparks.model.photo import Photo
from sparks.sharing.archive.choosing import ArchiveSize, Wanted
from sparks.sharing.archive.entry import PlannedEntry
from sparks.sharing.archive.findings import ArchiveChanged
from sparks.sharing.archive.keeping import GONE, find_archive, hashed
from sparks.sharing.archive.part import Sources
from sparks.sharing.archive.planning import title_of
from sparks.sharing.archive.reading import Reader

ASKED_EVERY: Final = 1.0  # seconds
ZIP: Final = "application/zip"
NO_ORIGINALS: Final = "this link shows no metadata, which originals hold: ask for size=large"


def wanted_by(who: Who, size: ArchiveSize | None) -> Wanted:
    """Guests are given what was made of the photos, and originals where the link shows what is in them.

    NotAllowed for originals behind any other link.
    """
    if not isinstance(who, GuestCaller):
        return Wanted(size or ArchiveSize.ORIGINAL)
    if size is ArchiveSize.ORIGINAL and not who.link.show_metadata:
        raise NotAllowed(NO_ORIGINALS)
    return Wanted(size or ArchiveSize.LARGE, bare=not who.link.show_metadata)


class ArchiveAnswers:
    def __init__(self, *, clock: Callable[[], datetime], callers: Callers, stores: Stores) -> None:
        self._now = clock
        self._callers = callers
        self._stores = stores

    def of_id(self, archive_id: str, who: Who) -> Archive:
        """NotFound where it is not theirs, or shows more than they may see by now."""
        archive = find_archive(archive_id, at=self._now(), table=self._stores.table)
        if archive.made_for != hashed(name_of(who), keyring=self._stores.keyring) or not _may_still(who, archive):
            raise NotFound(GONE)
        return archive

    def answer(self, request: Request, archive: Archive, who: Who) -> Response:
        """[Note: first piece] It is made before the answer begins: where a photo is gone that others were given, the
        answer is that of another file.
        """
        try:
            return self._answer(request, archive, who)
        except ArchiveChanged:
            return self._answer(request, self.of_id(archive.archive_id, who), who)

    def _answer(self, request: Request, archive: Archive, who: Who) -> Response:
        headers = {
            "Accept-Ranges": "bytes",
            "Cache-Control": REVALIDATED,
            "Content-Disposition": attachment(
                f"{title_of(archive, keyring=self._stores.keyring)}.zip", otherwise="photos.zip"
            ),
            "Content-Type": ZIP,
            "ETag": archive.etag,
        }
        if is_known(request.headers.get("if-none-match"), archive.etag):
            return Response(status_code=304, headers=headers)
        status, (start, end) = span_of(request.headers, headers, archive.byte_count)
        if request.method == "HEAD":
            return Response(None, status, headers)
        pieces = self.reader(archive, who).read(start, end)
        return StreamingResponse(_send(next(pieces), pieces), status, headers)

    def reader(self, archive: Archive, who: Who) -> Reader:
        """Of its bytes, for as long as this caller may have them."""
        stores, viewer = self._stores, viewer_of(known(who))

        def ask_again() -> Who:
            caller = self._callers.by_viewer(viewer, at=self._now())
            admit(caller, Action.DOWNLOAD_ORIGINAL)
            if not _may_still(caller, archive):
                raise NotFound(GONE)
            return caller

        doors = _Doors(ask_again, self._sight)
        sources = Sources(doors, stores.blobs, stores.served)
        return Reader(archive, sources=sources, table=stores.table, keyring=stores.keyring)

    def _sight(self, who: Who, entries: Sequence[PlannedEntry]) -> set[str]:
        """Those that are finished, or the caller's own, and not in the trash."""
        table = self._stores.table
        rows = table.get_many([keys.photo(entry.image_id, entry.owner) for entry in entries])
        sight = Sight(who, Action.DOWNLOAD_ORIGINAL, at=self._now(), table=table)
        photos = (from_item(Photo, row) for row in rows.values())
        return {photo.image_id for photo in photos if photo.uploaded_by is not None and sight.sees(photo)}


class _Doors:
    """The `Guard` of a download."""

    def __init__(self, ask_again: Callable[[], Who], given: Callable[[Who, Sequence[PlannedEntry]], set[str]]) -> None:
        self._ask_again = ask_again
        self._given = given
        self._asked_at = -ASKED_EVERY

    def check(self) -> None:
        if time.monotonic() - self._asked_at >= ASKED_EVERY:
            self._ask_again()
            self._asked_at = time.monotonic()

    def given(self, entries: Sequence[PlannedEntry]) -> set[str]:
        return self._given(self._ask_again(), entries)


def _may_still(who: Who, archive: Archive) -> bool:
    """A link may have come to hide what the archive was made to show."""
    shown = not isinstance(who, GuestCaller) or who.link.show_metadata
    return shown or archive.wanted in {str(Wanted(size, bare=True)) for size in ArchiveSize}


async def _send(first: bytes, pieces: Generator[bytes, None, None]) -> AsyncIterator[bytes]:
    try:
        yield first
        while (piece := await run_in_threadpool(next, pieces, None)) is not None:
            if piece:
                yield piece
    finally:
        with CancelScope(shield=True):
            await run_in_threadpool(pieces.close)
