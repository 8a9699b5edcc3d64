"""Tags: counted, listed and renamed, in every state of their photos."""

from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparks.library.photos.photo_rows import read_photo
from sparks.library.photos.reconcile_links import reconcile_links
from sparks.library.records import key_of, to_item
from sparks.library.tags import begin_rename, find_rename, list_tagged, list_tags, rename_some, tags_with_prefix
from sparks.model.errors import BadInput, NotFound
from sparks.model.ids import random_id
from sparks.model.photo import Photo, PhotoState, Visibility
from sparks.model.photo_index import Expiry
from sparks.model.scope import COMMUNITY, Scope, scope_of_owner
from sparks.model.system_records import TagRename
from sparks.model.text_validation import MAX_TAGS, renamed_tag, tag_key
from sparks.table.port import Key, Put, Table
from tests.factories import ANN, BOB, NOON, a_photo

MINE: Final = scope_of_owner(ANN)


def hang(table: Table, **more: Any) -> Photo:
    photo = a_photo(**more)
    table.write(Put(to_item(photo)))
    reconcile_links(photo.image_id, photo.owner, table=table)
    return photo


def listed(table: Table, scope: Scope = MINE, start: str = "", limit: int = 100) -> list[tuple[str, int]]:
    tags: list[tuple[str, int]] = []
    after: Key | None = None
    while True:
        some, after = list_tags(scope, start=start, limit=limit, after=after, table=table)
        tags += some
        if after is None:
            return tags
        assert len(some) == limit


def tagged(table: Table, tag: str, scope: Scope = MINE) -> list[str]:
    rows, _ = list_tagged(tag, scope, sees=lambda _: True, limit=100, after=None, table=table)
    return [row["PK"] for row in rows]


def tags_now(table: Table, photo: Photo) -> tuple[str, ...]:
    now = read_photo(key_of(photo), table=table)
    assert now is not None
    return now.tags


def renamed(table: Table, tag: str, name: str, *, most: int = 100) -> TagRename:
    change = begin_rename(ANN, tag, name, at=NOON, table=table)
    while change.finished_at is None:
        change, _ = rename_some(find_rename(change.change_id, table=table), most=most, at=NOON, table=table)
    return change


# -- Lists


def test_tags_are_counted_for_the_owner_and_for_the_community(table: Table) -> None:
    hang(table, tags=("Sea", "Sand"))
    hang(table, tags=("sea",), visibility=Visibility.PRIVATE)
    hang(table, tags=("SEA",), owner=BOB)
    hang(table, tags=("sea",), state=PhotoState.TRASHED)
    assert listed(table) == [("sand", 1), ("sea", 2)]
    assert listed(table, COMMUNITY, limit=1) == [("sand", 1), ("sea", 2)]


def test_tags_with_a_prefix_are_found_ignoring_case(table: Table) -> None:
    hang(table, tags=("Sea", "seaside", "Sand", "Übersee"))
    assert listed(table, start="SE", limit=1) == [("sea", 1), ("seaside", 1)]
    assert tags_with_prefix("üb", MINE, limit=5, table=table) == [("übersee", 1)]
    assert (listed(table, start="\u0007"), len(listed(table, start="  "))) == ([], 4)


def test_photos_with_a_tag_are_a_list_newest_first(table: Table) -> None:
    mine = [hang(table, tags=("Sea",)) for _ in range(3)]
    private = hang(table, tags=("sea",), visibility=Visibility.PRIVATE)
    bobs = hang(table, tags=("sea",), owner=BOB)
    hang(table, tags=("sand",))
    assert tagged(table, "SEA") == [private.image_id, *(photo.image_id for photo in reversed(mine))]
    assert tagged(table, "sea", COMMUNITY) == [bobs.image_id, *(photo.image_id for photo in reversed(mine))]
    assert (tagged(table, "nothing"), tagged(table, "\u0007")) == ([], [])


def test_a_list_that_is_behind_shows_no_photo_that_lost_its_tag(table: Table) -> None:
    photo = hang(table, tags=("sea",))
    table.write(Put(to_item(a_photo(image_id=photo.image_id, tags=("sand",)))))
    assert tagged(table, "sea") == []


# -- Other names


@given(st.lists(st.sampled_from(["sea", "Sea", "sand", "SAND", "sun"]), max_size=5, unique_by=tag_key))
def test_a_renamed_tag_keeps_its_place_and_is_there_once(tags: list[str]) -> None:
    after = renamed_tag(tags, "sea", "Sand")
    assert len({tag_key(tag) for tag in after}) == len(after) <= len(tags)
    had = {tag_key(tag) for tag in tags}
    assert {tag_key(tag) for tag in after} == ({"sand" if key == "sea" else key for key in had})
    assert ("Sand" in after) == ("sea" in had or "Sand" in tags)


