"""What anybody may know before they are in."""

from pathlib import Path
from typing import Any

import pytest

from sparks import __version__
from tests.api.community import PASSWORD, Community

ISSUER = {"oidc_issuer": "https://issuer.example.org", "oidc_client_id": "sparks", "oidc_name": "the club's account"}


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({}, {"registration": "closed"}),
        ({"registration": "open"}, {"registration": "open"}),
        ({"default_visibility": "private"}, {"registration": "closed", "defaultVisibility": "private"}),
        (ISSUER, {"registration": "closed", "provider": "the club's account"}),
    ],
)
def test_anybody_may_know_the_version_and_the_ways_in(
    tmp_path: Path, settings: dict[str, Any], told: dict[str, str]
) -> None:
    with Community(tmp_path, **settings).browser() as visitor:
        answer = visitor.get("/api/about")
    assert answer.status_code == 200
    always = {"name": "Sparks", "version": __version__, "setup": False, "defaultVisibility": "community"}
    assert answer.json() == always | told


def test_it_tells_that_sparks_is_to_be_set_up_until_it_is(tmp_path: Path) -> None:
    community = Community(tmp_path, people=False)
    wish = {"token": community.setup.text, "email": "eve@example.com", "password": PASSWORD}
    with community.browser() as visitor:
        assert visitor.get("/api/about").json()["setup"] is True
        visitor.post("/api/setup", json=wish)
        assert visitor.get("/api/about").json()["setup"] is False
