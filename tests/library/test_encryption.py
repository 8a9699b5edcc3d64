"""Sealed texts: opened by Sparks alone, for the purpose that they were sealed for."""

from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparks.library.encryption import seal, unseal
from sparks.model.errors import BadSignature
from sparks.model.ids import new_image_id
from sparks.model.keyring import Keyring

RING = Keyring("old", {"old": b"o" * 32})
ROTATED = Keyring("new", {"old": b"o" * 32, "new": b"n" * 32})

texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=60)


@given(texts, st.lists(texts, max_size=3))
def test_an_encrypted_text_can_be_decrypted(text: str, bound: list[str]) -> None:
    sealed = seal("event", text, RING, bound=bound)
    assert unseal("event", sealed, RING, bound=bound) == text
    assert unseal("event", sealed, ROTATED, bound=bound) == text


def test_an_encrypted_text_holds_the_id_in_no_form() -> None:
    image_id = new_image_id()
    sealed = seal("event", f"{image_id} ann@example.com", RING).encode()
    for form in (image_id.encode(), UUID(image_id).hex.encode(), UUID(image_id).bytes):
        assert form not in sealed


@pytest.mark.parametrize(
    ("purpose", "bound", "ring"),
    [
        ("token", ("ann",), RING),
        ("event", (), RING),
        ("event", ("bob",), RING),
        ("event", ("a", "nn"), RING),
        ("event", ("ann",), Keyring("old", {"old": b"x" * 32})),
        ("event", ("ann",), Keyring("new", {"new": b"n" * 32})),
    ],
)
def test_for_something_else_it_does_not_open(purpose: str, bound: tuple[str, ...], ring: Keyring) -> None:
    sealed = seal("event", "a text", RING, bound=("ann",))
    with pytest.raises(BadSignature):
        unseal(purpose, sealed, ring, bound=bound)


@pytest.mark.parametrize("text", ["", ".", "old.", "old.a", "old.AAAA", "none.AAAA", "old", "old.ä", "old.a\n"])
def test_a_text_that_sparks_did_not_encrypt_is_refused(text: str) -> None:
    with pytest.raises(BadSignature):
        unseal("event", text, RING)
