"""Changes: from one value to another, and nothing beside it."""

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings

from sparks.library.records import changes, key_of, to_item
from sparks.model.errors import BadInput, ConditionFailed
from sparks.model.photo import Photo, PhotoState
from sparks.table.memory import MemoryTable
from sparks.table.port import Put
from tests.factories import NOON, a_photo
from tests.strategies import values_of


@settings(max_examples=15, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(values_of(Photo), values_of(Photo))
def test_changes_turn_one_photo_into_another_and_keep_other_attributes(before: Photo, other: Photo) -> None:
    after = replace(other, image_id=before.image_id, owner=before.owner)
    table = MemoryTable()
    table.write(Put(to_item(before) | {"writtenMeanwhile": 1}))
    table.write(changes(before, after))
    item = table.get(key_of(before))
    assert item == to_item(after) | {"writtenMeanwhile": 1}


def test_changes_hold_only_what_changed() -> None:
    photo = a_photo(title="Sea", description="Calm")
    change = changes(photo, replace(photo, title="Lake", description=None, version=2))
    assert change.values == {"title": "Lake", "version": 2}
    assert change.remove == {"description"}


def test_trashing_takes_a_photo_out_of_every_list_but_the_trash() -> None:
    photo = a_photo()
    change = changes(photo, replace(photo, state=PhotoState.TRASHED, trashed_at=NOON + timedelta(days=1)))
    assert change.values == {"entityType": "IMAGE_TRASHED#ann@example.com", "trashedAt": "2025-08-02T12:00:00.000Z"}
    assert change.remove == {"uploadedBy"}


def test_changes_never_create_a_deleted_row() -> None:
    photo = a_photo()
    with pytest.raises(ConditionFailed):
        MemoryTable().write(changes(photo, replace(photo, title="Sea")))


def test_changes_of_another_row_are_refused() -> None:
    with pytest.raises(BadInput):
        changes(a_photo(), a_photo())
