"""What a guest is told of themselves, and of the link that they came through."""

from pydantic import Field

from sparks.api.shapes import Answer, Time
from sparks.model.album import Album
from sparks.model.caller import GuestCaller
from sparks.model.share import Caps, LinkPermission


class Room(Answer):
    """What this guest may still upload; left out where that has no end. `types` are those that are taken, not all."""

    photos: int | None = None
    bytes: int | None = None
    types: list[str] | None = None


class GuestAnswer(Answer):
    guest_id: str
    link_id: str
    name: str | None = None
    album_id: str
    title: str
    allow: list[LinkPermission]
    asks_name: bool
    moderated: bool = Field(description="Others see what you upload once the host has approved it.")
    show_metadata: bool
    reveal_at: Time | None = Field(None, description="From then on you see what others brought.")
    expires_at: Time | None = None
    photos: int = Field(description="How many of yours are there.")
    room: Room
    persons: list[str] = Field(description="Who the link is about; those who you are, by your selfie, where it is not.")


def guest_answer(caller: GuestCaller, album: Album) -> GuestAnswer:
    link, guest = caller.link, caller.guest
    return GuestAnswer(
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
        room=room_of(caller),
        persons=list(link.persons or guest.persons),
    )


def room_of(caller: GuestCaller) -> Room:
    """The lesser of what is left for all, and for them."""
    link, guest, caps = caller.link, caller.guest, caller.link.caps or Caps()
    own_photos = None if caps.guest_photos is None else caps.guest_photos - guest.photo_count
    own_bytes = None if caps.guest_bytes is None else caps.guest_bytes - guest.byte_count
    return Room(
        photos=_least(link.photos_left, own_photos),
        bytes=_least(link.bytes_left, own_bytes),
        types=list(caps.types) or None,
    )


def _least(*amounts: int | None) -> int | None:
    known = [amount for amount in amounts if amount is not None]
    return max(0, min(known)) if known else None
