"""Tests of share links, guests and their uploads."""
