"""The rows that should lead to a photo, as a pure function."""

from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparks.library.photos.reconcile_links import SHOWN, link_rows_of
from sparks.library.records import key_of, to_item
from sparks.model.ids import image_id_at
from sparks.model.photo import AssetType, Photo, PhotoState, Visibility
from sparks.model.photo_index import MonthLink, TagLink
from sparks.model.scope import COMMUNITY, scope_of_owner
from sparks.table.values import same_value
from tests.factories import ANN, NOON, a_photo
from tests.strategies import values_of

MINE = scope_of_owner(ANN)

photos = st.builds(
    lambda photo, offset: replace(photo, taken_offset=offset),
    values_of(Photo),
    st.sampled_from([None, "+02:00", "-11:30"]),
)


def months(photo: Photo) -> dict[str, str]:
    return {link.scope: link.month for link in link_rows_of(photo) if isinstance(link, MonthLink)}


def tags(photo: Photo, *, community: bool) -> set[str]:
    return {link.tag for link in link_rows_of(photo) if isinstance(link, TagLink) and link.community is community}


def test_a_photo_of_the_community_is_in_the_lists_of_its_owner_and_of_the_community() -> None:
    photo = a_photo(tags=("Sea", "Blue"))
    assert months(photo) == {MINE: "2025-08", COMMUNITY: "2025-08"}
    assert tags(photo, community=False) == tags(photo, community=True) == {"sea", "blue"}


def test_a_private_photo_is_in_its_owners_lists_alone() -> None:
    photo = a_photo(tags=("Sea",), visibility=Visibility.PRIVATE)
    assert months(photo) == {MINE: "2025-08"}
    assert (tags(photo, community=False), tags(photo, community=True)) == ({"sea"}, set())


@pytest.mark.parametrize("state", sorted(set(PhotoState) - {PhotoState.READY}))
def test_an_unfinished_or_hidden_photo_is_in_no_list(state: PhotoState) -> None:
    assert link_rows_of(a_photo(state=state, tags=("sea",))) == frozenset()


def test_a_photo_with_an_expiry_is_in_no_list() -> None:
    assert link_rows_of(a_photo(expires_at=NOON + timedelta(days=1))) == frozenset()


def test_a_month_goes_by_the_photographers_clock_or_by_the_upload() -> None:
    new_year = datetime(2023, 12, 31, 23, 30, tzinfo=UTC)
    assert months(a_photo(taken_at=new_year))[MINE] == "2023-12"
    assert months(a_photo(taken_at=new_year, taken_offset="+01:00"))[MINE] == "2024-01"
    assert months(a_photo(taken_at=None, uploaded_at=NOON))[MINE] == "2025-08"
    by_id = a_photo(taken_at=None, uploaded_at=None, image_id=image_id_at(new_year))
    assert months(by_id)[MINE] == "2023-12"
    assert {link.taken_at for link in link_rows_of(by_id) if isinstance(link, MonthLink)} == {new_year}


def test_a_month_row_holds_the_attributes_that_draw_the_tile() -> None:
    photo = a_photo(
        asset_type=AssetType.VIDEO,
        aspect_ratio=1.5,
        thumbhash=b"hash",
        duration=2.5,
        taken_at=NOON,
        taken_offset="+02:00",
    )
    drawn = MonthLink(
        image_id=photo.image_id,
        owner=ANN,
        scope=MINE,
        month="2025-08",
        asset_type=AssetType.VIDEO,
        aspect_ratio=1.5,
        thumbhash=b"hash",
        duration=2.5,
        taken_at=NOON,
        taken_offset="+02:00",
        counted=True,
    )
    assert drawn in link_rows_of(photo)


def test_a_photo_without_a_time_is_placed_at_its_upload() -> None:
    [link] = [link for link in link_rows_of(a_photo(visibility=Visibility.PRIVATE)) if isinstance(link, MonthLink)]
    assert link.taken_at == NOON


def test_imported_tags_are_in_one_list_each_or_none() -> None:
    photo = a_photo(tags=("Sea", "sea", "", "\0", "x" * 2000, "sea#side"))
    assert tags(photo, community=True) == {"sea", "sea#side"}


@settings(max_examples=50)
@given(photos)
def test_every_link_of_any_photo_is_a_row_of_the_photo(photo: Photo) -> None:
    links = link_rows_of(photo)
    assert {key_of(link).pk for link in links} <= {photo.image_id}
    assert len({key_of(link) for link in links}) == len(links)
    assert all(link.counted and link.owner == photo.owner and to_item(link) for link in links)


@settings(max_examples=30)
@given(photos, photos)
def test_every_attribute_that_changes_link_rows_is_watched(photo: Photo, other: Photo) -> None:
    """Or a settling that began before the change would undo the one that follows it."""
    photo = replace(photo, state=PhotoState.READY, expires_at=None)
    for field in fields(Photo):
        if field.name in {"image_id", "owner"}:
            continue
        change: dict[str, Any] = {field.name: getattr(other, field.name)}
        changed = replace(photo, **change)
        if link_rows_of(changed) != link_rows_of(photo):
            before, after = to_item(photo), to_item(changed)
            assert any(not same_value(before.get(name), after.get(name)) for name in SHOWN), field.name
