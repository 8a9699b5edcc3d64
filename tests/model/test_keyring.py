"""Signatures: valid unaltered, for their purpose, and while their secret is in the keyring."""

from base64 import urlsafe_b64encode

import pytest

from sparks.model.errors import BadSetting, BadSignature
from sparks.model.keyring import Keyring

OLD, NEW = b"o" * 32, b"n" * 32
RING = Keyring("old", {"old": OLD})


def test_a_signature_fits_what_was_signed() -> None:
    key_id, mac = RING.sign("cursor", b"message")
    RING.verify("cursor", b"message", key_id, mac)
    assert key_id == "old"
    assert len(mac) == 43


def test_a_signature_is_hmac_sha256_over_the_framed_purpose_and_message() -> None:
    """A fixed answer: what was signed by an earlier version stays good."""
    assert RING.sign("blob url", b"GET\nkey") == ("old", "oX-mfx1_xrw28Tca0BYxtUhsSRC7aIUn-aMFtENZRQM")


@pytest.mark.parametrize("length", [32, 63, 64, 65, 200])
def test_a_signer_signs_as_the_ring_does(length: int) -> None:
    ring = Keyring("key", {"key": bytes(range(length))})
    sign = ring.signer("cursor")
    for message in (b"", b"message", b"x" * 1000):
        assert sign(message) == ring.sign("cursor", message)[1]


@pytest.mark.parametrize(
    ("purpose", "message"),
    [("other", b"message"), ("cursor", b"messagE"), ("cursor", b""), ("cursorm", b"essage"), ("curso", b"rmessage")],
)
def test_a_signature_fits_nothing_else(purpose: str, message: bytes) -> None:
    key_id, mac = RING.sign("cursor", b"message")
    with pytest.raises(BadSignature):
        RING.verify(purpose, message, key_id, mac)


def test_a_signature_with_any_bit_flipped_is_refused() -> None:
    key_id, mac = RING.sign("cursor", b"message")
    for position in range(len(mac)):
        for bit in range(8):
            altered = mac[:position] + chr(ord(mac[position]) ^ 1 << bit) + mac[position + 1 :]
            with pytest.raises(BadSignature):
                RING.verify("cursor", b"message", key_id, altered)


@pytest.mark.parametrize("mac", ["", "=", "é", "\udcff", "\0" * 43, "A" * 100_000])
def test_a_text_that_is_no_signature_is_refused(mac: str) -> None:
    with pytest.raises(BadSignature):
        RING.verify("cursor", b"message", "old", mac)


def test_padding_does_not_make_a_second_form_of_a_signature() -> None:
    key_id, mac = RING.sign("cursor", b"message")
    with pytest.raises(BadSignature):
        RING.verify("cursor", b"message", key_id, mac + "=")


def test_after_a_rotation_old_signatures_hold_and_new_ones_use_the_new_secret() -> None:
    key_id, mac = RING.sign("cursor", b"message")
    rotated = Keyring("new", {"old": OLD, "new": NEW})
    rotated.verify("cursor", b"message", key_id, mac)
    assert rotated.sign("cursor", b"message")[0] == "new"


def test_signatures_of_a_removed_secret_are_refused() -> None:
    key_id, mac = RING.sign("cursor", b"message")
    with pytest.raises(BadSignature):
        Keyring("new", {"new": NEW}).verify("cursor", b"message", key_id, mac)


def test_a_signature_of_one_secret_does_not_pass_as_that_of_another() -> None:
    _, mac = RING.sign("cursor", b"message")
    with pytest.raises(BadSignature):
        Keyring("new", {"old": OLD, "new": NEW}).verify("cursor", b"message", "new", mac)


@pytest.mark.parametrize(
    ("current", "secrets"),
    [
        ("gone", {"old": OLD}),
        ("old", {}),
        ("old", {"old": b"short"}),
        ("old", {"old": OLD, "": NEW}),
        ("a&b", {"a&b": OLD}),
        ("x" * 33, {"x" * 33: OLD}),
    ],
)
def test_a_ring_that_cannot_sign_safely_is_refused(current: str, secrets: dict[str, bytes]) -> None:
    with pytest.raises(BadSetting):
        Keyring(current, secrets)


def test_a_derived_key_is_a_fixed_one_for_its_purpose_and_secret() -> None:
    """A fixed answer: what was encrypted by an earlier version stays readable."""
    assert RING.derive("cursor", "old").hex() == "83f14b2385b4348c3f59ec51cadb9c442cc3b9f767e3ec6af5c69a670f5a0dd7"
    rotated = Keyring("new", {"old": OLD, "new": NEW})
    derived = [rotated.derive(purpose, key_id) for purpose in ("cursor", "other") for key_id in ("old", "new")]
    assert derived[0] == RING.derive("cursor", "old")
    assert len(set(derived)) == len(derived)
    assert {len(key) for key in derived} == {32}


def test_a_derived_key_equals_no_signature() -> None:
    key = urlsafe_b64encode(RING.derive("cursor", "old")).rstrip(b"=").decode()
    messages = [("cursor", b""), ("", b"cursor"), ("", b""), ("\xff\xff", b"cursor"), ("\xff\xffcursor", b"")]
    assert all(RING.sign(purpose, message)[1] != key for purpose, message in messages)


def test_no_key_is_derived_from_a_removed_secret() -> None:
    with pytest.raises(BadSignature):
        Keyring("new", {"new": NEW}).derive("cursor", "old")


def test_no_secret_is_shown_by_repr() -> None:
    assert "ooo" not in repr(RING)


def test_a_ring_does_not_change_with_the_mapping_it_was_made_from() -> None:
    secrets = {"old": OLD}
    ring = Keyring("old", secrets)
    secrets.clear()
    assert ring.sign("cursor", b"message") == RING.sign("cursor", b"message")
