"""Tests of authentication, and of what Sparks signs."""
