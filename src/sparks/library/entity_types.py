"""Values of `entityType`, each naming one list of the entity type index.

They are made as keys are: see `keys`.
"""

from typing import Final

from sparks.library.keys import email_piece, key_piece
from sparks.model.photo import PhotoState, Visibility
from sparks.model.scope import Scope
from sparks.table.port import EntityType

USERS: Final = EntityType("USER")
UPLOAD_LIMITS: Final = EntityType("DEFAULT_LIMIT")
INVITATIONS: Final = EntityType("INVITE")

FEED: Final = EntityType(PhotoState.READY.value)
PRIVATE: Final = EntityType("IMAGE_PRIVATE")
RESERVED: Final = EntityType(PhotoState.RESERVED.value)
PENDING: Final = EntityType(PhotoState.PENDING.value)
FAILED: Final = EntityType(PhotoState.FAILED.value)
DELETING: Final = EntityType(PhotoState.DELETING.value)
EXPIRING: Final = EntityType("EXPIRING")

FACES_UNASSIGNED: Final = EntityType("FACE_UNASSIGNED")
PERSONS: Final = EntityType("PERSON")
PERSON_PICTURES_DUE: Final = EntityType("PICTURE_DUE")
PERSON_COUNTER: Final = EntityType("UNKNOWN_PERSONS")
DECISIONS: Final = EntityType("DECISION")
SUGGESTIONS: Final = EntityType("SUGGESTION")
ERASURES: Final = EntityType("ERASURE")  # those that are not done yet
ERASURES_DONE: Final = EntityType("ERASURE_DONE")
ALBUMS: Final = EntityType("ALBUM")
ALBUMS_DELETING: Final = EntityType("ALBUM_DELETING")


# -- Photos


def photo(state: PhotoState, visibility: Visibility, owner: str) -> EntityType:
    if state is PhotoState.TRASHED:
        return trashed(owner)
    if state is PhotoState.READY and visibility is Visibility.PRIVATE:
        return PRIVATE
    return EntityType(state.value)


def trashed(owner: str) -> EntityType:
    return EntityType(f"{PhotoState.TRASHED.value}#{owner}")


def photo_state(entity_type: str) -> PhotoState:
    """The opposite of `photo`; ValueError for any other entity type."""
    if entity_type == PRIVATE.value:
        return PhotoState.READY
    state = PhotoState(entity_type.partition("#")[0])
    if (state is PhotoState.TRASHED) != ("#" in entity_type):
        raise ValueError("not the entityType of a photo")
    return state


def tag(owner: str, tag: str) -> EntityType:
    """The photos of one owner with a tag. Both pieces are free text, so the end of the address is checked."""
    return EntityType(f"TAG#{email_piece(owner)}#{tag}")


def community_tag(tag: str) -> EntityType:
    return EntityType(f"TAG#ALL#{tag}")


def month(scope: Scope, month: str) -> EntityType:
    return EntityType(f"MONTH#{scope}#{key_piece(month)}")


def favorite(who: str) -> EntityType:
    return EntityType(f"FAVORITE#{who}")


def tag_rename(email: str) -> EntityType:
    return EntityType(f"TAG_CHANGE_OF#{email}")


def guest_photo(guest_id: str) -> EntityType:
    return EntityType(f"GUEST_PHOTO#{guest_id}")


# -- Faces and persons


def person_in_photo(person_id: str, private_owner: str | None = None) -> EntityType:
    """The photos of a person: those of the community, or the private ones of one owner."""
    of_person = f"TAGGING#{key_piece(person_id)}"
    return EntityType(of_person if private_owner is None else f"{of_person}#{private_owner}")


def face(person_id: str | None) -> EntityType:
    return FACES_UNASSIGNED if person_id is None else EntityType(f"FACE#{person_id}")


def person_in_scope(scope: Scope, *, listed: bool = True) -> EntityType:
    """The persons of a scope: those who are listed, or those who are in too few photos."""
    return EntityType(f"PERSON_IN#{scope}" if listed else f"PERSON_FEW#{scope}")


# -- Albums and links


def album_photo(album_id: str) -> EntityType:
    return EntityType(f"ALBUM_PHOTO#{album_id}")


def album_queue(album_id: str) -> EntityType:
    return EntityType(f"ALBUM_QUEUE#{album_id}")


def album_person(album_id: str, person_id: str) -> EntityType:
    return EntityType(f"ALBUM_PERSON#{key_piece(album_id)}#{person_id}")


def album_member(email: str) -> EntityType:
    return EntityType(f"MEMBER_OF#{email}")


def like(album_id: str) -> EntityType:
    return EntityType(f"LIKE_OF#{album_id}")


def comment(album_id: str) -> EntityType:
    return EntityType(f"COMMENT_OF#{album_id}")


def share_link(album_id: str) -> EntityType:
    return EntityType(f"LINK_OF#{album_id}")


# -- Migration from another service


def external_id(system: str, digit: str) -> EntityType:
    """The rows of one table of the service whose ids have this digit: see `ExternalId.digit`."""
    return EntityType(f"EXTERNAL_ID#{key_piece(system)}#{digit}")


def migration_issue(field: str) -> EntityType:
    """The rows whose first issue is about this field."""
    return EntityType(f"MIGRATION_ISSUE#{field}")


# -- Accounts


def session(email: str) -> EntityType:
    return EntityType(f"SESSION_OF#{email}")


def api_key(email: str) -> EntityType:
    return EntityType(f"KEY_OF#{email}")
