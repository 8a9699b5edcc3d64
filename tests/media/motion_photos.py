"""Generated motion photos: a still, an embedded video, and the XMP or trailer that declares it."""

import struct
from functools import cache

from tests.media.clips import QUIET, make_clip
from tests.media.container_builders import gradient, saved, with_xmp

NAMESPACES = (
    'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" '
    'xmlns:GCamera="http://ns.google.com/photos/1.0/camera/" '
    'xmlns:Container="http://ns.google.com/photos/1.0/container/" '
    'xmlns:Item="http://ns.google.com/photos/1.0/container/item/"'
)


@cache
def embedded_video(seconds: float = 1.0) -> bytes:
    """A video as phones write it: HEVC, with audio and a location."""
    tags = {"location": "+48.2082+016.3738/"}
    return make_clip("mp4", "libx265", frames=round(seconds * 10), rate=10, sound="aac", tags=tags, options=QUIET)


@cache
def still(width: int = 160, height: int = 120) -> bytes:
    return saved(gradient(width, height), "JPEG")


def packet(attributes: str = "", inside: str = "") -> bytes:
    text = f'<rdf:RDF {NAMESPACES}><rdf:Description rdf:about="" {attributes}>{inside}</rdf:Description></rdf:RDF>'
    return f'<x:xmpmeta xmlns:x="adobe:ns:meta/">{text}</x:xmpmeta>'.encode()


def micro_video(offset: int) -> bytes:
    """Google's first version of the declaration."""
    return packet(f'GCamera:MicroVideo="1" GCamera:MicroVideoVersion="1" GCamera:MicroVideoOffset="{offset}"')


def item(semantic: str, length: object, padding: object = 0) -> str:
    declaration = f'Item:Semantic="{semantic}" Item:Length="{length}" Item:Padding="{padding}"'
    return f'<rdf:li rdf:parseType="Resource"><Container:Item {declaration}/></rdf:li>'


def item_in_elements(semantic: str, length: object) -> str:
    fields = f"<Item:Semantic>{semantic}</Item:Semantic><Item:Length>{length}</Item:Length>"
    return (
        f'<rdf:li rdf:parseType="Resource"><Container:Item rdf:parseType="Resource">{fields}</Container:Item></rdf:li>'
    )


def directory(*items: str) -> bytes:
    """Google's present version of the declaration."""
    seq = f"<Container:Directory><rdf:Seq>{''.join(items)}</rdf:Seq></Container:Directory>"
    return packet('GCamera:MotionPhoto="1"', seq)


def motion_photo(
    video: bytes | None = None, declaration: bytes | None = None, *, after: bytes = b"", before: bytes | None = None
) -> bytes:
    """A JPEG with an embedded video, and the XMP packet that declares it. `before` is the still."""
    content = embedded_video() if video is None else video
    xmp = (
        directory(item("Primary", 0), item("MotionPhoto", len(content) + len(after)))
        if declaration is None
        else declaration
    )
    return with_xmp(still() if before is None else before, xmp) + content + after


def samsung_photo(video: bytes | None = None, *, name: bytes = b"MotionPhoto_Data") -> bytes:
    """A JPEG with Samsung's trailer and no XMP."""
    block = struct.pack("<HHI", 0, 0x0A30, len(name)) + name + (embedded_video() if video is None else video)
    other = struct.pack("<HHI", 0, 0x0A01, 14) + b"Image_UTC_Data" + b"1458170015363"
    blocks = block + other
    entries = [(0x0A30, len(blocks), len(block)), (0x0A01, len(other), len(other))]
    listed = b"SEFH" + struct.pack("<II", 107, len(entries))
    listed += b"".join(struct.pack("<HHII", 0, *entry) for entry in entries)
    return still() + blocks + listed + struct.pack("<I", len(listed)) + b"SEFT"
