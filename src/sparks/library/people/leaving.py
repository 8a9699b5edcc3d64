"""A photo that is being deleted leaves its persons: nobody is counted, shown or decided about by it any more."""

from datetime import datetime

from sparks.library.people.decisions import forget_decisions
from sparks.library.people.placing import removed
from sparks.library.people.reading import read_faces
from sparks.library.people.settling import settle_people
from sparks.model.face import Face
from sparks.model.photo import Photo
from sparks.model.scope import Scope
from sparks.table.port import Table


def leave_people(photo: Photo, *, table: Table) -> frozenset[Scope]:
    """Its persons lose it, and with it perhaps the face that shows them, or all that was left of them; the scopes where
    that is to be seen. Its faces have no person from then on, and are to be deleted.
    """
    touched = settle_people(photo.image_id, photo.owner, table=table)
    forget_decisions(read_faces(photo.image_id, photo.owner, table=table).decisions, table=table)
    return touched


def delete_face(face: Face, *, at: datetime, table: Table) -> None:
    """The rows of a face whose photo is being deleted; the vector indexes are told."""
    table.write(*removed(face, at=at))
