"""Albums in a table, and a check that its rows agree."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from sparks.library.albums.album_details import create_album
from sparks.library.albums.album_lookup import find_album
from sparks.library.albums.album_photos import AddResult, AlbumPlacement, add_photo
from sparks.library.photos.reconcile_links import reconcile_links
from sparks.library.records import from_item
from sparks.model.account import User
from sparks.model.album import Album, AlbumPhoto
from sparks.model.photo import Photo, PhotoState
from sparks.table.port import Item, Table
from tests.account_makers import everything, keep
from tests.factories import ANN, NOON, a_photo, a_user


def a_member_of(table: Table, email: str = ANN) -> User:
    """A user who is a member of the album."""
    user = a_user(email)
    keep(table, user)
    return user


def an_album_in(table: Table, email: str = ANN, **more: Any) -> Album:
    return create_album(a_member_of(table, email), more.pop("title", "Sea"), at=NOON, table=table, **more)


def kept(table: Table, **changes: Any) -> Photo:
    photo = a_photo(**changes)
    keep(table, photo)
    return photo


def put(table: Table, photo: Photo, album: Album, by: str = ANN, **more: Any) -> AddResult:
    """Into the album, and counted."""
    placed = add_photo(photo, AlbumPlacement(album_id=album.album_id, by=by, at=NOON, **more), table=table)
    reconcile_links(photo.image_id, photo.owner, table=table)
    return placed


def count_of(table: Table, album: Album) -> int:
    found = find_album(album.album_id, table=table)
    assert found is not None
    return found.photo_count


# -- One look at all rows


def check_counts(items: Iterable[Item], *owners: str) -> None:
    """At every moment: an album counts the rows that say they are counted, is shown by one of them, and a photo is in
    the albums that rows put it into. With `owners`, theirs alone are looked at.
    """
    rows = [item for item in items if not owners or item.get("owner") in owners]
    places = [from_item(AlbumPhoto, item) for item in rows if is_place(item)]
    counted = Counter(place.album_id for place in places if place.counted)
    albums = {album.album_id: album for album in (from_item(Album, item) for item in rows if is_album(item))}
    for album in albums.values():
        assert album.photo_count == counted[album.album_id]
        shown = {place.image_id for place in places if place.counted and place.album_id == album.album_id}
        assert album.cover_image_id in (None, *shown)
    photos = [from_item(Photo, item) for item in rows if item["SK"].startswith("UPLOADED_BY#")]
    for photo in photos:
        if photo.state is not PhotoState.DELETING:
            theirs = [place for place in places if place.image_id == photo.image_id]
            assert photo.albums == tuple(sorted(place.album_id for place in theirs if place.shows(photo)))


def check_settled(table: Table, *albums: Album, owners: tuple[str, ...] = ()) -> None:
    """At rest: counts and months are what a recount from photos gives."""
    items = everything(table)
    check_counts(items, *owners)
    photos = [from_item(Photo, item) for item in items if item["SK"].startswith("UPLOADED_BY#")]
    for album in albums:
        seen = [photo for photo in photos if photo.state is PhotoState.READY and album.album_id in photo.albums]
        assert count_of(table, album) == len(seen)
        months = Counter(photo.month for photo in seen)
        counters = {item["SK"]: item["count"] for item in items if item["PK"] == f"TIMELINE#ALBUM#{album.album_id}"}
        assert counters == dict(months)


def is_place(item: Item) -> bool:
    return str(item.get("entityType", "")).startswith(("ALBUM_PHOTO#", "ALBUM_QUEUE#"))


def is_album(item: Item) -> bool:
    return item.get("entityType") in ("ALBUM", "ALBUM_DELETING")
