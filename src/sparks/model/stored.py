"""Base class of stored values, which carries unknown attributes along."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """`extra` holds the attributes that this version of Sparks does not know: they are read and written back."""

    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, hash=False)