def test_a_rename_changes_the_tag_on_all_photos_of_its_owner(any_table: Table) -> None:
    owner, other = f"{random_id()}@x.example", f"{random_id()}@x.example"
    photos = [hang(any_table, owner=each, tags=("Sea", "sun")) for each in (owner, other)]
    change = begin_rename(owner, "SEA", "Ocean", at=NOON, table=any_table)
    change, changed = rename_some(change, most=10, at=NOON, table=any_table)
    assert (change.photos, change.done, change.failed, change.finished_at) == (1, 1, 0, NOON)
    assert [(photo.image_id, photo.tags, photo.version) for photo in changed] == [
        (photos[0].image_id, ("Ocean", "sun"), 2)
    ]
    assert listed(any_table, scope_of_owner(owner)) == [("ocean", 1), ("sun", 1)]
    assert tags_now(any_table, photos[1]) == ("Sea", "sun")


def test_two_tags_become_one(table: Table) -> None:
    both, one, other = (hang(table, tags=tags) for tags in (("sea", "Ocean"), ("ocean",), ("Sea",)))
    renamed(table, "sea", "ocean")
    assert [tags_now(table, photo) for photo in (both, one, other)] == [("ocean",)] * 3
    assert (listed(table), listed(table, COMMUNITY)) == ([("ocean", 3)], [("ocean", 3)])


def test_a_rename_can_change_the_case_of_a_tag(table: Table) -> None:
    photo = hang(table, tags=("sea",))
    assert renamed(table, "sea", "Sea").done == 1
    assert (tags_now(table, photo), listed(table)) == (("Sea",), [("sea", 1)])
    with pytest.raises(NotFound):
        begin_rename(ANN, "nothing", "Sea", at=NOON, table=table)


@pytest.mark.parametrize("state", [PhotoState.TRASHED, PhotoState.PENDING, PhotoState.FAILED])
def test_tags_of_unlisted_photos_are_renamed_too(table: Table, state: PhotoState) -> None:
    photo = hang(table, tags=("sea",), state=state)
    renamed(table, "sea", "ocean")
    assert tags_now(table, photo) == ("ocean",)


def test_tags_of_photos_with_an_expiry_are_renamed_too(table: Table) -> None:
    until = NOON.replace(year=2090)
    photo = hang(table, tags=("sea",), expires_at=until)
    table.write(Put(to_item(Expiry(image_id=photo.image_id, owner=ANN, expires_at=until))))
    renamed(table, "sea", "ocean")
    assert tags_now(table, photo) == ("ocean",)


def test_many_photos_are_renamed_some_at_a_time_wherever_it_is_interrupted(table: Table) -> None:
    photos = [hang(table, tags=("sea",)) for _ in range(7)]
    change = begin_rename(ANN, "sea", "ocean", at=NOON, table=table)
    change, changed = rename_some(change, most=3, at=NOON, table=table)
    assert (change.photos, change.done, len(changed), change.finished_at) == (7, 3, 3, None)
    rename_some(change, most=2, at=NOON, table=table)  # and killed before it was recorded
    again = find_rename(change.change_id, table=table)
    while again.finished_at is None:
        again, _ = rename_some(again, most=2, at=NOON, table=table)
    assert {tags_now(table, photo) for photo in photos} == {("ocean",)}
    assert (listed(table), rename_some(again, most=2, at=NOON, table=table)) == ([("ocean", 7)], (again, []))


def test_a_tag_of_an_imported_photo_with_too_many_tags_can_be_renamed(table: Table) -> None:
    tags = ("sea", *(f"t{n}" for n in range(MAX_TAGS + 5)))
    photo = hang(table, tags=tags)
    renamed(table, "sea", "ocean")
    assert tags_now(table, photo) == ("ocean", *tags[1:])


@pytest.mark.parametrize("name", ["", "  ", "x" * 51, "a\u0007b"])
def test_an_invalid_tag_is_refused_as_a_new_name(table: Table, name: str) -> None:
    hang(table, tags=("sea",))
    with pytest.raises(BadInput):
        begin_rename(ANN, "sea", name, at=NOON, table=table)


def test_an_unknown_rename_is_not_found(table: Table) -> None:
    with pytest.raises(NotFound):
        find_rename("nothing", table=table)
