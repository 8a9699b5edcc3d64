"""Payloads of live events, as far as one caller may see their subject.

An event of an album goes to those who are members when it is sent; membership is read by key.

A guest gets events of photos that they see, and of photos that they saw and that leave the album. Where a link shows
photos of certain persons, the persons in the photo decide about that. The persons of a deleted photo are not known any
more, so the guest hears that the album has changed, but not which photo it was.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

import msgspec

from sparks.feed.event_reader import ScopeEvent
from sparks.library import keys
from sparks.library.authorized_reads import may_see
from sparks.library.live_events import ALBUM, PEOPLE, PHOTO, EventPhoto
from sparks.library.records import key_of, read_items
from sparks.model.audience import GuestReach, is_in_album, reach_of, reaches
from sparks.model.caller import Caller, GuestCaller, Member
from sparks.model.photo import Photo, PhotoState
from sparks.model.times import iso
from sparks.table.port import Key, Table

BLOCK: Final = "event: {}\nid: {}\ndata: {}\n\n"


class EventPayloads:
    """Renderer of events for one caller, at a time."""

    def __init__(self, caller: Caller, *, at: datetime, table: Table) -> None:
        self._caller = caller
        self._at = at
        self._table = table
        self._reach = reach_of(caller.link, caller.guest, at) if isinstance(caller, GuestCaller) else GuestReach.ALL

    def render(self, events: Sequence[ScopeEvent], *, position: str) -> str:
        """The events as blocks of an SSE stream. No id is beyond `position`, to which the stream has been read."""
        albums = self._albums_among(
            album for event in events for album in (*event.albums, event.joined) if album is not None
        )
        rows = self._table.get_many([keys.photo(*event.photo) for event in events if event.photo is not None])
        photos = {key_of(photo): photo for photo in read_items(Photo, rows.values())}
        blocks = (
            BLOCK.format(kind, min(event.event_id, position), msgspec.json.encode(data).decode())
            for event in events
            for kind, data in self._payloads(event, albums, photos)
        )
        return "".join(blocks)

    def _payloads(
        self, event: ScopeEvent, albums: frozenset[str], photos: Mapping[Key, Photo]
    ) -> Iterator[tuple[str, dict[str, Any]]]:
        visible = [album for album in event.albums if album in albums]
        if event.joined is not None:
            yield ALBUM, {"albumId": event.joined} | ({} if event.joined in albums else {"gone": True})
        elif event.kind == PEOPLE:
            if self._reach is not GuestReach.NOTHING and (visible or not event.albums):
                yield PEOPLE, {}
        elif event.photo is not None and not event.albums:
            yield PHOTO, self._of_photo(event.photo, photos.get(keys.photo(*event.photo)))
        else:
            payloads = (self._of_album(album, event.photo, photos) for album in visible)
            yield from ((ALBUM, payload) for payload in payloads if payload is not None)

    def _of_photo(self, named: EventPhoto, photo: Photo | None) -> dict[str, Any]:
        seen = photo is not None and may_see(self._caller, photo, at=self._at, table=self._table)
        if photo is None or not seen:
            return _gone(named)
        payload = photo_payload(photo)
        if isinstance(self._caller, Member):
            return payload
        return {name: value for name, value in payload.items() if name != "uploadedBy"}

    def _of_album(self, album_id: str, named: EventPhoto | None, photos: Mapping[Key, Photo]) -> dict[str, Any] | None:
        """None where the caller must not get the event."""
        if named is None:
            return {"albumId": album_id}
        photo = photos.get(keys.photo(*named))
        shown = photo is not None and is_in_album(photo, album_id)
        payload = self._of_photo(named, photo) if shown else _gone(named)
        if "gone" in payload and isinstance(self._caller, GuestCaller) and self._reach is not GuestReach.ALL:
            return self._left(album_id, named, photo, self._caller)
        return {"albumId": album_id, "photo": payload}

    def _left(self, album_id: str, named: EventPhoto, photo: Photo | None, guest: GuestCaller) -> dict[str, Any] | None:
        """The event of a photo that left. None before the album is revealed, and for a photo that the guest did not
        see.
        """
        if self._reach is GuestReach.NOTHING:
            return None
        if photo is None or photo.state is PhotoState.DELETING:
            return {"albumId": album_id}
        uploaded = photo.guest_id == guest.guest.guest_id
        saw = uploaded or reaches(guest.link, guest.guest, photo.persons, self._at)
        return {"albumId": album_id, "photo": _gone(named)} if saw else None

    def _albums_among(self, album_ids: Iterable[str]) -> frozenset[str]:
        """The albums among these that the caller is a member or guest of."""
        match self._caller:
            case Member() as member:
                rows = {keys.album_member(album_id, member.email): album_id for album_id in album_ids}
                return frozenset(rows[key] for key in self._table.get_many(list(rows)))
            case GuestCaller() as guest:
                return frozenset(album_ids) & {guest.link.album_id}
            case _:
                return frozenset()


def photo_payload(photo: Photo) -> dict[str, Any]:
    payload = {
        "imageId": photo.image_id,
        "assetType": photo.asset_type,
        "uploadedBy": photo.owner,
        "visibility": photo.visibility,
        "version": photo.version,
        "processingStatus": photo.processing_status,
        "processingError": photo.processing_error,
        "status": photo.face_status,
        "faceCount": photo.face_count,
        "month": photo.month,
        "trashedAt": None if photo.trashed_at is None else iso(photo.trashed_at),
    }
    return {name: value for name, value in payload.items() if value is not None}


def _gone(named: EventPhoto) -> dict[str, Any]:
    return {"imageId": named.image_id, "gone": True}
