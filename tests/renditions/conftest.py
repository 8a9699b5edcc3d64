"""Table and blobs of the originals that renditions are made of."""

from tests.uploads.conftest import any_table, blobs, dynamodb, table

__all__ = ["any_table", "blobs", "dynamodb", "table"]
