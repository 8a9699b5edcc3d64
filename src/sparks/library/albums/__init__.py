"""Albums: made, shared with members, filled with photos, and deleted, which never deletes a photo.

A row in the photo's partition puts it into an album; the photo's own row says so too, and decides who sees it. Months,
persons and counters follow from that, as they follow a photo (`photos.settling`, `people.settling`).
"""

from sparks.library.albums.adding import (
    Place,
    Placed,
    add_photo,
    approve_photo,
    carry_over,
    find_place,
    place_new,
    queue_reserved,
    remove_photo,
)
from sparks.library.albums.finding import (
    NO_ALBUM,
    JoinedAlbum,
    albums_joined_by,
    albums_of,
    find_album,
    find_albums,
    find_joined,
    owned_albums,
)
from sparks.library.albums.leaving import begin_album_deletion, clear_album, tell_member, withdraw_member
from sparks.library.albums.making import (
    AlbumEdit,
    check_sortable,
    choose_cover,
    edit_album,
    make_album,
    switch_faces_in,
)
from sparks.library.albums.members import drop_member, find_member, members_of, set_member
from sparks.library.albums.ordering import move_photos, rows_in_order

__all__ = [
    "NO_ALBUM",
    "AlbumEdit",
    "JoinedAlbum",
    "Place",
    "Placed",
    "add_photo",
    "albums_joined_by",
    "albums_of",
    "approve_photo",
    "begin_album_deletion",
    "carry_over",
    "check_sortable",
    "choose_cover",
    "clear_album",
    "drop_member",
    "edit_album",
    "find_album",
    "find_albums",
    "find_joined",
    "find_member",
    "find_place",
    "make_album",
    "members_of",
    "move_photos",
    "owned_albums",
    "place_new",
    "queue_reserved",
    "remove_photo",
    "rows_in_order",
    "set_member",
    "switch_faces_in",
    "tell_member",
    "withdraw_member",
]
