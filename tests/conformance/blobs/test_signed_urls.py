"""Signed URLs, used by a real client on a real server: valid for exactly what they were signed for."""

from collections.abc import Iterator
from dataclasses import replace
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

import httpx
import pytest

from sparks.blobs.port import MAX_URL_SECONDS, Blobs, SignedUrl
from sparks.model.errors import BadInput, NotFound
from tests.conformance.blobs.content import MIB, content_of, keys_of, sha256_of
from tests.servers.process import wait_until

KEY = "originals/01980a2b+@=.jpg"
ATTACHMENT = "attachment; filename=\"a b.jpg\"; filename*=UTF-8''%C3%A9.jpg"


def put(http: httpx.Client, signed: SignedUrl, content: bytes | Iterator[bytes], **headers: str) -> httpx.Response:
    return http.request(signed.method, signed.url, headers={**signed.headers, **headers}, content=content)


def altered(url: str) -> Iterator[str]:
    """The URL with each parameter altered, left out or doubled, and with one added."""
    base, _, query = url.partition("?")
    pairs = parse_qsl(query, keep_blank_values=True)
    for position, (name, value) in enumerate(pairs):
        middle = len(value) // 2
        other = value[:middle] + ("2" if value[middle] != "2" else "3") + value[middle + 1 :]
        for changed in ([(name, other)], [(name, "")], [(name.swapcase(), value)], []):
            yield f"{base}?{urlencode([*pairs[:position], *changed, *pairs[position + 1 :]], quote_via=quote)}"
    yield f"{url}&versionId=1"
    yield base


def test_a_blob_is_read_at_its_url(blobs: Blobs, http: httpx.Client) -> None:
    info = blobs.put(KEY, [b"bytes"], content_type="image/jpeg")
    signed = blobs.sign_get(KEY, expires_in=60)
    assert (signed.method, dict(signed.headers)) == ("GET", {})
    answer = http.get(signed.url)
    assert (answer.status_code, answer.content) == (200, b"bytes")
    assert answer.headers["Content-Type"] == "image/jpeg"
    assert answer.headers["Content-Length"] == "5"
    assert answer.headers["Accept-Ranges"] == "bytes"
    assert answer.headers["ETag"] == f'"{info.etag}"'


