"""The address of the client, behind proxies and without."""

import asyncio
from collections.abc import Sequence
from ipaddress import ip_network
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.types import Receive, Scope, Send

from sparks.api.http.middleware.client_address import ClientAddressMiddleware, client_address, read_address

TRUSTED = [ip_network("10.0.0.0/8"), ip_network("192.0.2.7"), ip_network("fd00::/8")]
PROXY = "10.0.0.1"
STRANGER = "203.0.113.9"


def scope(peer: str | None, *forwarded: str | bytes, name: bytes = b"x-forwarded-for") -> Scope:
    headers = [(name, each if isinstance(each, bytes) else each.encode()) for each in forwarded]
    client = None if peer is None else (peer, 4711)
    return {"type": "http", "client": client, "scheme": "http", "headers": headers}


@pytest.mark.parametrize(
    ("peer", "forwarded", "address"),
    [
        (STRANGER, [], STRANGER),
        (STRANGER, ["1.2.3.4"], STRANGER),
        (PROXY, [], PROXY),
        (PROXY, ["1.2.3.4"], "1.2.3.4"),
        (PROXY, ["6.6.6.6, 1.2.3.4"], "1.2.3.4"),
        (PROXY, ["6.6.6.6, 1.2.3.4, 10.9.9.9, 192.0.2.7"], "1.2.3.4"),
        (PROXY, ["6.6.6.6", "1.2.3.4", "10.9.9.9"], "1.2.3.4"),
        (PROXY, ["10.1.1.1, 10.2.2.2"], "10.1.1.1"),
        (PROXY, ["1.2.3.4, , "], "1.2.3.4"),
        (PROXY, ["1.2.3.4:5678"], "1.2.3.4"),
        (PROXY, ["[2001:db8::1]:5678"], "2001:db8::1"),
        (PROXY, ["2001:DB8:0::1"], "2001:db8::1"),
        (PROXY, ["::ffff:1.2.3.4"], "1.2.3.4"),
        (PROXY, ["fe80::1%<script>"], "fe80::1"),
        (PROXY, ["1.2.3.4, unknown"], PROXY),
        (PROXY, ["1.2.3.4, 10.2.2.2, ' OR 1=1"], PROXY),
        (PROXY, ["unknown, 10.2.2.2"], "10.2.2.2"),
        ("::ffff:10.0.0.1", ["1.2.3.4"], "1.2.3.4"),
        ("fd00::1", ["1.2.3.4"], "1.2.3.4"),
        ("::ffff:203.0.113.9", ["1.2.3.4"], STRANGER),
        ("testclient", ["1.2.3.4"], "testclient"),
        (None, ["1.2.3.4"], ""),
    ],
)
def test_only_entries_of_trusted_proxies_count(peer: str | None, forwarded: list[str], address: str) -> None:
    assert client_address(scope(peer, *forwarded), TRUSTED) == address


@given(st.lists(st.binary()), st.ip_addresses().map(str))
def test_a_client_cannot_forge_its_address(forged: list[bytes], seen: str) -> None:
    proxied = scope(PROXY, *forged, f"{seen}")
    if not any(read_address(seen) in network for network in TRUSTED):
        assert client_address(proxied, TRUSTED) == str(read_address(seen))


words = (
    st.ip_addresses().map(str) | st.text(st.characters(max_codepoint=255)) | st.sampled_from(["10.1.1.1", "fd00::2"])
)


@given(st.lists(words), st.ip_addresses().map(str) | st.text() | st.none() | st.just(PROXY))
def test_garbage_never_raises_and_never_becomes_an_address(entries: list[str], peer: str | None) -> None:
    address = client_address(scope(peer, *(word.encode("latin-1") for word in entries)), TRUSTED)
    assert address == (peer or "") or read_address(address) is not None


def passed_on(trusted: Sequence[str], sent: Scope) -> dict[str, Any]:
    """The scope as the application sees it."""
    seen: dict[str, Any] = {}

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        seen.update(scope)

    async def never(*_: Any) -> Any: ...

    asyncio.run(ClientAddressMiddleware(app, trusted=trusted)(sent, never, never))
    return seen


def test_the_application_sees_the_address_of_the_client() -> None:
    assert passed_on(["10.0.0.0/8"], scope(PROXY, "1.2.3.4"))["client"] == ("1.2.3.4", 0)


def test_a_peer_that_is_no_proxy_keeps_its_address_and_port() -> None:
    assert passed_on(["10.0.0.0/8"], scope(STRANGER, "1.2.3.4"))["client"] == (STRANGER, 4711)
    assert passed_on(["10.0.0.0/8"], scope(PROXY))["client"] == (PROXY, 4711)
    assert passed_on(["10.0.0.0/8"], scope(None, "1.2.3.4"))["client"] is None


@pytest.mark.parametrize(
    ("peer", "entries", "scheme"),
    [
        (PROXY, ["https"], "https"),
        (PROXY, ["HTTPS"], "https"),
        (PROXY, ["http, https"], "https"),
        (PROXY, ["https", "http"], "http"),
        (PROXY, ["javascript"], "http"),
        (PROXY, [""], "http"),
        (PROXY, [], "http"),
        (STRANGER, ["https"], "http"),
    ],
)
def test_the_scheme_of_a_trusted_proxy_counts(peer: str, entries: list[str], scheme: str) -> None:
    assert passed_on(["10.0.0.0/8"], scope(peer, *entries, name=b"x-forwarded-proto"))["scheme"] == scheme
