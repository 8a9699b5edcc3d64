"""Takeout: zip archives for callers, exports for operators."""
