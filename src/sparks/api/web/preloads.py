"""What a page will ask for next, told with the page itself: its script, its style and its words; and to whom may be
signed in, what it shows first.

Without that a browser learns of the former only once the first script runs, one trip over the network later, and of the
latter two trips later.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

MANIFEST: Final = ".vite/manifest.json"
WORDS: Final = "src/lib/i18n/{}.ts"
MORE_WORDS: Final = "src/lib/i18n/{}/{}.ts"
WORDED: Final = {  # the words that a page has besides those of all
    "account": frozenset({"Admin", "Profile", "Register", "Setup", "SignIn"}),
    "albums": frozenset({"Album", "Albums"}),
    "hosting": frozenset({"Cards", "Wall"}),
    "people": frozenset({"People", "Person", "WithMe"}),
    "search": frozenset({"Search"}),
}
PAGE: Final = "src/pages/{}.svelte"
DEFAULT_LANGUAGE: Final = "en"
PROFILE: Final = "/api/me/profile"
ASKED_FIRST: Final = {  # to the letter as the app asks: what differs is asked for twice
    "Timeline": ("/api/timeline/ratios?scope={scope}", "/api/timeline/latest?scope={scope}&signed=true"),
    "Albums": ("/api/albums?limit=100",),
    "Album": ("/api/albums/{one}",),
    "Cards": ("/api/albums/{one}",),
    "Wall": ("/api/albums/{one}", "/api/albums/{one}/wall?limit=100"),
    "People": ("/api/persons?few=false&hidden=false&limit=100", "/api/suggestions"),
}
ASKS_OTHERWISE: Final = {"People": frozenset({"everyone", "hidden"})}  # with one of these behind the `?`
NAME: Final = re.compile(r"[0-9A-Za-z-]{1,64}")  # of one that a page below a place is about

Manifest = Mapping[str, Mapping[str, Any]]


class Preloads:
    """Made from what the build wrote down. Where that is missing nothing is told, and pages work all the same."""

    def __init__(self, folder: Path) -> None:
        path = folder / MANIFEST
        self._manifest: Manifest = msgspec.json.decode(path.read_bytes()) if path.is_file() else {}
        self._already = set(self._chunks("index.html"))

    def link(self, page: str, accepted_languages: str) -> str:
        """The Link header of a page; empty where there is nothing to say."""
        words = self._words(page, accepted_languages)
        names = [*self._chunks(PAGE.format(page)), *(name for each in words for name in self._chunks(each))]
        wanted = dict.fromkeys(name for name in names if name not in self._already)
        return ", ".join(link for name in wanted for link in self._links(self._manifest[name]))

    def asked_first(self, page: str, *, query: Mapping[str, str], rest: str) -> str:
        """The same, of what the API is asked for somebody who is signed in. `rest` is what stands below the place."""
        known = "community" if query.get("scope") == "community" else "mine"
        one = rest.partition("/")[0]
        paths = () if ASKS_OTHERWISE.get(page, frozenset()) & query.keys() else ASKED_FIRST.get(page, ())
        asked = [path for path in paths if "{one}" not in path or NAME.fullmatch(one)]
        told = (PROFILE, *(path.format(scope=known, one=one) for path in asked))
        return ", ".join(f"<{path}>; rel=preload; as=fetch; crossorigin" for path in told)

    def _words(self, page: str, accepted: str) -> tuple[str, ...]:
        """[Note: guess] The browser decides which language it takes, and may know better: then this one is not used."""
        asked = (word.strip()[:2].lower() for word in accepted.split(","))
        known = (language for language in asked if WORDS.format(language) in self._manifest)
        language = next(known, DEFAULT_LANGUAGE)
        more = (MORE_WORDS.format(part, language) for part, pages in WORDED.items() if page in pages)
        return WORDS.format(language), *more

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
