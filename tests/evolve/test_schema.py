"""Registry of what is stored: every attribute is known with its version, and a retired one is not written."""

import json
from pathlib import Path
from typing import Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sparks.library.records import RECORD_TYPES, to_item
from sparks.library.schema import REGISTRY, VERSIONS, Rekeying, apply_rekeyings, revert_rekeyings
from sparks.model.stored import Stored
from tests.evolve.places import IMAGE_PREFIX
from tests.strategies import values_of

VERSION_1: Final = json.loads((Path(__file__).parent / "attributes_of_version_1.json").read_text())


def test_an_attribute_that_was_not_in_version_1_names_the_version_that_added_it() -> None:
    first = {each.name for each in REGISTRY.attributes() if each.added == 1}
    known = {f"{record}.{attribute}" for record, attributes in VERSION_1.items() for attribute in attributes}
    assert first - known == set(), "name the version in `added` of the record type, see library/schema.py"
    assert known - first == set(), "retire an attribute in its record type, see library/schema.py"


def test_every_version_that_an_attribute_names_is_described() -> None:
    named = {each.added for each in REGISTRY.attributes()} | {each.retired for each in REGISTRY.retired()}
    assert named == {version.number for version in VERSIONS}


def test_versions_are_counted_and_dated_and_never_open_to_an_older_sparks_again() -> None:
    assert [version.number for version in VERSIONS] == list(range(1, len(VERSIONS) + 1))
    assert [version.on for version in VERSIONS] == sorted(version.on for version in VERSIONS)
    readers = [version.oldest_reader for version in VERSIONS]
    assert readers == sorted(readers)
    assert all(version.oldest_reader <= version.number for version in VERSIONS)


@pytest.mark.parametrize("kind", [kind for kind, record_type in RECORD_TYPES.items() if record_type.retired])
@settings(max_examples=10, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_a_retired_attribute_is_neither_written_nor_carried_along(kind: type[Stored], data: st.DataObject) -> None:
    record_type = RECORD_TYPES[kind]
    item = to_item(data.draw(values_of(kind)))
    assert item.keys().isdisjoint(record_type.retired)
    older = item | dict.fromkeys(record_type.retired, "2025-08-01T09:24:22.159Z")
    assert to_item(record_type.read(older)) == item


@pytest.mark.parametrize("kind", list(RECORD_TYPES), ids=lambda kind: kind.__name__)
@settings(max_examples=2, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(data=st.data())
def test_a_row_is_one_of_its_own_record_type_only(kind: type[Stored], data: st.DataObject) -> None:
    item = to_item(data.draw(values_of(kind)))
    assert [each.kind for each in RECORD_TYPES.values() if each.matches(item)] == [kind]


def test_a_re_keying_changes_only_keys_of_its_form_and_can_be_reverted() -> None:
    image = "0198653a-6ebd-7f4e-8000-1f2e3d4c5b6a"
    both = (IMAGE_PREFIX, Rekeying("again", "IMAGE#", "PHOTO#"))
    assert apply_rekeyings(image, both) == f"PHOTO#{image}"
    assert revert_rekeyings(f"PHOTO#{image}", both) == image
    for other in ("ann@example.com", "LIMIT#ann@example.com", f"ALIAS#{image}"):
        assert apply_rekeyings(other, both) == revert_rekeyings(other, both) == other
