"""One suite for the blobs port, run on every adapter."""
