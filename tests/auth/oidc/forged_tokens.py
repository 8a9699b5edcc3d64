"""Keys, and tokens made by hand: good ones, and those that no library would make."""

import functools
import hmac
import json
from base64 import urlsafe_b64encode
from dataclasses import dataclass
from datetime import timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from cryptography.x509.oid import NameOID

from sparks.model import times

PrivateKey = rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey


def letters(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode()


@dataclass(frozen=True)
class Signer:
    """A key with its name, as a provider has it."""

    kid: str
    key: PrivateKey

    @property
    def algorithm(self) -> str:
        return "RS256" if isinstance(self.key, rsa.RSAPrivateKey) else "ES256"

    @property
    def jwk(self) -> dict[str, Any]:
        numbers = self.key.public_key().public_numbers()
        if isinstance(numbers, rsa.RSAPublicNumbers):
            told = {"kty": "RSA", "n": _integer(numbers.n), "e": _integer(numbers.e)}
        else:
            size = (self.key.key_size + 7) // 8
            curve = f"P-{self.key.key_size}"
            told = {"kty": "EC", "crv": curve, "x": _integer(numbers.x, size), "y": _integer(numbers.y, size)}
        return {"kid": self.kid, "use": "sig", "alg": self.algorithm, **told}

    def public_bytes(self, encoding: Encoding) -> bytes:
        return self.key.public_key().public_bytes(encoding, PublicFormat.SubjectPublicKeyInfo)

    def sign(self, message: bytes, *, pss: bool = False) -> bytes:
        if isinstance(self.key, ec.EllipticCurvePrivateKey):
            r, s = decode_dss_signature(self.key.sign(message, ec.ECDSA(hashes.SHA256())))
            return r.to_bytes(32, "big") + s.to_bytes(32, "big")
        filling = padding.PSS(padding.MGF1(hashes.SHA256()), 32) if pss else padding.PKCS1v15()
        return self.key.sign(message, filling, hashes.SHA256())

    def token(self, payload: dict[str, Any], **header: Any) -> str:
        """Signed; the header may be told to say something else."""
        body = joined({"alg": self.algorithm, "typ": "JWT", "kid": self.kid} | header, payload)
        return f"{body}.{letters(self.sign(body.encode(), pss=header.get('alg') == 'PS256'))}"


def joined(header: Any, payload: Any) -> str:
    return f"{letters(json.dumps(header).encode())}.{letters(json.dumps(payload).encode())}"


def mac_token(secret: bytes, payload: dict[str, Any], **header: Any) -> str:
    body = joined({"alg": "HS256", "typ": "JWT"} | header, payload)
    return f"{body}.{letters(hmac.digest(secret, body.encode(), 'sha256'))}"


@functools.cache
def rsa_signer(kid: str = "rsa", bits: int = 2048) -> Signer:
    return Signer(kid, rsa.generate_private_key(65537, bits))


@functools.cache
def ec_signer(kid: str = "ec") -> Signer:
    return Signer(kid, ec.generate_private_key(ec.SECP256R1()))


def self_signed(path: Path) -> Path:
    """A self-signed certificate for this machine, with its key, in a file."""
    key, at = ec_signer().key, times.now()
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(at - timedelta(days=1))
        .not_valid_after(at + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    path.write_bytes(private + certificate.public_bytes(Encoding.PEM))
    return path


def _integer(number: int, size: int | None = None) -> str:
    return letters(number.to_bytes(size or (number.bit_length() + 7) // 8, "big"))
