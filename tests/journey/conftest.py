"""Tables for a photo's trip, on a server too."""

from tests.library.conftest import any_table, dynamodb

__all__ = ["any_table", "dynamodb"]
