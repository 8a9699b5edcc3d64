"""What Google calls the file of metadata that belongs to a photo, in an archive of Google Takeout.

[Note: as found in archives] The file of `IMG.jpg` is `IMG.jpg.json` or `IMG.jpg.supplemental-metadata.json`; before its
`.json` it is cut to 46 characters, so that any part of `.supplemental-metadata`, or of the name itself, may be missing.
The number of a second `IMG.jpg`, which is `IMG(1).jpg`, comes last and is never cut: `IMG.jpg(1).json` or
`IMG.jpg.supplemental-metadata(1).json`. An edited copy is `IMG-edited.jpg`, in the language of the account, and has no
file of its own; neither has the film of a moving picture, `IMG.mp4` beside `IMG.heic`.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final

SUFFIX: Final = ".supplemental-metadata"
SHORTEST_CUT: Final = 40  # characters: a name that was cut has more

_NUMBERED: Final = re.compile(r"(.*)(\(\d{1,5}\))", re.DOTALL)

Notes = Mapping[str, str]  # the names of the files of metadata, by their lower-case names without `.json`


def is_note(name: str) -> bool:
    return name.lower().endswith(".json")


def note_key(name: str) -> str:
    """What `find_note` looks a file of metadata up by."""
    return name[: -len(".json")].lower()


def find_note(name: str, notes: Notes) -> str | None:
    """The name of the file of metadata that belongs to this photo, if it is there."""
    for owner in _owners(name):
        for key in _keys(owner.lower()):
            if key in notes:
                return notes[key]
    return _of_still(name, notes)


def _owners(name: str) -> Iterator[str]:
    """The photo itself; and the one that it may be an edited copy of."""
    yield name
    stem, dot, extension = name.rpartition(".")
    stem, number = _number(stem)
    original, dash, _ = stem.rpartition("-")
    if original and dash:
        yield f"{original}{number}{dot}{extension}"


def _keys(name: str) -> Iterator[str]:
    """The least cut first. A number is where the photo's own name has it, too: some archives have been repaired."""
    stem, dot, extension = name.rpartition(".")
    stem, number = _number(stem)
    plain = f"{stem}{dot}{extension}"
    for full, end in ((plain, number), (name, "")) if number else ((plain, ""),):
        whole = full + SUFFIX
        for length in range(len(whole), min(len(full), SHORTEST_CUT) - 1, -1):
            yield whole[:length] + end


def _of_still(name: str, notes: Notes) -> str | None:
    """A film has the file of the picture of the same name."""
    stem, _, extension = name.lower().rpartition(".")
    if extension not in ("mp4", "mov", "mp"):
        return None
    stills = (key for still in ("heic", "jpg", "jpeg", "png", "webp") for key in _keys(f"{stem}.{still}"))
    return next((notes[key] for key in stills if key in notes), None)


def _number(stem: str) -> tuple[str, str]:
    match = _NUMBERED.fullmatch(stem)
    return (match[1], match[2]) if match is not None else (stem, "")
