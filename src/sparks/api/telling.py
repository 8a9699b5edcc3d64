"""What somebody is told of what has happened, as blocks of a stream: as it is now, and as far as they see it.

Whose albums they are is read by key: an event of an album is told to whoever is a member of it by then.

[Note: what guests saw] A guest hears of photos that they see, and of those that leave and that they saw. Where a link
shows photos of certain persons, whom the photo shows tells that; of one that is deleted nobody knows it any more, so
they hear that the album is another, and not which photo it was.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

import msgspec

from sparks.feed.live import Heard
from sparks.library import keys
from sparks.library.access import may_see
from sparks.library.live import ALBUM, PEOPLE, PHOTO, Named
from sparks.library.records import from_item
from sparks.model.caller import GuestCaller, Member, Who
from sparks.model.photo import Photo, PhotoState
from sparks.model.share import Reach, reach_of, reaches
from sparks.model.times import iso
from sparks.table.port import Key, Table

BLOCK: Final = "event: {}\nid: {}\ndata: {}\n\n"


class Teller:
    """Tells one caller, now."""

    def __init__(self, who: Who, *, at: datetime, table: Table) -> None:
        self._who = who
        self._at = at
        self._table = table
        self._reach = reach_of(who.link, who.guest, at) if isinstance(who, GuestCaller) else Reach.ALL

    def blocks(self, heard: Sequence[Heard], *, position: str) -> str:
        """One after the other; none of them goes beyond the position that they have come to."""
        albums = self._albums_among(
            album for each in heard for album in (*each.albums, each.joined) if album is not None
        )
        rows = self._table.get_many([keys.photo(*each.photo) for each in heard if each.photo is not None])
        photos = {key: from_item(Photo, row) for key, row in rows.items()}
        told = (
            BLOCK.format(kind, min(each.event_id, position), msgspec.json.encode(data).decode())
            for each in heard
            for kind, data in self._told(each, albums, photos)
        )
        return "".join(told)

    def _told(
        self, heard: Heard, albums: frozenset[str], photos: Mapping[Key, Photo]
    ) -> Iterator[tuple[str, dict[str, Any]]]:
        theirs = [album for album in heard.albums if album in albums]
        if heard.joined is not None:
            yield ALBUM, {"albumId": heard.joined} | ({} if heard.joined in albums else {"gone": True})
        elif heard.kind == PEOPLE:
            if self._reach is not Reach.NOTHING and (theirs or not heard.albums):
                yield PEOPLE, {}
        elif heard.photo is not None and not heard.albums:
            yield PHOTO, self._of_photo(heard.photo, photos.get(keys.photo(*heard.photo)))
        else:
            told = (self._of_album(album, heard.photo, photos) for album in theirs)
            yield from ((ALBUM, each) for each in told if each is not None)

    def _of_photo(self, named: Named, photo: Photo | None) -> dict[str, Any]:
        seen = photo is not None and may_see(self._who, photo, at=self._at, table=self._table)
        if photo is None or not seen:
            return _gone(named)
        told = told_of(photo)
        return told if isinstance(self._who, Member) else {name: told[name] for name in told if name != "uploadedBy"}

    def _of_album(self, album_id: str, named: Named | None, photos: Mapping[Key, Photo]) -> dict[str, Any] | None:
        """None: what the caller is not to hear of."""
        if named is None:
            return {"albumId": album_id}
        photo = photos.get(keys.photo(*named))
        shown = photo is not None and photo.state is PhotoState.READY and album_id in photo.albums
        told = self._of_photo(named, photo) if shown else _gone(named)
        if "gone" in told and isinstance(self._who, GuestCaller) and self._reach is not Reach.ALL:
            return self._left(album_id, named, photo, self._who)
        return {"albumId": album_id, "photo": told}

    def _left(self, album_id: str, named: Named, photo: Photo | None, guest: GuestCaller) -> dict[str, Any] | None:
        """Before an album is revealed, its guests do not hear that others bring something, or take it away."""
        if self._reach is Reach.NOTHING:
            return None
        if photo is None or photo.state is PhotoState.DELETING:
            return {"albumId": album_id}
        brought = photo.guest_id == guest.guest.guest_id
        saw = brought or reaches(guest.link, guest.guest, photo.persons, self._at)
        return {"albumId": album_id, "photo": _gone(named)} if saw else None

    def _albums_among(self, album_ids: Iterable[str]) -> frozenset[str]:
        """Those that are the caller's."""
        match self._who:
            case Member() as member:
                places = {keys.album_member(album_id, member.email): album_id for album_id in album_ids}
                return frozenset(places[key] for key in self._table.get_many(list(places)))
            case GuestCaller() as guest:
                return frozenset(album_ids) & {guest.link.album_id}
            case _:
                return frozenset()


def told_of(photo: Photo) -> dict[str, Any]:
    told = {
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
    return {name: value for name, value in told.items() if value is not None}


def _gone(named: Named) -> dict[str, Any]:
    return {"imageId": named.image_id, "gone": True}
