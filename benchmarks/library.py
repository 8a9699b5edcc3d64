"""Libraries of any size, made straight in the table: as they are when all of their photos are finished.

They span 120 months. One of them, ASKED, has a hundred photos however large the library is.
"""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Final

import apsw

from sparks.faces.opencv.engine_messages import NAME
from sparks.library.records import to_item
from sparks.model.ids import image_id_at
from sparks.model.photo import Exif, FaceStatus, Location, Photo, PhotoState, ProcessingStatus, Renditions
from sparks.model.photo_index import MonthCounter, MonthLink
from sparks.model.scope import COMMUNITY
from sparks.model.times import iso
from sparks.table.port import Item
from sparks.table.sqlite import PUT, row_of

OWNER: Final = "someone@example.org"
MONTHS: Final = [f"{year}-{month:02}" for year in range(2015, 2025) for month in range(1, 13)]
ASKED: Final = "2020-02"
IN_ASKED: Final = 100
AT_ONCE: Final = 50_000
BUSY_TIMEOUT: Final = 60_000  # milliseconds

BLANK_TIME: Final = datetime(2001, 1, 1, tzinfo=UTC)
BLANK_ID: Final = "00000000-0000-7000-8000-000000000000"
BLANK_MONTH: Final = "2001-01"

Row = tuple[str, str, str | None, str | None, bytes, int | None]


@dataclass(frozen=True, slots=True)
class Blank:
    """A row with blanks, to be filled in where it is packed already: a million of them would take long otherwise."""

    row: Row

    def filled(self, image_id: str, month: str, taken_at: str) -> Row:
        _, sk, entity, uploader, body, ttl = self.row
        for blank, told in ((iso(BLANK_TIME), taken_at), (BLANK_MONTH, month), (BLANK_ID, image_id)):
            body = body.replace(blank.encode(), told.encode())
        return image_id, sk, (entity or "").replace(BLANK_MONTH, month), uploader, body, ttl


def fill_library(database: Path, count: int) -> None:
    """So many photos into an empty table."""
    blanks = [Blank(row_of(item)) for item in (photo_item(), month_item())]
    rows = (blank.filled(*place) for place in places(count) for blank in blanks)
    with closing(opened(database)) as connection:
        while batch := list(islice(rows, AT_ONCE)):
            insert_rows(connection, batch)
        insert_rows(connection, [row_of(counter) for counter in _counters(count)])


def photos_in(month: str, count: int) -> int:
    """The number of photos in the month, of so many."""
    if month == ASKED:
        return IN_ASKED
    others, left = divmod(count - IN_ASKED, len(MONTHS) - 1)
    return others + left * (month == MONTHS[-1])


def photo_item() -> Item:
    """As full as a photo's row is in practice."""
    keys = {size: f"processed/{BLANK_ID}_{size}.webp" for size in ("large", "medium", "thumb")}
    photo = Photo(
        image_id=BLANK_ID,
        owner=OWNER,
        state=PhotoState.READY,
        processing_status=ProcessingStatus.COMPLETED,
        original_key=f"originals/{BLANK_ID}.jpg",
        original_filename="IMG_20200229_120000.jpg",
        mime_type="image/jpeg",
        file_size=4_194_304,
        sha256="0" * 64,
        sha1="0" * 40,
        width=4000,
        height=3000,
        aspect_ratio=1.3333,
        title="At the sea",
        tags=("summer", "beach"),
        persons=("person1", "person2"),
        taken_at=BLANK_TIME,
        taken_offset="+02:00",
        exif=Exif(camera="Canon EOS 5D", lens="EF24-70mm f/2.8L", iso=200, shutter_speed="1/250", f_number=2.8),
        location=Location(latitude=48.1372, longitude=11.5756),
        renditions=Renditions(keys, BLANK_TIME),
        rendition_format="webp",
        rendition_quality=80,
        processed_size=412_345,
        sizes=("ORIGINAL", "LARGE", "MEDIUM", "THUMB"),
        thumbhash=bytes(range(25)),
        face_status=FaceStatus.INDEXED,
        face_count=2,
        face_engine=NAME,
        created_at=BLANK_TIME,
        uploaded_at=BLANK_TIME,
        last_modified=BLANK_TIME,
    )
    return to_item(photo)


def month_item() -> Item:
    link = MonthLink(
        image_id=BLANK_ID,
        owner=OWNER,
        scope=COMMUNITY,
        month=BLANK_MONTH,
        aspect_ratio=1.3333,
        thumbhash=bytes(range(25)),
        taken_at=BLANK_TIME,
        taken_offset="+02:00",
        counted=True,
    )
    return to_item(link)


def places(count: int) -> Iterator[tuple[str, str, str]]:
    """An id, its month and its time, oldest first: spread over four weeks of each month."""
    for month in MONTHS:
        start, many = datetime.fromisoformat(f"{month}-01T00:00:00+00:00"), photos_in(month, count)
        for number in range(many):
            taken_at = start + timedelta(days=28) * number / many
            yield image_id_at(taken_at), month, iso(taken_at)


def _counters(count: int) -> Iterator[Item]:
    for month in MONTHS:
        yield to_item(MonthCounter(scope=COMMUNITY, month=month, count=photos_in(month, count), version=1))


def opened(database: Path) -> apsw.Connection:
    """For many rows at once, beside stores that are open and write when they like."""
    connection = apsw.Connection(str(database))
    connection.set_busy_timeout(BUSY_TIMEOUT)
    for pragma in ("synchronous=OFF", "cache_size=-200000"):
        connection.execute(f"PRAGMA {pragma}").fetchall()
    return connection


def insert_rows(connection: apsw.Connection, rows: list[Row]) -> None:
    with connection:
        connection.executemany(PUT, rows)
