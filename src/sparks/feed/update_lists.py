"""Step that updates every list that shows a photo."""

from sparks.blobs.port import Blobs
from sparks.library.photo_followups import update_followups
from sparks.model.events import PhotoEvent
from sparks.model.keyring import Keyring
from sparks.model.pipeline_settings import PipelineSettings
from sparks.table.port import Table


def update_lists(
    event: PhotoEvent, *, table: Table, blobs: Blobs, keyring: Keyring, pipeline: PipelineSettings
) -> None:
    """Puts the photo into every list that it belongs to, and takes it out of all others."""
    update_followups(
        event.image_id, event.owner, min_photos=pipeline.min_photos, table=table, blobs=blobs, keyring=keyring
    )
