"""Edits of a photo: named values change, on the version that the editor saw, and no others."""

from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from sparks.library.photo_deletion import begin_deletion
from sparks.library.photos.edit_and_trash import edit_photo
from sparks.library.photos.photo_edit import UNCHANGED, BulkPhotoEdit, PhotoEdit
from sparks.library.photos.photo_rows import find_photo
from sparks.library.records import changes, key_of, to_item
from sparks.model.errors import BadInput, NotFound, VersionMismatch
from sparks.model.photo import Exif, PhotoState, ProcessingStatus, Visibility
from sparks.table.port import Delete, Put, Table
from tests.factories import NOON, a_photo
from tests.library.photos.photo_makers import LATER, kept
from tests.library.tables import Meddled

EVERY_WORD: dict[str, Any] = {"title": "Sea", "description": "Blue.", "alt_text": "the sea", "tags": ("sea", "blue")}


def test_given_fields_change_and_the_others_stay(any_table: Table) -> None:
    photo = kept(any_table, title="old", description="stays", extra={"from": "elsewhere"})
    edited = edit_photo(photo, PhotoEdit(title="new", tags=("Sea",)), version=1, at=LATER, table=any_table)
    assert edited == replace(photo, title="new", tags=("Sea",), version=2, updated_at=LATER, last_modified=LATER)
    assert find_photo(photo.image_id, table=any_table) == edited


@pytest.mark.parametrize("nothing", [None, "", "  "])
def test_an_empty_text_clears_the_field(table: Table, nothing: str | None) -> None:
    photo = kept(table, **EVERY_WORD)
    edit = PhotoEdit(title=nothing, description=nothing, alt_text=nothing, tags=None if nothing is None else (nothing,))
    edited = edit_photo(photo, edit, version=1, at=LATER, table=table)
    assert (edited.title, edited.description, edited.alt_text, edited.tags) == (None, None, None, ())
    assert {"title", "description", "altText"}.isdisjoint(table.get(key_of(photo)) or {})


def test_an_edit_that_names_nothing_changes_nothing_but_the_version(table: Table) -> None:
    photo = kept(table, **EVERY_WORD)
    assert all(getattr(PhotoEdit(), field.name) is UNCHANGED for field in fields(PhotoEdit))
    edited = edit_photo(photo, PhotoEdit(), version=1, at=LATER, table=table)
    assert edited == replace(photo, version=2, updated_at=LATER, last_modified=LATER)


@pytest.mark.parametrize(
    "words", [{"title": "x" * 256}, {"description": "x" * 5001}, {"alt_text": "x" * 256}, {"tags": ("x" * 51,)}]
)
def test_words_that_are_too_long_are_refused(words: dict[str, Any]) -> None:
    with pytest.raises(BadInput, match="has at most"):
        PhotoEdit(**words).applied_to(a_photo())


MANY = tuple(f"tag {n}" for n in range(200))
ODD = ("", " ", "x" * 3000, "a#b", "tab\there", "\x01", "\u202e", "sea", "sea", "Sea", *MANY)


def test_tags_from_elsewhere_are_kept_to_the_letter_and_may_be_removed_one_by_one() -> None:
    photo = a_photo(tags=ODD, description="x" * 65_536)
    assert PhotoEdit(title="Sea").applied_to(photo) == replace(photo, title="Sea")
    assert PhotoEdit(tags=ODD).applied_to(photo) == photo
    assert PhotoEdit(tags=ODD[1:]).applied_to(photo).tags == ODD[1:]
    assert PhotoEdit(tags=("sea", "sea", "sea")).applied_to(photo).tags == ("sea", "sea")
    assert PhotoEdit(tags=("new", "a#b", "NEW", "SEA", "sea")).applied_to(photo).tags == ("new", "a#b", "sea")
    assert BulkPhotoEdit(visibility=Visibility.PRIVATE).applied_to(photo).tags == ODD
    assert BulkPhotoEdit(remove_tags=("", "tag 7")).applied_to(photo).tags == tuple(
        tag for tag in ODD if tag not in ("", "tag 7")
    )


@pytest.mark.parametrize("tags", [(*MANY, "new"), ("\x02",), ("x" * 51,)])
def test_new_tags_have_limits_whatever_the_photo_has(tags: tuple[str, ...]) -> None:
    with pytest.raises(BadInput):
        PhotoEdit(tags=tags).applied_to(a_photo(tags=ODD))


# -- When it was taken


def test_a_time_is_kept_in_utc_and_no_finer_than_it_is_stored(table: Table) -> None:
    photo = kept(table)
    taken = datetime(2024, 1, 1, 1, 30, 0, 123456, timezone(timedelta(hours=2)))
    edited = edit_photo(photo, PhotoEdit(taken_at=taken, taken_offset="+02:00"), version=1, at=LATER, table=table)
    assert edited.taken_at == datetime(2023, 12, 31, 23, 30, 0, 123000, UTC)
    assert edited.month == "2024-01"
    assert find_photo(photo.image_id, table=table) == edited


