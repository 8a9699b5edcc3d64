"""What a browser carries from the beginning of a sign-in to its end: a signed cookie, good for ten minutes.

It proves that whoever comes back from the provider is the browser that was sent there, and lets any process, on any
machine, finish what another one began.
"""

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

import msgspec

from sparks.model.errors import BadInput, BadSignature, NotSignedIn
from sparks.model.keyring import Keyring
from sparks.model.times import unix

PURPOSE: Final = "oidc state"
GOOD_FOR: Final = 600  # seconds
LONGEST_NEXT: Final = 1000
BEGIN_AGAIN: Final = (
    "this sign-in was begun too long ago, in another browser or window, or at another address of this site: "
    "begin it again"
)

_COOKIE: Final = re.compile(r"([A-Za-z0-9_-]{1,3000}={0,2})\.([A-Za-z0-9_-]{1,32})\.([A-Za-z0-9_-]{43})", re.ASCII)
_LOCAL: Final = re.compile(r"/(?![/\\])[!-\[\]-~]*", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """`next` is where the browser goes afterwards. With `link_to`, the identity is to be added to that account."""

    state: str
    nonce: str = field(repr=False)
    verifier: str = field(repr=False)
    next: str
    link_to: str | None = field(default=None, repr=False)
    until: int


def seal_state(state: State, *, keyring: Keyring) -> str:
    packed = urlsafe_b64encode(msgspec.json.encode(state))
    key_id, mac = keyring.sign(PURPOSE, packed)
    return f"{packed.decode()}.{key_id}.{mac}"


def unseal_state(cookie: str | None, *, keyring: Keyring, at: datetime) -> State:
    """NotSignedIn unless Sparks made the cookie, less than ten minutes ago."""
    match = _COOKIE.fullmatch(cookie or "")
    if match is None:
        raise NotSignedIn(BEGIN_AGAIN)
    packed = match[1].encode()
    try:
        keyring.verify(PURPOSE, packed, match[2], match[3])
    except BadSignature as error:
        raise NotSignedIn(BEGIN_AGAIN) from error
    state = msgspec.json.decode(urlsafe_b64decode(packed), type=State)
    if state.until <= unix(at):
        raise NotSignedIn(BEGIN_AGAIN)
    return state


def local_path(text: str) -> str:
    """A path of this site, with its query: BadInput for whatever a browser might take for another site's address."""
    if len(text) > LONGEST_NEXT or _LOCAL.fullmatch(text) is None:
        raise BadInput(f"`next` is not a path of this site, as /albums, of at most {LONGEST_NEXT} characters")
    return text
