"""URLs that Sparks signs itself: every bit of them counts, and they outlive a rotation of secrets."""

import pytest

from sparks.blobs.memory import MemoryBlobs
from sparks.blobs.signed_urls import PartGrant, PutGrant, ReadGrant, read_grant, write_grant
from sparks.model.errors import BadSignature
from sparks.model.keyring import Keyring
from tests.conformance.blobs.content import sha256_of

NOW = 1_800_000_000.5
RING = Keyring("old", {"old": b"o" * 32})
ROTATED = Keyring("new", {"old": b"o" * 32, "new": b"n" * 32})
BLOBS = MemoryBlobs(keyring=RING, base_url="https://photos.example.org/", clock=lambda: NOW)


def query_of(url: str) -> str:
    return url.partition("?")[2]


def test_a_url_to_read_states_what_it_allows() -> None:
    url = BLOBS.sign_get("originals/a+b.jpg", expires_in=60, disposition="attachment", content_type="image/png").url
    assert url.startswith("https://photos.example.org/blobs/originals/a%2Bb.jpg?")
    grant = read_grant("originals/a+b.jpg", query_of(url), keyring=RING, now=NOW)
    assert grant == ReadGrant("originals/a+b.jpg", disposition="attachment", content_type="image/png")


def test_a_url_to_write_states_what_it_allows() -> None:
    sha256 = sha256_of(b"")
    signed = BLOBS.sign_put("a", size=5, content_type="a/b; c=d", expires_in=60, sha256=sha256, if_absent=True)
    assert signed.headers == {"Content-Type": "a/b; c=d"}
    grant = write_grant("a", query_of(signed.url), keyring=RING, now=NOW)
    assert grant == PutGrant("a", size=5, content_type="a/b; c=d", sha256=sha256, if_absent=True)


def test_a_url_of_a_part_states_what_it_allows() -> None:
    signed = BLOBS.sign_part("a", "x&y=é", 7, size=5, expires_in=60)
    grant = write_grant("a", query_of(signed.url), keyring=RING, now=NOW)
    assert grant == PartGrant("a", upload_id="x&y=é", number=7, size=5)


def test_a_url_with_any_bit_flipped_is_refused() -> None:
    query = query_of(BLOBS.sign_put("a", size=5, content_type="a/b; c=d", expires_in=60, if_absent=True).url)
    for position in range(len(query)):
        for bit in range(8):
            altered = query[:position] + chr(ord(query[position]) ^ 1 << bit) + query[position + 1 :]
            with pytest.raises(BadSignature):
                write_grant("a", altered, keyring=RING, now=NOW)


def test_a_url_that_was_cut_or_extended_is_refused() -> None:
    query = query_of(BLOBS.sign_get("a", expires_in=60, disposition="inline").url)
    shortened = [query[:length] for length in range(len(query))]
    for altered in (*shortened, "&", "&signature=", f"{query}&x=1", f"x=1&{query}"):
        with pytest.raises(BadSignature):
            read_grant("a", altered, keyring=RING, now=NOW)


def test_a_url_to_read_does_not_write_and_the_other_way_round() -> None:
    with pytest.raises(BadSignature):
        write_grant("a", query_of(BLOBS.sign_get("a", expires_in=60).url), keyring=RING, now=NOW)
    with pytest.raises(BadSignature):
        read_grant("a", query_of(BLOBS.sign_put("a", size=5, expires_in=60).url), keyring=RING, now=NOW)


def test_a_url_is_for_its_key_alone() -> None:
    query = query_of(BLOBS.sign_get("a/b", expires_in=60).url)
    for key in ("a", "a/b/", "a/c", "A/b", "a//b", "a/b\n", ""):
        with pytest.raises(BadSignature):
            read_grant(key, query, keyring=RING, now=NOW)


def test_a_url_is_valid_until_its_last_second() -> None:
    query = query_of(BLOBS.sign_get("a", expires_in=60).url)
    read_grant("a", query, keyring=RING, now=NOW + 59)
    with pytest.raises(BadSignature, match="expired"):
        read_grant("a", query, keyring=RING, now=NOW + 60)


def test_urls_outlive_a_rotation_of_secrets_until_the_old_one_is_dropped() -> None:
    query = query_of(BLOBS.sign_get("a", expires_in=60).url)
    read_grant("a", query, keyring=ROTATED, now=NOW)
    with pytest.raises(BadSignature):
        read_grant("a", query, keyring=Keyring("new", {"new": b"n" * 32}), now=NOW)


def test_new_urls_are_signed_with_the_current_secret() -> None:
    query = query_of(MemoryBlobs(keyring=ROTATED, clock=lambda: NOW).sign_get("a", expires_in=60).url)
    assert "by=new" in query
    read_grant("a", query, keyring=ROTATED, now=NOW)
    with pytest.raises(BadSignature):
        read_grant("a", query, keyring=RING, now=NOW)


def test_a_signature_for_another_purpose_is_refused() -> None:
    query = query_of(BLOBS.sign_get("a", expires_in=60).url)
    signed, _, _ = query.rpartition("&signature=")
    _, mac = RING.sign("cursor", f"GET\na\n{signed}".encode())
    with pytest.raises(BadSignature):
        read_grant("a", f"{signed}&signature={mac}", keyring=RING, now=NOW)
