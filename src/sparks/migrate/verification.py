"""Result of a comparison of both sides, in the form that the state keeps and the administration shows."""

from collections.abc import Sequence
from typing import Any, Final, Protocol

from sparks.model.migration import Verification
from sparks.model.times import now

SHOWN: Final = 50  # differences


class FoundDifference(Protocol):
    @property
    def table(self) -> str: ...
    @property
    def id(self) -> str: ...
    @property
    def field(self) -> str: ...
    @property
    def source(self) -> Any: ...
    @property
    def target(self) -> Any: ...


class ComparedSides(Protocol):
    @property
    def checked(self) -> int: ...
    @property
    def missing(self) -> int: ...
    @property
    def extra(self) -> int: ...
    @property
    def different(self) -> int: ...
    @property
    def differences(self) -> Sequence[FoundDifference]: ...
    @property
    def is_equal(self) -> bool: ...


def summary_of(result: ComparedSides) -> Verification:
    shown = tuple(
        {
            "table": each.table,
            "id": each.id,
            "field": each.field,
            "source": str(each.source),
            "target": str(each.target),
        }
        for each in result.differences[:SHOWN]
    )
    return Verification(
        checked=result.checked,
        missing=result.missing,
        extra_rows=result.extra,
        different=result.different,
        at=now(),
        differences=shown,
    )
