"""Upkeep: resends lost work, and deletes what has expired or is orphaned."""
