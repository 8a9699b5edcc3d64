"""What a selfie proves: that whoever showed it to this account looks like these persons. Sealed, and good for a while.

It names persons and an account, and holds nothing of the face.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Final

import msgspec

from sparks.library.sealing import seal_bytes, unseal_bytes
from sparks.model.account import User
from sparks.model.errors import BadInput, BadSignature
from sparks.model.keyring import Keyring
from sparks.model.times import unix

PURPOSE: Final = "selfie"
GOOD_FOR: Final = timedelta(minutes=10)
NOT_GOOD: Final = "this proof is over, or not yours: take another selfie, or leave it out and ask an administrator"


class _Proof(msgspec.Struct, frozen=True):
    until: int
    person_ids: tuple[str, ...]


def seal_proof(user: User, person_ids: Iterable[str], *, at: datetime, keyring: Keyring) -> str:
    proof = _Proof(unix(at + GOOD_FOR), tuple(person_ids))
    return seal_bytes(PURPOSE, msgspec.json.encode(proof), keyring, bound=_bound(user))


def proven_persons(proof: str, user: User, *, at: datetime, keyring: Keyring) -> Sequence[str]:
    """BadInput unless it was sealed for this very account, some minutes ago at most."""
    try:
        plain = unseal_bytes(PURPOSE, proof, keyring, bound=_bound(user))
    except BadSignature as error:
        raise BadInput(NOT_GOOD) from error
    known = msgspec.json.decode(plain, type=_Proof)
    if known.until <= unix(at):
        raise BadInput(NOT_GOOD)
    return known.person_ids


def _bound(user: User) -> tuple[str, str]:
    return f"email {user.email}", f"account {user.account_id}"
