"""Vectors of persons who opted out of recognition, checked before a face is stored.

They are few and in one partition, so that each check reads all of them as they are now.
"""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Final

import numpy as np

from sparks.library import keys
from sparks.library.face_index import HALF, vector_of
from sparks.library.records import from_item, key_of
from sparks.model.biometric_erasure import RecognitionOptOut
from sparks.model.face import Face
from sparks.table.port import Change, Delete, Table, every
from sparks.vectors.port import Vector

NONE: Final = np.empty((0, 0), np.float32)


def opt_outs(*, table: Table) -> list[RecognitionOptOut]:
    return [from_item(RecognitionOptOut, row) for row in every(table, keys.UNRECOGNISED)]


def opt_out_vectors(engine: str, *, table: Table) -> Vector:
    """One row each, of length 1; none where there are none of this engine. See consent, [Note: consent is checked
    twice].
    """
    kept = [each for each in opt_outs(table=table) if each.engine == engine]
    vectors = [vector for each in kept if (vector := _vector(each.embedding)) is not None]
    return np.stack(_alike(vectors)) if vectors else NONE


def is_opted_out(vector: Vector, opted_out: Vector, *, strong: float) -> bool:
    """Whether the face matches one of the opt-outs."""
    unit = _unit(vector)
    if unit is None or not len(opted_out) or opted_out.shape[1] != len(unit):
        return False
    return float((opted_out @ unit).max()) >= strong


def opt_out(
    unrecognised_id: str, vector: Vector, *, engine: str, account: str | None, at: datetime
) -> RecognitionOptOut:
    return RecognitionOptOut(
        unrecognised_id=unrecognised_id,
        engine=engine,
        embedding=vector.astype(HALF).tobytes(),
        made_at=at,
        account=account,
    )


def opt_in(account: str, *, table: Table) -> int:
    """Deletes the opt-outs of the account; returns their number."""
    theirs = [each for each in opt_outs(table=table) if each.account == account]
    for each in theirs:
        table.write(Delete(key_of(each)))
    return len(theirs)


def delete_opt_out(unrecognised_id: str, *, also: Sequence[Change] = (), table: Table) -> None:
    """Nothing happens but `also` where there is none."""
    table.write(Delete(keys.recognition_opt_out(unrecognised_id)), *also)


def mean_vector(faces: Sequence[Face], engine: str, *, founding: float) -> Vector | None:
    """The mean direction of the good faces, or of all where none is good; None where no face has a vector."""
    known = [face for face in faces if face.embedding is not None and face.engine == engine]
    good = [face for face in known if (face.quality or 0.0) >= founding] or known
    vectors = [vector for face in good if (vector := _vector(face.embedding)) is not None]
    return _unit(np.mean(np.stack(_alike(vectors)), axis=0)) if vectors else None


def _vector(embedding: bytes | None) -> Vector | None:
    """None for an invalid vector, as a damaged row may have it."""
    if embedding is None or len(embedding) % HALF.itemsize:
        return None
    return _unit(vector_of(embedding, len(embedding) // HALF.itemsize))


def _alike(vectors: Sequence[Vector]) -> list[Vector]:
    """The vectors of the most frequent length: the others are of no engine."""
    [(length, _)] = Counter(map(len, vectors)).most_common(1)
    return [vector for vector in vectors if len(vector) == length]


def _unit(vector: Vector | None) -> Vector | None:
    length = 0.0 if vector is None else float(np.linalg.norm(vector))
    return None if vector is None or not length else (vector / length).astype(np.float32)
