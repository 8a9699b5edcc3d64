"""Signed URLs of renditions, each valid for one viewer.

One signature covers all renditions of a photo for one viewer: the session, key, token or guest that the URL was made
for. It proves only that Sparks made the URL. Every use checks again who the viewer is and whether they may see the
photo.

`until` is rounded to whole periods, counted from a time that differs by photo. So a photo keeps its URL for a period
and browsers can cache the picture, but not all URLs change in the same second. A URL is valid for one to two periods.
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
    """The kinds of viewers, each by its letter in the URL."""

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
    """The credential that a URL was made for. `id` is that of the session or key, the subject of an OIDC token, or for
    a guest `{linkId}_{guestId}`.
    """

    kind: ViewerKind
    id: str


@dataclass(frozen=True, slots=True)
class MediaGrant:
    """The content of a signed URL: a photo, a viewer, and the end of its validity."""

    image_id: str
    viewer: Viewer
    until: datetime


def viewer_of(caller: Member | GuestCaller) -> Viewer:
    if isinstance(caller, GuestCaller):
        return Viewer(ViewerKind.GUEST, f"{caller.link.link_id}_{caller.guest.guest_id}")
    return Viewer(ViewerKind[caller.via.kind.upper()], caller.via.id)


def media_urls(
    image_id: str, viewer: Viewer, *, sizes: Iterable[str] = _SIZES, now: datetime, keyring: Keyring
) -> dict[str, str]:
    """The URL of each rendition, by its name, for the cost of one signature."""
    query = sign_media(image_id, viewer, now=now, keyring=keyring)
    return {size: f"/media/{image_id}/{size}?{query}" for size in sizes}


def sign_media(image_id: str, viewer: Viewer, *, now: datetime, keyring: Keyring) -> str:
    """The query string for the URLs of all renditions of the photo."""
    return MediaSigner(viewer, now=now, keyring=keyring).query(image_id)


class MediaSigner:
    """Signer of the photos of a list for one viewer. What is the same for all photos is computed once."""

    def __init__(self, viewer: Viewer, *, now: datetime, keyring: Keyring) -> None:
        self._period = PERIODS[viewer.kind]
        self._now = unix(now)
        self._viewer = f"viewer={_format_viewer(viewer)}"
        self._by = f"by={keyring.current}"
        self._sign = keyring.signer(PURPOSE)

    def query(self, image_id: str) -> str:
        """As `sign_media`, for this photo."""
        signed = f"{self._viewer}&until={_until(image_id, self._period, self._now)}&{self._by}"
        signature = self._sign(f"{image_id}\n{signed}".encode())
        return f"{signed}&signature={signature}"


def verify_media(image_id: str, query: str, *, now: datetime, keyring: Keyring) -> MediaGrant:
    """The grant of a query that `sign_media` made for this photo. BadSignature for any other query, also where
    parameters are added, left out, re-ordered or encoded differently.
    """
    match = _QUERY.fullmatch(query)
    if match is None:
        raise BadSignature("this address was not made by Sparks, or was changed: take a new one from a list of photos")
    signed, viewer, until, key_id, signature = match.groups()
    keyring.verify(PURPOSE, f"{image_id}\n{signed}".encode(), key_id, signature)
    if int(until) <= unix(now):
        raise BadSignature("this address has expired: ask for the photo again, and take the new one")
    return MediaGrant(image_id, _parse_viewer(viewer), from_unix(int(until)))


def _until(image_id: str, period: int, now: int) -> int:
    start = crc32(image_id.encode()) % period
    return ((now - start) // period + 2) * period + start


def _format_viewer(viewer: Viewer) -> str:
    """The subject of a token may be any text, and is base64-encoded; ids are written as they are."""
    text = f"{viewer.kind}.{_encode(viewer.id) if viewer.kind is ViewerKind.TOKEN else viewer.id}"
    if _VIEWER.fullmatch(text) is None:
        raise BadInput(f"a URL cannot hold this viewer: {text[:40]!r}")
    return text


def _parse_viewer(text: str) -> Viewer:
    """The opposite of `_format_viewer`, for a text whose signature was verified."""
    letter, _, id_text = text.partition(".")
    kind = ViewerKind(letter)
    return Viewer(kind, _decode(id_text) if kind is ViewerKind.TOKEN else id_text)


def _encode(text: str) -> str:
    return urlsafe_b64encode(text.encode()).rstrip(b"=").decode()


def _decode(text: str) -> str:
    return urlsafe_b64decode(text + "=" * (-len(text) % 4)).decode()
