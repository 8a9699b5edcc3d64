"""Link headers that preload a page's scripts, styles and first requests.

Without them a browser finds the scripts and styles only when the first script runs, one round trip later, and the first
requests two round trips later.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

MANIFEST: Final = ".vite/manifest.json"
GUEST_MANIFEST: Final = ".vite/guest.json"
GUEST_MESSAGES: Final = "src/lib/i18n/guest/{}.ts"
MESSAGES: Final = "src/lib/i18n/{}.ts"
PAGE_MESSAGES: Final = "src/lib/i18n/{}/{}.ts"
PAGES_WITH_MESSAGES: Final = {  # by the folder of the messages, which come besides those of all pages
    "account": frozenset({"Admin", "Profile", "Register", "Setup", "SignIn"}),
    "albums": frozenset({"Album", "Albums"}),
    "share-links": frozenset({"Cards", "Wall"}),
    "people": frozenset({"People", "Person", "WithMe"}),
    "search": frozenset({"Search"}),
}
PAGE: Final = "src/pages/{}.svelte"
DEFAULT_LANGUAGE: Final = "en"
PROFILE: Final = "/api/me/profile"
FIRST_REQUESTS: Final = {  # exactly as the app writes them: the browser would repeat any other
    "Timeline": ("/api/timeline/ratios?scope={scope}", "/api/timeline/latest?scope={scope}&signed=true"),
    "Albums": ("/api/albums?limit=100",),
    "Album": ("/api/albums/{id}",),
    "Cards": ("/api/albums/{id}",),
    "Wall": ("/api/albums/{id}", "/api/albums/{id}/wall?limit=100"),
    "People": ("/api/persons?few=false&hidden=false&limit=100", "/api/suggestions"),
}
OTHER_REQUESTS: Final = {"People": frozenset({"everyone", "hidden"})}  # query parameters that change the requests
ID: Final = re.compile(r"[0-9A-Za-z-]{1,64}")

Manifest = Mapping[str, Mapping[str, Any]]


class Preloads:
    """The preloads of the app's pages, from the manifest of the build. Without a manifest there are none, and the pages
    work all the same.
    """

    def __init__(self, folder: Path) -> None:
        self._manifest = _read(folder / MANIFEST)
        self._in_index = set(_chunks(self._manifest, "index.html"))

    def link(self, page: str, accepted_languages: str) -> str:
        """The Link header for the scripts and styles of a page; may be empty."""
        messages = self._messages(page, accepted_languages)
        names = [name for each in (PAGE.format(page), *messages) for name in _chunks(self._manifest, each)]
        chunks = dict.fromkeys(name for name in names if name not in self._in_index)
        return ", ".join(link for name in chunks for link in _links(self._manifest[name]))

    def first_requests(self, page: str, *, query: Mapping[str, str], rest: str) -> str:
        """The Link header for the first API requests of a page, for a user who is signed in. `rest` is the rest of the
        URL's path, which begins with an id.
        """
        scope = "community" if query.get("scope") == "community" else "mine"
        id_ = rest.partition("/")[0]
        paths = () if OTHER_REQUESTS.get(page, frozenset()) & query.keys() else FIRST_REQUESTS.get(page, ())
        usable = [path for path in paths if "{id}" not in path or ID.fullmatch(id_)]
        requests = (PROFILE, *(path.format(scope=scope, id=id_) for path in usable))
        return ", ".join(f"<{path}>; rel=preload; as=fetch; crossorigin" for path in requests)

    def _messages(self, page: str, accepted: str) -> tuple[str, ...]:
        language = _language(accepted, MESSAGES, self._manifest)
        own = (PAGE_MESSAGES.format(folder, language) for folder, pages in PAGES_WITH_MESSAGES.items() if page in pages)
        return MESSAGES.format(language), *own


class GuestPreloads:
    """The preloads of the guest app, which is a build of its own. Its page names its script, but not the messages."""

    def __init__(self, folder: Path) -> None:
        self._manifest = _read(folder / GUEST_MANIFEST)

    def link(self, accepted_languages: str) -> str:
        messages = GUEST_MESSAGES.format(_language(accepted_languages, GUEST_MESSAGES, self._manifest))
        return ", ".join(_links(self._manifest[messages])) if messages in self._manifest else ""


def _read(path: Path) -> Manifest:
    manifest: Manifest = msgspec.json.decode(path.read_bytes()) if path.is_file() else {}
    return manifest


def _language(accepted: str, messages: str, manifest: Manifest) -> str:
    """The likely language. The app itself decides in the browser, and may load another one."""
    languages = (entry.strip()[:2].lower() for entry in accepted.split(","))
    return next((language for language in languages if messages.format(language) in manifest), DEFAULT_LANGUAGE)


def _chunks(manifest: Manifest, name: str) -> Iterator[str]:
    """The chunk, and all chunks that it imports."""
    chunk = manifest.get(name)
    if chunk is None:
        return
    yield name
    for imported in chunk.get("imports", ()):
        yield from _chunks(manifest, imported)


def _links(chunk: Mapping[str, Any]) -> Iterator[str]:
    yield f"</{chunk['file']}>; rel=modulepreload; crossorigin"
    yield from (f"</{style}>; rel=preload; as=style; crossorigin" for style in chunk.get("css", ()))
