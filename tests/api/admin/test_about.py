"""Public information about the server."""

from pathlib import Path
from typing import Any

import pytest

from sparks import __version__
from tests.api.community import PASSWORD, Community

ISSUER = {"oidc_issuer": "https://issuer.example.org", "oidc_client_id": "sparks", "oidc_name": "the club's account"}


@pytest.mark.parametrize(
    ("settings", "result"),
    [
        ({}, {"registration": "closed"}),
        ({"registration": "open"}, {"registration": "open"}),
        ({"default_visibility": "private"}, {"registration": "closed", "defaultVisibility": "private"}),
        (ISSUER, {"registration": "closed", "provider": "the club's account"}),
    ],
)
def test_the_version_and_the_ways_to_sign_in_are_public(
    tmp_path: Path, settings: dict[str, Any], result: dict[str, str]
) -> None:
    with Community(tmp_path, **settings).browser() as visitor:
        answer = visitor.get("/api/about")
    assert answer.status_code == 200
    always = {"name": "Sparks", "version": __version__, "setup": False, "defaultVisibility": "community"}
    assert answer.json() == always | result


def test_setup_is_true_until_there_is_an_administrator(tmp_path: Path) -> None:
    community = Community(tmp_path, people=False)
    body = {"token": community.setup.text, "email": "eve@example.com", "password": PASSWORD}
    with community.browser() as visitor:
        assert visitor.get("/api/about").json()["setup"] is True
        visitor.post("/api/setup", json=body)
        assert visitor.get("/api/about").json()["setup"] is False
