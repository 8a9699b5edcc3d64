"""Runs decoders on strangers' bytes in a child without files, network and other programs, and outlives what they do."""

from sparks.media.jail.answer import Answer
from sparks.media.jail.jail import Jail
from sparks.media.jail.progress import Report

__all__ = ["Answer", "Jail", "Report"]
