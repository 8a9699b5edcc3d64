"""What a download is called, and what a browser takes it for."""

import re
import unicodedata
from typing import Final
from urllib.parse import quote

from sparks.blobs.port import DEFAULT_TYPE

LONGEST_NAME: Final = 200  # bytes of UTF-8
LONGEST_SUFFIX: Final = 20

# Nothing that a browser would run, as SVG; whatever else there is, is saved as plain bytes.
SAFE_TYPES: Final = frozenset(
    f"image/{name}"
    for name in ("avif", "bmp", "gif", "heic", "heic-sequence", "heif", "heif-sequence", "jpeg", "jxl", "png", "tiff")
) | {"image/webp", "video/mp4", "video/mpeg", "video/ogg", "video/quicktime", "video/webm", "video/x-matroska"}

_UNSAFE_IN_QUOTES: Final = re.compile(r'[^ -~]|["%\\]')
_INVISIBLE: Final = frozenset({"Cc", "Cf", "Co", "Cs", "Zl", "Zp"})  # controls, and what turns the writing round


def safe_type(content_type: str | None) -> str:
    """The type, if it is that of a picture or a film which no browser runs; else that of plain bytes."""
    known = (content_type or "").lower()
    return known if known in SAFE_TYPES else DEFAULT_TYPE


def attachment(name: str | None, *, otherwise: str) -> str:
    """The Content-Disposition (RFC 6266) of a file to be saved under this name, or `otherwise` where it has none left.

    Twice: for old readers in ASCII, and as it is, percent-encoded (RFC 8187). Always printable ASCII, and never long.
    """
    plain = saved_name(name or "") or otherwise
    in_ascii = _UNSAFE_IN_QUOTES.sub("_", plain)
    return f"attachment; filename=\"{in_ascii}\"; filename*=UTF-8''{quote(plain, safe='')}"


def saved_name(name: str) -> str:
    """One name, not a path; without what cannot be seen, and no longer than file systems bear. Its ending stays."""
    seen = "".join(
        "_" if letter in "/\\" else letter for letter in name if unicodedata.category(letter) not in _INVISIBLE
    ).strip()
    stem, dot, suffix = seen.rpartition(".")
    ending = dot + suffix if stem and len(suffix) <= LONGEST_SUFFIX else ""
    kept = _first_bytes(seen.removesuffix(ending), LONGEST_NAME - len(ending.encode()))
    return kept + ending


def _first_bytes(text: str, most: int) -> str:
    return text.encode()[:most].decode(errors="ignore")
