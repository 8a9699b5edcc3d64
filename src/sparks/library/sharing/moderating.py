"""Whether what a guest brings waits for the host: as their link says once the bytes have come.

[Note: when it counts] A reservation lasts for a day, and the host may switch moderation on meanwhile, for those who are
in already. So the link is asked again by whoever makes the reservation a photo, and in that transaction it must still
say the same. Before it nobody sees the photo: it may be put into the queue one step earlier.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from sparks.library import keys
from sparks.library.albums.adding import queue_reserved
from sparks.library.photos.finding import read_photo
from sparks.library.photos.writing import as_read
from sparks.library.records import from_item, key_of
from sparks.library.sharing.counting import CLOSED
from sparks.model.errors import NotFound, NotSignedIn
from sparks.model.photo import Photo
from sparks.model.share import GuestPhoto, ShareLink, who_is_guest
from sparks.table.port import Check, Table


def as_link_says(photo: Photo, *, table: Table) -> tuple[Photo, Sequence[Check]]:
    """A reserved photo as it is now, in the queue if a guest brings it by a link that is moderated; and what must still
    be so when it becomes a photo. NotSignedIn where the link is gone.
    """
    row = None if photo.guest_id is None else table.get(keys.guest_photo(photo.image_id, photo.guest_id))
    if row is None:
        return photo, ()
    brought = from_item(GuestPhoto, row)
    item = table.get(keys.share_link(brought.link_id))
    if item is None:
        raise NotSignedIn(CLOSED)
    link = from_item(ShareLink, item)
    if link.moderated:
        photo = _queued(photo, link, by=who_is_guest(brought.guest_id), table=table)
    return photo, (Check(key_of(link), as_read(item, ("moderated",))),)


def _queued(photo: Photo, link: ShareLink, *, by: str, table: Table) -> Photo:
    with suppress(NotFound):  # it was given up: whoever confirms it is told what to do then
        queue_reserved(photo, link.album_id, by=by, table=table)
    now = read_photo(key_of(photo), table=table)
    return photo if now is None else replace(photo, albums=now.albums, albums_version=now.albums_version)
