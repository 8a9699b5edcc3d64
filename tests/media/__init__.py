"""Tests of pictures and videos: types, metadata, decoding, renditions, videos and the sandbox."""
