"""What a download is called, and what a browser takes it for."""

import re
from typing import Final
from urllib.parse import quote

from sparks.blobs.port import DEFAULT_TYPE
from sparks.model.filename import saved_name

# Nothing that a browser would run, as SVG; whatever else there is, is saved as plain bytes.
SAFE_TYPES: Final = frozenset(
    f"image/{name}"
    for name in ("avif", "bmp", "gif", "heic", "heic-sequence", "heif", "heif-sequence", "jpeg", "jxl", "png", "tiff")
) | {"image/webp", "video/mp4", "video/mpeg", "video/ogg", "video/quicktime", "video/webm", "video/x-matroska"}

_UNSAFE_IN_QUOTES: Final = re.compile(r'[^ -~]|["%\\]')


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
