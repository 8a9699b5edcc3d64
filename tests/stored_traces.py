"""Whether anything is left of a photo that was deleted: one look at all rows, all blobs and all jobs; or at all bytes
of a data folder.
"""

import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from sparks.blobs.port import Blobs
from sparks.jobs.port import Delivery, Jobs
from sparks.table.port import Item, Table
from tests.account_makers import everything
from tests.library.photos.photo_lists import counters, listed

LEASE: Final = 60


def traces_of(
    image_id: str, *, table: Table, blobs: Blobs, jobs: Jobs | None = None, owner: str | None = None
) -> list[str]:
    """Places that contain the id of the photo: rows (key, value or name), blobs (key or content), jobs and dead
    letters (body); and the counters of its `owner` that are wrong.

    The id is searched as text, with and without dashes, and as its 16 bytes. Every job is received for that and given
    back, which costs it a try; jobs that cannot be received now are listed too, because their content is not known.
    """
    forms, items = _forms(image_id), everything(table)
    found = [f"row {item['PK']} | {item['SK']}" for item in items if _mentions(item, forms)]
    found += [] if owner is None else _miscounted(items, owner)
    found += [f"blob {key}" for key in _blob_keys(blobs) if _in_blob(key, blobs, forms)]
    return found if jobs is None else [*found, *_in_jobs(jobs, forms)]


def traces_in(folder: Path, image_id: str) -> list[str]:
    """The files and folders that contain the id in their name, their content or their extended attributes."""
    return files_with(folder, *_forms(image_id))


def files_with(folder: Path, *forms: bytes) -> list[str]:
    """The files and folders that hold one of these bytes in their name, their content or what is noted beside it."""
    paths = (Path(above, name) for above, folders, files in os.walk(folder) for name in (*folders, *files))
    return sorted(str(path.relative_to(folder)) for path in paths if _in_path(path, forms))


def _forms(image_id: str) -> tuple[bytes, ...]:
    uuid = UUID(image_id)
    return str(uuid).encode(), uuid.hex.encode(), uuid.bytes


def _mentions(value: Any, forms: tuple[bytes, ...]) -> bool:
    match value:
        case str():
            return any(form in value.lower().encode(errors="surrogatepass") for form in forms)
        case bytes():
            return any(form in value or form in value.lower() for form in forms)
        case dict():
            return any(_mentions(name, forms) or _mentions(inner, forms) for name, inner in value.items())
        case list() | tuple():
            return any(_mentions(inner, forms) for inner in value)
        case _:
            return False


def _miscounted(items: list[Item], owner: str) -> list[str]:
    mine = {f"TIMELINE#{owner}", f"TAGS#{owner}"}
    counted = Counter(row.counter for row in listed(items) if row.counted)
    there = counters(items)
    return [
        f"counter {key.pk} | {key.sk}"
        for key in sorted(counted.keys() | there.keys())
        if key.pk in mine and there.get(key, {}).get("count", 0) != counted[key]
    ]


def _blob_keys(blobs: Blobs) -> Iterator[str]:
    page = blobs.list()
    yield from (blob.key for blob in page.blobs)
    while page.after is not None:
        page = blobs.list(after=page.after)
        yield from (blob.key for blob in page.blobs)


def _in_blob(key: str, blobs: Blobs, forms: tuple[bytes, ...]) -> bool:
    return _mentions(key, forms) or _mentions(b"".join(blobs.open(key)), forms)


def _in_path(path: Path, forms: tuple[bytes, ...]) -> bool:
    """A file that was deleted meanwhile contains nothing; the target of a link is not followed."""
    if path.is_symlink():
        return _mentions(path.name, forms)
    try:
        noted = [os.getxattr(path, name) for name in os.listxattr(path)]
        content = path.read_bytes() if path.is_file() else b""
    except FileNotFoundError:
        return False
    return _mentions([path.name, content, *noted], forms)


def _in_jobs(jobs: Jobs, forms: tuple[bytes, ...]) -> list[str]:
    received: list[Delivery] = []
    while batch := jobs.receive(wait=0, lease=LEASE):
        received += batch
    counts = jobs.counts()
    unseen = counts.waiting + counts.delayed + counts.leased - len(received)
    for delivery in received:
        jobs.retry_later(delivery, delay=0)
    found = [f"job {each.job.kind}" for each in received if _mentions(dict(each.job.body), forms)]
    found += [f"dead letter {dead.job.kind}" for dead in jobs.dead() if _mentions([dead.job.body, dead.reason], forms)]
    return found if unseen <= 0 else [*found, f"{unseen} jobs that cannot be looked at now"]
