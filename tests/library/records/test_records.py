"""Records: whatever the model can say comes back from the table as it was."""

import importlib
import pkgutil
from collections.abc import Iterator
from dataclasses import is_dataclass, replace
from decimal import Decimal
from types import NoneType
from typing import Any, get_args, get_type_hints

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sparks import model
from sparks.library.records import RECORD_TYPES, from_item, key_of, to_item
from sparks.model.biometric_erasure import TraceCounts
from sparks.model.face import Box, FaceReference
from sparks.model.migration import Verification
from sparks.model.photo import Exif, Location, Photo
from sparks.model.share import LinkCaps
from sparks.model.stored import Stored
from sparks.model.system_records import Lease
from sparks.table.memory import MemoryTable
from sparks.table.port import Put
from tests.strategies import fields_of, unknown_attributes, values_of

PARTS_OF_OTHERS = {Stored, Box, FaceReference, Exif, Location, LinkCaps, Lease, TraceCounts, Verification}

every_kind = pytest.mark.parametrize("kind", list(RECORD_TYPES), ids=lambda kind: kind.__name__)
thorough = settings(max_examples=15, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
briefly = settings(thorough, max_examples=5)


def model_kinds() -> Iterator[type[Any]]:
    for module in pkgutil.iter_modules(model.__path__):
        for kind in vars(importlib.import_module(f"{model.__name__}.{module.name}")).values():
            if isinstance(kind, type) and is_dataclass(kind) and issubclass(kind, Stored):
                yield kind


def plain_values(value: Any) -> Iterator[Any]:
    """All that is in an item, however deep."""
    yield value
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for inner in value:
            yield from plain_values(inner)


def test_every_value_of_the_model_has_a_row_or_is_part_of_one() -> None:
    assert set(model_kinds()) == RECORD_TYPES.keys() | PARTS_OF_OTHERS


@every_kind
@thorough
@given(data=st.data())
def test_a_written_value_is_read_back(kind: type[Stored], data: st.DataObject) -> None:
    value = data.draw(values_of(kind))
    assert from_item(kind, to_item(value)) == value


@every_kind
@thorough
@given(data=st.data())
def test_a_value_is_read_back_from_a_table(kind: type[Stored], data: st.DataObject) -> None:
    value = data.draw(values_of(kind))
    table = MemoryTable()
    table.write(Put(to_item(value)))
    item = table.get(key_of(value))
    assert item is not None
    assert from_item(kind, item) == value


@pytest.mark.long
@every_kind
@settings(thorough, max_examples=500)
@given(data=st.data())
def test_a_value_is_read_back_from_a_table_after_many_round_trips(kind: type[Stored], data: st.DataObject) -> None:
    value = data.draw(values_of(kind))
    table = MemoryTable()
    table.write(Put(to_item(value)))
    assert [from_item(kind, item) for item in table.scan().items] == [value]


@every_kind
@briefly
@given(data=st.data())
def test_an_item_holds_only_storable_values(kind: type[Stored], data: st.DataObject) -> None:
    item = to_item(data.draw(values_of(kind)))
    assert {type(held) for held in plain_values(item)} <= {str, int, bool, bytes, Decimal, list, dict}


@every_kind
@thorough
@given(data=st.data())
def test_unknown_attributes_survive_a_change(kind: type[Stored], data: st.DataObject) -> None:
    item = to_item(data.draw(values_of(kind))) | data.draw(unknown_attributes)
    assert to_item(from_item(kind, item)) == item


@every_kind
@briefly
@given(data=st.data())
def test_a_value_can_be_put_into_a_set(kind: type[Stored], data: st.DataObject) -> None:
    value = data.draw(values_of(kind))
    assert {value, replace(value)} == {value}


@every_kind
def test_a_missing_attribute_is_the_default_of_the_field(kind: type[Stored]) -> None:
    hints = get_type_hints(kind)
    defaults = {field.name: field.default for field in fields_of(kind)}
    for attribute in RECORD_TYPES[kind].fields.attributes:
        if attribute.absent is not None or NoneType in get_args(hints[attribute.field]):
            assert defaults[attribute.field] == attribute.absent


def test_every_attribute_that_the_data_model_lists_for_an_image_is_known() -> None:
    photo = RECORD_TYPES[Photo]
    known = {attribute.name for attribute in photo.fields.attributes} | {"imageId", "uploadedBy", "owner"}
    assert " ".join(sorted(known)) == (
        "albums albumsVersion altText aspectRatio assetType createdAt description duration error exif expiresAt "
        "faceCount faceEngine facesVersion fileModifiedAt fileSize forgottenBoxes format guestId height imageId "
        "images keptUntil lastModified location mimeType originalFilename owner persons processedSize "
        "processingError processingStatus quality s3Key sha1 sha256 sizes sourceId status tags takenAt takenOffset "
        "thumbhash title trashedAt ttl updatedAt uploadId uploadedBy uploaded_datetime uploaderTag version "
        "visibility width"
    )


@every_kind
def test_every_field_is_in_the_row_once(kind: type[Stored]) -> None:
    attributes = RECORD_TYPES[kind].fields.attributes
    assert len({attribute.name for attribute in attributes}) == len(attributes)
    assert len({attribute.field for attribute in attributes}) == len(attributes)
    assert {attribute.field for attribute in attributes} <= {field.name for field in fields_of(kind)}


def test_secrets_are_in_no_repr() -> None:
    for kind in RECORD_TYPES:
        hidden = {field.name for field in fields_of(kind) if not field.repr}
        assert {
            field.name for field in fields_of(kind) if field.name.endswith(("secret_hash", "password_hash"))
        } <= hidden
