"""What one can ask of the library, in domain words, on top of its keys and records."""
