"""Favourites: marked once, by whoever is there, on a photo that is there."""

from dataclasses import replace

import pytest

from sparks.blobs.memory import MemoryBlobs
from sparks.library import keys
from sparks.library.erasure import begin_deletion, erase_photo
from sparks.library.photos import favourites_among, set_favourite, unset_favourite
from sparks.library.records import from_item
from sparks.model.errors import ConditionFailed, NotFound
from sparks.model.photo import Photo
from sparks.model.pointer import Favourite
from sparks.model.share import who_is_guest
from sparks.table.port import Check, Present, Table
from tests.factories import ANN, BOB, NOON, a_photo
from tests.library.photos.making import LATER, kept
from tests.library.tables import Meddled
from tests.traces import traces_of

GUEST = who_is_guest("guest1")


def mark_of(photo: Photo, who: str, table: Table) -> Favourite | None:
    item = table.get(keys.favourite(photo.image_id, who))
    return None if item is None else from_item(Favourite, item)


@pytest.mark.parametrize("who", [BOB, GUEST])
def test_a_photo_is_marked_once_and_unmarked(table: Table, who: str) -> None:
    photo = kept(table)
    for at in (NOON, LATER):
        set_favourite(photo.image_id, ANN, who, at=at, table=table)
    assert mark_of(photo, who, table) == Favourite(image_id=photo.image_id, owner=ANN, who=who, created_at=NOON)
    assert favourites_among([a_photo().image_id, photo.image_id], who, table=table) == {photo.image_id}
    assert favourites_among([photo.image_id], ANN, table=table) == frozenset()
    for _ in range(2):
        unset_favourite(photo.image_id, who, table=table)
    assert mark_of(photo, who, table) is None


def test_a_photo_that_is_gone_or_on_its_way_out_is_not_marked(any_table: Table) -> None:
    photo = kept(any_table)
    for gone in (a_photo(), replace(photo, owner=BOB)):
        with pytest.raises(NotFound):
            set_favourite(gone.image_id, gone.owner, GUEST, at=NOON, table=any_table)
    begin_deletion(photo, table=any_table)
    with pytest.raises(NotFound):
        set_favourite(photo.image_id, ANN, GUEST, at=NOON, table=any_table)
    assert mark_of(photo, GUEST, any_table) is None


def test_a_photo_that_is_deleted_this_moment_keeps_no_mark(table: Table) -> None:
    photo, blobs = kept(table), MemoryBlobs()
    meddled = Meddled(table, lambda: erase_photo(photo, table=table, blobs=blobs))
    with pytest.raises(NotFound):
        set_favourite(photo.image_id, ANN, GUEST, at=NOON, table=meddled)
    assert traces_of(photo.image_id, table=table, blobs=blobs) == []


def test_what_else_must_hold_does_so_before_anything_is_marked(table: Table) -> None:
    """Whoever is being removed marks nothing more."""
    photo, removed = kept(table), Check(keys.user(BOB), (Present(),))
    with pytest.raises(ConditionFailed) as failed:
        set_favourite(photo.image_id, ANN, BOB, at=NOON, also=(removed,), table=table)
    assert failed.value.position == 0
    assert mark_of(photo, BOB, table) is None
