"""What people say about persons and faces, as it comes in."""

from typing import Annotated, Final

from pydantic import ConfigDict, Field

from sparks.api.shapes import Wish, Words
from sparks.model.errors import BadInput
from sparks.model.face import Box

NEW: Final = "new"
MOST: Final = 500  # faces of one request
ROUNDING: Final = 1e-6

FaceId = Annotated[str, Field(max_length=100)]
PersonIdText = Annotated[str, Field(max_length=200)]
Start = Annotated[float, Field(ge=0, lt=1, allow_inf_nan=False)]
Length = Annotated[float, Field(ge=0.001, le=1, allow_inf_nan=False)]


class PersonChange(Wish):
    """What is not named stays as it is. Null, or an empty text, takes a name away."""

    display_name: Words | None = None
    hidden: bool | None = Field(None, description="Out of the lists of persons. Null leaves it as it is.")
    same_name: bool = Field(False, description="Another person may have the name too: they are two.")


class MergeWish(Wish):
    into: PersonIdText = Field(description="Whom they are; of the two, one who has a name is kept.")


class SomeFaces(Wish):
    """Their ids; one that comes twice counts once."""

    face_ids: Annotated[list[FaceId], Field(min_length=1, max_length=MOST)]


class PictureWish(Wish):
    face_id: FaceId


class FaceOf(Wish):
    person_id: PersonIdText = Field(description="Whose it is; `new` is somebody who is not there yet.")


class SameWish(Wish):
    same: bool


class BoxWish(Wish):
    """Shares of the upright picture's width and height, from its left upper corner."""

    model_config = ConfigDict(alias_generator=str.capitalize)

    left: Start
    top: Start
    width: Length
    height: Length

    def box(self) -> Box:
        """BadInput where it reaches beyond the picture."""
        if max(self.left + self.width, self.top + self.height) > 1 + ROUNDING:
            raise BadInput("the box reaches beyond the picture: Left and Width, and Top and Height, make at most 1")
        return Box(left=self.left, top=self.top, width=self.width, height=self.height)


class DrawnFace(Wish):
    """Without a `personId` it is somebody new, with this name if one is told."""

    bbox: BoxWish
    person_id: PersonIdText | None = None
    display_name: Words | None = None
    same_name: bool = Field(False, description="Another person may have the name too: they are two.")
