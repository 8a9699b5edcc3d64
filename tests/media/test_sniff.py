"""Kinds are told from bytes; whatever is not taken is refused by its name."""

import contextlib
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparks.media import kinds
from sparks.media.kinds import KINDS, Kind
from sparks.media.sniff import sniff
from sparks.model.errors import UnsupportedType
from sparks.model.photo import AssetType
from tests.media.build import BYTE, LONG, SHORT, SUBDIRECTORIES, TEXT, Tags, animated, box, gradient, saved, tiff

SENSOR = {262: (SHORT, 32803)}
PREVIEW = {254: (LONG, 1), SUBDIRECTORIES: (LONG, {262: (SHORT, 1)})}


def ftyp(major: bytes, *others: bytes) -> bytes:
    return box(b"ftyp", major, b"\x00\x00\x02\x00", *others) + box(b"mdat", b"..")


def ebml(document_type: bytes) -> bytes:
    inside = b"\x42\x86\x81\x01\x42\x82" + bytes([0x80 | len(document_type)]) + document_type
    return b"\x1a\x45\xdf\xa3" + bytes([0x80 | len(inside)]) + inside + b"\x18\x53\x80\x67"


def made_by(make: str, tags: Tags, order: str = "<") -> bytes:
    return tiff({271: (TEXT, make), **tags}, order=order)


TAKEN = [
    (saved(gradient(), "JPEG"), kinds.JPEG),
    (saved(gradient(), "PNG"), kinds.PNG),
    (animated("PNG", [gradient(), gradient()[::-1]]), kinds.PNG),
    (saved(gradient(), "WEBP"), kinds.WEBP),
    (animated("WEBP", [gradient(), gradient()[::-1]]), kinds.WEBP),
    (saved(gradient(), "GIF"), kinds.GIF),
    (b"GIF87a" + saved(gradient(), "GIF")[6:], kinds.GIF),
    (saved(gradient(), "BMP"), kinds.BMP),
    (saved(gradient(), "TIFF"), kinds.TIFF),
    (b"MM\x00\x2b\x00\x08\x00\x00" + bytes(16), kinds.TIFF),
    (saved(gradient(), "AVIF"), kinds.AVIF),
    (ftyp(b"mif1", b"avif", b"miaf"), kinds.AVIF),
    (ftyp(b"heic", b"mif1"), kinds.HEIC),
    (ftyp(b"mif1", b"heic"), kinds.HEIC),
    (ftyp(b"mif1", b"miaf"), kinds.HEIF),
    (b"\xff\x0a\xfa\x7f", kinds.JXL),
    (b"\x00\x00\x00\x0cJXL \r\n\x87\n" + box(b"ftyp", b"jxl "), kinds.JXL),
    (tiff({271: (TEXT, "Canon"), 50706: (BYTE, [1, 4, 0, 0])}), kinds.DNG),
    (tiff({271: (TEXT, "Canon")}, start=b"CR\x02\x00" + bytes(4)), kinds.CR2),
    (ftyp(b"crx ", b"crx ", b"isom"), kinds.CR3),
    (made_by("NIKON CORPORATION", PREVIEW, ">"), kinds.NEF),
    (made_by("Nikon", SENSOR), kinds.NEF),
    (made_by("SONY", PREVIEW), kinds.ARW),
    (made_by("SONY", {SUBDIRECTORIES: (LONG, SENSOR)}), kinds.ARW),
    (b"FUJIFILMCCD-RAW 0201" + bytes(100), kinds.RAF),
    (tiff({271: (TEXT, "OLYMPUS")}, magic=0x4F52), kinds.ORF),
    (tiff({271: (TEXT, "OLYMPUS")}, magic=0x5352), kinds.ORF),
    (tiff({271: (TEXT, "Panasonic")}, magic=0x55), kinds.RW2),
    (ftyp(b"isom", b"iso2", b"avc1"), kinds.MP4),
    (ftyp(b"M4V ", b"mp42"), kinds.MP4),
    (ftyp(b"qt  ", b"qt  "), kinds.MOV),
    (box(b"wide") + box(b"mdat", b".."), kinds.MOV),
    (box(b"moov", b"...."), kinds.MOV),
    (ftyp(b"3gp5", b"isom"), kinds.THREE_GP),
    (ftyp(b"3g2a"), kinds.THREE_GP),
    (ebml(b"webm"), kinds.WEBM),
    (ebml(b"matroska"), kinds.MKV),
    (b"RIFF\x10\x00\x00\x00AVI LIST", kinds.AVI),
]


