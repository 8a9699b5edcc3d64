"""Response bodies for guests, and for hosts about their links and guests' uploads."""

import io
from base64 import b64encode
from collections.abc import Iterable
from datetime import datetime
from typing import Any, Final

import segno
from pydantic import Field

from sparks.actions.moderation import ModerationStatus
from sparks.api.http.base_models import ResponseModel, Time
from sparks.api.photos.responses import failure
from sparks.model.album import Album
from sparks.model.caller import GuestCaller
from sparks.model.errors import SparksError
from sparks.model.photo import Photo
from sparks.model.share import LinkCaps, LinkPermission, ShareLink
from sparks.model.times import has_passed

QR_SCALE: Final = 8  # pixels of a module in the PNG
QR_BORDER: Final = 4  # white modules around the code, which readers need

# -- Share links, for hosts


class CapsResponse(ResponseModel):
    photos: int | None = None
    bytes: int | None = None
    guest_photos: int | None = None
    guest_bytes: int | None = None
    types: list[str] | None = None


class LinkResponse(ResponseModel):
    """A link and its use: the number of guests who opened it, and the photos and bytes that they uploaded."""

    link_id: str
    album_id: str
    allow: list[LinkPermission]
    has_password: bool
    expires_at: Time | None = None
    expired: bool
    reveal_at: Time | None = None
    moderated: bool
    show_metadata: bool
    ask_name: bool
    caps: CapsResponse | None = None
    persons: list[str]
    guests: int
    photos: int
    bytes: int
    created_by: str
    created_at: Time


class QrCodeResponse(ResponseModel):
    """The code as an SVG drawing, for a page or a file, and as a PNG picture in base64."""

    svg: str
    png: str


class NewLinkResponse(LinkResponse):
    """`secret`, `url` and `qr` are returned only once. The part of the URL after the # appears in no log."""

    secret: str
    url: str
    qr: QrCodeResponse


class LinkList(ResponseModel):
    """The newest first."""

    links: list[LinkResponse]


def link_response(link: ShareLink, at: datetime) -> LinkResponse:
    return LinkResponse(**_link_fields(link, at))


def new_link_response(link: ShareLink, at: datetime, *, secret: str, url: str) -> NewLinkResponse:
    return NewLinkResponse(**_link_fields(link, at), secret=secret, url=url, qr=qr_code(url))


def _link_fields(link: ShareLink, at: datetime) -> dict[str, Any]:
    return {
        "link_id": link.link_id,
        "album_id": link.album_id,
        "allow": sorted(link.allow),
        "has_password": link.password_hash is not None,
        "expires_at": link.expires_at,
        "expired": has_passed(link.expires_at, at=at),
        "reveal_at": link.reveal_at,
        "moderated": link.moderated,
        "show_metadata": link.show_metadata,
        "ask_name": link.ask_name,
        "caps": None if link.caps is None else _caps_response(link.caps),
        "persons": list(link.persons),
        "guests": link.guest_count,
        "photos": link.photo_count,
        "bytes": link.byte_count,
        "created_by": link.created_by,
        "created_at": link.created_at,
    }


def _caps_response(caps: LinkCaps) -> CapsResponse:
    return CapsResponse(
        photos=caps.photos,
        bytes=caps.bytes,
        guest_photos=caps.guest_photos,
        guest_bytes=caps.guest_bytes,
        types=list(caps.types) or None,
    )


def qr_code(url: str) -> QrCodeResponse:
    """A code of error correction level M, or of a higher level that fits into the same size."""
    code = segno.make_qr(url, error="m", boost_error=True)
    picture = io.BytesIO()
    code.save(picture, kind="png", scale=QR_SCALE, border=QR_BORDER)
    svg = code.svg_inline(border=QR_BORDER, omitsize=True, light="#fff", svgclass=None, lineclass=None)
    return QrCodeResponse(svg=_with_namespace(svg), png=b64encode(picture.getvalue()).decode())


def _with_namespace(svg: str) -> str:
    """An inline SVG needs no namespace, one in a file does."""
    return svg.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)


# -- Guests


