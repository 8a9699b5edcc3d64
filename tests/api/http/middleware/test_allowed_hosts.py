"""Hosts that Sparks serves."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.types import Receive, Scope, Send

from sparks.api.http.middleware.allowed_hosts import AllowedHostsMiddleware, read_host
from sparks.model.errors import BadSetting
from tests.api.client import Client
from tests.api.http.middleware.serving import Caller, answer, served


async def hello(scope: Scope, receive: Receive, send: Send) -> None:
    await answer(send, b"hello")


def status(hosts: AllowedHostsMiddleware, *sent: str, path: str = "/") -> int:
    """The response to a request with these Host headers."""
    with Client(hosts) as client:
        return client.get(path, headers=[("Host", host) for host in sent]).status_code


@pytest.mark.parametrize("host", ["localhost", "LocalHost:1", "127.0.0.1:65535", "[::1]", "[::1]:80", "[0:0:0::1]:80"])
def test_loopback_names_are_served_on_any_port(host: str) -> None:
    assert status(AllowedHostsMiddleware(hello, public_url="https://photos.example.org"), host) == 200


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://photos.example.org", "photos.example.org"),
        ("https://photos.example.org", "PHOTOS.example.org:443"),
        ("https://photos.example.org/sparks", "photos.example.org."),
        ("http://photos.example.org", "photos.example.org:80"),
        ("https://photos.example.org:8443", "photos.example.org:8443"),
        ("https://photos.example.org:8443", "photos.example.org"),
        ("http://192.168.1.7:8000", "192.168.1.7:8000"),
        ("http://[fd00::7]:8000", "[fd00:0::7]:8000"),
        ("https://bücher.example", "xn--bcher-kva.example"),
    ],
)
def test_the_public_host_is_served_with_and_without_its_port(url: str, host: str) -> None:
    assert status(AllowedHostsMiddleware(hello, public_url=url), host) == 200


@pytest.mark.parametrize(
    ("allowed", "host"),
    [("nas", "nas"), ("nas", "nas:8000"), ("nas:8000", "nas:8000"), ("fd00::7", "[fd00::7]"), ("NAS", "nas")],
)
def test_an_allowed_host_is_served(allowed: str, host: str) -> None:
    assert (
        status(AllowedHostsMiddleware(hello, public_url="https://photos.example.org", allowed=[allowed]), host) == 200
    )


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "photos.example.org.evil.example",
        "evil-photos.example.org",
        "photos.example.org:8000",
        "nas:8001",
        "192.168.1.7",
        "[fd00::7]",
        "localhost.evil.example",
    ],
)
def test_any_other_host_is_refused_with_advice(host: str) -> None:
    with Client(AllowedHostsMiddleware(hello, public_url="https://photos.example.org", allowed=["nas:8000"])) as client:
        refused = client.get("/", headers={"Host": host})
    assert (refused.status_code, refused.json()["error"]) == (421, "MISDIRECTED_REQUEST")
    for word in (host, "photos.example.org", "nas:8000", "SPARKS_PUBLIC_URL", "SPARKS_ALLOWED_HOSTS"):
        assert word in refused.json()["message"]


@pytest.mark.parametrize(
    "host",
    [
        "",
        " ",
        "a b",
        "a/b",
        "user@localhost",
        "localhost:",
        "localhost:abc",
        "localhost:123456",
        "[::1",
        "::1",
        "[zz]",
        "[1:2]",
        "a..b",
        ".",
        "localhost,evil.example",
        "localh\x00st",
        "l\xf6calhost",
        "localhost:80:80",
        "<script>",
    ],
)
def test_a_malformed_host_is_a_bad_request(host: str) -> None:
    with Client(AllowedHostsMiddleware(hello, public_url="https://photos.example.org")) as client:
        refused = client.get("/", headers=[(b"Host", host.encode("latin-1"))])
    assert (refused.status_code, refused.json()["error"]) == (400, "BAD_REQUEST")


def test_two_host_headers_are_a_bad_request() -> None:
    assert (
        status(AllowedHostsMiddleware(hello, public_url="https://photos.example.org"), "localhost", "localhost") == 400
    )


def test_a_request_without_a_host_is_a_bad_request() -> None:
    with served(AllowedHostsMiddleware(hello, public_url="https://photos.example.org")) as port, Caller(port) as caller:
        caller.send(b"GET / HTTP/1.1\r\n\r\n")
        assert caller.read_answer().status == 400


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/metrics"])
@pytest.mark.parametrize("hosts", [["10.0.0.7:8000"], ["evil.example"], ["a b"], ["a", "b"]])
def test_health_checks_are_served_for_any_host(path: str, hosts: list[str]) -> None:
    assert status(AllowedHostsMiddleware(hello, public_url="https://photos.example.org"), *hosts, path=path) == 200


@pytest.mark.parametrize("allowed", ["*", "a b", "a/b", "nas:port", "..", "[::1", "*.example.org"])
def test_a_malformed_allowed_host_is_a_bad_setting(allowed: str) -> None:
    with pytest.raises(BadSetting, match="allowed_hosts"):
        AllowedHostsMiddleware(hello, public_url="https://photos.example.org", allowed=[allowed])


@pytest.mark.parametrize("url", ["https://a:port", "https://*", "https://a..b"])
def test_a_public_url_without_a_host_is_a_bad_setting(url: str) -> None:
    with pytest.raises(BadSetting, match="public_url"):
        AllowedHostsMiddleware(hello, public_url=url)


@given(st.text(alphabet=st.characters(max_codepoint=255)) | st.text(alphabet="[]:.a1%-f", max_size=12))
def test_any_text_is_parsed_as_a_host_or_as_none(sent: str) -> None:
    host = read_host(sent)
    assert host is None or read_host(str(host)) == host
