"""Encrypted proof that a user's selfie resembles certain persons, valid for minutes.

It names persons and is bound to an account; it holds nothing of the face.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Final

import msgspec

from sparks.library.encryption import seal_bytes, unseal_bytes
from sparks.model.account import User
from sparks.model.errors import BadInput, BadSignature
from sparks.model.keyring import Keyring
from sparks.model.times import unix

PURPOSE: Final = "selfie"
VALID_FOR: Final = timedelta(minutes=10)
INVALID_PROOF: Final = (
    "this proof has expired, or belongs to another account: take a new selfie, or ask an administrator to confirm you"
)


class _Proof(msgspec.Struct, frozen=True):
    until: int
    person_ids: tuple[str, ...]


def seal_proof(user: User, person_ids: Iterable[str], *, at: datetime, keyring: Keyring) -> str:
    proof = _Proof(unix(at + VALID_FOR), tuple(person_ids))
    return seal_bytes(PURPOSE, msgspec.json.encode(proof), keyring, bound=_bound(user))


def proven_persons(proof: str, user: User, *, at: datetime, keyring: Keyring) -> Sequence[str]:
    """BadInput unless the proof was made for this account and has not expired."""
    try:
        plain = unseal_bytes(PURPOSE, proof, keyring, bound=_bound(user))
    except BadSignature as error:
        raise BadInput(INVALID_PROOF) from error
    decoded = msgspec.json.decode(plain, type=_Proof)
    if decoded.until <= unix(at):
        raise BadInput(INVALID_PROOF)
    return decoded.person_ids


def _bound(user: User) -> tuple[str, str]:
    return f"email {user.email}", f"account {user.account_id}"
