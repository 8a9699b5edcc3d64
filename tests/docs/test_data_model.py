"""docs/data-model.md names every record type with its attributes, and every key that the code can make."""

import inspect
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from enum import Enum
from itertools import product
from pathlib import Path
from types import ModuleType, NoneType
from typing import Any, Final, get_args, get_type_hints

import pytest

from sparks.library import blob_keys, entity_types, keys
from sparks.library.records import RECORD_TYPES
from sparks.model.stored import Stored
from sparks.table.port import EntityType, Key, Partition, Prefix

PAGE: Final = (Path(__file__).parents[2] / "docs" / "data-model.md").read_text()

IMAGE_ID: Final = "0198653a-6ebd-7f4e-8000-1f2e3d4c5b6a"
AT: Final = datetime(2025, 8, 1, 9, 24, 22, 159_000, tzinfo=UTC)
# Stand-ins for the free pieces of a key, longer ones first: each is `{}` in the end.
FREE: Final = ("2025-08-01T09:24:22.159Z", "2025-08-01", "2025-08", IMAGE_ID, "zz@zz", "zz", "123456")
UUIDS: Final = {"image_id", "face_id"}
ADDRESSES: Final = {"email", "owner", "private_owner"}


def form(text: str) -> str:
    """The text with `{}` for each free piece."""
    for piece in FREE:
        text = text.replace(piece, "{}")
    return text


FORMS: Final = {re.sub(r"\{[^}]*\}", "{}", code) for code in re.findall(r"`([^`]+)`", PAGE)}


def section_of(kind: type[Stored]) -> str:
    found = re.search(rf"^### [^\n]* \(`{kind.__name__}`\)\n(.*?)(?=^##)", PAGE, re.DOTALL | re.MULTILINE)
    assert found is not None, f"no section is about `{kind.__name__}`"
    return found[1]


def stand_ins(name: str, hint: Any) -> list[Any]:
    if NoneType in get_args(hint):
        return [None, *stand_ins(name, next(arg for arg in get_args(hint) if arg is not NoneType))]
    if isinstance(hint, type) and issubclass(hint, Enum):
        return list(hint)
    by_type: dict[Any, list[Any]] = {bool: [True, False], int: [123456], datetime: [AT]}
    return by_type.get(hint) or [IMAGE_ID if name in UUIDS else "zz@zz" if name in ADDRESSES else "zz"]


def made_by(module: ModuleType, *kinds: type[Any]) -> Iterator[Any]:
    """Constants of a module, and the results of its functions."""
    for value in vars(module).values():
        if isinstance(value, kinds):
            yield value
        if not inspect.isfunction(value) or value.__module__ != module.__name__:
            continue
        hints = get_type_hints(value)
        if not isinstance(hints["return"], type) or not issubclass(hints["return"], kinds):
            continue
        names = [name for name in inspect.signature(value).parameters if not value.__name__.startswith("_")]
        for given in product(*(stand_ins(name, hints[name]) for name in names)) if names else ():
            yield value(**dict(zip(names, given, strict=True)))


@pytest.mark.parametrize("kind", list(RECORD_TYPES), ids=lambda kind: kind.__name__)
def test_each_record_type_has_a_section_with_all_its_attributes(kind: type[Stored]) -> None:
    described = set(re.findall(r"`([^`]+)`", section_of(kind)))
    assert {attribute.name for attribute in RECORD_TYPES[kind].fields.attributes} <= described


def test_each_key_that_the_code_makes_is_on_the_page() -> None:
    made = list(made_by(keys, Key, Partition, Prefix))
    pks = {form(each.pk) for each in made if isinstance(each, Key | Partition)}
    sks = {form(each.sk) for each in made if isinstance(each, Key)}
    prefixes = {form(each.text) for each in made if isinstance(each, Prefix)}
    assert len(made) > 50
    assert pks | sks | prefixes <= FORMS


def test_each_entity_type_is_on_the_page() -> None:
    made = {form(each.value) for each in made_by(entity_types, EntityType)}
    assert len(made) > 30
    assert made <= FORMS


def test_each_form_of_a_blob_key_is_on_the_page() -> None:
    made = {
        blob_keys.upload(IMAGE_ID),
        blob_keys.original(IMAGE_ID, "zz"),
        blob_keys.rendition(IMAGE_ID, "zz"),
        blob_keys.video(IMAGE_ID),
        blob_keys.motion(IMAGE_ID),
        blob_keys.face_thumb(IMAGE_ID),
        blob_keys.person_picture("zz"),
        blob_keys.profile_picture("zz"),
    }
    assert set(map(form, made)) <= FORMS
    assert f"`{blob_keys.DERIVED}" in PAGE
