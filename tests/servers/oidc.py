"""A real OpenID provider, and a browser that signs in there."""

import functools
import html
import re
import ssl
from pathlib import Path
from typing import Final
from urllib.parse import urljoin

import httpx

from tests.servers.process import shared

HERE: Final = Path(__file__).parent
SITE: Final = "http://127.0.0.1:8000"
SECURE_SITE: Final = "https://photos.example.org"
SECRET: Final = "a secret: of the tests"
MOST_PAGES: Final = 10

_FORM: Final = re.compile(r'<form[^>]* action="([^"]+)"')
_ABORT: Final = re.compile(r'href="([^"]+/abort)"')


@functools.cache
def oidc_provider() -> str:
    """Its clients: `public`; `secret`, with SECRET; and `elliptic`, public too, whose ID tokens are ES256."""

    def command(port: int, _home: Path) -> list[str]:
        return ["node", str(HERE / "oidc.mjs"), str(port), SITE, SECURE_SITE]

    return shared("oidc-provider", command, path="/.well-known/openid-configuration")


def sign_in_there(url: str, login: str) -> httpx.URL:
    """Goes where Sparks sent the browser, signs in as `login` and consents; where the provider sends it back to."""
    with _browser() as browser:
        return _walk(browser, url, login)


def give_up_there(url: str) -> httpx.URL:
    """As `sign_in_there`, but turns back at the first form."""
    with _browser() as browser:
        return _walk(browser, url, None)


def _browser() -> httpx.Client:
    """Nothing here is https, so it need not read all the certificates of the world."""
    return httpx.Client(verify=ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT))


def _walk(browser: httpx.Client, url: str, login: str | None) -> httpx.URL:
    home = httpx.URL(url).netloc
    answer = browser.get(url)
    for _ in range(MOST_PAGES):
        if answer.next_request is None:
            answer = _fill_in(browser, answer, login)
        elif answer.next_request.url.netloc != home:
            return answer.next_request.url
        else:
            answer = browser.send(answer.next_request)
    raise AssertionError(f"the provider did not send the browser back, but to {answer.url}")


def _fill_in(browser: httpx.Client, page: httpx.Response, login: str | None) -> httpx.Response:
    found = (_FORM if login is not None else _ABORT).search(page.text)
    assert found is not None, page.text
    address = urljoin(str(page.url), html.unescape(found[1]))
    if login is None:
        return browser.get(address)
    prompt = "login" if 'name="login"' in page.text else "consent"
    return browser.post(address, data={"prompt": prompt, "login": login, "password": "any"})
