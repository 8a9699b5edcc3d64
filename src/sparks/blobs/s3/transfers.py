"""Large blobs, put or copied part by part; what fails leaves nothing behind."""

import hashlib
import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from sparks.blobs.checks import check_arrived
from sparks.blobs.port import MOST_PARTS, BlobInfo
from sparks.blobs.s3.uploads import S3Uploads
from sparks.model.errors import Busy, NotFound, SparksError, TooLarge

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Announced:
    """What `put` was told of the bytes to come."""

    key: str
    content_type: str
    size: int | None
    sha256: str | None
    if_absent: bool


def put_in_parts(uploads: S3Uploads, announced: Announced, pieces: Iterable[bytes]) -> BlobInfo:
    size, seen, parts = 0, hashlib.sha256(), []
    with arriving(uploads, announced.key, announced.content_type, announced.sha256) as upload_id:
        for number, piece in enumerate(pieces, 1):
            if number > MOST_PARTS:
                raise TooLarge(f"{announced.key} is too large to be stored without telling its size beforehand")
            size += len(piece)
            seen.update(piece)
            parts.append(uploads.put_part(announced.key, upload_id, number, [piece], size=len(piece)))
        sha256 = seen.hexdigest()
        check_arrived(size=size, announced_size=announced.size, sha256=sha256, announced_sha256=announced.sha256)
        info = uploads.complete_upload(announced.key, upload_id, parts, if_absent=announced.if_absent)
        return replace(info, sha256=sha256)


def copy_in_parts(uploads: S3Uploads, source: BlobInfo, target: str, *, step: int) -> BlobInfo:
    with arriving(uploads, target, source.content_type, source.sha256) as upload_id:
        parts = [
            uploads.copy_part(target, upload_id, number, source=source, start=start, end=min(start + step, source.size))
            for number, start in enumerate(range(0, source.size, step), 1)
        ]
        return uploads.complete_upload(target, upload_id, parts)


@contextmanager
def arriving(uploads: S3Uploads, key: str, content_type: str, sha256: str | None) -> Iterator[str]:
    """An upload that is dropped unless all goes well."""
    upload_id = uploads.create_upload(key, content_type=content_type, sha256=sha256)
    try:
        yield upload_id
    except NotFound as error:
        raise Busy(f"S3 has lost the upload of {key}; try again") from error
    except BaseException:
        _drop(uploads, key, upload_id)
        raise


def _drop(uploads: S3Uploads, key: str, upload_id: str) -> None:
    """What is left behind is told by `list_uploads`, and cleared away later."""
    try:
        uploads.abort_upload(key, upload_id)
    except SparksError as error:
        log.warning("an upload that failed is left behind: %s", error, extra={"key": key})
