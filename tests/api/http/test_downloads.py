"""Downloads: file names that cannot break out of their header, and types that no browser runs."""

import re
from urllib.parse import unquote

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sparks.api.http.blob_response import SAFE_TYPES, attachment_disposition, safe_content_type
from sparks.blobs.checks import checked_content_type, checked_disposition
from sparks.model.filename import LONGEST_NAME, saved_name

FORM = re.compile(r"attachment; filename=\"([ !#$&-\[\]-~]+)\"; filename\*=UTF-8''([A-Za-z0-9._~%-]+)", re.ASCII)


def parts(disposition: str) -> tuple[str, str]:
    """Both names, as a browser reads them."""
    match = FORM.fullmatch(disposition)
    assert match is not None, disposition
    return match[1], unquote(match[2], errors="strict")


@pytest.mark.parametrize(
    ("name", "in_ascii", "as_it_is"),
    [
        ("sea.jpg", "sea.jpg", "sea.jpg"),
        ("a b (1).JPG", "a b (1).JPG", "a b (1).JPG"),
        ("Größe.jpg", "Gr__e.jpg", "Größe.jpg"),
        ("海.heic", "_.heic", "海.heic"),
        ('a"b;c=d.jpg', "a_b;c=d.jpg", 'a"b;c=d.jpg'),
        ("100%41.jpg", "100_41.jpg", "100%41.jpg"),
        ("../../etc/passwd", ".._.._etc_passwd", ".._.._etc_passwd"),
        ("C:\\photos\\a.jpg", "C:_photos_a.jpg", "C:_photos_a.jpg"),
        ("a\r\nSet-Cookie: b=c\r\n\r\n.jpg", "aSet-Cookie: b=c.jpg", "aSet-Cookie: b=c.jpg"),
        ("sea\u202egpj.exe", "seagpj.exe", "seagpj.exe"),
        ("\ud800a\0.jpg", "a.jpg", "a.jpg"),
        ("  sea.jpg \n", "sea.jpg", "sea.jpg"),
        (None, "0198.jpg", "0198.jpg"),
        ("", "0198.jpg", "0198.jpg"),
        ("\r\n\u202e ", "0198.jpg", "0198.jpg"),
    ],
)
def test_a_file_is_saved_under_its_name(name: str | None, in_ascii: str, as_it_is: str) -> None:
    assert parts(attachment_disposition(name, otherwise="0198.jpg")) == (in_ascii, as_it_is)


@given(st.text() | st.text(st.characters(codec="latin-1")) | st.text('";\\\r\n%/=. a', max_size=40))
@example("x" * 100_000)
@example("\U0001f600" * 300 + ".jpg")
@example("." * 500)
def test_no_name_breaks_out_of_its_header(name: str) -> None:
    disposition = attachment_disposition(name, otherwise="0198.jpg")
    in_ascii, as_it_is = parts(checked_disposition(disposition))
    assert len(in_ascii) == len(as_it_is)
    assert len(as_it_is.encode()) <= LONGEST_NAME
    assert not set(as_it_is) & set("/\\\r\n\0")


@given(st.text(min_size=1, max_size=300), st.sampled_from([".jpg", ".HEIC", ".é"]))
def test_a_long_name_keeps_its_ending(stem: str, ending: str) -> None:
    saved = saved_name(f"a{stem}{ending}")
    assert saved.endswith(ending)


def test_a_name_is_cut_between_letters() -> None:
    assert saved_name("é" * 300 + ".jpg") == "é" * 98 + ".jpg"
    assert saved_name("x" * 100 + "." + "y" * 300) == "x" * 100 + "." + "y" * 99


@pytest.mark.parametrize("known", ["image/jpeg", "image/png", "image/webp", "image/heic", "video/mp4", "IMAGE/JPEG"])
def test_pictures_and_videos_keep_their_types(known: str) -> None:
    assert safe_content_type(known) == known.lower()


@pytest.mark.parametrize(
    "unsafe",
    [
        *(None, "", "text/html", "image/svg+xml", "image/svg", "application/xhtml+xml", "application/pdf", "image/"),
        *(
            "image/jpeg; charset=utf-8",
            "image/jpeg\r\nX: y",
            " image/jpeg",
            "image/jpeg\0",
            "video/html",
            "image/jpegé",
        ),
    ],
)
def test_any_other_type_becomes_plain_bytes(unsafe: str | None) -> None:
    assert safe_content_type(unsafe) == "application/octet-stream"


def test_every_safe_type_is_accepted_by_the_stores() -> None:
    for known in SAFE_TYPES:
        assert checked_content_type(known) == known
