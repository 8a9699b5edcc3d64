"""Vector stores for faces, always rebuildable from the table."""
