"""Path and query parameters, and id fields, that several packages of routes share."""

from typing import Annotated

from fastapi import Path, Query
from pydantic import Field

AlbumId = Annotated[str, Path(alias="albumId", max_length=200)]
ImageId = Annotated[str, Path(alias="imageId")]
PersonId = Annotated[str, Path(alias="personId", max_length=200)]
EmailPath = Annotated[str, Path(max_length=400)]

IncludeFewPhotos = Annotated[bool, Query(description="Include persons without a name who are in few photos.")]
IncludeHidden = Annotated[bool, Query(description="Include hidden persons.")]
WithPerson = Annotated[str | None, Query(alias="with", max_length=200, description="Another person in the same photo.")]

ImageIdField = Annotated[str, Field(max_length=100)]  # in a body
