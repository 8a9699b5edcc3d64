"""The mirror: looks at a picture that somebody shows of themselves, and tells whom it is like. The picture is not kept.

It comes piece by piece into a file without a name, so that a slow client holds neither a thread nor memory. Few are
looked at at once: the others are told to come again, so that all threads are not waiting for one decoder.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from fastapi import Request
from starlette.concurrency import run_in_threadpool

from sparks.api.blobs import pieces
from sparks.auth.rates import Rate, Rates
from sparks.blobs.local_file import file_of, local_file, scratch_file
from sparks.faces.port import FaceEngine, FoundFace
from sparks.faces.portraits import Portrait, look_at_portrait
from sparks.journey import Stores
from sparks.library.consent import SITE, is_allowed
from sparks.media.kinds import WEBP
from sparks.media.studio import Studio
from sparks.model.caller import Who, name_of
from sparks.model.errors import Busy, Damaged, NotFound
from sparks.people.recognising import Recognised, recognise

AT_ONCE: Final = 4
SIDE: Final = 512  # pixels of a profile picture
NO_FACES: Final = "this Sparks does not recognise faces: they are switched off here, or cannot be looked for"
NO_PICTURES: Final = "this Sparks cannot look at pictures here: ask whoever runs it"
TOO_MANY: Final = "many pictures are being looked at right now: try again in a moment"


class Mirror:
    def __init__(self, *, stores: Stores, rates: Rates) -> None:
        self._stores = stores
        self._rates = rates
        self._free = threading.BoundedSemaphore(AT_ONCE)

    def check(self) -> None:
        """NotFound where no faces are recognised: switched off by a setting or by somebody, or with parts missing."""
        if not self._recognises():
            raise NotFound(NO_FACES)

    def count(self, who: Who) -> None:
        """One more that they show; TooManyTries where it is one too many. NotFound where nothing can be looked at."""
        self._studio()
        self._rates.count(Rate.PORTRAITS, name_of(who))

    async def look(self, request: Request, *, for_faces: bool) -> Portrait:
        """The picture in the body, which is counted; with its faces if these are asked for and not switched off."""
        with scratch_file() as file:
            async for piece in pieces(request.stream()):
                await run_in_threadpool(file.write, piece)
            await run_in_threadpool(file.flush)
            return await run_in_threadpool(self._look, file.fileno(), for_faces)

    def cut(self, portrait: Portrait) -> bytes:
        """A small square of it as a JPEG: of the face, or of the middle where there is none."""
        around = None if portrait.face is None else portrait.face.box
        with self._one_of_few(), file_of([portrait.picture]) as upright:
            return self._studio().square(upright, WEBP, side=SIDE, around=around)

    def recognise(self, portrait: Portrait) -> Recognised:
        """Whom the largest face in it is like."""
        return self._recognise(portrait.face)

    def recognise_kept(self, key: str) -> Recognised:
        """Whom the face in this profile picture is like; nobody where it cannot be seen, or faces are off."""
        engine = self._engine()
        if engine is None:
            return Recognised()
        try:
            with self._one_of_few(), local_file(key, blobs=self._stores.blobs, served=self._stores.served) as file:
                found = engine.find_faces(file)
        except (Damaged, NotFound):
            return Recognised()
        return self._recognise(found[0] if found else None)

    def _look(self, file: int, for_faces: bool) -> Portrait:
        with self._one_of_few():
            return look_at_portrait(file, studio=self._studio(), engine=self._engine() if for_faces else None)

    def _recognise(self, face: FoundFace | None) -> Recognised:
        index, known = self._stores.index, self._stores.terms.faces
        if face is None or index is None or known is None:
            return Recognised()
        return recognise(face.embedding, face.quality, index=index, terms=known, table=self._stores.table)

    def _engine(self) -> FaceEngine | None:
        return self._stores.engine if self._recognises() else None

    def _recognises(self) -> bool:
        return finds_faces(self._stores)

    def _studio(self) -> Studio:
        if self._stores.studio is None:
            raise NotFound(NO_PICTURES)
        return self._stores.studio

    @contextmanager
    def _one_of_few(self) -> Iterator[None]:
        if not self._free.acquire(blocking=False):
            raise Busy(TOO_MANY)
        try:
            yield
        finally:
            self._free.release()


def finds_faces(stores: Stores) -> bool:
    """Switched on by a setting and not forbidden by somebody, with all of its parts there."""
    works = stores.engine is not None and not stores.engine.missing
    is_on = stores.terms.faces is not None and stores.index is not None
    return works and is_on and is_allowed(SITE, table=stores.table)
