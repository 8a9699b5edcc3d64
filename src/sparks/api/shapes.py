"""What goes in and out as JSON: names in camelCase, times as text of fixed width, absent instead of null."""

from datetime import datetime
from typing import Annotated, Final

from pydantic import (
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    SecretStr,
    WithJsonSchema,
)
from pydantic.alias_generators import to_camel

from sparks.model.times import iso

Time = Annotated[
    datetime, PlainSerializer(iso, when_used="json"), WithJsonSchema({"type": "string", "format": "date-time"})
]


def _time(value: object) -> object:
    """Pydantic would take numbers too, and texts of digits, for seconds since 1970."""
    if not isinstance(value, str) or "T" not in value.upper():
        raise ValueError("write it with its zone, as 2030-01-31T12:00:00Z")
    return value


def offset_of(time: datetime) -> str | None:
    """None for UTC: so is every time written whose offset is told elsewhere, or by nobody."""
    text = time.isoformat(timespec="seconds")[19:]
    return text if time.utcoffset() else None


def _number(value: object) -> object:
    """Pydantic would take texts and truth values too; and its strict way would refuse 5.0, which is an integer."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError("this is no whole number")  # noqa: TRY004  as pydantic likes it
    return value


FutureTime = Annotated[
    AwareDatetime, Field(description="With its zone, as 2030-01-31T12:00:00Z."), BeforeValidator(_time)
]

OFFSET: Final = "[+-]([01][0-9]|2[0-3]):[0-5][0-9]"  # of a photographer's clock
TakenTime = Annotated[
    AwareDatetime,
    Field(description="With its zone. Where that is not UTC, it is the offset too, unless one is told."),
    BeforeValidator(_time),
]

Email = Annotated[str, Field(max_length=400)]
UserName = Annotated[str, Field(max_length=400)]
NewPassword = Annotated[SecretStr, Field(max_length=1000)]
Words = Annotated[str, Field(max_length=20_000)]  # far more than any may have: the rules tell which
SecretText = Annotated[str, Field(max_length=200)]
Photos = Annotated[int, Field(ge=0, le=10**9), BeforeValidator(_number)]
Bytes = Annotated[int, Field(ge=0, le=10**15), BeforeValidator(_number)]
Uses = Annotated[int, Field(ge=0, le=100_000), BeforeValidator(_number)]
Version = Annotated[int, Field(ge=1, le=10**15), BeforeValidator(_number)]
FaceCount = Annotated[int, Field(ge=1, le=10**6), BeforeValidator(_number)]


class Answer(BaseModel):
    """What Sparks says."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, frozen=True)


class Wish(BaseModel):
    """What a caller says. A name that is not known is an error: it would be a typo that goes unnoticed."""

    model_config = ConfigDict(alias_generator=to_camel, frozen=True, extra="forbid")


class ErrorAnswer(BaseModel):
    """Any error. Some have more to say than these three."""

    model_config = ConfigDict(extra="allow")

    error: str
    message: str
    requestId: str | None  # noqa: N815  as it is written
