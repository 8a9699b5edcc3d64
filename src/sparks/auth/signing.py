"""Signed addresses of a photo's renditions: `/media/{imageId}/{size}?viewer=..&until=..&by={key id}&signature=..`.

One signature covers all renditions of a photo, for one viewer: whatever let the caller in who was given the address.
It proves that Sparks made the address, and no more. Who the viewer is by now, and whether they may see the photo, is
asked at every use.

[Note: rounded] `until` is a whole number of periods behind a moment that is the photo's own. So a photo keeps its
address for a period, and browsers keep the picture; but not all photos change theirs in the same second. An address is
good for one to two periods.
"""

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final
from zlib import crc32

from sparks.model.caller import GuestCaller, Member
from sparks.model.errors import BadInput, BadSignature
from sparks.model.keyring import Keyring
from sparks.model.photo import Rendition
from sparks.model.times import from_unix, unix

PURPOSE: Final = "media address"
DAY: Final = 24 * 60 * 60
QUARTER_HOUR: Final = 15 * 60

_SIZES: Final = tuple(size.value for size in Rendition)
_VIEWER: Final = re.compile(r"[skog]\.[A-Za-z0-9_-]{1,400}", re.ASCII)
_QUERY: Final = re.compile(
    rf"(viewer=({_VIEWER.pattern})&until=([0-9]{{1,11}})&by=([A-Za-z0-9_-]{{1,32}}))&signature=([A-Za-z0-9_-]{{43}})",
    re.ASCII,
)


class ViewerKind(StrEnum):
    """The letter that an address has for it."""

    SESSION = "s"
    KEY = "k"
    TOKEN = "o"  # noqa: S105  a letter
    GUEST = "g"


PERIODS: Final = {
    ViewerKind.SESSION: DAY,
    ViewerKind.KEY: DAY,
    ViewerKind.TOKEN: QUARTER_HOUR,
    ViewerKind.GUEST: QUARTER_HOUR,
}


@dataclass(frozen=True, slots=True)
class Viewer:
    """What let somebody in. `id` is that of the session or key, the subject of the issuer's token, or for a guest
    `{linkId}_{guestId}`.
    """

    kind: ViewerKind
    id: str


@dataclass(frozen=True, slots=True)
class MediaGrant:
    """What an address that Sparks made says: this photo, for this viewer, until then."""

    image_id: str
    viewer: Viewer
    until: datetime


def viewer_of(who: Member | GuestCaller) -> Viewer:
    if isinstance(who, GuestCaller):
        return Viewer(ViewerKind.GUEST, f"{who.link.link_id}_{who.guest.guest_id}")
    return Viewer(ViewerKind[who.via.kind.upper()], who.via.id)


def media_urls(
    image_id: str, viewer: Viewer, *, sizes: Iterable[str] = _SIZES, now: datetime, keyring: Keyring
) -> dict[str, str]:
    """The address of each rendition, by its name, for the cost of one signature."""
    query = sign_media(image_id, viewer, now=now, keyring=keyring)
    return {size: f"/media/{image_id}/{size}?{query}" for size in sizes}


def sign_media(image_id: str, viewer: Viewer, *, now: datetime, keyring: Keyring) -> str:
    """The query string that any rendition's address has behind its path."""
    return MediaSigner(viewer, now=now, keyring=keyring).query(image_id)


class MediaSigner:
    """Signs the photos of a list, for one viewer: what is the same for all of them is worked out once."""

    def __init__(self, viewer: Viewer, *, now: datetime, keyring: Keyring) -> None:
        self._period = PERIODS[viewer.kind]
        self._now = unix(now)
        self._viewer = f"viewer={_written(viewer)}"
        self._by = f"by={keyring.current}"
        self._sign = keyring.signer(PURPOSE)

    def query(self, image_id: str) -> str:
        """What `sign_media` gives for this photo."""
        signed = f"{self._viewer}&until={_until(image_id, self._period, self._now)}&{self._by}"
        signature = self._sign(f"{image_id}\n{signed}".encode())
        return f"{signed}&signature={signature}"


def verify_media(image_id: str, query: str, *, now: datetime, keyring: Keyring) -> MediaGrant:
    """What `sign_media` granted with this query for this photo, or BadSignature. It is taken as it was made only:
    nothing added, left out, re-ordered or written in another way.
    """
    match = _QUERY.fullmatch(query)
    if match is None:
        raise BadSignature("this is no address that Sparks made: take it from a list of photos, and change nothing")
    signed, viewer, until, key_id, signature = match.groups()
    keyring.verify(PURPOSE, f"{image_id}\n{signed}".encode(), key_id, signature)
    if int(until) <= unix(now):
        raise BadSignature("this address has expired: ask for the photo again, and take the new one")
    return MediaGrant(image_id, _read_viewer(viewer), from_unix(int(until)))


def _until(image_id: str, period: int, now: int) -> int:
    start = crc32(image_id.encode()) % period
    return ((now - start) // period + 2) * period + start


def _written(viewer: Viewer) -> str:
    """A subject may be any text, and is wrapped up; ids are plain."""
    text = f"{viewer.kind}.{_wrapped(viewer.id) if viewer.kind is ViewerKind.TOKEN else viewer.id}"
    if _VIEWER.fullmatch(text) is None:
        raise BadInput(f"no address can name this viewer: {text[:40]!r}")
    return text


def _read_viewer(text: str) -> Viewer:
    """The opposite of `_written`; the signature vouches for the text."""
    letter, _, told = text.partition(".")
    kind = ViewerKind(letter)
    return Viewer(kind, _unwrapped(told) if kind is ViewerKind.TOKEN else told)


def _wrapped(text: str) -> str:
    return urlsafe_b64encode(text.encode()).rstrip(b"=").decode()


def _unwrapped(letters: str) -> str:
    return urlsafe_b64decode(letters + "=" * (-len(letters) % 4)).decode()
