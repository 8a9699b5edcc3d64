"""Plan of a migration between engines: what would be copied."""

from sparks.migrate.engines.backfill import scanned
from sparks.migrate.engines.sides import OpenStores
from sparks.table.values import size_of


def plan_engine_migration(stores: OpenStores) -> dict[str, int]:
    """The numbers of rows and blobs, and their bytes."""
    rows = row_bytes = blobs = blob_bytes = 0
    for page in scanned(stores.table):
        items = stores.table.get_many(page)
        rows += len(items)
        row_bytes += sum(map(size_of, items.values()))
    after: str | None = None
    while True:
        listed = stores.blobs.list(after=after)
        blobs += len(listed.blobs)
        blob_bytes += sum(blob.size for blob in listed.blobs)
        if listed.after is None:
            return {"rows": rows, "rowBytes": row_bytes, "blobs": blobs, "blobBytes": blob_bytes}
        after = listed.after
