"""Table of the accounts that are removed."""

from tests.auth.conftest import sqlite, table

__all__ = ["sqlite", "table"]
