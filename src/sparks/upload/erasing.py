"""A deletion, carried out."""

from sparks.blobs.port import Blobs
from sparks.jobs.port import Jobs
from sparks.library import keys
from sparks.library.forgetting import forget_photo
from sparks.library.photos import read_photo
from sparks.model.events import PhotoDeleting
from sparks.model.keyring import Keyring
from sparks.model.photo import PhotoState
from sparks.table.port import Table


def erase_deleted(event: PhotoDeleting, *, table: Table, blobs: Blobs, jobs: Jobs, keyring: Keyring) -> None:
    """Nothing is left of a photo that is being deleted. Any other stays; of one that is gone, the last jobs go."""
    photo = read_photo(keys.photo(event.image_id, event.owner), table=table)
    if photo is None:
        jobs.drop_about(event.image_id)
    elif photo.state is PhotoState.DELETING:
        forget_photo(photo, table=table, blobs=blobs, jobs=jobs, keyring=keyring)
