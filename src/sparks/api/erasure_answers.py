"""What is answered about faces that are forgotten: a receipt, and what it means in plain words."""

from typing import Final

from sparks.api.shapes import Answer, Time
from sparks.model.forgetting import TRACES, Erasure, Keep, Traces

GOING_ON: Final = "The faces are being removed: look at this receipt again in a minute."
GONE: Final = (
    "The face is forgotten: its faces, what an engine made of them, their crops, and the person with all that was "
    "decided about them are gone. "
)
VECTOR: Final = (
    "One vector is kept, a row of numbers that tells this face and nothing else, so that it is not found again: it is "
    "compared with every face that is found, and used for nothing else. Whoever asked for this can have it dropped. "
    "The photos keep the places where the face was, and not whose it was, so that nobody looks there again."
)
NOTHING: Final = (
    "Nothing at all is kept. Since Sparks no longer knows the face, new photos may show a new, nameless person; "
    "forget that one too, or ask for a vector to be kept."
)
PHOTOS_STAY: Final = " The photos themselves stay: they belong to those who uploaded them."
SWITCHED_OFF: Final = "Nobody looks for faces there any more, and those that were found are gone."


class TracesAnswer(Answer):
    """How many there are: rows, crops, vectors in the index; `lists` are those of persons that somebody sees."""

    faces: int
    embeddings: int
    crops: int
    vectors: int
    taggings: int
    persons: int
    lists: int
    decisions: int


class ErasureAnswer(Answer):
    """The receipt. `checkedAt` is when what is left was looked up by all keys and lists; `scannedAt`, when every row
    there is was looked at.
    """

    erasure_id: str
    subject: str
    who: str
    asked_at: Time
    keep: Keep
    before: TracesAnswer | None = None
    removed: TracesAnswer | None = None
    after: TracesAnswer | None = None
    checked_at: Time | None = None
    scanned_at: Time | None = None
    message: str


def erasure_answer(erasure: Erasure) -> ErasureAnswer:
    before, after = erasure.before, erasure.after
    return ErasureAnswer(
        erasure_id=erasure.erasure_id,
        subject=erasure.subject,
        who=erasure.who,
        asked_at=erasure.asked_at,
        keep=erasure.keep,
        before=_traces(before),
        removed=None if before is None or after is None else _traces(before - after),
        after=_traces(after),
        checked_at=erasure.checked_at,
        scanned_at=erasure.scanned_at,
        message=_words(erasure),
    )


def _traces(traces: Traces | None) -> TracesAnswer | None:
    return None if traces is None else TracesAnswer(**{name: getattr(traces, name) for name in TRACES})


def _words(erasure: Erasure) -> str:
    if erasure.after is None:
        return GOING_ON
    if not erasure.person_ids:
        return SWITCHED_OFF
    return GONE + (VECTOR if erasure.keep is Keep.VECTOR else NOTHING) + PHOTOS_STAY
