"""What a page will ask for next, told with the page itself: its script, its style and its words; and to whom may be
signed in, what it shows first.

Without that a browser learns of the former only once the first script runs, one trip over the network later, and of the
latter two trips later.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

MANIFEST: Final = ".vite/manifest.json"
WORDS: Final = "src/lib/i18n/{}.ts"
PAGE: Final = "src/pages/{}.svelte"
DEFAULT_LANGUAGE: Final = "en"
PROFILE: Final = "/api/me/profile"
ASKED_FIRST: Final = {  # to the letter as the app asks: what differs is asked for twice
    "Timeline": ("/api/timeline/ratios?scope={scope}", "/api/timeline/latest?scope={scope}&signed=true"),
    "People": ("/api/persons?few=false&hidden=false&limit=100", "/api/suggestions"),
}

Manifest = Mapping[str, Mapping[str, Any]]


class Preloads:
    """Made from what the build wrote down. Where that is missing nothing is told, and pages work all the same."""

    def __init__(self, folder: Path) -> None:
        path = folder / MANIFEST
        self._manifest: Manifest = msgspec.json.decode(path.read_bytes()) if path.is_file() else {}
        self._already = set(self._chunks("index.html"))

    def link(self, page: str, accepted_languages: str) -> str:
        """The Link header of a page; empty where there is nothing to say."""
        names = [*self._chunks(PAGE.format(page)), *self._chunks(self._words(accepted_languages))]
        wanted = dict.fromkeys(name for name in names if name not in self._already)
        return ", ".join(link for name in wanted for link in self._links(self._manifest[name]))

    def asked_first(self, page: str, scope: str | None) -> str:
        """The same, of what the API is asked for somebody who is signed in."""
        known = "community" if scope == "community" else "mine"
        paths = (PROFILE, *(path.format(scope=known) for path in ASKED_FIRST.get(page, ())))
        return ", ".join(f"<{path}>; rel=preload; as=fetch; crossorigin" for path in paths)

    def _words(self, accepted: str) -> str:
        """[Note: guess] The browser decides which language it takes, and may know better: then this one is not used."""
        asked = (word.strip()[:2].lower() for word in accepted.split(","))
        known = (name for language in asked if (name := WORDS.format(language)) in self._manifest)
        return next(known, WORDS.format(DEFAULT_LANGUAGE))

    def _chunks(self, name: str) -> Iterator[str]:
        """The chunk, and all that it is made of."""
        chunk = self._manifest.get(name)
        if chunk is None:
            return
        yield name
        for imported in chunk.get("imports", ()):
            yield from self._chunks(imported)

    def _links(self, chunk: Mapping[str, Any]) -> Iterator[str]:
        yield f"</{chunk['file']}>; rel=modulepreload; crossorigin"
        yield from (f"</{style}>; rel=preload; as=style; crossorigin" for style in chunk.get("css", ()))
