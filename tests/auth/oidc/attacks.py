"""Tokens that must be refused. Each is made for a provider whose keys are `rsa` and `ec`."""

import base64
import json
from collections.abc import Callable
from datetime import datetime
from typing import Any, Final

from cryptography.hazmat.primitives.serialization import Encoding

from sparks.model.times import unix
from tests.auth.oidc.forged_tokens import Signer, ec_signer, joined, letters, mac_token, rsa_signer

CLIENT_ID: Final = "sparks"

Payload = dict[str, Any]
Attack = Callable[[Payload], str]


def good_payload(issuer: str, at: datetime) -> Payload:
    """Of a token that is accepted."""
    return {
        "iss": issuer,
        "sub": "an-identity-of-the-tests",
        "aud": CLIENT_ID,
        "exp": unix(at) + 600,
        "iat": unix(at),
        "email": "somebody.of.the.tests@example.org",
        "email_verified": True,
    }


def _rsa() -> Signer:
    return rsa_signer()


def _foreign() -> Signer:
    """The attacker's own key, under a name of the provider's."""
    return Signer("rsa", rsa_signer("foreign").key)


def _signed(**changes: Any) -> Attack:
    """Rightly signed, but what it says is wrong; None is a claim that is left out."""
    return lambda good: _rsa().token({name: value for name, value in (good | changes).items() if value is not None})


def _shifted(name: str, seconds: int) -> Attack:
    return lambda good: _rsa().token(good | {name: good["iat"] + seconds})


def _unsigned(algorithm: object, signature: str = "") -> Attack:
    return lambda good: f"{joined({'alg': algorithm, 'typ': 'JWT', 'kid': 'rsa'}, good)}.{signature}"


def _mac(encoding: Encoding) -> Attack:
    return lambda good: mac_token(_rsa().public_bytes(encoding), good, kid="rsa")


def _kid(kid: object, signer: Callable[[], Signer] = _foreign) -> Attack:
    return lambda good: signer().token(good, kid=kid)


def _foreign_header(**header: Any) -> Attack:
    return lambda good: _foreign().token(good, **header)


def _headed(**header: Any) -> Attack:
    """Rightly signed, with more in its header than Sparks knows."""
    return lambda good: _rsa().token(good, **header)


def _raw(payload: bytes) -> Attack:
    def attack(_: Payload) -> str:
        body = f"{letters(json.dumps({'alg': 'RS256', 'kid': 'rsa'}).encode())}.{letters(payload)}"
        return f"{body}.{letters(_rsa().sign(body.encode()))}"

    return attack


def _altered(change: Callable[[list[str]], list[str]]) -> Attack:
    return lambda good: ".".join(change(_rsa().token(good).split(".")))


def _own_certificate(good: Payload) -> str:
    der = base64.b64encode(_foreign().public_bytes(Encoding.DER)).decode()
    return _foreign().token(good, x5c=[der])


def _elliptic_signature_for_nothing(good: Payload) -> str:
    """r = s = 0: the "psychic signature"."""
    return f"{joined({'alg': 'ES256', 'typ': 'JWT', 'kid': 'ec'}, good)}.{letters(bytes(64))}"