@pytest.mark.parametrize(("content", "kind"), TAKEN, ids=lambda value: value.name if isinstance(value, Kind) else "")
def test_each_kind_is_known_by_its_bytes(content: bytes, kind: Kind) -> None:
    assert sniff(content) is kind


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "an empty file"),
        (b"%PDF-1.7\n", "a PDF document"),
        (b"PK\x03\x04\x14\x00", "a ZIP archive"),
        (b"<?xml version='1.0'?>\n<svg xmlns='http://www.w3.org/2000/svg'/>", "an SVG drawing"),
        (b'--a1\r\nContent-Disposition: form-data; name="f"\r\n\r\n\xff\xd8\xff', "a web form: send the file itself"),
        (b"\xef\xbb\xbf  <!DOCTYPE html>\n<title>", "a web page"),
        (b"<script>alert(1)</script>", "a web page"),
        (b"<?xml version='1.0'?><gpx/>", "an XML file"),
        (b'{"photos": []}', "a text file"),
        ("\ufeffGrüße".encode("utf-16"), "a text file"),
        (b"BM is how this text begins, and a bitmap too", "a text file"),
        (b"MZ\x90\x00", "a Windows program"),
        (b"\x7fELF\x02\x01", "a Linux program"),
        (b"#!/bin/sh\n", "a script"),
        (b"ID3\x04\x00", "an MP3 recording"),
        (b"\xff\xfb\x90\x64\x00", "an MP3 or AAC recording"),
        (b"RIFF\x10\x00\x00\x00WAVEfmt ", "a WAV recording"),
        (b"OggS\x00\x02", "an Ogg recording"),
        (ftyp(b"M4A ", b"mp42"), "an M4A recording"),
        (b"\x00\x00\x00\x0cjP  \r\n\x87\n", "a JPEG 2000 picture"),
        (b"8BPS\x00\x01", "a Photoshop document"),
        ((b"G" + bytes(187)) * 3, "an MPEG transport stream"),
        (made_by("PENTAX", SENSOR), "a RAW picture of a camera that is not supported"),
        (ebml(b"secret"), "something unknown"),
        (b"\x00\x01\x02\x03", "something unknown"),
        (b"\xff\xd8\xff\x00", "something unknown"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_anything_else_is_refused_by_its_name(content: bytes, words: str) -> None:
    with pytest.raises(UnsupportedType) as refusal:
        sniff(content)
    assert str(refusal.value).startswith(f"This looks like {words}")
    assert "JPEG, PNG" in str(refusal.value)
    assert "MP4, MOV" in str(refusal.value)


def test_a_file_without_bytes_is_empty_whatever_its_head_says() -> None:
    with pytest.raises(UnsupportedType, match="an empty file"):
        sniff(saved(gradient(), "JPEG"), size=0)


def test_the_camera_alone_makes_no_raw_picture() -> None:
    assert sniff(made_by("NIKON CORPORATION", {256: (LONG, 8)})) is kinds.TIFF


def test_a_head_that_was_cut_off_is_enough() -> None:
    for content, kind in TAKEN:
        if kind not in (kinds.NEF, kinds.ARW, kinds.DNG):
            assert sniff(content[:64]) is kind


def test_videos_are_videos_and_the_rest_are_images() -> None:
    assert all(kind.asset_type is AssetType.VIDEO for kind in kinds.VIDEOS)
    assert all(kind.asset_type is AssetType.IMAGE for kind in kinds.PICTURES)
    assert len(KINDS) == len({kind.extension for kind in KINDS.values()}) == len(kinds.PICTURES + kinds.VIDEOS)


@given(st.binary(max_size=400) | st.sampled_from(TAKEN).flatmap(lambda each: _mixed(each[0])))
def test_any_bytes_are_a_kind_or_refused(content: bytes) -> None:
    with contextlib.suppress(UnsupportedType):
        assert sniff(content) in KINDS.values()


def _mixed(content: bytes) -> st.SearchStrategy[bytes]:
    """The start of a real file, with a number in it that may point anywhere."""
    positions = st.integers(0, min(len(content), 300))
    numbers = st.integers(0, 2**32 - 1).map(lambda number: struct.pack("<I", number))
    return st.builds(lambda at, number: content[:at] + number + content[at + 4 :], positions, numbers)
