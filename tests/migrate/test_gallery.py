"""Rows of the gallery as neutral records, with their issues."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, Final

import pytest

from sparks.migrate.gallery import album_of, issue_rows, photo_of, storable, user_of

ID: Final = "0d3b1b3e-6f1f-4a63-9d0e-3f1c2b4a5d6e"
USER: Final = "1d3b1b3e-6f1f-4a63-9d0e-3f1c2b4a5d6e"


def a_row(**columns: Any) -> dict[str, Any]:
    """A row of `gallery_images`."""
    return {
        "id": ID,
        "user_id": USER,
        "album_id": None,
        "original_filename": "a.jpg",
        "mime_type": "image/jpeg",
        "file_size": 1,
        "s3_key": "images/a.jpg",
        "tags": None,
        "created_at": "2024-02-29T12:30:15.678901+00:00",
        "updated_at": None,
        **columns,
    }


def issues(record: Any) -> list[tuple[str, Any, bool]]:
    return [(each.field, each.value, each.taken) for each in record.issues]


def test_texts_are_taken_to_the_letter() -> None:
    texts = {"title": " a\n\tb ", "description": "e\u0301" * 6000, "alt_text": "", "original_filename": "../a\\b.jpg"}
    photo = photo_of(a_row(**texts))
    assert {name: getattr(photo, name) for name in texts} == texts
    assert photo.issues == ()


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("2024-02-29T12:30:15.678901+00:00", datetime(2024, 2, 29, 12, 30, 15, 678000, tzinfo=UTC)),
        ("2024-02-29T12:30:15+05:45", datetime(2024, 2, 29, 6, 45, 15, tzinfo=UTC)),
        ("2024-02-29T12:30:15", datetime(2024, 2, 29, 12, 30, 15, tzinfo=UTC)),
        ("0001-01-01T00:00:00+00:00", datetime(1, 1, 1, tzinfo=UTC)),
        ("9999-12-31T23:59:59.999999+00:00", datetime(9999, 12, 31, 23, 59, 59, 999000, tzinfo=UTC)),
        (None, None),
    ],
)
def test_a_time_is_taken_to_the_millisecond(text: str | None, time: datetime | None) -> None:
    photo = photo_of(a_row(created_at=text))
    assert (photo.created_at, photo.issues) == (time, ())


@pytest.mark.parametrize(
    "text",
    [
        "infinity",
        "-infinity",
        "0044-03-15T00:00:00+00:00 BC",
        "12025-01-01T00:00:00+00:00",
        "0001-01-01T00:00:00+01:00",
    ],
)
def test_a_time_outside_of_the_calendar_is_an_issue_and_the_row_is_taken_without_it(text: str) -> None:
    photo = photo_of(a_row(created_at=text, updated_at=text))
    assert (photo.created_at, photo.updated_at, photo.is_taken) == (None, None, True)
    assert issues(photo) == [("created_at", text, True), ("updated_at", text, True)]


@pytest.mark.parametrize(
    ("tags", "taken", "is_issue"),
    [
        (None, (), False),
        ([], (), False),
        (["a", "a", ""], ("a", "a", ""), False),
        ([1, "two", None, ["x"]], ("two",), True),
        ({"a": 1}, (), True),
        ("sea", (), True),
        (7, (), True),
    ],
)
def test_tags_are_the_texts_of_a_list(tags: Any, taken: tuple[str, ...], is_issue: bool) -> None:
    photo = photo_of(a_row(tags=tags))
    assert photo.tags == taken
    assert issues(photo) == ([("tags", storable(tags), True)] if is_issue else [])


def test_a_row_of_more_than_400_kb_is_not_taken_and_its_largest_column_is_named() -> None:
    photo = photo_of(a_row(description="ä" * 210_000, title="x"))
    [(field, value, taken)] = issues(photo)
    assert (field, taken) == ("description", False)
    assert "420,000 bytes" in value
    assert photo_of(a_row(description="ä" * 190_000)).is_taken


@pytest.mark.parametrize("email", [None, "", "no address", "a@b@c", "guest:x"])
def test_a_user_without_an_address_is_not_taken_unless_one_was_given(email: str | None) -> None:
    row = {"id": USER, "email": email, "username": None, "created_at": None}
    assert issues(user_of(row)) == [("email", email, False)]
    given = user_of(row, address="ann@example.com")
    assert (given.email, given.username, given.issues) == ("ann@example.com", "ann", ())


def test_an_address_is_that_of_the_account_and_names_a_user_without_a_name() -> None:
    row = {"id": USER, "email": " Ann@Example.COM ", "username": "", "created_at": None}
    user = user_of(row)
    assert (user.email, user.username) == ("ann@example.com", "ann")


def test_unknown_columns_are_kept_beside_the_attributes_of_sparks() -> None:
    row = a_row(version=3, status="x", PK="x", ttl=5, colour="red", size=Decimal("1.5"), nothing=None)
    photo = photo_of(row)
    kept = {name: value for name, value in photo.extra.items() if name != "sourceColumns"}
    assert kept == {
        "source_version": 3,
        "source_status": "x",
        "source_PK": "x",
        "source_ttl": 5,
        "colour": "red",
        "size": Decimal("1.5"),
    }
    assert photo.empty == {"nothing"}
    assert photo.extra_over({"nothing": 1, "other": 2, "colour": "blue"}) == {"other": 2, **photo.extra}


def test_an_album_without_a_title_has_an_empty_one() -> None:
    album = album_of({"id": ID, "user_id": USER, "title": None, "description": None, "ttl": 5, "uploadedBy": "x"})
    assert (album.title, album.issues) == ("", ())
    assert album.extra == {"source_ttl": 5, "source_uploadedBy": "x"}


@pytest.mark.parametrize("value", [{"": 1}, [None], 10**40, {"a": {"b": None}}, Decimal("1e200")])
def test_a_value_that_no_row_can_hold_is_kept_as_its_text(value: Any) -> None:
    assert isinstance(storable(value), str)


def test_an_issue_shows_the_beginning_of_a_long_value() -> None:
    [shown] = issue_rows(photo_of(a_row(tags={"x": "y" * 5000})))
    assert shown["value"].startswith('{"x": "yyy')
    assert len(shown["value"]) < 1100