ATTACKS: Final[dict[str, Attack]] = {
    "alg none": _unsigned("none"),
    "alg None": _unsigned("None"),
    "alg NONE": _unsigned("NONE"),
    "alg nOnE": _unsigned("nOnE"),
    "alg none with a signature": _unsigned("none", "AAAA"),
    "alg empty": _unsigned(""),
    "alg null": _unsigned(None),
    "alg a number": _unsigned(256),
    "alg a list": _unsigned(["RS256"]),
    "alg an object": _unsigned({"RS256": 1}),
    "alg with a space": _unsigned("RS256 "),
    "alg in small letters": _headed(alg="rs256"),
    "alg of a different hash": _headed(alg="RS512"),
    "no signature": _unsigned("RS256"),
    "HS256 with the public key as PEM": _mac(Encoding.PEM),
    "HS256 with the public key as DER": _mac(Encoding.DER),
    "HS256 with an empty secret": lambda good: mac_token(b"", good, kid="rsa"),
    "HS256 with the kid as a secret": lambda good: mac_token(b"rsa", good, kid="rsa"),
    "PS256": _headed(alg="PS256"),
    "ES256 with the RSA key": lambda good: ec_signer().token(good, kid="rsa"),
    "ES256 with a signature of the RSA key": lambda good: _rsa().token(good, alg="ES256", kid="ec"),
    "RS256 with the elliptic key": lambda good: ec_signer().token(good, alg="RS256"),
    "RS256 with a signature for the elliptic key": lambda good: _rsa().token(good, kid="ec"),
    "ES256 with zeros for a signature": _elliptic_signature_for_nothing,
    "a key of the attacker": _foreign_header(),
    "a small key of the provider": lambda good: rsa_signer("small", 1024).token(good),
    "kid a path": _kid("../../../../dev/null"),
    "kid a file": _kid("/proc/self/environ"),
    "kid SQL": _kid("' UNION SELECT 'secret' --"),
    "kid a URL": _kid("http://127.0.0.1:1/jwks"),
    "kid a command": _kid("rsa; id"),
    "kid with NUL": _kid("rsa\0"),
    "kid very long": _kid("k" * 10_000),
    "kid empty": _kid(""),
    "kid null": _kid(None, _rsa),
    "kid a number": _kid(1, _rsa),
    "kid a list": _kid(["rsa"], _rsa),
    "kid unknown": _kid("unknown", _rsa),
    "jku": _foreign_header(jku="http://127.0.0.1:1/jwks", kid="foreign"),
    "jku beside a known kid": _foreign_header(jku="http://127.0.0.1:1/jwks"),
    "x5u": _foreign_header(x5u="http://127.0.0.1:1/certificate"),
    "x5c": _own_certificate,
    "jwk": lambda good: _foreign().token(good, jwk=rsa_signer("foreign").jwk),
    "crit": _headed(crit=["exp"]),
    "crit empty": _headed(crit=[]),
    "crit b64": _headed(crit=["b64"], b64=True),
    "crit b64 false": _headed(crit=["b64"], b64=False),
    "typ of a logout token": _headed(typ="logout+jwt"),
    "typ of a proof": _headed(typ="dpop+jwt"),
    "typ a list": _headed(typ=["JWT"]),
    "other iss": _signed(iss="https://evil.example.org"),
    "iss with a slash more": lambda good: _rsa().token(good | {"iss": good["iss"] + "/"}),
    "iss a list": lambda good: _rsa().token(good | {"iss": [good["iss"]]}),
    "no iss": _signed(iss=None),
    "other aud": _signed(aud="another"),
    "other auds": _signed(aud=["another", "sparks2"]),
    "aud begins alike": _signed(aud="sparks-admin"),
    "aud empty": _signed(aud=[]),
    "aud an object": _signed(aud={"sparks": 1}),
    "no aud": _signed(aud=None),
    "no aud but client_id": _signed(aud=None, client_id=CLIENT_ID),
    "token_use refresh": _signed(token_use="refresh"),
    "token_use empty": _signed(token_use=""),
    "token_use in capitals": _signed(token_use="Access", client_id=CLIENT_ID),
    "token_use a list": _signed(token_use=["access"], client_id=CLIENT_ID),
    "access token of another client": _signed(token_use="access", client_id="another"),
    "access token without a client": _signed(token_use="access"),
    "ID token of another client": _signed(token_use="id", aud="another"),
    "ID token of two clients": _signed(token_use="id", aud=["sparks", "another"]),
    "expired": _shifted("exp", -61),
    "expires now, leeway over": _shifted("exp", -60),
    "expired long ago": _signed(exp=0),
    "no exp": _signed(exp=None),
    "exp a text": _signed(exp="9999999999"),
    "exp true": _signed(exp=True),
    "exp beyond all time": _signed(exp=10**30),
    "exp negative": _signed(exp=-1),
    "nbf in the future": _shifted("nbf", 120),
    "nbf a text": _signed(nbf="0"),
    "iat in the future": _shifted("iat", 120),
    "no sub": _signed(sub=None),
    "sub empty": _signed(sub=""),
    "sub a number": _signed(sub=7),
    "sub with a line end": _signed(sub="a\nb"),
    "sub with NUL": _signed(sub="a\0b"),
    "sub turned around": _signed(sub="a\u202eb"),
    "sub too long": _signed(sub="a" * 256),
    "sub too long in bytes": _signed(sub="ä" * 128),
    "sub half a letter": _raw(b'{"iss": "x", "sub": "\\ud800", "exp": 99999999999, "aud": "sparks"}'),
    "bound to somebody's key": _signed(cnf={"jkt": "of a key"}),
    "logout token": _signed(events={"http://schemas.openid.net/event/backchannel-logout": {}}),
    "1 MB": _signed(filling="a" * 1_000_000),
    "17 KB": _signed(filling="a" * 17_000),
    "1 MB of nothing": lambda _: "ey" + "a" * 1_000_000,
    "deep lists": _raw(b'{"a": ' + b"[" * 5000 + b"]" * 5000 + b"}"),
    "deep header": lambda good: f"{letters(b'[' * 5000 + b']' * 5000)}.{joined({}, good).split('.')[1]}.AAAA",
    "payload a list": _raw(b"[]"),
    "payload a text": _raw(b'"sparks"'),
    "payload not JSON": _raw(b"sparks"),
    "payload not UTF-8": _raw(b'{"sub": "\xff"}'),
    "payload NaN": _raw(b'{"exp": NaN}'),
    "header a list": lambda good: f"{letters(b'[]')}.{joined({}, good).split('.')[1]}.AAAA",
    "header not JSON": lambda good: f"{letters(b'{{')}.{joined({}, good).split('.')[1]}.AAAA",
    "one part": lambda _: "eyJhbGciOiJSUzI1NiJ9",
    "two parts": _altered(lambda parts: parts[:2]),
    "four parts": _altered(lambda parts: [*parts, parts[2]]),
    "five parts": _altered(lambda parts: [*parts, "AAAA", "AAAA"]),
    "empty parts": lambda _: "ey..",
    "no base64": _altered(lambda parts: [parts[0], "!!!!", parts[2]]),
    "base64 of the other kind": _altered(lambda parts: [parts[0], parts[1], "+/" + parts[2][2:]]),
    "signature cut short": _altered(lambda parts: [parts[0], parts[1], parts[2][:-8]]),
    "signature too long": _altered(lambda parts: [parts[0], parts[1], parts[2] + "AAAA"]),
    "another payload": _altered(lambda parts: [parts[0], letters(b'{"sub": "other"}'), parts[2]]),
    "spaces inside": _altered(lambda parts: [parts[0], " " + parts[1], parts[2]]),
    "not ASCII": lambda _: "ey\u0430\u0430.ey\u0430\u0430.\u0430\u0430",
    "half a letter": lambda _: "ey\ud800.ey.AA",
}


def holds_piece(text: str, token: str, length: int = 12) -> bool:
    """Whether some piece of the token stands in the text."""
    return any(token[at : at + length] in text for at in range(max(1, len(token) - length + 1)))