def test_a_large_blob_is_read_at_its_url(blobs: Blobs, http: httpx.Client) -> None:
    content = bytes(range(256)) * (3 * MIB // 256)
    blobs.put(KEY, [content])
    url = blobs.sign_get(KEY, expires_in=60).url
    assert http.get(url).content == content
    part = http.get(url, headers={"Range": f"bytes=1000-{2 * MIB}"})
    assert (part.status_code, part.content) == (206, content[1000 : 2 * MIB + 1])


def test_the_response_has_the_signed_type_and_disposition(blobs: Blobs, http: httpx.Client) -> None:
    blobs.put(KEY, [b"bytes"], content_type="image/jpeg")
    signed = blobs.sign_get(KEY, expires_in=60, disposition=ATTACHMENT, content_type="application/zip")
    answer = http.get(signed.url)
    assert answer.headers["Content-Disposition"] == ATTACHMENT
    assert answer.headers["Content-Type"] == "application/zip"


@pytest.mark.parametrize(
    ("asked", "content", "told"),
    [
        ("bytes=0-0", b"0", "bytes 0-0/10"),
        ("bytes=2-4", b"234", "bytes 2-4/10"),
        ("bytes=7-", b"789", "bytes 7-9/10"),
        ("bytes=5-99", b"56789", "bytes 5-9/10"),
        ("bytes=-3", b"789", "bytes 7-9/10"),
        ("bytes=-99", b"0123456789", "bytes 0-9/10"),
    ],
)
def test_a_range_is_answered_with_that_part(
    blobs: Blobs, http: httpx.Client, asked: str, content: bytes, told: str
) -> None:
    blobs.put(KEY, [b"0123456789"])
    answer = http.get(blobs.sign_get(KEY, expires_in=60).url, headers={"Range": asked})
    assert (answer.status_code, answer.content) == (206, content)
    assert answer.headers["Content-Range"] == told


def test_a_range_past_the_end_is_not_satisfiable(blobs: Blobs, http: httpx.Client) -> None:
    blobs.put(KEY, [b"0123456789"])
    answer = http.get(blobs.sign_get(KEY, expires_in=60).url, headers={"Range": "bytes=10-"})
    assert answer.status_code == 416


def test_an_unchanged_blob_is_not_sent_again(blobs: Blobs, http: httpx.Client) -> None:
    info = blobs.put(KEY, [b"bytes"])
    answer = http.get(blobs.sign_get(KEY, expires_in=60).url, headers={"If-None-Match": f'"{info.etag}"'})
    assert (answer.status_code, answer.content) == (304, b"")


def test_a_missing_blob_is_not_found_at_its_url(blobs: Blobs, http: httpx.Client) -> None:
    assert http.get(blobs.sign_get(KEY, expires_in=60).url).status_code == 404


def test_a_blob_is_stored_at_its_url(blobs: Blobs, http: httpx.Client) -> None:
    signed = blobs.sign_put(KEY, size=5, content_type="image/jpeg", expires_in=60)
    answer = put(http, signed, b"bytes")
    assert answer.status_code == 200
    info = blobs.head(KEY)
    assert (info.size, info.content_type) == (5, "image/jpeg")
    assert answer.headers["ETag"] == f'"{info.etag}"'
    assert content_of(blobs, KEY) == b"bytes"


def test_a_large_blob_is_stored_at_its_url(blobs: Blobs, http: httpx.Client) -> None:
    content = bytes(range(256)) * (3 * MIB // 256) + b"end"
    signed = blobs.sign_put(KEY, size=len(content), sha256=sha256_of(content), expires_in=60)
    assert put(http, signed, content).status_code == 200
    assert content_of(blobs, KEY) == content


def test_an_empty_blob_is_stored_at_its_url(blobs: Blobs, http: httpx.Client) -> None:
    assert put(http, blobs.sign_put(KEY, size=0, expires_in=60), b"").status_code == 200
    assert blobs.head(KEY).size == 0


def test_a_url_to_write_replaces_an_existing_blob(blobs: Blobs, http: httpx.Client) -> None:
    signed = blobs.sign_put(KEY, size=3, expires_in=60)
    blobs.put(KEY, [b"old"])
    assert put(http, signed, b"new").status_code == 200
    assert put(http, signed, b"3rd").status_code == 200
    assert content_of(blobs, KEY) == b"3rd"


def test_a_url_with_if_absent_does_not_replace_a_blob(blobs: Blobs, http: httpx.Client) -> None:
    signed = blobs.sign_put(KEY, size=3, expires_in=60, if_absent=True)
    assert put(http, signed, b"one").status_code == 200
    assert put(http, signed, b"two").status_code == 412
    assert content_of(blobs, KEY) == b"one"


def test_another_length_than_signed_is_refused(blobs: Blobs, http: httpx.Client) -> None:
    signed = blobs.sign_put(KEY, size=5, expires_in=60)
    for content in (b"", b"four", b"sixsix", b"x" * MIB):
        assert put(http, signed, content).is_client_error
    assert put(http, signed, iter([b"bytes"])).is_client_error  # without a Content-Length
    assert keys_of(blobs) == []


def test_another_type_than_signed_is_refused(blobs: Blobs, http: httpx.Client) -> None:
    signed = blobs.sign_put(KEY, size=5, content_type="image/jpeg", expires_in=60)
    assert put(http, signed, b"bytes", **{"Content-Type": "text/html"}).is_client_error
    assert http.put(signed.url, content=b"bytes").is_client_error
    assert keys_of(blobs) == []


def test_other_bytes_than_those_of_the_hash_are_refused(blobs: Blobs, http: httpx.Client) -> None:
    signed = blobs.sign_put(KEY, size=5, sha256=sha256_of(b"bytes"), expires_in=60)
    assert put(http, signed, b"other").is_client_error
    assert keys_of(blobs) == []
    assert put(http, signed, b"bytes").status_code == 200
    assert blobs.head(KEY).sha256 == sha256_of(b"bytes")


def test_an_altered_url_reads_nothing(blobs: Blobs, http: httpx.Client) -> None:
    blobs.put(KEY, [b"bytes"])
    signed = blobs.sign_get(KEY, expires_in=60, disposition="attachment", content_type="image/png")
    for url in altered(signed.url):
        answer = http.get(url)
        assert answer.is_client_error, url
        assert b"bytes" not in answer.content


def test_an_altered_url_stores_nothing(blobs: Blobs, http: httpx.Client) -> None:
    signed = blobs.sign_put(KEY, size=5, sha256=sha256_of(b"bytes"), if_absent=True, expires_in=60)
    for url in altered(signed.url):
        assert http.put(url, headers=signed.headers, content=b"bytes").is_client_error, url
    assert keys_of(blobs) == []


def test_a_url_is_for_its_key_alone(blobs: Blobs, http: httpx.Client) -> None:
    blobs.put(KEY, [b"bytes"])
    blobs.put("originals/01980a2c+@=.jpg", [b"others"])
    read, write = blobs.sign_get(KEY, expires_in=60), blobs.sign_put(KEY, size=5, expires_in=60)
    assert http.get(read.url.replace("01980a2b", "01980a2c")).status_code == 403
    assert http.get(read.url.replace("01980a2b", "01980a2d")).status_code == 403
    other = replace(write, url=write.url.replace("01980a2b", "01980a2d"))
    assert put(http, other, b"bytes").status_code == 403
    assert len(keys_of(blobs)) == 2


def test_a_url_is_for_its_method_alone(blobs: Blobs, http: httpx.Client) -> None:
    blobs.put(KEY, [b"bytes"])
    read, write = blobs.sign_get(KEY, expires_in=60), blobs.sign_put(KEY, size=5, expires_in=60)
    assert http.put(read.url, content=b"other").status_code == 403
    assert http.get(write.url).status_code == 403
    for url in (read.url, write.url):
        assert http.delete(url).is_client_error
        assert http.post(url, content=b"other").is_client_error
    assert content_of(blobs, KEY) == b"bytes"


def test_a_url_expires(blobs: Blobs, http: httpx.Client) -> None:
    blobs.put(KEY, [b"bytes"])
    upload_id = blobs.create_upload(KEY)
    read = blobs.sign_get(KEY, expires_in=1)
    write = blobs.sign_put(KEY, size=5, expires_in=1)
    part = blobs.sign_part(KEY, upload_id, 1, size=5, expires_in=1)
    wait_until(lambda: http.get(read.url).status_code == 403, what="an address to expire", seconds=10)
    assert put(http, write, b"other").status_code == 403
    assert put(http, part, b"other").status_code == 403
    assert content_of(blobs, KEY) == b"bytes"
    assert blobs.list_parts(KEY, upload_id) == []


def test_urls_of_the_same_moment_differ_by_what_they_allow(blobs: Blobs) -> None:
    urls = {
        blobs.sign_get(KEY, expires_in=60).url,
        blobs.sign_get(KEY, expires_in=60, disposition="attachment").url,
        blobs.sign_put(KEY, size=5, expires_in=60).url,
        blobs.sign_put(KEY, size=6, expires_in=60).url,
        blobs.sign_put(KEY, size=6, expires_in=60, if_absent=True).url,
    }
    assert len(urls) == 5


def test_a_url_contains_no_secret(blobs: Blobs) -> None:
    query = urlsplit(blobs.sign_get(KEY, expires_in=60).url).query
    assert "sparkstestssecret" not in query
    assert "1" * 32 not in query


def test_a_url_is_valid_for_a_second_to_seven_days(blobs: Blobs) -> None:
    blobs.sign_get(KEY, expires_in=MAX_URL_SECONDS)
    for expires_in in (-1, 0, MAX_URL_SECONDS + 1):
        with pytest.raises(BadInput):
            blobs.sign_get(KEY, expires_in=expires_in)
        with pytest.raises(BadInput):
            blobs.sign_put(KEY, size=5, expires_in=expires_in)
        with pytest.raises(BadInput):
            blobs.sign_part(KEY, "0" * 32, 1, size=5, expires_in=expires_in)


def test_a_disposition_is_printable_ascii(blobs: Blobs) -> None:
    for disposition in ("", "a\r\nSet-Cookie: x", "é", "a\0", " a", "a" * 1001):
        with pytest.raises(BadInput):
            blobs.sign_get(KEY, expires_in=60, disposition=disposition)


def test_a_deleted_blob_is_not_found_at_its_url(blobs: Blobs, http: httpx.Client) -> None:
    blobs.put(KEY, [b"bytes"])
    url = blobs.sign_get(KEY, expires_in=60).url
    assert http.get(url).status_code == 200
    blobs.delete(KEY)
    assert http.get(url).status_code == 404
    with pytest.raises(NotFound):
        blobs.head(KEY)
