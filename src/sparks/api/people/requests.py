"""Request bodies of decisions about persons and faces."""

from typing import Annotated, Final

from pydantic import ConfigDict, Field

from sparks.api.http.base_models import RequestModel, ShortText
from sparks.model.errors import BadInput
from sparks.model.face import Box

NEW: Final = "new"
MAX_FACES: Final = 500  # in one request
ROUNDING: Final = 1e-6

FaceId = Annotated[str, Field(max_length=100)]
PersonIdText = Annotated[str, Field(max_length=200)]
Start = Annotated[float, Field(ge=0, lt=1, allow_inf_nan=False)]
Length = Annotated[float, Field(ge=0.001, le=1, allow_inf_nan=False)]


class PersonChangeRequest(RequestModel):
    """Fields that are left out stay as they are. Null, or an empty text, removes the name."""

    display_name: ShortText | None = None
    hidden: bool | None = Field(None, description="Hide the person from the lists. Null changes nothing.")
    same_name: bool = Field(False, description="Allow a name that another person has: they are two persons.")


class MergeRequest(RequestModel):
    into: PersonIdText = Field(description="The id of the other person. Of the two, the one who has a name is kept.")


class FaceIdsRequest(RequestModel):
    """The ids of faces; a repeated id counts once."""

    face_ids: Annotated[list[FaceId], Field(min_length=1, max_length=MAX_FACES)]


class CoverFaceRequest(RequestModel):
    face_id: FaceId


class AssignFaceRequest(RequestModel):
    person_id: PersonIdText = Field(description="The id of a person, or `new` for a new one.")


class SamePersonRequest(RequestModel):
    same: bool


class BoxRequest(RequestModel):
    """A box, as shares of the width and height of the upright picture, from its upper left corner."""

    model_config = ConfigDict(alias_generator=str.capitalize)

    left: Start
    top: Start
    width: Length
    height: Length

    def box(self) -> Box:
        """BadInput for a box that reaches beyond the picture."""
        if max(self.left + self.width, self.top + self.height) > 1 + ROUNDING:
            raise BadInput("the box reaches beyond the picture: Left and Width, and Top and Height, make at most 1")
        return Box(left=self.left, top=self.top, width=self.width, height=self.height)


class DrawFaceRequest(RequestModel):
    """Without a `personId` the person is new, and gets the `displayName` if one is given."""

    bbox: BoxRequest
    person_id: PersonIdText | None = None
    display_name: ShortText | None = None
    same_name: bool = Field(False, description="Allow a name that another person has: they are two persons.")
