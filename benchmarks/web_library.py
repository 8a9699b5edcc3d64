"""Libraries for browsers to look at: any number of photos of one owner, which share a few dozen pictures.

The rows are as they are when all photos are finished (see `library`), in the owner's timeline and in the community's;
what differs from photo to photo is its shape, its thumbhash and its picture. There are some persons, too. A photo of
such a library may not be deleted for good: its pictures are others' too.
"""

import io
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from PIL import Image

from benchmarks.library import (
    AT_ONCE,
    BLANK_ID,
    MONTHS,
    Blank,
    Row,
    insert_rows,
    month_item,
    opened,
    photo_item,
    photos_in,
    places,
)
from sparks.blobs.port import Blobs
from sparks.feed.timeline import Timeline
from sparks.journey import Stores
from sparks.library import blob_keys
from sparks.library.records import from_item, to_item
from sparks.media.rendition_sizes import QUALITY, SIZES
from sparks.media.thumbhash import MAX_SIDE, thumbhash
from sparks.model.face import Box, Face
from sparks.model.person import Person, PersonInScope
from sparks.model.photo import Photo, Rendition, Renditions
from sparks.model.photo_index import MonthCounter, MonthLink
from sparks.model.scope import COMMUNITY, Scope, scope_of_owner
from sparks.model.times import now
from sparks.table.sqlite import row_of
from tests.browser.landscapes import landscape

PICTURES: Final = 32
SHAPES: Final = ((960, 640), (960, 720), (640, 960), (960, 540), (800, 800), (720, 960), (1200, 500))
SHOWN: Final = (Rendition.THUMB, Rendition.MEDIUM, Rendition.LARGE)
PEOPLE: Final = 60
FACE: Final = Box(0.4, 0.3, 0.2, 0.25)
FACE_SIDE: Final = 160


class Picture(NamedTuple):
    """Fields that all photos share: their renditions are those of this id."""

    image_id: str
    width: int
    height: int
    thumbhash: bytes


def seed_web_library(stores: Stores, database: Path, *, owner: str, count: int, pictures: int = PICTURES) -> None:
    """So many photos of this owner, into a table that has no photos yet; months are built, as they are once they were
    looked at.
    """
    shared = [draw_picture(number, stores.blobs) for number in range(pictures)]
    blanks = [[Blank(row_of(item)) for item in items_of(picture, owner)] for picture in shared]
    placed = places(count)
    first = list(islice(placed, PEOPLE))
    rows: Iterator[Row] = (
        blank.filled(*place) for number, place in enumerate(chain(first, placed)) for blank in blanks[number % pictures]
    )
    with closing(opened(database)) as connection:
        while batch := list(islice(rows, AT_ONCE)):
            insert_rows(connection, batch)
        insert_rows(connection, list(counters(count, COMMUNITY, scope_of_owner(owner))))
        insert_rows(connection, [row_of(item) for item in people(owner, [place[0] for place in first], stores.blobs)])
    Timeline(table=stores.table, blobs=stores.blobs, keyring=stores.keyring).strip(scope_of_owner(owner))


def counters(count: int, *scopes: Scope) -> Iterator[Row]:
    for scope in scopes:
        for month in MONTHS:
            counter = MonthCounter(scope=scope, month=month, count=photos_in(month, count), version=1)
            yield row_of(to_item(counter))


def people(owner: str, images: list[str], blobs: Blobs) -> Iterator[dict[str, object]]:
    """One in each of these photos: the person, where they are seen, and the face that shows them."""
    for number, image_id in enumerate(images, start=1):
        person_id, face_id, at = f"person{number}", image_id[:-4] + f"{number:04x}", now()
        seen: dict[str, Any] = {"person_id": person_id, "rep_face_id": face_id, "rep_image_id": image_id}
        yield to_item(Person(display_name=f"Somebody {number}", created_at=at, member_count=9, photo_count=9, **seen))
        yield to_item(PersonInScope(scope=COMMUNITY, count=9, min_photos=3, listed=True, **seen))
        key = blob_keys.face_thumb(face_id)
        yield to_item(
            Face(image_id=image_id, face_id=face_id, owner=owner, box=FACE, person_id=person_id, thumb_key=key)
        )
        drawn = landscape(np.random.default_rng(number), FACE_SIDE, FACE_SIDE).astype(np.uint8)
        file = io.BytesIO()
        Image.fromarray(drawn).save(file, "JPEG")
        blobs.put(key, [file.getvalue()], content_type="image/jpeg")


def items_of(picture: Picture, owner: str) -> Iterator[dict[str, object]]:
    """Of one photo: its own row, and those that lead to it from both timelines."""
    ratio = round(picture.width / picture.height, 4)
    seen: dict[str, Any] = {"aspect_ratio": ratio, "thumbhash": picture.thumbhash, "owner": owner}
    keys: dict[str, str] = {size: blob_keys.rendition(picture.image_id, size) for size in SHOWN}
    photo = from_item(Photo, photo_item())
    yield to_item(
        replace(photo, width=picture.width, height=picture.height, renditions=Renditions(keys, now()), **seen)
    )
    link = from_item(MonthLink, month_item())
    for scope in (COMMUNITY, scope_of_owner(owner)):
        yield to_item(replace(link, scope=scope, **seen))


def draw_picture(number: int, blobs: Blobs) -> Picture:
    """Hills under a sky, stored in all sizes."""
    image_id = f"{BLANK_ID[:-4]}{number + 1:04x}"
    width, height = SHAPES[number % len(SHAPES)]
    image = Image.fromarray(landscape(np.random.default_rng(number), width, height).astype(np.uint8))
    for size in SHOWN:
        blobs.put(blob_keys.rendition(image_id, size), [encoded(image, SIZES[size])], content_type="image/webp")
    small = image.copy()
    small.thumbnail((MAX_SIDE, MAX_SIDE))
    return Picture(image_id, width, height, thumbhash(np.asarray(small.convert("RGBA"))))


def encoded(image: Image.Image, longest: int) -> bytes:
    small = image.copy()
    small.thumbnail((longest, longest))
    file = io.BytesIO()
    small.save(file, "WEBP", quality=QUALITY)
    return file.getvalue()
