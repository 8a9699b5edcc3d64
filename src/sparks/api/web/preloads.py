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
GUEST_MANIFEST: Final = ".vite/guest.json"
GUEST_WORDS: Final = "src/lib/i18n/guest/{}.ts"
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
        self._manifest = _read(folder / MANIFEST)
        self._already = set(_chunks(self._manifest, "index.html"))

    def link(self, page: str, accepted_languages: str) -> str:
        """The Link header of a page; empty where there is nothing to say."""
        words = self._words(page, accepted_languages)
        names = [name for each in (PAGE.format(page), *words) for name in _chunks(self._manifest, each)]
        wanted = dict.fromkeys(name for name in names if name not in self._already)
        return ", ".join(link for name in wanted for link in _links(self._manifest[name]))

    def asked_first(self, page: str, *, query: Mapping[str, str], rest: str) -> str:
        """The same, of what the API is asked for somebody who is signed in. `rest` is what stands below the place."""
        known = "community" if query.get("scope") == "community" else "mine"
        one = rest.partition("/")[0]
        paths = () if ASKS_OTHERWISE.get(page, frozenset()) & query.keys() else ASKED_FIRST.get(page, ())
        asked = [path for path in paths if "{one}" not in path or NAME.fullmatch(one)]
        told = (PROFILE, *(path.format(scope=known, one=one) for path in asked))
        return ", ".join(f"<{path}>; rel=preload; as=fetch; crossorigin" for path in told)

    def _words(self, page: str, accepted: str) -> tuple[str, ...]:
        language = _language(accepted, WORDS, self._manifest)
        more = (MORE_WORDS.format(part, language) for part, pages in WORDED.items() if page in pages)
        return WORDS.format(language), *more


class GuestPreloads:
    """The same of the guests' page, which is built apart: its script is named in it, and its words are told here."""

    def __init__(self, folder: Path) -> None:
        self._manifest = _read(folder / GUEST_MANIFEST)

    def link(self, accepted_languages: str) -> str:
        words = GUEST_WORDS.format(_language(accepted_languages, GUEST_WORDS, self._manifest))
        return ", ".join(_links(self._manifest[words])) if words in self._manifest else ""


def _read(path: Path) -> Manifest:
    manifest: Manifest = msgspec.json.decode(path.read_bytes()) if path.is_file() else {}
    return manifest


def _language(accepted: str, words: str, manifest: Manifest) -> str:
    """[Note: guess] The browser decides which language it takes, and may know better: then this one is not used."""
    asked = (word.strip()[:2].lower() for word in accepted.split(","))
    return next((language for language in asked if words.format(language) in manifest), DEFAULT_LANGUAGE)


def _chunks(manifest: Manifest, name: str) -> Iterator[str]:
    """The chunk, and all that it is made of."""
    chunk = manifest.get(name)
    if chunk is None:
        return
    yield name
    for imported in chunk.get("imports", ()):
        yield from _chunks(manifest, imported)


def _links(chunk: Mapping[str, Any]) -> Iterator[str]:
    yield f"</{chunk['file']}>; rel=modulepreload; crossorigin"
    yield from (f"</{style}>; rel=preload; as=style; crossorigin" for style in chunk.get("css", ()))
