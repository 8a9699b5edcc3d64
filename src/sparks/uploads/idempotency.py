"""Idempotency keys: a repeated request gets the first one's result.

The row's key is a keyed hash and its result is encrypted, so that it reveals nothing about a photo that is deleted
meanwhile.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from sparks.library import keys
from sparks.library.encryption import seal, unseal
from sparks.library.records import from_item, to_item
from sparks.model.errors import BadSignature, Busy, ConditionFailed, Conflict
from sparks.model.ids import new_image_id
from sparks.model.keyring import Keyring
from sparks.model.photo import Photo
from sparks.model.system_records import RequestToken
from sparks.model.times import has_passed, iso
from sparks.table.port import Absent, Change, Equals, Put, Table

KEEP_FOR: Final = timedelta(hours=24)
PURPOSE: Final = "idempotency"
KEY_REUSED: Final = "this Idempotency-Key was used for another request: use a new one for each upload"


@dataclass(frozen=True, slots=True)
class EarlierResult:
    """The result of the first request with this key."""

    image_id: str
    duplicate: bool


class IdempotentRequest:
    """A request and its repeats: `key` is the idempotency key of the caller `who`, `request` describes the request."""

    def __init__(self, key: str, *, who: str, request: str, at: datetime, table: Table, keyring: Keyring) -> None:
        self._token_id = keyring.sign(PURPOSE, f"key {who}\n{key}".encode())[1]
        self._request_hash = keyring.sign(PURPOSE, f"request {request}".encode())[1]
        self._at = at
        self._keyring = keyring
        item = table.get(keys.request_token(self._token_id))
        self._found = None if item is None else from_item(RequestToken, item)

    def answered(self) -> EarlierResult | None:
        """The first request's result; None where this is the first. Conflict where the key was used for another."""
        found = self._found
        if found is None or has_passed(found.ttl, at=self._at):
            return None
        if found.request_hash != self._request_hash:
            raise Conflict(KEY_REUSED)
        try:
            image_id, word = unseal(PURPOSE, found.answer or "", self._keyring).split()
        except BadSignature:
            return None
        return EarlierResult(image_id, word == "duplicate")

    def place(self, *, table: Table) -> str:
        """The image id of the first request; a new one where this is the first. The id is stored before anything is
        reserved for it, so a client that did not get the response reserves nothing twice. Busy where two requests are
        the first at the same time.
        """
        if (before := self.answered()) is not None:
            return before.image_id
        image_id = new_image_id()
        try:
            table.write(*self._noted(image_id, "new"))
        except ConditionFailed as error:
            raise Busy("another request with the same Idempotency-Key is running: try again") from error
        return image_id

    def note(self, photo: Photo, *, duplicate: bool) -> Sequence[Change]:
        """The changes that store the result, to be written in the same transaction."""
        return self._noted(photo.image_id, "duplicate" if duplicate else "new")

    def _noted(self, image_id: str, word: str) -> Sequence[Change]:
        token = RequestToken(
            token_id=self._token_id,
            created_at=self._at,
            request_hash=self._request_hash,
            answer=seal(PURPOSE, f"{image_id} {word}", self._keyring),
            ttl=self._at + KEEP_FOR,
        )
        unused = Absent() if self._found is None else Equals("createdAt", iso(self._found.created_at))
        return [Put(to_item(token), when=(unused,))]
