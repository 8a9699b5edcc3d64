"""Albums that imported photos come into, by their titles: those that the owner has already, or new ones."""

import threading

from sparks.library.accounts import get_user
from sparks.library.albums import Place, Placed, add_photo, find_album, make_album, owned_albums
from sparks.model.photo import Photo
from sparks.model.times import now
from sparks.table.port import Table


class AlbumsByTitle:
    """Of one owner, told apart whatever their case; the oldest of several that are called the same. One that is deleted
    meanwhile is made anew. For all threads.
    """

    def __init__(self, owner: str, *, table: Table) -> None:
        self._owner = owner
        self._table = table
        self._lock = threading.Lock()
        self._ids: dict[str, str] | None = None

    def put(self, photo: Photo, title: str) -> bool:
        """Whether it was not in that album before. BadInput for a title that no album can have; Conflict where it
        cannot be there.
        """
        place = Place(album_id=self._id_of(title), by=self._owner, at=now())
        return add_photo(photo, place, table=self._table) is not Placed.THERE

    def _id_of(self, title: str) -> str:
        name = " ".join(title.split()).casefold()
        with self._lock:
            if self._ids is None:
                albums = reversed(owned_albums(self._owner, table=self._table))
                self._ids = {album.title.casefold(): album.album_id for album in albums}
            if name not in self._ids or find_album(self._ids[name], table=self._table) is None:
                user = get_user(self._owner, table=self._table)
                self._ids[name] = make_album(user, title, at=now(), table=self._table).album_id
            return self._ids[name]
