"""A code for a token: what Sparks asks the provider behind the browser's back."""

import logging
import re
from base64 import b64encode
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, Final, TypeGuard
from urllib.parse import quote_plus

from sparks.auth.oidc.client import Client
from sparks.auth.oidc.fetch import Answer, fetch_json, get_json
from sparks.model.errors import NotSignedIn, Unavailable

CODE_REFUSED: Final = "the sign-in provider did not accept the sign-in: begin it again"
CLIENT_REFUSED: Final = (
    "the sign-in provider does not accept this site ({}): its administrator must check oidc_client_id and "
    "oidc_client_secret, and that the provider knows {} as a redirect address"
)

_ERROR: Final = re.compile(r"[a-z_]{1,40}", re.ASCII)
_ABOUT_THE_CODE: Final = "invalid_grant"

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Redeemed:
    id_token: str = field(repr=False)
    access_token: str | None = field(repr=False)


def redeem_code(code: str, *, verifier: str, client: Client, endpoint: str, methods: tuple[str, ...]) -> Redeemed:
    """NotSignedIn where the provider does not take the code (again); Unavailable where it does not take Sparks."""
    form = {
        "grant_type": "authorization_code",
        "code": code,
        "redirect_uri": client.redirect_uri,
        "code_verifier": verifier,
    }
    proof, headers = _prove(client, methods)
    answer = fetch_json(endpoint, form=form | proof, headers=headers)
    if answer.status != HTTPStatus.OK:
        raise _refused(answer, client)
    id_token, access_token = answer.document.get("id_token"), answer.document.get("access_token")
    if not isinstance(id_token, str):
        raise Unavailable("the sign-in provider gave no ID token: it must support OpenID Connect")
    return Redeemed(id_token, access_token if _fits_a_header(access_token) else None)


def fetch_userinfo(access_token: str, *, sub: str, endpoint: str) -> dict[str, Any]:
    """What the provider tells of them beyond the ID token. Nothing, where it is about somebody else."""
    document = get_json(endpoint, headers={"Authorization": f"Bearer {access_token}"})
    if document.get("sub") != sub:
        log.warning("the sign-in provider told of another user than the one who signed in")
        return {}
    return document


def error_word(told: object) -> str | None:
    """A provider's word for what went wrong; None for what is no such word, and may hold anything."""
    return told if isinstance(told, str) and _ERROR.fullmatch(told) else None


def _prove(client: Client, methods: tuple[str, ...]) -> tuple[dict[str, str], dict[str, str]]:
    """How Sparks proves who it is: what goes into the form, and into the headers."""
    if client.client_secret is None:
        return {"client_id": client.client_id}, {}
    if "client_secret_basic" not in methods and "client_secret_post" in methods:
        return {"client_id": client.client_id, "client_secret": client.client_secret}, {}
    pair = f"{quote_plus(client.client_id)}:{quote_plus(client.client_secret)}"
    return {}, {"Authorization": f"Basic {b64encode(pair.encode()).decode()}"}


def _fits_a_header(token: object) -> TypeGuard[str]:
    return isinstance(token, str) and token.isascii() and token.isprintable()


def _refused(answer: Answer, client: Client) -> NotSignedIn | Unavailable:
    reason = error_word(answer.document.get("error")) or f"status {answer.status}"
    log.warning("the sign-in provider refused a code: %s", reason)
    if reason == _ABOUT_THE_CODE:
        return NotSignedIn(CODE_REFUSED)
    return Unavailable(CLIENT_REFUSED.format(reason, client.redirect_uri))
