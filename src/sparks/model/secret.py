"""Bearer secrets `{id}.{random}`, of which rows keep only the hash."""

import hmac
import re
import secrets
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final

from sparks.model.errors import BadInput
from sparks.model.ids import random_id

RANDOM_BYTES: Final = 32

_SECRET: Final = re.compile(r"([A-Za-z0-9_-]{1,64})\.([A-Za-z0-9_-]{43})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Secret:
    """`id` finds the row, `random` proves the right to it. It is shown once, and never in a repr."""

    id: str
    random: str = field(repr=False)

    @property
    def text(self) -> str:
        return f"{self.id}.{self.random}"

    @property
    def hash(self) -> str:
        """The value that the row keeps. A plain sha256 is enough for 256 random bits."""
        return sha256(self.random.encode()).hexdigest()

    def fits(self, kept_hash: str) -> bool:
        """Whether this is the secret with the stored hash; compared in constant time."""
        return hmac.compare_digest(self.hash.encode(), kept_hash.encode())


def new_secret() -> Secret:
    return Secret(random_id(), secrets.token_urlsafe(RANDOM_BYTES))


def parse_secret(text: str) -> Secret:
    """BadInput unless it has the form of a secret; the message does not repeat it."""
    match = _SECRET.fullmatch(text)
    if match is None:
        raise BadInput("not a secret of ours: it is cut short or altered")
    return Secret(match[1], match[2])
