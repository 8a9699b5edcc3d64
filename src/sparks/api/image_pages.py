"""A page of photos as an answer: what every list of images is answered with, whatever it is a list of."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from fastapi import Request, Response

from sparks.api.encoded import encoded
from sparks.api.images import Images
from sparks.api.lists import page_of
from sparks.model.caller import Who
from sparks.model.keyring import Keyring
from sparks.table.port import Item, Key

ReadImages = Callable[[int, Key | None], tuple[list[Item], Key | None]]


class ImagePages:
    """Answers to whoever may see the photos that are read: the reader passes over all others."""

    def __init__(self, images: Images, *, keyring: Keyring) -> None:
        self._images = images
        self._keyring = keyring

    def answer(
        self,
        request: Request,
        who: Who,
        read: ReadImages,
        *,
        query: str,
        limit: int,
        cursor: str | None,
        at: datetime,
        all_marked: bool = False,
    ) -> Response:
        """The page behind the cursor. `query` names the list, its parameters included; `all_marked`: they are the
        caller's favourites.
        """
        items, after = page_of(read, query=query, who=who, limit=limit, cursor=cursor, keyring=self._keyring)
        answer: dict[str, Any] = {"images": self._images.page(items, who, at=at, all_marked=all_marked)}
        if after is not None:
            answer["lastEvaluatedKey"] = after
        return encoded(request, answer)
