"""Blob keys: made by the server, without e-mail addresses."""

from collections.abc import Callable

import pytest

from sparks.blobs.port import checked_key
from sparks.library import blob_keys
from sparks.model.errors import BadInput

IMAGE = "0198653a-6ebd-7f4e-8000-1f2e3d4c5b6a"


@pytest.mark.parametrize(
    ("made", "key"),
    [
        (blob_keys.upload(IMAGE), f"uploads/{IMAGE}"),
        (blob_keys.original(IMAGE, "jpg"), f"originals/{IMAGE}.jpg"),
        (blob_keys.rendition(IMAGE, "large"), f"processed/{IMAGE}_large.webp"),
        (blob_keys.face_thumb(IMAGE), f"faces/thumbs/{IMAGE}.jpg"),
        (blob_keys.person_picture("person1"), "persons/person1.jpg"),
        (blob_keys.profile_picture("7k2"), "profile-pictures/7k2/profile.jpg"),
        (blob_keys.derived("months", "all", "2025-08.bin"), "derived/months/all/2025-08.bin"),
    ],
)
def test_an_object_is_named_as_in_the_data_model(made: str, key: str) -> None:
    assert checked_key(made) == key


@pytest.mark.parametrize("text", ["", "..", "../x", "a/b", "a.b", "a b", "ann@example.com", "a\n", "ä", "x" * 600])
@pytest.mark.parametrize(
    "make",
    [
        blob_keys.upload,
        lambda text: blob_keys.original(text, "jpg"),
        lambda text: blob_keys.original(IMAGE, text),
        lambda text: blob_keys.rendition(text, "large"),
        lambda text: blob_keys.rendition(IMAGE, text),
        blob_keys.face_thumb,
        blob_keys.person_picture,
        blob_keys.profile_picture,
    ],
)
def test_nothing_from_outside_gets_into_a_key(make: Callable[[str], str], text: str) -> None:
    with pytest.raises(BadInput):
        make(text)


@pytest.mark.parametrize("path", [(), ("",), ("..",), (".hidden",), ("a", "", "b"), ("ann@example.com",), ("a b",)])
def test_a_derived_object_has_a_clean_path_too(path: tuple[str, ...]) -> None:
    with pytest.raises(BadInput):
        blob_keys.derived(*path)
