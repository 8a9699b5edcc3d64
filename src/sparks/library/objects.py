"""The key of every object, made by the server alone and without anybody's e-mail."""

import re
from typing import Final

from sparks.blobs.port import checked_key
from sparks.model.errors import BadInput
from sparks.model.ids import checked_uuid
from sparks.model.photo import FILM, MOTION

UPLOADS: Final = "uploads/"
ORIGINALS: Final = "originals/"
PROCESSED: Final = "processed/"
FACE_THUMBS: Final = "faces/thumbs/"
PERSON_PICTURES: Final = "persons/"
PROFILE_PICTURES: Final = "profile-pictures/"
DERIVED: Final = "derived/"

_EXTENSION: Final = re.compile(r"[a-z0-9]{1,10}")
_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,100}")


def upload(image_id: str) -> str:
    """Where the bytes are while they arrive."""
    return f"{UPLOADS}{checked_uuid(image_id)}"


def original(image_id: str, extension: str) -> str:
    """`extension` without its dot: what the bytes are, not what the file was called."""
    if _EXTENSION.fullmatch(extension) is None:
        raise BadInput(f"not an extension like jpg: {extension[:40]!r}")
    return f"{ORIGINALS}{checked_uuid(image_id)}.{extension}"


def rendition(image_id: str, size: str) -> str:
    return f"{PROCESSED}{checked_uuid(image_id)}_{_name(size)}.webp"


def film(image_id: str) -> str:
    """The video that any browser plays, where the original is none."""
    return f"{PROCESSED}{checked_uuid(image_id)}_{FILM}.mp4"


def motion(image_id: str) -> str:
    """The film behind a live photo, as any browser plays it."""
    return f"{PROCESSED}{checked_uuid(image_id)}_{MOTION}.mp4"


def made_of(image_id: str) -> str:
    """What the keys of all that was made of a photo begin with."""
    return f"{PROCESSED}{checked_uuid(image_id)}_"


def originals_of(image_id: str) -> str:
    """What the key of its original begins with, whatever the bytes turn out to be."""
    return f"{ORIGINALS}{checked_uuid(image_id)}."


def face_thumb(face_id: str) -> str:
    return f"{FACE_THUMBS}{checked_uuid(face_id)}.jpg"


def person_picture(person_id: str) -> str:
    return f"{PERSON_PICTURES}{_name(person_id)}.jpg"


def profile_picture(opaque: str) -> str:
    """`opaque` is a random id: who it is must not be read from the address."""
    return f"{PROFILE_PICTURES}{_name(opaque)}/profile.jpg"


def derived(*path: str) -> str:
    """For what can be built again at any time."""
    key = checked_key(DERIVED + "/".join(path))
    if "@" in key:
        raise BadInput("an object's key holds no e-mail address")
    return key


def _name(text: str) -> str:
    if _NAME.fullmatch(text) is None:
        raise BadInput(f"not a name for an object: {text[:40]!r}")
    return text