class LinkPreviewResponse(ResponseModel):
    """The album's cover as a blur: callers get no URL before they open the link."""

    thumbhash: str = Field(description="In base64.")
    aspect_ratio: float | None = None


class ClosedLinkResponse(ResponseModel):
    """A link before it is opened. If it has a password, only the first three fields are there."""

    title: str
    asks_password: bool
    asks_name: bool
    host: str | None = Field(default=None, description="Name of the album's owner.")
    allow: list[LinkPermission] | None = None
    reveal_at: Time | None = None
    expires_at: Time | None = None
    cover: LinkPreviewResponse | None = None


def link_preview(cover: Photo | None) -> LinkPreviewResponse | None:
    """None without a thumbhash."""
    if cover is None or cover.thumbhash is None:
        return None
    return LinkPreviewResponse(thumbhash=b64encode(cover.thumbhash).decode(), aspect_ratio=cover.aspect_ratio)


class UploadQuotaResponse(ResponseModel):
    """The rest that you may upload; a number is left out if it is unlimited, `types` if all types are accepted."""

    photos: int | None = None
    bytes: int | None = None
    types: list[str] | None = None


class GuestResponse(ResponseModel):
    guest_id: str
    link_id: str
    name: str | None = None
    album_id: str
    title: str
    allow: list[LinkPermission]
    asks_name: bool
    moderated: bool = Field(description="Others see your uploads once the host approves them.")
    show_metadata: bool
    reveal_at: Time | None = Field(None, description="From then on you see the uploads of others.")
    expires_at: Time | None = None
    photos: int = Field(description="The number of your uploads that still exist.")
    room: UploadQuotaResponse
    persons: list[str] = Field(
        description="The persons whom the link shows; without these, the persons of your selfie."
    )


class OpenedLinkResponse(GuestResponse):
    """`token` is for programs, as `Authorization: Bearer`; browsers get it as a cookie. A guest who opened the link
    before, and sends the old token or cookie, stays the same guest.
    """

    token: str


def guest_response(caller: GuestCaller, album: Album) -> GuestResponse:
    link, guest = caller.link, caller.guest
    return GuestResponse(
        guest_id=guest.guest_id,
        link_id=link.link_id,
        name=guest.name,
        album_id=album.album_id,
        title=album.title,
        allow=sorted(link.allow),
        asks_name=link.ask_name,
        moderated=link.moderated,
        show_metadata=link.show_metadata,
        reveal_at=link.reveal_at,
        expires_at=link.expires_at,
        photos=guest.photo_count,
        room=upload_quota(caller),
        persons=list(link.persons or guest.persons),
    )


def upload_quota(caller: GuestCaller) -> UploadQuotaResponse:
    """The lower of what is left for all guests of the link and for this guest."""
    link, guest, caps = caller.link, caller.guest, caller.link.caps or LinkCaps()
    own_photos = None if caps.guest_photos is None else caps.guest_photos - guest.photo_count
    own_bytes = None if caps.guest_bytes is None else caps.guest_bytes - guest.byte_count
    return UploadQuotaResponse(
        photos=_lowest(link.photos_left, own_photos),
        bytes=_lowest(link.bytes_left, own_bytes),
        types=list(caps.types) or None,
    )


def _lowest(*amounts: int | None) -> int | None:
    known = [amount for amount in amounts if amount is not None]
    return max(0, min(known)) if known else None


# -- Moderation


class ModerationResult(ResponseModel):
    """The result for one photo: a `status`, or an `error` with its `message`."""

    image_id: str
    status: ModerationStatus | None = None
    error: str | None = None
    message: str | None = None


class ModerationResponse(ResponseModel):
    results: list[ModerationResult]


def moderation_response(results: Iterable[tuple[str, ModerationStatus | SparksError]]) -> ModerationResponse:
    return ModerationResponse(results=[_moderation_result(image_id, result) for image_id, result in results])


def _moderation_result(image_id: str, result: ModerationStatus | SparksError) -> ModerationResult:
    if isinstance(result, SparksError):
        return ModerationResult(**failure(image_id, result))
    return ModerationResult(image_id=image_id, status=result)
