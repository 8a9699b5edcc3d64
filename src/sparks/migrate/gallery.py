"""Rows of the gallery's three tables, turned into neutral records with their issues.

A row is a mapping as PostgreSQL's `to_jsonb` makes it: times are text, numbers without a fraction are ints.
"""

import json
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, Final

from sparks.library.people.source_faces import box_of
from sparks.library.records import attribute_names
from sparks.library.upload_limits.account_limit import MAX_AMOUNT
from sparks.migrate.records import (
    PHOTOS_LEFT,
    RENDITIONS,
    Issue,
    Row,
    SourceAlbum,
    SourceFace,
    SourcePerson,
    SourcePhoto,
    SourceRecord,
    SourceUser,
)
from sparks.model.account import User, account_email
from sparks.model.album import Album
from sparks.model.errors import BadInput
from sparks.model.migration import ALBUMS, PERSONS, PHOTOS, USERS
from sparks.model.photo import Photo
from sparks.model.text_validation import checked_name

SOURCE_COLUMNS: Final = "sourceColumns"  # the attribute with the columns that describe a photo's bytes
DESCRIBING: Final = ("s3_key", "thumbnail_key", "mime_type", "file_size", "width", "height")
MAX_ROW_BYTES: Final = 400_000  # a row of Sparks has some kilobytes more, for its names and renditions
MAX_SHOWN: Final = 1000  # characters of a value in an issue
TABLE_ATTRIBUTES: Final = frozenset({"PK", "SK", "entityType", "uploadedBy", "ttl"})  # keys, indexes and expiry of rows
MAX_DEPTH: Final = 16  # of a value in a column that Sparks does not know
MAX_DIGITS: Final = 38
USUAL_NUMBER: Final = 10**19
SHORT: Final = 20  # at most so many characters of null, a boolean or a usual number

NO_ADDRESS: Final = (
    "this user has no e-mail address that can be an account's: give one in a CSV file (user_id,email) to `retry`"
)
TOO_LARGE: Final = "this row is larger than 400 kB, which no row of Sparks can be: shorten this column in the source"
NO_TIME: Final = "this time is outside the years 1 to 9999: the row is taken without it"
NO_BOX: Final = "a face without a place in its photo: recognition finds the person there, or does not"
AMONG_OTHERS: Final = (
    "{} photos show this person together with others, and the source does not say which face is whose: recognition "
    "assigns them, and you can correct it"
)
UNNAMED: Final = re.compile(r"person\d+", re.IGNORECASE)
NO_TAGS: Final = "tags are a list of texts: the row is taken without what is none"

_KNOWN: Final = {
    USERS: frozenset({"id", "email", "username", "created_at", PHOTOS_LEFT}),
    ALBUMS: frozenset({"id", "user_id", "title", "description", "created_at", "updated_at"}),
    PHOTOS: frozenset(
        {
            "id",
            "user_id",
            "album_id",
            "original_filename",
            "title",
            "description",
            "alt_text",
            "tags",
            "created_at",
            "updated_at",
            RENDITIONS,
            *DESCRIBING,
        }
    ),
}

_RESERVED: Final = {
    table: attribute_names(kind) | TABLE_ATTRIBUTES for table, kind in ((USERS, User), (ALBUMS, Album), (PHOTOS, Photo))
}


def user_of(row: Row, *, address: str | None = None) -> SourceUser:
    """`address` is one that the operator gave for this user instead of the row's."""
    most = _max_bytes(row)
    email, found = _address(row, address)
    issues = [*found, *_size_issues(USERS, row, most)]
    return SourceUser(
        id=row["id"],
        email=email,
        username=row.get("username") or (email or "").partition("@")[0],
        photos_left=_amount(row.get(PHOTOS_LEFT)),
        created_at=_time(USERS, row, "created_at", issues),
        extra=_unknown(USERS, row),
        empty=_empty(USERS, row),
        issues=tuple(issues),
        max_bytes=most,
    )


def album_of(row: Row) -> SourceAlbum:
    most = _max_bytes(row)
    issues = _size_issues(ALBUMS, row, most)
    return SourceAlbum(
        id=row["id"],
        user_id=row["user_id"],
        title=row.get("title") or "",
        description=row.get("description"),
        created_at=_time(ALBUMS, row, "created_at", issues),
        updated_at=_time(ALBUMS, row, "updated_at", issues),
        extra=_unknown(ALBUMS, row),
        empty=_empty(ALBUMS, row),
        issues=tuple(issues),
        max_bytes=most,
    )


def photo_of(row: Row) -> SourcePhoto:
    most = _max_bytes(row)
    issues = _size_issues(PHOTOS, row, most)
    columns = {name: row[name] for name in DESCRIBING if row.get(name) is not None}
    return SourcePhoto(
        id=row["id"],
        user_id=row["user_id"],
        album_id=row.get("album_id"),
        object_key=row["s3_key"],
        original_filename=row.get("original_filename"),
        title=row.get("title"),
        description=row.get("description"),
        alt_text=row.get("alt_text"),
        tags=_tags(row, issues),
        created_at=_time(PHOTOS, row, "created_at", issues),
        updated_at=_time(PHOTOS, row, "updated_at", issues),
        renditions=row.get(RENDITIONS) or {},
        columns=columns,
        extra={SOURCE_COLUMNS: columns} | _unknown(PHOTOS, row),
        empty=_empty(PHOTOS, row),
        issues=tuple(issues),
        max_bytes=most,
    )


def person_of(row: Row) -> SourcePerson:
    """A person is unnamed where the name is the id, or one that the old service gave by itself."""
    issues = [] if not row["among_others"] else [_among_others(row)]
    name, found = _name(row)
    return SourcePerson(
        id=row["id"],
        display_name=name,
        created_at=_time(PERSONS, row, "created_at", issues),
        canonical_id=row.get("canonical"),
        faces=tuple(_faces(row, issues)),
        alone_in=tuple(row["alone_in"]),
        issues=(*issues, *found),
    )


