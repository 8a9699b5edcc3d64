"""Blob stores: bytes under a key."""
