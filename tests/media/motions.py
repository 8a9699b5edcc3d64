"""Motion photos made by hand: a still with a film behind it, and words that tell of it."""

import struct
from functools import cache

from tests.media.build import gradient, saved, with_xmp
from tests.media.clips import QUIET, film

NAMESPACES = (
    'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" '
    'xmlns:GCamera="http://ns.google.com/photos/1.0/camera/" '
    'xmlns:Container="http://ns.google.com/photos/1.0/container/" '
    'xmlns:Item="http://ns.google.com/photos/1.0/container/item/"'
)


@cache
def behind(seconds: float = 1.0) -> bytes:
    """A film as phones write them: in HEVC, with sound and the place where it was."""
    tags = {"location": "+48.2082+016.3738/"}
    return film("mp4", "libx265", frames=round(seconds * 10), rate=10, sound="aac", tags=tags, options=QUIET)


@cache
def still(width: int = 160, height: int = 120) -> bytes:
    return saved(gradient(width, height), "JPEG")


def packet(attributes: str = "", inside: str = "") -> bytes:
    text = f'<rdf:RDF {NAMESPACES}><rdf:Description rdf:about="" {attributes}>{inside}</rdf:Description></rdf:RDF>'
    return f'<x:xmpmeta xmlns:x="adobe:ns:meta/">{text}</x:xmpmeta>'.encode()


def micro_video(offset: int) -> bytes:
    """As Google's phones said it first."""
    return packet(f'GCamera:MicroVideo="1" GCamera:MicroVideoVersion="1" GCamera:MicroVideoOffset="{offset}"')


def item(semantic: str, length: object, padding: object = 0) -> str:
    told = f'Item:Semantic="{semantic}" Item:Length="{length}" Item:Padding="{padding}"'
    return f'<rdf:li rdf:parseType="Resource"><Container:Item {told}/></rdf:li>'


def item_in_elements(semantic: str, length: object) -> str:
    told = f"<Item:Semantic>{semantic}</Item:Semantic><Item:Length>{length}</Item:Length>"
    return f'<rdf:li rdf:parseType="Resource"><Container:Item rdf:parseType="Resource">{told}</Container:Item></rdf:li>'


def directory(*items: str) -> bytes:
    """As they say it now."""
    seq = f"<Container:Directory><rdf:Seq>{''.join(items)}</rdf:Seq></Container:Directory>"
    return packet('GCamera:MotionPhoto="1"', seq)


def motion_photo(
    film: bytes | None = None, told: bytes | None = None, *, after: bytes = b"", before: bytes | None = None
) -> bytes:
    """A JPEG with a film behind it, and the XMP packet that tells of it. `before` is the still."""
    content = behind() if film is None else film
    words = directory(item("Primary", 0), item("MotionPhoto", len(content) + len(after))) if told is None else told
    return with_xmp(still() if before is None else before, words) + content + after


def samsung_photo(film: bytes | None = None, *, name: bytes = b"MotionPhoto_Data") -> bytes:
    """A JPEG with Samsung's trailer and no XMP."""
    block = struct.pack("<HHI", 0, 0x0A30, len(name)) + name + (behind() if film is None else film)
    other = struct.pack("<HHI", 0, 0x0A01, 14) + b"Image_UTC_Data" + b"1458170015363"
    blocks = block + other
    entries = [(0x0A30, len(blocks), len(block)), (0x0A01, len(other), len(other))]
    listed = b"SEFH" + struct.pack("<II", 107, len(entries))
    listed += b"".join(struct.pack("<HHII", 0, *entry) for entry in entries)
    return still() + blocks + listed + struct.pack("<I", len(listed)) + b"SEFT"