def _name(row: Row) -> tuple[str | None, list[Issue]]:
    name = row.get("display_name")
    if name is None or UNNAMED.fullmatch(name) is not None:
        return None, []
    try:
        return checked_name(name), []
    except BadInput as error:
        return None, [Issue(PERSONS, row["id"], "display_name", name, f"{error}: taken without it", taken=True)]


def _faces(row: Row, issues: list[Issue]) -> Iterator[SourceFace]:
    """Those with a box."""
    for face in row["faces"]:
        box = box_of(face["bbox"])
        if box is None:
            issues.append(Issue(PERSONS, row["id"], "bbox", face["bbox"], NO_BOX, taken=True))
        else:
            yield SourceFace(face["photo_id"], face["face_id"], box)


def _among_others(row: Row) -> Issue:
    number = row["among_others"]
    return Issue(PERSONS, row["id"], "photos", number, AMONG_OTHERS.format(number), taken=True)


def record_of(table: str, row: Row) -> SourceRecord:
    parse: dict[str, Callable[[Row], SourceRecord]] = {
        USERS: user_of,
        ALBUMS: album_of,
        PHOTOS: photo_of,
        PERSONS: person_of,
    }
    return parse[table](row)


def _address(row: Row, given: str | None) -> tuple[str | None, list[Issue]]:
    try:
        return account_email(given or row.get("email") or ""), []
    except BadInput:
        return None, [Issue(USERS, row["id"], "email", row.get("email"), NO_ADDRESS, taken=False)]


def _amount(value: Any) -> int | None:
    """A number of photos; None where the value is none."""
    is_number = isinstance(value, int | Decimal) and not isinstance(value, bool) and value == int(value)
    return max(0, int(value)) if is_number and value <= MAX_AMOUNT else None


def _time(table: str, row: Row, column: str, issues: list[Issue]) -> datetime | None:
    """To the millisecond, as Sparks keeps times."""
    text = row.get(column)
    if text is None:
        return None
    try:
        time = datetime.fromisoformat(text)
        time = time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
    except (ValueError, OverflowError):
        issues.append(Issue(table, row["id"], column, text, NO_TIME, taken=True))
        return None
    return time.replace(microsecond=time.microsecond // 1000 * 1000)


def _tags(row: Row, issues: list[Issue]) -> tuple[str, ...]:
    tags = row.get("tags")
    if tags is None:
        return ()
    texts = tuple(tag for tag in tags if isinstance(tag, str)) if isinstance(tags, list) else ()
    if not isinstance(tags, list) or len(texts) < len(tags):
        issues.append(Issue(PHOTOS, row["id"], "tags", storable(tags), NO_TAGS, taken=True))
    return texts


def _size_issues(table: str, row: Row, most: int) -> list[Issue]:
    """`most` is at least as much as the row has."""
    if most <= MAX_ROW_BYTES:
        return []
    sizes = {name: len(_text(value).encode()) for name, value in row.items()}
    if sum(sizes.values()) <= MAX_ROW_BYTES:
        return []
    largest = max(sizes, key=lambda name: sizes[name])
    return [Issue(table, row["id"], largest, f"{sizes[largest]:,} bytes", TOO_LARGE, taken=False)]


def _max_bytes(row: Row) -> int:
    """At least as many bytes as the row has, found without encoding it."""
    return 4 * sum([len(value) if isinstance(value, str) else _max_length(value) for value in row.values()])


def _max_length(value: Any) -> int:
    is_short = value is None or (isinstance(value, int) and -USUAL_NUMBER < value < USUAL_NUMBER)
    if is_short or value in ([], {}):
        return SHORT
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return SHORT + sum(len(each) + SHORT for each in value)
    return len(_text(value))


def _unknown(table: str, row: Row) -> dict[str, Any]:
    """Columns that the gallery's description lacks. One with the name of an attribute of Sparks gets a prefix."""
    others = [name for name in row if name not in _KNOWN[table] and row[name] is not None]
    return {_attribute(table, name): storable(row[name]) for name in others}


def _empty(table: str, row: Row) -> frozenset[str]:
    """Attributes of such columns without a value."""
    others = [name for name in row if row[name] is None and name not in _KNOWN[table]]
    return frozenset(_attribute(table, name) for name in others)


def _attribute(table: str, column: str) -> str:
    return f"source_{column}" if column in _RESERVED[table] else column


def storable(value: Any) -> Any:
    """The value as a row of Sparks can hold it: what no row can hold becomes its JSON text."""
    return value if _is_storable(value, MAX_DEPTH) else _text(value)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _is_storable(value: Any, depth: int) -> bool:
    match value:
        case str() | bool():
            return True
        case int() | Decimal():
            return len(Decimal(value).as_tuple().digits) <= MAX_DIGITS and abs(Decimal(value).adjusted()) < 100
        case list():
            return depth > 0 and all(_is_storable(each, depth - 1) for each in value)
        case dict():
            return depth > 0 and all(name and _is_storable(each, depth - 1) for name, each in value.items())
    return False


def issue_rows(record: SourceRecord) -> Iterator[dict[str, Any]]:
    """The issues of a record as attributes of a row."""
    for issue in record.issues:
        held = {"field": issue.field, "reason": issue.reason, "taken": issue.taken}
        yield held if issue.value is None else held | {"value": _shown(issue.value)}


def _shown(value: Any) -> Any:
    """The value as a row holds it; of a long one, its beginning."""
    text = _text(value)
    return storable(value) if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}.."
