"""State that a browser carries from the beginning of a sign-in to its end, and the page that follows."""

from urllib.parse import urljoin, urlsplit

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sparks.auth.oidc.code_flow import GOOD_FOR, LONGEST_NEXT, LoginState, local_path, seal_state, unseal_state
from sparks.model import times
from sparks.model.errors import BadInput, NotSignedIn
from sparks.model.keyring import Keyring
from tests.auth.oidc.conftest import KEYRING

NOW = times.now()
STATE = LoginState(
    state="of the browser",
    nonce="of the token",
    verifier="of the code",
    next="/albums?sort=new",
    link_to="ada@example.org",
    until=times.unix(NOW) + GOOD_FOR,
)
SITE = "https://photos.example.org"


def test_a_sealed_state_is_unsealed_unchanged() -> None:
    assert unseal_state(seal_state(STATE, keyring=KEYRING), keyring=KEYRING, at=NOW) == STATE


def test_a_sealed_state_fits_into_a_cookie() -> None:
    long = LoginState(
        state="s" * 43,
        nonce="n" * 43,
        verifier="v" * 43,
        next="/" + "n" * (LONGEST_NEXT - 1),
        link_to="e" * 254,
        until=STATE.until,
    )
    cookie = seal_state(long, keyring=KEYRING)

    assert len(cookie) < 3500
    assert unseal_state(cookie, keyring=KEYRING, at=NOW) == long


def test_a_state_expires_after_ten_minutes() -> None:
    cookie = seal_state(STATE, keyring=KEYRING)
    unseal_state(cookie, keyring=KEYRING, at=times.from_unix(STATE.until - 1))

    with pytest.raises(NotSignedIn, match="begin it again"):
        unseal_state(cookie, keyring=KEYRING, at=times.from_unix(STATE.until))


def test_no_bit_of_a_sealed_state_can_be_flipped() -> None:
    cookie = seal_state(STATE, keyring=KEYRING).encode()
    for at in range(len(cookie)):
        for bit in range(8):
            altered = cookie[:at] + bytes([cookie[at] ^ 1 << bit]) + cookie[at + 1 :]
            with pytest.raises(NotSignedIn):
                unseal_state(altered.decode("latin-1"), keyring=KEYRING, at=NOW)


def test_a_state_signed_by_another_site_is_refused() -> None:
    cookie = seal_state(STATE, keyring=Keyring("test", {"test": b"x" * 32}))

    with pytest.raises(NotSignedIn):
        unseal_state(cookie, keyring=KEYRING, at=NOW)


def test_a_signature_for_another_purpose_is_refused() -> None:
    packed, _, _ = seal_state(STATE, keyring=KEYRING).split(".")
    key_id, mac = KEYRING.sign("cursor", packed.encode())

    with pytest.raises(NotSignedIn):
        unseal_state(f"{packed}.{key_id}.{mac}", keyring=KEYRING, at=NOW)


def test_a_state_stays_valid_after_a_key_rotation() -> None:
    cookie = seal_state(STATE, keyring=KEYRING)
    rotated = Keyring("new", {**KEYRING.secrets, "new": b"n" * 32})

    assert unseal_state(cookie, keyring=rotated, at=NOW) == STATE


@pytest.mark.parametrize("cookie", [None, "", ".", "..", "a.b.c", "a" * 10_000, "\ud800", "é.test.é"])
def test_a_malformed_cookie_is_refused(cookie: str | None) -> None:
    with pytest.raises(NotSignedIn):
        unseal_state(cookie, keyring=KEYRING, at=NOW)


def test_secrets_of_a_state_are_not_in_the_repr() -> None:
    assert not any(secret in repr(STATE) for secret in (STATE.nonce, STATE.verifier, "ada"))


@pytest.mark.parametrize("path", ["/", "/albums", "/albums/a-b_c?x=1&y=/%2F#top", "/a//b", "/:", "/@example.org"])
def test_a_path_of_this_site_is_returned_unchanged(path: str) -> None:
    assert local_path(path) == path


@pytest.mark.parametrize(
    "path",
    [
        "",
        "albums",
        "//evil.org",
        "///evil.org",
        "/\\evil.org",
        "\\\\evil.org",
        "/\t/evil.org",
        "/\n/evil.org",
        " //evil.org",
        "https://evil.org",
        "https:evil.org",
        "javascript:alert(1)",
        "@evil.org",
        ".evil.org",
        "?next=//evil.org",
        "/a\r\nSet-Cookie: a=b",
        "/a b",
        "/ä",
        "/\0",
        "/\u2028",
        "/" + "a" * LONGEST_NEXT,
    ],
)
def test_a_path_that_may_lead_to_another_site_is_refused(path: str) -> None:
    with pytest.raises(BadInput, match="not a path of this site"):
        local_path(path)


@given(st.text(alphabet=st.sampled_from("/\\\t\r\n\0 .:@?#%eE5cC2fFhtps" + "ä\u2028\ufeff"), max_size=12))
@example("/\\/evil.org")
@example("/%5cevil.org")
def test_no_path_leads_a_browser_to_another_site(path: str) -> None:
    """A browser takes a backslash for a slash, and passes over tabs, line ends and what stands at both ends."""
    try:
        taken = local_path(path)
    except BadInput:
        return
    seen = "".join(letter for letter in taken.strip() if letter not in "\t\r\n").replace("\\", "/")

    assert urlsplit(urljoin(SITE, seen)).netloc == "photos.example.org"
    assert seen == taken
