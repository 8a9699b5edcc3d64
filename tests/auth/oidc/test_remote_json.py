"""Requests to a provider: limited in size and time, and sent to no other host."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from sparks.auth.oidc import remote_json
from sparks.auth.oidc.remote_json import JsonResponse, fetch_json, get_json
from sparks.model.errors import Unavailable
from tests.auth.oidc.forged_tokens import self_signed
from tests.auth.oidc.issuer import Asked, Issuer, Said, running_issuer, said
from tests.servers.process import free_port


def test_a_json_object_is_fetched(issuer: Issuer) -> None:
    issuer.answers["/here"] = lambda _: said({"name": "ä"})

    assert get_json(f"{issuer.url}/here") == {"name": "ä"}


def test_a_form_is_posted(issuer: Issuer) -> None:
    issuer.answers["/here"] = lambda asked: said(asked.form)

    assert fetch_json(f"{issuer.url}/here", form={"a": "1 & 2"}) == JsonResponse(200, {"a": "1 & 2"})


def test_an_error_response_may_be_a_json_object(issuer: Issuer) -> None:
    issuer.answers["/here"] = lambda _: said({"error": "no"}, 400)

    assert fetch_json(f"{issuer.url}/here", form={}) == JsonResponse(400, {"error": "no"})


@pytest.mark.parametrize(
    "answer",
    [
        Said(404),
        Said(302, headers={"Location": "/elsewhere"}),
        Said(body=b"<html>"),
        Said(body=b"[]"),
        Said(body=b"[" * 100_000),
        Said(body=b'{"a": "\xff"}'),
        Said(body=b'{"a": "' + b"a" * remote_json.MAX_BYTES + b'"}'),
        Said(body=b'{"a', headers={"Content-Length": "100"}),
        Said(body=b"\x1f\x8b", headers={"Content-Encoding": "gzip"}),
    ],
    ids=["missing", "elsewhere", "page", "list", "deep", "not UTF-8", "large", "cut short", "packed"],
)
def test_a_response_that_is_not_a_small_json_object_is_refused(issuer: Issuer, answer: Said) -> None:
    issuer.answers["/here"] = lambda _: answer
    issuer.answers["/elsewhere"] = lambda _: said({})

    with pytest.raises(Unavailable):
        get_json(f"{issuer.url}/here")

    assert issuer.count("/elsewhere") == 0


@pytest.fixture
def stuck(issuer: Issuer, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A provider that does not answer before the test is over, and little patience with it."""
    over = threading.Event()

    def wait(_: Asked) -> Said:
        over.wait(30)
        return said({})

    issuer.answers["/here"] = wait
    monkeypatch.setattr(remote_json, "TIMEOUT", 0.1)
    yield
    over.set()


@pytest.mark.usefixtures("stuck")
def test_a_slow_server_times_out(issuer: Issuer) -> None:
    with pytest.raises(Unavailable, match="cannot be reached"):
        get_json(f"{issuer.url}/here")


def test_an_unreachable_server_is_reported() -> None:
    with pytest.raises(Unavailable, match=r"the sign-in provider at 127\.0\.0\.1:\d+ cannot be reached"):
        get_json(f"http://127.0.0.1:{free_port()}/here?secret=1")


def test_an_untrusted_certificate_is_refused(tmp_path: Path) -> None:
    """The server's certificate is self-signed."""
    with running_issuer(certificate=self_signed(tmp_path / "certificate.pem")) as impostor:
        with pytest.raises(Unavailable, match=r"cannot be reached \(SSLError\)"):
            get_json(f"{impostor.url}/.well-known/openid-configuration")

        assert impostor.asked == []
