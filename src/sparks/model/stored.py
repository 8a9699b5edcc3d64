"""What every value that lives in the table has in common."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """`extra` holds the attributes that this version of Sparks does not know: read, carried along and written back."""

    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, hash=False)
