"""Exchange of an authorization code for tokens, and the userinfo request."""

import logging
import re
from base64 import b64encode
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, Final, TypeGuard
from urllib.parse import quote_plus

from sparks.auth.oidc.client_config import ClientConfig
from sparks.auth.oidc.remote_json import JsonResponse, fetch_json, get_json
from sparks.model.errors import NotSignedIn, Unavailable

CODE_REFUSED: Final = "the sign-in provider did not accept the sign-in: begin it again"
CLIENT_REFUSED: Final = (
    "the sign-in provider does not accept this site ({}): its administrator must check oidc_client_id and "
    "oidc_client_secret, and that the provider knows {} as a redirect address"
)

_ERROR: Final = re.compile(r"[a-z_]{1,40}", re.ASCII)
_INVALID_GRANT: Final = "invalid_grant"

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class TokenResponse:
    id_token: str = field(repr=False)
    access_token: str | None = field(repr=False)


def redeem_code(
    code: str, *, verifier: str, client: ClientConfig, endpoint: str, methods: tuple[str, ...]
) -> TokenResponse:
    """NotSignedIn where the provider rejects the code; Unavailable where it rejects Sparks as a client."""
    form = {
        "grant_type": "authorization_code",
        "code": code,
        "redirect_uri": client.redirect_uri,
        "code_verifier": verifier,
    }
    credentials, headers = _client_credentials(client, methods)
    response = fetch_json(endpoint, form=form | credentials, headers=headers)
    if response.status != HTTPStatus.OK:
        raise _rejection(response, client)
    id_token, access_token = response.document.get("id_token"), response.document.get("access_token")
    if not isinstance(id_token, str):
        raise Unavailable("the sign-in provider gave no ID token: it must support OpenID Connect")
    return TokenResponse(id_token, access_token if _is_header_value(access_token) else None)


def fetch_userinfo(access_token: str, *, sub: str, endpoint: str) -> dict[str, Any]:
    """The userinfo claims of this subject. Empty where the response is about another subject."""
    document = get_json(endpoint, headers={"Authorization": f"Bearer {access_token}"})
    if document.get("sub") != sub:
        log.warning("the userinfo of the sign-in provider is about another user than the one who signed in")
        return {}
    return document


def error_word(error: object) -> str | None:
    """The error code of a provider, such as `invalid_grant`. None for anything else, which must not be logged."""
    return error if isinstance(error, str) and _ERROR.fullmatch(error) else None


def _client_credentials(client: ClientConfig, methods: tuple[str, ...]) -> tuple[dict[str, str], dict[str, str]]:
    """The credentials of Sparks as form fields and as headers."""
    if client.client_secret is None:
        return {"client_id": client.client_id}, {}
    if "client_secret_basic" not in methods and "client_secret_post" in methods:
        return {"client_id": client.client_id, "client_secret": client.client_secret}, {}
    pair = f"{quote_plus(client.client_id)}:{quote_plus(client.client_secret)}"
    return {}, {"Authorization": f"Basic {b64encode(pair.encode()).decode()}"}


def _is_header_value(token: object) -> TypeGuard[str]:
    return isinstance(token, str) and token.isascii() and token.isprintable()


def _rejection(response: JsonResponse, client: ClientConfig) -> NotSignedIn | Unavailable:
    reason = error_word(response.document.get("error")) or f"status {response.status}"
    log.warning("the sign-in provider refused a code: %s", reason)
    if reason == _INVALID_GRANT:
        return NotSignedIn(CODE_REFUSED)
    return Unavailable(CLIENT_REFUSED.format(reason, client.redirect_uri))
