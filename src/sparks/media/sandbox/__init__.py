"""Sandbox that runs decoders on untrusted bytes in a child without files or network."""

from sparks.media.sandbox.protocol import Report, TaskResult
from sparks.media.sandbox.sandbox import Sandbox

__all__ = ["Report", "Sandbox", "TaskResult"]
