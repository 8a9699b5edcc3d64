"""Streamed zip response that checks the caller's permission while it is sent.

A download may take hours. So permission is checked again while it runs: every second the caller, by the session, key or
link that the download began with, and for each part the photos in it. Revoking a link, or its permission to download,
ends its running downloads.
"""

import time
from collections.abc import AsyncIterator, Callable, Generator, Sequence
from datetime import datetime
from typing import Final

from anyio import CancelScope
from fastapi import Request, Response
from starlette.concurrency import run_in_threadpool
from starlette.responses import StreamingResponse

from sparks.actions.archive_sources import ArchiveSources, check_still_allowed
from sparks.api.http.blob_response import REVALIDATED, attachment_disposition, resolve_range
from sparks.api.http.request_headers import etag_matches
from sparks.auth.callers import CallerResolver, signed_in
from sparks.auth.signed_media_urls import viewer_of
from sparks.blobs.port import Blobs
from sparks.model.access import Action, authorize_action
from sparks.model.archive import Archive
from sparks.model.caller import Caller
from sparks.model.keyring import Keyring
from sparks.table.port import Table
from sparks.takeout.archive.archive_reader import ArchiveReader
from sparks.takeout.archive.entry_states import ArchiveChanged
from sparks.takeout.archive.part_reader import ArchiveStores
from sparks.takeout.archive.plan_archive import title_of
from sparks.takeout.archive.plan_store import PlannedEntry

CHECK_EVERY: Final = 1.0  # seconds
ZIP: Final = "application/zip"


class ArchiveResponses:
    def __init__(
        self,
        *,
        sources: ArchiveSources,
        caller_resolver: CallerResolver,
        table: Table,
        blobs: Blobs,
        keyring: Keyring,
        clock: Callable[[], datetime],
    ) -> None:
        self._sources = sources
        self._callers = caller_resolver
        self._table = table
        self._blobs = blobs
        self._keyring = keyring
        self._now = clock

    def respond(self, request: Request, archive: Archive, caller: Caller) -> Response:
        """The first bytes are read before the response begins. Where that finds that a photo of an earlier download is
        gone, the archive has become another file, and the response is that file's.
        """
        try:
            return self._respond(request, archive, caller)
        except ArchiveChanged:
            return self._respond(request, self._sources.planned(archive.archive_id, caller), caller)

    def _respond(self, request: Request, archive: Archive, caller: Caller) -> Response:
        headers = {
            "Accept-Ranges": "bytes",
            "Cache-Control": REVALIDATED,
            "Content-Disposition": attachment_disposition(
                f"{title_of(archive, keyring=self._keyring)}.zip", otherwise="photos.zip"
            ),
            "Content-Type": ZIP,
            "ETag": archive.etag,
        }
        if etag_matches(request.headers.get("if-none-match"), archive.etag):
            return Response(status_code=304, headers=headers)
        status, (start, end) = resolve_range(request.headers, headers, archive.byte_count)
        if request.method == "HEAD":
            return Response(None, status, headers)
        chunks = self.reader(archive, caller).read(start, end)
        return StreamingResponse(_send(next(chunks), chunks), status, headers)

    def reader(self, archive: Archive, caller: Caller) -> ArchiveReader:
        """Reads the bytes of the archive for as long as the caller may download it."""
        viewer = viewer_of(signed_in(caller))

        def authenticate() -> Caller:
            current = self._callers.by_viewer(viewer, at=self._now())
            authorize_action(current, Action.DOWNLOAD_ORIGINAL)
            check_still_allowed(current, archive)
            return current

        guard = _CallerGuard(authenticate, self._sources.downloadable)
        sources = ArchiveStores(guard, self._blobs)
        return ArchiveReader(archive, stores=sources, table=self._table, keyring=self._keyring)


class _CallerGuard:
    """The `DownloadGuard` of one caller."""

    def __init__(
        self, authenticate: Callable[[], Caller], downloadable: Callable[[Caller, Sequence[PlannedEntry]], set[str]]
    ) -> None:
        self._authenticate = authenticate
        self._downloadable = downloadable
        self._checked_at = -CHECK_EVERY

    def check(self) -> None:
        if time.monotonic() - self._checked_at >= CHECK_EVERY:
            self._authenticate()
            self._checked_at = time.monotonic()

    def given(self, entries: Sequence[PlannedEntry]) -> set[str]:
        return self._downloadable(self._authenticate(), entries)


async def _send(first: bytes, rest: Generator[bytes, None, None]) -> AsyncIterator[bytes]:
    try:
        yield first
        while (chunk := await run_in_threadpool(next, rest, None)) is not None:
            if chunk:
                yield chunk
    finally:
        with CancelScope(shield=True):
            await run_in_threadpool(rest.close)
