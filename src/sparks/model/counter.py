"""Counters: how many photos a month or a tag has, and how many persons were ever founded."""

from dataclasses import dataclass

from sparks.model.scope import Scope
from sparks.model.stored import Stored


@dataclass(frozen=True, slots=True, kw_only=True)
class MonthCounter(Stored):
    """`version` moves with every change: what was built from the month is good for one version."""

    scope: Scope
    month: str
    count: int = 0
    version: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class TagCounter(Stored):
    scope: Scope
    tag: str
    count: int = 0
    version: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonCounter(Stored):
    """The number of the last person founded; gaps are fine."""

    last_number: int = 0
