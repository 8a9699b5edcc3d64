"""Bytes under a key, and three ways to keep them."""
