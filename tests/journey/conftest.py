"""Tables for the journey, also on a server."""

from tests.library.conftest import any_table, dynamodb

__all__ = ["any_table", "dynamodb"]
