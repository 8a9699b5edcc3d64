"""Object keys: made by the server, without anybody's e-mail."""

from collections.abc import Callable

import pytest

from sparks.blobs.port import checked_key
from sparks.library import objects
from sparks.model.errors import BadInput

IMAGE = "0198653a-6ebd-7f4e-8000-1f2e3d4c5b6a"


@pytest.mark.parametrize(
    ("made", "key"),
    [
        (objects.upload(IMAGE), f"uploads/{IMAGE}"),
        (objects.original(IMAGE, "jpg"), f"originals/{IMAGE}.jpg"),
        (objects.rendition(IMAGE, "large"), f"processed/{IMAGE}_large.webp"),
        (objects.face_thumb(IMAGE), f"faces/thumbs/{IMAGE}.jpg"),
        (objects.person_picture("person1"), "persons/person1.jpg"),
        (objects.profile_picture("7k2"), "profile-pictures/7k2/profile.jpg"),
        (objects.derived("months", "all", "2025-08.bin"), "derived/months/all/2025-08.bin"),
    ],
)
def test_an_object_is_named_as_in_the_data_model(made: str, key: str) -> None:
    assert checked_key(made) == key


@pytest.mark.parametrize("text", ["", "..", "../x", "a/b", "a.b", "a b", "ann@example.com", "a\n", "ä", "x" * 600])
@pytest.mark.parametrize(
    "make",
    [
        objects.upload,
        lambda text: objects.original(text, "jpg"),
        lambda text: objects.original(IMAGE, text),
        lambda text: objects.rendition(text, "large"),
        lambda text: objects.rendition(IMAGE, text),
        objects.face_thumb,
        objects.person_picture,
        objects.profile_picture,
    ],
)
def test_nothing_from_outside_gets_into_a_key(make: Callable[[str], str], text: str) -> None:
    with pytest.raises(BadInput):
        make(text)


@pytest.mark.parametrize("path", [(), ("",), ("..",), (".hidden",), ("a", "", "b"), ("ann@example.com",), ("a b",)])
def test_a_derived_object_has_a_clean_path_too(path: tuple[str, ...]) -> None:
    with pytest.raises(BadInput):
        objects.derived(*path)
