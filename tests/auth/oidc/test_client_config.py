"""URLs of providers that Sparks may call."""

import pytest

from sparks.auth.oidc.client_config import ClientConfig, is_safe_url
from sparks.model.errors import BadSetting

HTTPS = "https://login.example.org"


@pytest.mark.parametrize(
    "url", [HTTPS, f"{HTTPS}:8443/a?b=c", "http://127.0.0.1:9229/pool", "http://localhost", "http://[::1]:80/"]
)
def test_https_and_loopback_urls_are_safe(url: str) -> None:
    assert is_safe_url(url)


@pytest.mark.parametrize(
    "url",
    [
        "http://login.example.org",
        "http://10.0.0.1",
        "http://127.0.0.1.example.org",
        "http://localhost.example.org",
        "ftp://127.0.0.1",
        "file:///etc/passwd",
        "https://",
        "https:///path",
        "https://user@example.org",
        "https://user:word@example.org",
        "https://example.org/#fragment",
        "https://example.org:port",
        "https://[::1",
        "https://exämple.org",
        "https://example.org/\n",
        "//example.org",
        "",
    ],
)
def test_other_urls_are_not_safe(url: str) -> None:
    assert not is_safe_url(url)


def test_beside_an_https_url_a_loopback_http_url_is_not_safe() -> None:
    assert not is_safe_url("http://127.0.0.1/jwks", beside=HTTPS)
    assert is_safe_url("http://127.0.0.1/jwks", beside="http://127.0.0.1:1")


def test_a_provider_over_plain_http_is_a_bad_setting() -> None:
    with pytest.raises(BadSetting, match="must begin with https"):
        ClientConfig(issuer="http://login.example.org", client_id="sparks", public_url="https://photos.example.org")


def test_the_client_secret_is_not_in_the_repr() -> None:
    client = ClientConfig(
        issuer=HTTPS, client_id="sparks", client_secret="hidden", public_url="https://photos.example.org"
    )

    assert "hidden" not in repr(client)
    assert client.redirect_uri == "https://photos.example.org/api/oidc/callback"
