"""What can happen. Steps follow from events, as `sparks.journey` says; the fields travel as JSON."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Event:
    """Whatever has happened."""


@dataclass(frozen=True, slots=True)
class RemovalBegun(Event):
    """A user's account was closed; all that they own is to go."""

    email: str


@dataclass(frozen=True, slots=True)
class UpkeepDue(Event):
    """Sparks has started, or another hour has passed."""

    at: datetime
