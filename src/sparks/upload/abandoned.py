"""Uploads that were begun and never finished: their parts take up room until somebody drops them."""

import logging
from datetime import timedelta
from typing import Final

from sparks.blobs.port import Blobs
from sparks.model.events import UpkeepDue

KEPT: Final = timedelta(hours=48)

log = logging.getLogger(__name__)


def clear_abandoned_uploads(event: UpkeepDue, *, blobs: Blobs) -> None:
    """Aborts the multipart uploads that nobody has finished within two days."""
    for upload in blobs.list_uploads(started_before=event.at - KEPT):
        blobs.abort_upload(upload.key, upload.upload_id)
        log.info("dropped an abandoned upload", extra={"key": upload.key, "started": upload.started.isoformat()})
