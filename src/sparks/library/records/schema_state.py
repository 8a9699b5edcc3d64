"""Record types of the state of the stored data, and of keys that are captured during a re-keying."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from sparks.library import keys
from sparks.library.records.attributes import Attribute, choice, names, plain
from sparks.library.records.record_type import RecordType
from sparks.model import times
from sparks.model.schema_state import CapturedKeys, Place, RekeyPhase, SchemaState


def times_by_name(name: str, field: str) -> Attribute:
    """A map of times."""
    return Attribute(name, field, _write_times, _read_times)


def _write_times(values: Mapping[str, datetime]) -> dict[str, str]:
    return {name: times.iso(time) for name, time in values.items()}


def _read_times(values: Mapping[str, str]) -> dict[str, datetime]:
    return {name: times.from_iso(text) for name, text in values.items()}


def _write_keys(written: tuple[tuple[str, str], ...]) -> list[list[str]]:
    return [list(key) for key in written]


def _read_keys(written: list[Any]) -> tuple[tuple[str, str], ...]:
    return tuple(map(tuple, written))


SCHEMA_STATE: Final = RecordType(
    SchemaState,
    plain("version"),
    plain("oldestReader"),
    times_by_name("takenOn", "taken_on"),
    times_by_name("removed", "removed"),
    names("rekeyed", absent=()),
    choice("place", Place),
    plain("epoch"),
    choice("phase", RekeyPhase),
    names("rekeying", absent=()),
    pk="SCHEMA",
    sk="STATE",
    key=lambda _: keys.SCHEMA_STATE,
    since=2,
)

CAPTURED_KEYS: Final = RecordType(
    CapturedKeys,
    Attribute("written", "written", _write_keys, _read_keys, ()),
    plain("shard"),
    pk="SCHEMA_CAPTURE#{}",
    sk="{entry_id..}",
    key=lambda captured: keys.captured_keys_entry(captured.shard, captured.entry_id),
    since=2,
)
