"""Secrets: found by id, and proven by their random part."""

from collections.abc import Callable
from hashlib import sha256

import pytest

from sparks.model.errors import BadInput
from sparks.model.secret import Secret, new_secret, parse_secret


def test_a_secret_is_read_back() -> None:
    secret = new_secret()
    assert parse_secret(secret.text) == secret


def test_a_secret_has_256_random_bits_and_no_two_are_alike() -> None:
    made = [new_secret() for _ in range(100)]
    assert {len(secret.random) for secret in made} == {43}
    assert len({secret.random for secret in made}) == len({secret.id for secret in made}) == 100


def test_the_row_keeps_the_hash_of_the_random_part() -> None:
    secret = new_secret()
    assert secret.hash == sha256(secret.random.encode()).hexdigest()


def test_only_the_right_secret_fits() -> None:
    secret = new_secret()
    assert parse_secret(secret.text).fits(secret.hash)
    assert not Secret(secret.id, new_secret().random).fits(secret.hash)
    assert not secret.fits("ü")


def test_a_secret_is_not_in_its_repr() -> None:
    secret = new_secret()
    assert secret.random not in repr(secret)


@pytest.mark.parametrize("damage", [lambda text: text[:-1], lambda text: text + "a", lambda text: "." + text])
def test_a_secret_that_is_cut_or_altered_in_form_is_refused_without_being_repeated(
    damage: Callable[[str], str],
) -> None:
    text = damage(new_secret().text)
    with pytest.raises(BadInput) as refused:
        parse_secret(text)
    assert text not in str(refused.value)


@pytest.mark.parametrize("text", ["", ".", "a", f"a#b.{'x' * 43}", f"{'x' * 43}", f"ä.{'x' * 43}", f"a.{'x' * 43}\n"])
def test_a_text_without_the_form_of_a_secret_is_refused(text: str) -> None:
    with pytest.raises(BadInput):
        parse_secret(text)
