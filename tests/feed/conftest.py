"""Tables for what viewers see, on a server too."""

from tests.library.conftest import any_table, dynamodb

__all__ = ["any_table", "dynamodb"]
