"""Scopes and the photos in them."""

from sparks.model.scope import COMMUNITY, album_of, owner_of, scope_of_album, scope_of_owner


def test_scopes_are_written_as_in_the_data_model() -> None:
    assert (COMMUNITY, scope_of_owner("ann@example.com"), scope_of_album("7k2")) == (
        "ALL",
        "ann@example.com",
        "ALBUM#7k2",
    )


def test_a_scope_names_its_album_or_its_owner() -> None:
    assert album_of(scope_of_album("7k2")) == "7k2"
    assert owner_of(scope_of_owner("ann@example.com")) == "ann@example.com"


def test_a_scope_is_of_one_kind_only() -> None:
    assert album_of(COMMUNITY) is owner_of(COMMUNITY) is None
    assert album_of(scope_of_owner("ann@example.com")) is None
    assert owner_of(scope_of_album("a@b")) is None
