"""Tests of face detection, analysis and storage."""
