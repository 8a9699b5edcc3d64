"""Who uploads, and what follows from that: a member keeps what they bring; a guest's belongs to the album's host."""

from dataclasses import dataclass
from typing import Any, Final

from sparks.api.album_changes import AlbumChanges
from sparks.api.gate import Gate
from sparks.api.upload_shapes import AboutPhoto
from sparks.auth.rates import Rate
from sparks.library.access import album_for
from sparks.library.albums import NO_ALBUM, Place, check_sortable
from sparks.media.kinds import Kind
from sparks.model.access import SIGN_IN, Action
from sparks.model.caller import GuestCaller, Member, Who, name_of
from sparks.model.errors import BadInput, NotFound, NotSignedIn, UnsupportedType
from sparks.model.photo import Visibility
from sparks.model.share import Caps
from sparks.table.port import Table
from sparks.upload.wish import Takes, Wish, anything

FOR_MEMBERS: Final = "guests cannot say who sees a photo, when it expires, or its tags: leave that out"
NO_LENGTH: Final = "say how many bytes come: send the file with its Content-Length"
NOT_TAKEN: Final = "this link takes {} only, and this is {}"


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be reserved, the album that it is put into, and the guest who brings it, if it is one."""

    wish: Wish
    into: Place | None
    guest: GuestCaller | None = None


class Uploaders:
    def __init__(self, *, gate: Gate, albums: AlbumChanges, table: Table, visibility: Visibility) -> None:
        self._gate = gate
        self._albums = albums
        self._table = table
        self._visibility = visibility

    def plan(self, who: Who, about: AboutPhoto, size: int | None, **more: Any) -> Plan:
        """Of a file of this size, if anybody knows it. NotFound or NotAllowed where they may not put it there."""
        match who:
            case Member():
                wish = about.wish(who.email, size or 0, visibility=self._visibility, **more)
                return Plan(wish, self._albums.place_for(who, about.album_id))
            case GuestCaller():
                return self._of_guest(who, about, size, **more)
        raise NotSignedIn(SIGN_IN)

    def _of_guest(self, who: GuestCaller, about: AboutPhoto, size: int | None, **more: Any) -> Plan:
        """[Note: one's own] Nothing that a guest is told depends on what the host, or anybody else, has already: so
        the same bytes are compared with theirs alone.
        """
        if about.visibility is not None or about.expires_at is not None or about.tags:
            raise BadInput(FOR_MEMBERS)
        if size is None:
            raise BadInput(NO_LENGTH)
        link, guest = who.link, who.guest
        if about.album_id not in (None, link.album_id):
            raise NotFound(NO_ALBUM)
        if more.get("mime_type"):
            check_taken(link.caps, more["mime_type"])
        self._gate.count_guest(who, Rate.GUEST_UPLOADS, Rate.LINK_UPLOADS)
        at = self._gate.now()
        album = album_for(who, Action.UPLOAD_PHOTO, link.album_id, at=at, table=self._table).album
        check_sortable(album, more=1)
        told: dict[str, Any] = {"guest_id": guest.guest_id, "uploader_tag": guest.name, **more}
        wish = about.wish(album.owner, size, visibility=Visibility.PRIVATE, **told)
        into = Place(album_id=album.album_id, by=name_of(who), at=at, approved=not link.moderated)
        return Plan(wish, into, who)


def takes_of(who: Who) -> Takes:
    """Which files this uploader may bring, of those that Sparks takes."""
    if not isinstance(who, GuestCaller) or who.link.caps is None:
        return anything
    caps = who.link.caps
    return lambda kind: check_kind(caps, kind)


def check_kind(caps: Caps, kind: Kind) -> None:
    if not caps.takes(kind.mime):
        raise UnsupportedType(NOT_TAKEN.format(", ".join(caps.types), kind.mime))


def check_taken(caps: Caps | None, mime_type: str) -> None:
    """By what the uploader says; its bytes are looked at later."""
    told = mime_type.lower()
    if caps is not None and told.startswith(("image/", "video/")) and not caps.takes(told):
        raise UnsupportedType(NOT_TAKEN.format(", ".join(caps.types), told[:100]))
