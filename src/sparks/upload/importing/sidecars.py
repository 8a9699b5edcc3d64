"""Photos and what lies beside them: `IMG.jpg.xmp` or `IMG.xmp`, and the JSON files of Google Takeout."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sparks.upload.importing.names import find_note, is_note, note_key
from sparks.upload.importing.outcome import Fate, Outcome
from sparks.upload.importing.reading import read_small
from sparks.upload.importing.takeout import MOST_BYTES, read_album, read_note
from sparks.upload.importing.walking import Listing

NO_PHOTO: Final = "it is a sidecar, and there is no photo beside it that it belongs to"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A file that may be a photo, the sidecars that tell more of it, and the album that its folder is."""

    path: Path
    xmp: Path | None = None
    note: Path | None = None
    album: str | None = None


def candidates_in(listing: Listing) -> Iterator[Candidate | Outcome]:
    """All files that are no sidecars, each with those that are its own; and the sidecars that are nobody's."""
    packets = {name.lower(): name for name in listing.names if name.lower().endswith(".xmp")}
    notes = {note_key(name): name for name in listing.names if is_note(name)}
    photos = [name for name in listing.names if name.lower() not in packets and not is_note(name)]
    pairs = [(name, _packet_of(name, packets), find_note(name, notes)) for name in photos]
    used = {sidecar for _, *sidecars in pairs for sidecar in sidecars}
    has_notes = any(note is not None for *_, note in pairs)
    spare = _Spare(listing.folder, [name for name in notes.values() if name not in used])
    for name, packet, note in pairs:
        if listing.wanted is None or name in listing.wanted:
            xmp, about = _path(listing, packet), _path(listing, note or spare.titled.pop(name, None))
            yield Candidate(listing.folder / name, xmp=xmp, note=about, album=spare.album if has_notes else None)
    if listing.wanted is None:
        for name in (*(name for name in packets.values() if name not in used), *spare.titled.values(), *spare.others):
            yield Outcome(listing.folder / name, Fate.SKIPPED, NO_PHOTO)


class _Spare:
    """The JSON files that belong to no photo by their names: one may tell the album, others their photos' names."""

    def __init__(self, folder: Path, names: list[str]) -> None:
        self.album: str | None = None
        self.titled: dict[str, str] = {}
        self.others: list[str] = []
        for name in names:
            raw = read_small(folder / name, most=MOST_BYTES)
            note, album = read_note(raw), read_album(raw)
            if note is not None and note.title is not None:
                self.titled.setdefault(note.title, name)
            elif album is not None and self.album is None:
                self.album = album
            else:
                self.others.append(name)


def _packet_of(name: str, packets: dict[str, str]) -> str | None:
    lower = name.lower()
    return packets.get(f"{lower}.xmp") or packets.get(f"{lower.rpartition('.')[0]}.xmp")


def _path(listing: Listing, name: str | None) -> Path | None:
    return None if name is None else listing.folder / name
