"""PostgreSQL as the source of a migration: reading, capture of changes, freeze of writes, and writes back."""
