"""Photo-sharing platform: one package, from upload to takeout."""

__version__ = "0.1.0"
