"""Keys of all blobs: opaque, made by the server, without e-mail addresses."""

import re
from typing import Final

from sparks.blobs.port import checked_key
from sparks.model.errors import BadInput
from sparks.model.ids import checked_uuid
from sparks.model.photo import MOTION, VIDEO

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
    """The key of the bytes while they arrive."""
    return f"{UPLOADS}{checked_uuid(image_id)}"


def original(image_id: str, extension: str) -> str:
    """`extension` is without its dot, and follows from the bytes, not from the file's name."""
    if _EXTENSION.fullmatch(extension) is None:
        raise BadInput(f"not an extension like jpg: {extension[:40]!r}")
    return f"{ORIGINALS}{checked_uuid(image_id)}.{extension}"


def rendition(image_id: str, size: str) -> str:
    return f"{PROCESSED}{checked_uuid(image_id)}_{_name(size)}.webp"


def video(image_id: str) -> str:
    """The video that any browser plays, where the original is not one."""
    return f"{PROCESSED}{checked_uuid(image_id)}_{VIDEO}.mp4"


def motion(image_id: str) -> str:
    """The video of a live photo, as any browser plays it."""
    return f"{PROCESSED}{checked_uuid(image_id)}_{MOTION}.mp4"


def made_prefix(image_id: str) -> str:
    """The prefix of the keys of all blobs that were made from a photo."""
    return f"{PROCESSED}{checked_uuid(image_id)}_"


def original_prefix(image_id: str) -> str:
    """The prefix of the key of the original, whatever its extension."""
    return f"{ORIGINALS}{checked_uuid(image_id)}."


def face_thumb(face_id: str) -> str:
    return f"{FACE_THUMBS}{checked_uuid(face_id)}.jpg"


def person_picture(person_id: str) -> str:
    return f"{PERSON_PICTURES}{_name(person_id)}.jpg"


def profile_picture(opaque: str) -> str:
    """`opaque` is a random id, so that the URL does not reveal the user."""
    return f"{PROFILE_PICTURES}{_name(opaque)}/profile.jpg"


def derived(*path: str) -> str:
    """The key of a blob that can be built again at any time."""
    key = checked_key(DERIVED + "/".join(path))
    if "@" in key:
        raise BadInput("an object's key holds no e-mail address")
    return key


def _name(text: str) -> str:
    if _NAME.fullmatch(text) is None:
        raise BadInput(f"not a name for an object: {text[:40]!r}")
    return text
