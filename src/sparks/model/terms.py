"""What the steps of the journey must know of the settings."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    trash_days: int = 30
