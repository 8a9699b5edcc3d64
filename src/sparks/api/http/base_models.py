"""Base classes and field types of request and response bodies."""

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
    computed_field,
)
from pydantic.alias_generators import to_camel

from sparks.model.times import iso

Time = Annotated[
    datetime, PlainSerializer(iso, when_used="json"), WithJsonSchema({"type": "string", "format": "date-time"})
]


def _time(value: object) -> object:
    """Refuses numbers and texts of digits, which pydantic would read as seconds since 1970."""
    if not isinstance(value, str) or "T" not in value.upper():
        raise ValueError("write it with its zone, as 2030-01-31T12:00:00Z")
    return value


def offset_of(time: datetime) -> str | None:
    """The offset, as +02:00; None for UTC, in which times are written whose offset is unknown or given elsewhere."""
    text = time.isoformat(timespec="seconds")[19:]
    return text if time.utcoffset() else None


def _number(value: object) -> object:
    """Refuses texts and booleans, which pydantic would accept; its strict mode would refuse the integer 5.0."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError("this is no whole number")  # noqa: TRY004  pydantic expects a ValueError
    return value


FutureTime = Annotated[
    AwareDatetime, Field(description="With its zone, as 2030-01-31T12:00:00Z."), BeforeValidator(_time)
]

OFFSET: Final = "[+-]([01][0-9]|2[0-3]):[0-5][0-9]"
TakenTime = Annotated[
    AwareDatetime,
    Field(description="With its zone. A zone other than UTC is also the offset, unless an offset is given."),
    BeforeValidator(_time),
]

Email = Annotated[str, Field(max_length=400)]
UserName = Annotated[str, Field(max_length=400)]
NewPassword = Annotated[SecretStr, Field(max_length=1000)]
ShortText = Annotated[str, Field(max_length=20_000)]  # far above any real limit, which the model checks
SecretText = Annotated[str, Field(max_length=200)]
PhotoCount = Annotated[int, Field(ge=0, le=10**9), BeforeValidator(_number)]
ByteCount = Annotated[int, Field(ge=0, le=10**15), BeforeValidator(_number)]
Uses = Annotated[int, Field(ge=0, le=100_000), BeforeValidator(_number)]
Version = Annotated[int, Field(ge=1, le=10**15), BeforeValidator(_number)]
FaceCount = Annotated[int, Field(ge=1, le=10**6), BeforeValidator(_number)]


class ResponseModel(BaseModel):
    """Base class of response bodies."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, frozen=True)


class PageResponse(ResponseModel):
    """Base class of the pages of a list."""

    last_evaluated_key: str | None = Field(None, description="The `cursor` of the next page; none on the last one.")

    @computed_field(description="Whether there is a next page.")  # type: ignore[prop-decorator]
    @property
    def has_more(self) -> bool:
        return self.last_evaluated_key is not None


class RequestModel(BaseModel):
    """Base class of request bodies. An unknown field is an error, since it is probably a typo."""

    model_config = ConfigDict(alias_generator=to_camel, frozen=True, extra="forbid")


class ErrorResponse(BaseModel):
    """An error. Some errors have further fields."""

    model_config = ConfigDict(extra="allow")

    error: str
    message: str
    requestId: str | None  # noqa: N815  the name in JSON
