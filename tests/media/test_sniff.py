"""File types are detected from bytes; unsupported files are refused with a description."""

import contextlib
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparks.media import file_types
from sparks.media.file_types import KINDS, FileType
from sparks.media.sniff import sniff
from sparks.model.errors import UnsupportedType
from sparks.model.photo import AssetType
from tests.media.container_builders import (
    BYTE,
    LONG,
    SHORT,
    SUBDIRECTORIES,
    TEXT,
    Tags,
    animated,
    box,
    gradient,
    saved,
    tiff,
)

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
    (saved(gradient(), "JPEG"), file_types.JPEG),
    (saved(gradient(), "PNG"), file_types.PNG),
    (animated("PNG", [gradient(), gradient()[::-1]]), file_types.PNG),
    (saved(gradient(), "WEBP"), file_types.WEBP),
    (animated("WEBP", [gradient(), gradient()[::-1]]), file_types.WEBP),
    (saved(gradient(), "GIF"), file_types.GIF),
    (b"GIF87a" + saved(gradient(), "GIF")[6:], file_types.GIF),
    (saved(gradient(), "BMP"), file_types.BMP),
    (saved(gradient(), "TIFF"), file_types.TIFF),
    (b"MM\x00\x2b\x00\x08\x00\x00" + bytes(16), file_types.TIFF),
    (saved(gradient(), "AVIF"), file_types.AVIF),
    (ftyp(b"mif1", b"avif", b"miaf"), file_types.AVIF),
    (ftyp(b"heic", b"mif1"), file_types.HEIC),
    (ftyp(b"mif1", b"heic"), file_types.HEIC),
    (ftyp(b"mif1", b"miaf"), file_types.HEIF),
    (b"\xff\x0a\xfa\x7f", file_types.JXL),
    (b"\x00\x00\x00\x0cJXL \r\n\x87\n" + box(b"ftyp", b"jxl "), file_types.JXL),
    (tiff({271: (TEXT, "Canon"), 50706: (BYTE, [1, 4, 0, 0])}), file_types.DNG),
    (tiff({271: (TEXT, "Canon")}, start=b"CR\x02\x00" + bytes(4)), file_types.CR2),
    (ftyp(b"crx ", b"crx ", b"isom"), file_types.CR3),
    (made_by("NIKON CORPORATION", PREVIEW, ">"), file_types.NEF),
    (made_by("Nikon", SENSOR), file_types.NEF),
    (made_by("SONY", PREVIEW), file_types.ARW),
    (made_by("SONY", {SUBDIRECTORIES: (LONG, SENSOR)}), file_types.ARW),
    (b"FUJIFILMCCD-RAW 0201" + bytes(100), file_types.RAF),
    (tiff({271: (TEXT, "OLYMPUS")}, magic=0x4F52), file_types.ORF),
    (tiff({271: (TEXT, "OLYMPUS")}, magic=0x5352), file_types.ORF),
    (tiff({271: (TEXT, "Panasonic")}, magic=0x55), file_types.RW2),
    (ftyp(b"isom", b"iso2", b"avc1"), file_types.MP4),
    (ftyp(b"M4V ", b"mp42"), file_types.MP4),
    (ftyp(b"qt  ", b"qt  "), file_types.MOV),
    (box(b"wide") + box(b"mdat", b".."), file_types.MOV),
    (box(b"moov", b"...."), file_types.MOV),
    (ftyp(b"3gp5", b"isom"), file_types.THREE_GP),
    (ftyp(b"3g2a"), file_types.THREE_GP),
    (ebml(b"webm"), file_types.WEBM),
    (ebml(b"matroska"), file_types.MKV),
    (b"RIFF\x10\x00\x00\x00AVI LIST", file_types.AVI),
]


@pytest.mark.parametrize(
    ("content", "kind"), TAKEN, ids=lambda value: value.name if isinstance(value, FileType) else ""
)
def test_each_file_type_is_detected_from_its_bytes(content: bytes, kind: FileType) -> None:
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
def test_an_unsupported_file_is_refused_with_a_description(content: bytes, words: str) -> None:
    with pytest.raises(UnsupportedType) as refusal:
        sniff(content)
    assert str(refusal.value).startswith(f"This looks like {words}")
    assert "JPEG, PNG" in str(refusal.value)
    assert "MP4, MOV" in str(refusal.value)


def test_a_file_of_size_zero_is_described_as_empty() -> None:
    with pytest.raises(UnsupportedType, match="an empty file"):
        sniff(saved(gradient(), "JPEG"), size=0)


def test_the_maker_alone_does_not_make_a_tiff_a_raw_picture() -> None:
    assert sniff(made_by("NIKON CORPORATION", {256: (LONG, 8)})) is file_types.TIFF


def test_a_truncated_head_is_enough_to_detect_the_type() -> None:
    for content, kind in TAKEN:
        if kind not in (file_types.NEF, file_types.ARW, file_types.DNG):
            assert sniff(content[:64]) is kind


def test_only_video_types_have_the_asset_type_video() -> None:
    assert all(kind.asset_type is AssetType.VIDEO for kind in file_types.VIDEOS)
    assert all(kind.asset_type is AssetType.IMAGE for kind in file_types.PICTURES)
    assert (
        len(KINDS) == len({kind.extension for kind in KINDS.values()}) == len(file_types.PICTURES + file_types.VIDEOS)
    )


@given(st.binary(max_size=400) | st.sampled_from(TAKEN).flatmap(lambda each: _mixed(each[0])))
def test_any_bytes_are_a_file_type_or_unsupported(content: bytes) -> None:
    with contextlib.suppress(UnsupportedType):
        assert sniff(content) in KINDS.values()


def _mixed(content: bytes) -> st.SearchStrategy[bytes]:
    """The start of a real file, with a number in it that may point anywhere."""
    positions = st.integers(0, min(len(content), 300))
    numbers = st.integers(0, 2**32 - 1).map(lambda number: struct.pack("<I", number))
    return st.builds(lambda at, number: content[:at] + number + content[at + 4 :], positions, numbers)
