"""A provider that returns what a test wants, and counts its requests."""

import json
import ssl
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from tests.auth.oidc.forged_tokens import Signer, ec_signer, rsa_signer


@dataclass(frozen=True)
class Asked:
    path: str
    headers: dict[str, str]
    form: dict[str, str]


@dataclass(frozen=True)
class Said:
    status: int = 200
    body: bytes = b"{}"
    headers: dict[str, str] = field(default_factory=dict)


def said(document: Any, status: int = 200) -> Said:
    return Said(status, json.dumps(document).encode())


class Issuer:
    """`answers` are what stands under each path; a test may change them. `asked` is everything that came."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.signers: list[Signer] = [rsa_signer(), ec_signer()]
        self.asked: list[Asked] = []
        self.document: dict[str, Any] = {
            "issuer": url,
            "jwks_uri": f"{url}/jwks",
            "authorization_endpoint": f"{url}/authorize",
            "token_endpoint": f"{url}/token",
        }
        self.answers: dict[str, Callable[[Asked], Said]] = {
            "/.well-known/openid-configuration": lambda _: said(self.document),
            "/jwks": lambda _: said({"keys": [signer.jwk for signer in self.signers]}),
        }

    def count(self, path: str) -> int:
        return Counter(asked.path for asked in self.asked)[path]

    def answer(self, asked: Asked) -> Said:
        self.asked.append(asked)
        answer = self.answers.get(asked.path)
        return Said(404) if answer is None else answer(asked)


@contextmanager
def running_issuer(*, certificate: Path | None = None) -> Iterator[Issuer]:
    """With a certificate, it speaks https."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads = True
    if certificate is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    issuer = Issuer(f"{'http' if certificate is None else 'https'}://127.0.0.1:{server.server_port}")
    _Handler.issuers[server.server_port] = issuer
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield issuer
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    issuers: dict[int, Issuer] = {}  # noqa: RUF012  one for each server of this process

    def do_GET(self) -> None:
        self._answer("")

    def do_POST(self) -> None:
        self._answer(self.rfile.read(int(self.headers["Content-Length"])).decode())

    def _answer(self, form: str) -> None:
        asked = Asked(self.path, dict(self.headers.items()), dict(parse_qsl(form)))
        says = self.issuers[self.server.server_address[1]].answer(asked)  # type: ignore[index]
        self.send_response(says.status)
        for name, value in says.headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(says.body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  as its parent calls it
        """Says nothing."""
