"""Requests that are told apart by an `Idempotency-Key`: a repeat within a day has the answer of the first one.

The row is named by a keyed hash and its answer is sealed, so that it tells nobody of a photo that is deleted meanwhile.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from sparks.library import keys
from sparks.library.records import from_item, to_item
from sparks.library.sealing import seal, unseal
from sparks.model.errors import BadSignature, Busy, ConditionFailed, Conflict
from sparks.model.ids import new_image_id
from sparks.model.keyring import Keyring
from sparks.model.ledger import Token
from sparks.model.photo import Photo
from sparks.model.times import has_passed, iso
from sparks.table.port import Absent, Change, Equals, Put, Table

KEPT: Final = timedelta(hours=24)
PURPOSE: Final = "idempotency"
OTHER_REQUEST: Final = "this Idempotency-Key was used for another request: take a new one for each upload"


@dataclass(frozen=True, slots=True)
class Answered:
    """What the first request was answered with."""

    image_id: str
    duplicate: bool


class Repeats:
    """One request, and those that repeat it: `key` is what the caller `who` calls it, `request` what it asks for."""

    def __init__(self, key: str, *, who: str, request: str, at: datetime, table: Table, keyring: Keyring) -> None:
        self._token_id = keyring.sign(PURPOSE, f"key {who}\n{key}".encode())[1]
        self._request_hash = keyring.sign(PURPOSE, f"request {request}".encode())[1]
        self._at = at
        self._keyring = keyring
        item = table.get(keys.token(self._token_id))
        self._found = None if item is None else from_item(Token, item)

    def answered(self) -> Answered | None:
        """None where this is the first one. Conflict where the key was another request's."""
        found = self._found
        if found is None or has_passed(found.ttl, at=self._at):
            return None
        if found.request_hash != self._request_hash:
            raise Conflict(OTHER_REQUEST)
        try:
            image_id, word = unseal(PURPOSE, found.answer or "", self._keyring).split()
        except BadSignature:
            return None
        return Answered(image_id, word == "duplicate")

    def place(self, *, table: Table) -> str:
        """The id that the first one was given; a new one where this is the first. It is written down before anything is
        taken for it: so whoever did not hear the answer is given no second place. Busy where two are the first at once.
        """
        if (before := self.answered()) is not None:
            return before.image_id
        image_id = new_image_id()
        try:
            table.write(*self._noted(image_id, "new"))
        except ConditionFailed as error:
            raise Busy("the same request came twice at once: try again") from error
        return image_id

    def note(self, photo: Photo, *, duplicate: bool) -> Sequence[Change]:
        """What is written together with the answer's own deed."""
        return self._noted(photo.image_id, "duplicate" if duplicate else "new")

    def _noted(self, image_id: str, word: str) -> Sequence[Change]:
        token = Token(
            token_id=self._token_id,
            created_at=self._at,
            request_hash=self._request_hash,
            answer=seal(PURPOSE, f"{image_id} {word}", self._keyring),
            ttl=self._at + KEPT,
        )
        unused = Absent() if self._found is None else Equals("createdAt", iso(self._found.created_at))
        return [Put(to_item(token), when=(unused,))]
