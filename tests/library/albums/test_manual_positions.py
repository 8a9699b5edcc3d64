"""Positions in an order by hand."""

from datetime import timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from sparks.library.albums.album_photos import move_photos, rows_in_order
from sparks.library.albums.manual_positions import last_position, moved_positions, position_of, spread_positions
from sparks.model.album import AlbumOrder, AlbumPhoto
from sparks.table.port import Table
from tests.factories import ANN, NOON, a_photo
from tests.library.albums.rows import an_album_in, kept, put
from tests.library.tables import Meddled

IDS = [a_photo().image_id for _ in range(8)]


def row(image_id: str, position: int | None) -> AlbumPhoto:
    return AlbumPhoto(
        image_id=image_id, owner=ANN, album_id="a", added_by=ANN, added_at=NOON, position=position, counted=True
    )


def in_order(rows: list[AlbumPhoto]) -> list[str]:
    return [each.image_id for each in sorted(rows, key=lambda each: (position_of(each), each.image_id))]


@given(positions=st.lists(st.integers(-20, 20), min_size=8, max_size=8), data=st.data())
def test_a_moved_photo_has_its_place_however_little_space_is_left(positions: list[int], data: st.DataObject) -> None:
    rows = [row(image_id, position) for image_id, position in zip(IDS, positions, strict=True)]
    before = in_order(rows)
    ordered = sorted(rows, key=lambda each: (position_of(each), each.image_id))
    moving = data.draw(st.lists(st.sampled_from(IDS), min_size=1, max_size=4, unique=True))
    anchor = data.draw(st.none() | st.sampled_from([each for each in IDS if each not in moving]))
    places = moved_positions(ordered, moving, anchor)
    after = in_order([row(each.image_id, places.get(each.image_id, each.position)) for each in rows])
    staying = [each for each in before if each not in moving]
    at = len(staying) if anchor is None else staying.index(anchor)
    assert after == [*staying[:at], *moving, *staying[at:]]


def test_moving_one_photo_is_one_write_while_there_is_space() -> None:
    rows = [row(image_id, number * 1000) for number, image_id in enumerate(IDS)]
    assert moved_positions(rows, [IDS[7]], IDS[1]) == {IDS[7]: 500}


@given(low=st.integers(-100, 100), room=st.integers(0, 50), count=st.integers(1, 60))
def test_places_lie_between_and_ascend(low: int, room: int, count: int) -> None:
    places = spread_positions(low, low + room + 1, count)
    assert bool(places) is (room >= count)
    assert sorted(set(places)) == places
    assert all(low < place < low + room + 1 for place in places)


def test_a_photo_that_is_added_later_comes_last() -> None:
    later = NOON + timedelta(milliseconds=1)
    assert last_position(NOON) < last_position(NOON, 1) < last_position(NOON, 500) < last_position(later)


def test_moving_a_photo_in_an_album_writes_one_row(any_table: Table) -> None:
    album = an_album_in(any_table, order=AlbumOrder.HAND)
    photos = [kept(any_table) for _ in range(4)]
    for number, photo in enumerate(photos):
        put(any_table, photo, album, number=number)
    writes: list[Any] = []
    counted = Meddled(any_table, *[lambda: writes.append(1)] * 10)
    assert move_photos(album.album_id, [photos[3].image_id], photos[0].image_id, table=counted) == 1
    assert len(writes) == 1
    rows = rows_in_order(album.album_id, AlbumOrder.HAND, table=any_table)
    assert [each.image_id for each in rows] == [photos[index].image_id for index in (3, 0, 1, 2)]
