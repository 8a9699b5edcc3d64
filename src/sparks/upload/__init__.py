"""Reserve, accept, store the original, record the photo."""
