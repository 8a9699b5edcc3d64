"""Routes that erase a person's biometric data and read the receipt."""

from typing import Annotated, Any, Final

from fastapi import APIRouter, Path, Query, Response

from sparks.actions.biometric_erasure import BiometricErasures
from sparks.api.http.authentication import ActionRouter, CurrentMember, RequestAuthenticator
from sparks.api.http.base_models import ResponseModel, Time
from sparks.api.http.parameters import PersonId
from sparks.model.access import Action
from sparks.model.biometric_erasure import TRACES, Erasure, Keep, TraceCounts

ONGOING: Final = "The faces are being erased: read this receipt again in a minute."
ERASED: Final = (
    "The face is erased: its face rows, the vectors that an engine computed from them, their crops, and the person "
    "with all decisions about them are gone. "
)
VECTOR_KEPT: Final = (
    "One vector is kept, a row of numbers that describes this face, so that it is not recognized again. It is compared "
    "with every face that is found, and used for nothing else; the one who requested the erasure can have it deleted. "
    "The photos keep the places where the face was, but not whose face it was, so that these places are skipped."
)
NOTHING_KEPT: Final = (
    "Nothing at all is kept. Since Sparks no longer knows the face, new photos may create a new person without a name; "
    "erase that person too, or choose to keep a vector."
)
PHOTOS_STAY: Final = " The photos themselves stay: they belong to those who uploaded them."
SWITCHED_OFF: Final = "Faces are no longer searched for there, and those that had been found are gone."

ErasureId = Annotated[str, Path(alias="erasureId", max_length=200)]
KeepQuery = Annotated[
    Keep,
    Query(
        description="`vector` keeps one vector, which only prevents that the face is recognized again. `nothing` keeps "
        "nothing, and new photos may create a new person without a name."
    ),
]


class TracesResponse(ResponseModel):
    """Numbers of rows, crops, and vectors in the index; `lists` counts the rows of persons in lists."""

    faces: int
    embeddings: int
    crops: int
    vectors: int
    taggings: int
    persons: int
    lists: int
    decisions: int


class ErasureResponse(ResponseModel):
    """The receipt of an erasure. `checkedAt` is the time at which the remaining traces were counted by keys and lists,
    `scannedAt` the time at which every row of the table was checked.
    """

    erasure_id: str
    subject: str
    who: str
    asked_at: Time
    keep: Keep
    before: TracesResponse | None = None
    removed: TracesResponse | None = None
    after: TracesResponse | None = None
    checked_at: Time | None = None
    scanned_at: Time | None = None
    message: str


class BiometricErasureRoutes:
    def __init__(self, *, authenticator: RequestAuthenticator, erasures: BiometricErasures) -> None:
        self._authenticator = authenticator
        self._erasures = erasures

    def router(self) -> APIRouter:
        routes = ActionRouter(self._authenticator, tag="consent")
        erase, receipt = Action.ERASE_FACE, "/api/erasures/{erasureId}"
        begun = {
            202: {"model": ErasureResponse, "description": "There are many faces: they are erased in a few minutes."}
        }
        options: dict[str, Any] = {"errors": (404, 409), "responses": begun}
        routes.add("DELETE", "/api/me/biometrics", erase, self.forget_me, **options)
        routes.add("DELETE", "/api/persons/{personId}/biometrics", erase, self.forget_person, **options)
        routes.add("GET", receipt, Action.SEE_OWN_ACCOUNT, self.read_erasure, errors=(404,))
        routes.add("DELETE", f"{receipt}/vector", erase, self.forget_vector, status=204, errors=(404,))
        return routes.router

    def forget_me(self, caller: CurrentMember, response: Response, keep: KeepQuery = Keep.VECTOR) -> ErasureResponse:
        """Erase your face: everything by which it could be recognized. The response is the receipt."""
        return _begun(self._erasures.erase_own(caller, keep=keep), response)

    def forget_person(
        self, caller: CurrentMember, person_id: PersonId, response: Response, keep: KeepQuery = Keep.VECTOR
    ) -> ErasureResponse:
        """Erase a person's face. Only that person may, or an administrator on their behalf."""
        return _begun(self._erasures.erase_person(caller, person_id, keep=keep), response)

    def read_erasure(self, caller: CurrentMember, erasure_id: ErasureId) -> ErasureResponse:
        """Read the receipt of an erasure."""
        return erasure_response(self._erasures.read_receipt(caller, erasure_id))

    def forget_vector(self, caller: CurrentMember, erasure_id: ErasureId) -> None:
        """Delete the vector that was kept: new photos may show a person with this face again."""
        self._erasures.drop_opt_out(caller, erasure_id)


def erasure_response(erasure: Erasure) -> ErasureResponse:
    before, after = erasure.before, erasure.after
    return ErasureResponse(
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
        message=_message(erasure),
    )


def _begun(erasure: Erasure, response: Response) -> ErasureResponse:
    if erasure.after is None:
        response.status_code = 202
    return erasure_response(erasure)


def _traces(traces: TraceCounts | None) -> TracesResponse | None:
    return None if traces is None else TracesResponse(**{name: getattr(traces, name) for name in TRACES})


def _message(erasure: Erasure) -> str:
    if erasure.after is None:
        return ONGOING
    if not erasure.person_ids:
        return SWITCHED_OFF
    return ERASED + (VECTOR_KEPT if erasure.keep is Keep.VECTOR else NOTHING_KEPT) + PHOTOS_STAY
