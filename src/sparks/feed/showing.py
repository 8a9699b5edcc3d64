"""The lists, months, persons and open pages that follow a photo."""

from sparks.blobs.port import Blobs
from sparks.library.following import follow_photo
from sparks.model.events import PhotoChanged, RenditionsReady
from sparks.model.keyring import Keyring
from sparks.model.terms import Terms
from sparks.table.port import Table


def show_photo(event: RenditionsReady, *, table: Table, blobs: Blobs, keyring: Keyring, terms: Terms) -> None:
    """It is in its months and tags, and open pages show it."""
    follow_photo(event.image_id, event.owner, enough=terms.enough, table=table, blobs=blobs, keyring=keyring)


def update_lists(event: PhotoChanged, *, table: Table, blobs: Blobs, keyring: Keyring, terms: Terms) -> None:
    """It is where it belongs now, and nowhere else."""
    follow_photo(event.image_id, event.owner, enough=terms.enough, table=table, blobs=blobs, keyring=keyring)
