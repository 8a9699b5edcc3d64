"""Who is to be forgotten, and what is kept so that they are: decided and written down before anything goes."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sparks.blobs.port import Blobs
from sparks.library import consent
from sparks.library.face_index import FaceIndex
from sparks.library.face_log import faces_by_id
from sparks.library.people import get_person, merged_into, read_faces, verdict_on
from sparks.library.people.erasures import begin_erasure, note_waiting
from sparks.library.people.redirects import Redirects, leading_to
from sparks.library.people.remains import Aim, listed_rows, remains_among
from sparks.library.people.unrecognised import do_not_recognise, mean_of
from sparks.library.records import to_item
from sparks.model.face import Face
from sparks.model.forgetting import Erasure, Keep
from sparks.model.ids import new_event_id
from sparks.model.terms import Terms
from sparks.people.erasing import traces_of
from sparks.table.port import Change, Put, Table
from sparks.vectors.port import Vector

MOST_WAITING: Final = 1000  # faces of theirs that are nobody's yet
EVERY_FACE: Final = 0.0  # is good enough where nobody knows which are


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """To forget somebody's face. `account` is who they are, if anybody here."""

    person_id: str
    keep: Keep
    who: str
    account: str | None
    at: datetime


def begin_forgetting(
    wish: Wish,
    *,
    also: Sequence[Change] = (),
    table: Table,
    blobs: Blobs,
    index: FaceIndex | None,
    terms: Terms,
) -> Erasure:
    """What is to go, with how much there is of it; then it must be erased. NotFound where there is no such person.

    [Note: waiting] Who waits is looked for once more when the vector is kept: whoever found a face before that, and
    did not see the vector, has told of it by now.
    """
    person_ids = all_who_are(wish.person_id, table=table)
    theirs = remains_among(listed_rows(Aim(person_ids), table=table), Aim(person_ids)).faces.values()
    engine = _engine_of(list(theirs), terms)
    founding = EVERY_FACE if terms.faces is None else terms.faces.founding
    mean = mean_of(list(theirs), engine, founding=founding)
    waiting = () if mean is None else tuple(_waiting(mean, person_ids, wish.at, table, index, terms))
    aim = Aim(person_ids, frozenset(waiting))
    remains = remains_among(listed_rows(aim, table=table), aim)
    erasure = Erasure(
        erasure_id=new_event_id(),
        subject=wish.account or consent.subject_of_person(get_person(wish.person_id, table=table).person_id),
        who=wish.who,
        asked_at=wish.at,
        keep=wish.keep,
        person_ids=tuple(sorted(person_ids, key=lambda person_id: (len(person_id), person_id))),
        face_ids=waiting,
        before=traces_of(remains, aim, remains.faces.values(), blobs=blobs, index=index),
    )
    kept = _kept(erasure, wish, mean, engine)
    begun = begin_erasure(erasure, also=(*also, *_consents(erasure, wish), *kept), table=table)
    came = () if mean is None else tuple(_waiting(mean, person_ids, wish.at, table, index, terms))
    return note_waiting(begun, came, table=table)


def forbid_faces(subject: str, *, who: str, at: datetime, also: Sequence[Change] = (), table: Table) -> Erasure:
    """Nobody looks for faces there any more, and those that are there must be erased."""
    erasure = Erasure(erasure_id=new_event_id(), subject=subject, who=who, asked_at=at)
    said = consent.consented(subject, consent.FACES, allowed=False, who=who, at=at)
    return begin_erasure(erasure, also=(*also, said), table=table)


def all_who_are(person_id: str, *, table: Table) -> frozenset[str]:
    """The person whom the id leads to, and all who became them, by what was decided or by their rows."""
    first = get_person(person_id, table=table).person_id
    return leading_to({first, *merged_into(first, table=table)}, table=table)


def _engine_of(faces: Sequence[Face], terms: Terms) -> str:
    """The one of today, or where faces are off the one that found most of them."""
    if terms.faces is not None:
        return terms.faces.engine
    found = Counter(face.engine for face in faces if face.engine is not None)
    return found.most_common(1)[0][0] if found else ""


def _waiting(
    mean: Vector, person_ids: Collection[str], at: datetime, table: Table, index: FaceIndex | None, terms: Terms
) -> Iterator[str]:
    """Faces that are nobody's, and clearly theirs; unless somebody said that they are not."""
    if index is None or terms.faces is None:
        return
    index.catch_up(at=at)
    near = [each.face_id for each in index.nearest(mean, MOST_WAITING, terms.faces.strong)]
    for face in faces_by_id(near, table=table).values():
        if face.person_id is None and not _is_rejected(face, person_ids, table):
            yield face.face_id


def _is_rejected(face: Face, person_ids: Collection[str], table: Table) -> bool:
    seen = read_faces(face.image_id, face.owner, table=table)
    verdict = verdict_on(face, seen.decisions, seen.faces, Redirects(table))
    return bool(verdict.rejected & set(person_ids))


def _kept(erasure: Erasure, wish: Wish, mean: Vector | None, engine: str) -> Iterator[Change]:
    if wish.keep is Keep.VECTOR and mean is not None:
        kept = do_not_recognise(erasure.erasure_id, mean, engine=engine, account=wish.account, at=wish.at)
        yield Put(to_item(kept))


def _consents(erasure: Erasure, wish: Wish) -> Iterator[Change]:
    whats = (consent.BIOMETRICS, consent.RECOGNISE) if wish.keep is Keep.VECTOR else (consent.BIOMETRICS,)
    for what in whats:
        yield consent.consented(erasure.subject, what, allowed=False, who=wish.who, at=wish.at)
