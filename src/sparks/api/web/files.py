"""A file of the web app: kept in memory, as it is and as the build has compressed it."""

from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Final

from fastapi import Request, Response

from sparks.api.encodings import accepted_encodings
from sparks.api.ranges import is_known

TYPES: Final = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
}
ENCODINGS: Final = {"br": ".br", "gzip": ".gz"}  # the smaller one first
FOREVER: Final = "public, max-age=31536000, immutable"
ASK_AGAIN: Final = "no-cache"


@dataclass(frozen=True, slots=True)
class WebFile:
    content: bytes = field(repr=False)
    content_type: str
    compressed: dict[str, bytes] = field(default_factory=dict, repr=False)
    digest: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "digest", sha256(self.content).hexdigest()[:32])

    def answer(self, request: Request, *, forever: bool = False) -> Response:
        """`forever`: what is under this name never changes. Otherwise browsers ask whether theirs is current."""
        encoding = self._encoding(request.headers.get("accept-encoding", ""))
        etag = f'"{self.digest}{f"-{encoding}" if encoding else ""}"'
        headers = {"Cache-Control": FOREVER if forever else ASK_AGAIN, "ETag": etag, "Vary": "Accept-Encoding"}
        if is_known(request.headers.get("if-none-match"), etag):
            return Response(status_code=304, headers=headers)
        if encoding:
            headers["Content-Encoding"] = encoding
        content = self.compressed[encoding] if encoding else self.content
        return Response(content, headers={**headers, "Content-Type": self.content_type})

    def _encoding(self, accepted: str) -> str | None:
        readable = accepted_encodings(accepted)
        return next((encoding for encoding in self.compressed if encoding in readable), None)


def read_files(folder: Path) -> dict[str, WebFile]:
    """All files by their path within the folder; none where it is not there."""
    found = (path for path in sorted(folder.rglob("[!.]*")) if path.suffix in TYPES and path.parent.name[:1] != ".")
    return {path.relative_to(folder).as_posix(): _read(path) for path in found}


def _read(path: Path) -> WebFile:
    beside = {name: path.with_name(path.name + suffix) for name, suffix in ENCODINGS.items()}
    compressed = {name: other.read_bytes() for name, other in beside.items() if other.is_file()}
    return WebFile(path.read_bytes(), TYPES[path.suffix], compressed)