def test_a_corrected_clock_leaves_the_offset_and_no_time_has_none(table: Table) -> None:
    photo = kept(table, taken_at=NOON, taken_offset="-03:00")
    moved = edit_photo(photo, PhotoEdit(taken_at=LATER), version=1, at=LATER, table=table)
    assert (moved.taken_at, moved.taken_offset) == (LATER, "-03:00")
    cleared = edit_photo(moved, PhotoEdit(taken_at=None), version=2, at=LATER, table=table)
    assert (cleared.taken_at, cleared.taken_offset) == (None, None)
    alone = edit_photo(cleared, PhotoEdit(taken_offset="+01:00"), version=3, at=LATER, table=table)
    assert alone.taken_offset is None


@pytest.mark.parametrize("edit", [{"taken_offset": "2h"}, {"taken_at": datetime(2024, 1, 1)}])  # noqa: DTZ001
def test_an_invalid_time_or_offset_is_refused(edit: dict[str, Any]) -> None:
    with pytest.raises(BadInput):
        PhotoEdit(**edit)


# -- Who sees it


def test_a_private_photo_leaves_the_feed_in_the_same_write(table: Table) -> None:
    photo = kept(table)
    edit_photo(photo, PhotoEdit(visibility=Visibility.PRIVATE), version=1, at=LATER, table=table)
    item = table.get(key_of(photo))
    assert item is not None
    assert (item["entityType"], item["visibility"]) == ("IMAGE_PRIVATE", "private")


def test_a_photo_that_is_finished_while_it_is_made_private_is_not_shown(table: Table) -> None:
    """The editor saw it pending, and its type does not tell then who may see it."""
    photo = kept(table, state=PhotoState.PENDING, processing_status=ProcessingStatus.PROCESSING)
    ready = replace(photo, state=PhotoState.READY, processing_status=ProcessingStatus.COMPLETED, title="from the file")
    meddled = Meddled(table, lambda: table.write(changes(photo, ready)))
    edit_photo(photo, PhotoEdit(visibility=Visibility.PRIVATE), version=1, at=LATER, table=meddled)
    now = find_photo(photo.image_id, table=table)
    assert now == replace(ready, visibility=Visibility.PRIVATE, version=2, updated_at=LATER, last_modified=LATER)


# -- Which version


def test_a_version_mismatch_names_the_current_version(any_table: Table) -> None:
    photo = kept(any_table)
    now = edit_photo(photo, PhotoEdit(title="first"), version=1, at=LATER, table=any_table)
    with pytest.raises(VersionMismatch, match="at version 2 now") as mismatch:
        edit_photo(photo, PhotoEdit(title="second"), version=1, at=LATER, table=any_table)
    assert mismatch.value.current_version == 2
    with pytest.raises(VersionMismatch):
        edit_photo(now, PhotoEdit(title="third"), version=3, at=LATER, table=any_table)
    assert find_photo(photo.image_id, table=any_table) == now


def test_editing_a_deleted_photo_is_not_found(any_table: Table) -> None:
    photo = kept(any_table)
    any_table.write(Delete(key_of(photo)))
    with pytest.raises(NotFound):
        edit_photo(photo, PhotoEdit(title="late"), version=1, at=LATER, table=any_table)
    assert any_table.get(key_of(photo)) is None


def test_editing_a_photo_that_is_being_deleted_is_not_found(any_table: Table) -> None:
    photo = kept(any_table)
    begin_deletion(photo, table=any_table)
    with pytest.raises(NotFound):
        edit_photo(photo, PhotoEdit(title="late"), version=1, at=LATER, table=any_table)


def test_editing_an_expired_photo_is_not_found(table: Table) -> None:
    photo = kept(table, expires_at=LATER)
    with pytest.raises(NotFound):
        edit_photo(photo, PhotoEdit(title="late"), version=1, at=LATER, table=table)
    assert edit_photo(photo, PhotoEdit(title="in time"), version=1, at=NOON, table=table).title == "in time"


def test_an_imported_row_has_the_first_version(any_table: Table) -> None:
    photo = a_photo()
    item = to_item(photo)
    for name in ("version", "visibility", "processingStatus", "tags"):
        del item[name]
    any_table.write(Put(item))
    edited = edit_photo(photo, PhotoEdit(title="mine"), version=1, at=LATER, table=any_table)
    assert (edited.title, edited.version) == ("mine", 2)
    with pytest.raises(VersionMismatch):
        edit_photo(photo, PhotoEdit(title="again"), version=1, at=LATER, table=any_table)


def test_faces_that_are_found_meanwhile_do_not_disturb_an_edit(table: Table) -> None:
    photo = kept(table)
    found = replace(photo, persons=("person1",), face_count=1)
    edit_photo(
        photo,
        PhotoEdit(title="new"),
        version=1,
        at=LATER,
        table=Meddled(table, lambda: table.write(changes(photo, found))),
    )
    now = find_photo(photo.image_id, table=table)
    assert now is not None
    assert (now.title, now.persons, now.face_count) == ("new", ("person1",), 1)


@pytest.mark.parametrize("time", [datetime(2020, 1, 1, tzinfo=UTC), None])
def test_a_time_that_people_set_no_longer_comes_from_the_file(table: Table, time: datetime | None) -> None:
    photo = kept(table, taken_at=NOON, exif=Exif(camera="Canon EOS 5D", taken_from="file"))
    edited = edit_photo(photo, PhotoEdit(taken_at=time), version=1, at=LATER, table=table)
    assert edited.exif == Exif(camera="Canon EOS 5D")
    assert find_photo(photo.image_id, table=table) == edited
