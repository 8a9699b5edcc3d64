"""What becomes of photos that waited in an album's queue."""

from enum import StrEnum

from sparks.api.shapes import Answer


class Decision(StrEnum):
    APPROVED = "approved"
    REJECTED = "rejected"


class DecisionResult(Answer):
    """What became of one photo: either a `status`, or an `error` with its `message`."""

    image_id: str
    status: Decision | None = None
    error: str | None = None
    message: str | None = None


class DecisionResults(Answer):
    results: list[DecisionResult]
