"""Lookup of the person whose face a portrait shows; the portrait is not stored.

Only a few portraits are analyzed at once. Further callers get Busy, so that not all threads wait for one decoder.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from sparks.auth.rate_limits import RateLimit, RateLimiter
from sparks.blobs.local_file import file_of, local_file
from sparks.blobs.port import Blobs
from sparks.faces.port import FaceEngine, FoundFace
from sparks.faces.portraits import Portrait, analyze_portrait
from sparks.library.consent import SITE, is_allowed
from sparks.library.face_index import FaceIndex
from sparks.media.file_types import WEBP
from sparks.media.sandboxed_renderer import SandboxedRenderer
from sparks.model.caller import Caller, caller_name
from sparks.model.errors import Busy, Damaged, NotFound
from sparks.model.pipeline_settings import PipelineSettings
from sparks.people.recognize import RecognitionResult, recognize
from sparks.table.port import Table

MAX_CONCURRENT: Final = 4
PROFILE_PIXELS: Final = 512  # width and height of a profile picture
NO_FACES: Final = "face recognition is switched off on this server, or cannot run here"
NO_PICTURES: Final = "this server cannot decode pictures: ask its operator"
TOO_MANY: Final = "many pictures are being analyzed right now: try again in a moment"


class FaceLookup:
    def __init__(
        self,
        *,
        table: Table,
        blobs: Blobs,
        renderer: SandboxedRenderer | None,
        engine: FaceEngine | None,
        index: FaceIndex | None,
        pipeline: PipelineSettings,
        rate_limiter: RateLimiter,
    ) -> None:
        self._table = table
        self._blobs = blobs
        self._renderer = renderer
        self._engine = engine
        self._index = index
        self._settings = pipeline.faces
        self._rates = rate_limiter
        self._slots = threading.BoundedSemaphore(MAX_CONCURRENT)

    def is_available(self) -> bool:
        """Whether faces are recognized: the setting is on, the site allows it, and engine and index are there."""
        works = self._engine is not None and not self._engine.missing
        is_on = self._settings is not None and self._index is not None
        return works and is_on and is_allowed(SITE, table=self._table)

    def check(self) -> None:
        """NotFound where faces are not recognized."""
        if not self.is_available():
            raise NotFound(NO_FACES)

    def count(self, caller: Caller) -> None:
        """Counts a portrait. TooManyTries above the caller's rate limit; NotFound where pictures cannot be decoded."""
        self._decoder()
        self._rates.count(RateLimit.PORTRAITS, caller_name(caller))

    def read_portrait(self, file: int, *, for_faces: bool) -> Portrait:
        """The picture in this open file; with its faces if `for_faces`, and if faces are recognized."""
        with self._slot():
            return analyze_portrait(file, renderer=self._decoder(), engine=self._usable_engine() if for_faces else None)

    def crop(self, portrait: Portrait) -> bytes:
        """A small square JPEG: of the largest face, or of the middle where no face was found."""
        around = None if portrait.face is None else portrait.face.box
        with self._slot(), file_of([portrait.picture]) as upright:
            return self._decoder().crop_square(upright, WEBP, side=PROFILE_PIXELS, around=around)

    def recognize(self, portrait: Portrait) -> RecognitionResult:
        """The persons who resemble the largest face."""
        return self._recognize(portrait.face)

    def recognize_stored(self, key: str) -> RecognitionResult:
        """The persons who resemble the face in this profile picture. Empty where the blob is gone or damaged, or faces
        are not recognized.
        """
        engine = self._usable_engine()
        if engine is None:
            return RecognitionResult()
        try:
            with self._slot(), local_file(key, blobs=self._blobs) as file:
                found = engine.find_faces(file)
        except (Damaged, NotFound):
            return RecognitionResult()
        return self._recognize(found[0] if found else None)

    def _recognize(self, face: FoundFace | None) -> RecognitionResult:
        if face is None or self._index is None or self._settings is None:
            return RecognitionResult()
        return recognize(face.embedding, face.quality, index=self._index, pipeline=self._settings, table=self._table)

    def _usable_engine(self) -> FaceEngine | None:
        return self._engine if self.is_available() else None

    def _decoder(self) -> SandboxedRenderer:
        if self._renderer is None:
            raise NotFound(NO_PICTURES)
        return self._renderer

    @contextmanager
    def _slot(self) -> Iterator[None]:
        if not self._slots.acquire(blocking=False):
            raise Busy(TOO_MANY)
        try:
            yield
        finally:
            self._slots.release()
