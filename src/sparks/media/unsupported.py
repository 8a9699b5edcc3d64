"""Signatures of unsupported file types, and their descriptions for the error message."""

import re
from typing import Final

SIGNATURES: Final = (
    (b"%PDF-", "a PDF document"),
    (b"PK\x03\x04", "a ZIP archive or an office document"),
    (b"PK\x05\x06", "an empty ZIP archive"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"BZh", "a bzip2 archive"),
    (b"\xfd7zXZ\x00", "an xz archive"),
    (b"\x28\xb5\x2f\xfd", "a Zstandard archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
    (b"Rar!\x1a\x07", "a RAR archive"),
    (b"MZ", "a Windows program"),
    (b"\x7fELF", "a Linux program"),
    (b"\xcf\xfa\xed\xfe", "a macOS program"),
    (b"\xce\xfa\xed\xfe", "a macOS program"),
    (b"\xca\xfe\xba\xbe", "a macOS or Java program"),
    (b"#!", "a script"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old office document"),
    (b"{\\rtf", "an RTF document"),
    (b"SQLite format 3\x00", "an SQLite database"),
    (b"8BPS", "a Photoshop document"),
    (b"\x00\x00\x01\x00\x01\x00", "an icon"),
    (b"\x00\x00\x00\x0cjP  \r\n\x87\n", "a JPEG 2000 picture"),
    (b"\xff\x4f\xff\x51", "a JPEG 2000 picture"),
    (b"II\x1a\x00\x00\x00HEAPCCDR", "a Canon CRW picture"),
    (b"\x00MRM", "a Minolta RAW picture"),
    (b"FOVb", "a Sigma RAW picture"),
    (b"ID3", "an MP3 recording"),
    (b"OggS", "an Ogg recording"),
    (b"fLaC", "a FLAC recording"),
    (b"#!AMR", "an AMR recording"),
    (b"FLV\x01", "a Flash video"),
    (b"\x30\x26\xb2\x75\x8e\x66\xcf\x11", "a Windows Media file"),
    (b"\x00\x00\x01\xba", "an MPEG video"),
    (b"\x00\x00\x01\xb3", "an MPEG video"),
    (b"FORM", "an AIFF recording"),
    (b"wOFF", "a font"),
    (b"wOF2", "a font"),
    (b"\x00\x01\x00\x00\x00", "a font"),
)
MARKUP: Final = (
    (re.compile(rb"<svg[\s>]", re.IGNORECASE), "an SVG drawing"),
    (re.compile(rb"<(!doctype html|html|head|body|script)[\s>]", re.IGNORECASE), "a web page"),
    (re.compile(rb"\s*<\?xml", re.IGNORECASE), "an XML file"),
)
FORM: Final = re.compile(rb"--[^\r\n]{1,200}\r\nContent-Disposition: form-data", re.IGNORECASE)
MARKUP_BYTES: Final = 4096
TEXT_BYTES: Final = 512
TS_PACKETS: Final = ((0, 188), (4, 192))  # start of the first packet, and length of each
_UNPRINTABLE: Final = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")


def describe_signature(head: bytes) -> str:
    """A description such as `a PDF document`, from a file's first bytes."""
    if not head:
        return "an empty file"
    for start, description in SIGNATURES:
        if head.startswith(start):
            return description
    return _describe_riff(head) or _describe_stream(head) or _describe_text(head) or "something unknown"


def _describe_riff(head: bytes) -> str | None:
    if not head.startswith((b"RIFF", b"RIFX")):
        return None
    return "a WAV recording" if head[8:12] == b"WAVE" else "a RIFF file of an unknown kind"


def _describe_stream(head: bytes) -> str | None:
    if any(head[at : at + 1] == b"G" == head[at + packet : at + packet + 1] for at, packet in TS_PACKETS):
        return "an MPEG transport stream"
    if len(head) > 2 and head[0] == 0xFF and head[1] & 0xE0 == 0xE0 and head[1] & 0x06 != 0x06:
        return "an MP3 or AAC recording"
    return None


def _describe_text(head: bytes) -> str | None:
    if FORM.match(head):
        return "a web form: send the file itself as the body"
    plain = head.removeprefix(b"\xef\xbb\xbf")
    if plain.lstrip()[:1] == b"<":
        for pattern, description in MARKUP:
            if pattern.search(plain[:MARKUP_BYTES]):
                return description
    if plain.startswith((b"\xff\xfe", b"\xfe\xff")) or not _UNPRINTABLE.search(plain[:TEXT_BYTES]):
        return "a text file"
    return None
