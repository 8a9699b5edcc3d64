"""Uploads in steps: reserve, send the bytes to signed addresses, complete. Each may be asked for again."""

from datetime import datetime
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Header, Request, Response

from sparks.api.album_changes import AlbumChanges
from sparks.api.gate import Caller, Gate, Routes
from sparks.api.media import ImageId
from sparks.api.receipts import RECEIPTS, Duplicate, Receipts
from sparks.api.upload_shapes import NewUpload, PartAddress, PartAddresses, UploadState, UploadTicket, WantedParts
from sparks.api.uploaders import Plan, Uploaders, takes_of
from sparks.journey import Stores
from sparks.library.access import photo_for
from sparks.library.photos import find_photo
from sparks.model.access import Action
from sparks.model.caller import Who, name_of
from sparks.model.errors import ConditionFailed, Conflict, NotFound
from sparks.model.photo import Photo, PhotoState
from sparks.upload.addresses import arrived_parts, has_arrived, part_addresses, sizes_of, whole_address
from sparks.upload.completing import complete_upload
from sparks.upload.parts import part_size
from sparks.upload.recording import Recorded, nothing_else
from sparks.upload.repeats import OTHER_REQUEST, Repeats
from sparks.upload.tickets import find_same, give_up_upload, reserve_upload
from sparks.upload.wish import Takes, check_size, check_type

COMPLETE = "this upload is complete: it is a photo by now"
GIVEN_UP = "this upload was given up just now: try again in a minute"

RepeatKey = Annotated[str | None, Header(alias="Idempotency-Key", min_length=1, max_length=255)]


class UploadRoutes:
    def __init__(
        self,
        *,
        gate: Gate,
        stores: Stores,
        receipts: Receipts,
        albums: AlbumChanges,
        uploaders: Uploaders,
        most_bytes: int,
    ) -> None:
        self._gate = gate
        self._stores = stores
        self._table = stores.table
        self._receipts = receipts
        self._albums = albums
        self._most_bytes = most_bytes
        self._uploaders = uploaders

    def router(self) -> APIRouter:
        routes = Routes(self._gate, tag="uploads")
        upload, one = Action.UPLOAD_PHOTO, "/api/uploads/{imageId}"
        there = {200: {"model": Duplicate, "description": "The same bytes are there already: send nothing."}}
        routes.add(
            "POST",
            "/api/uploads",
            upload,
            self.create_upload,
            status=201,
            errors=(404, 409, 415),
            responses=there,
            response_model=UploadTicket,
        )
        routes.add("GET", one, upload, self.read_upload, errors=(404,))
        routes.add("DELETE", one, upload, self.delete_upload, status=204, errors=(404, 409))
        routes.add("POST", f"{one}/parts", upload, self.sign_parts, errors=(404, 409))
        routes.add(
            "POST",
            f"{one}/complete",
            upload,
            self.complete_upload,
            status=201,
            errors=(404, 409, 415),
            responses=RECEIPTS,
            response_model=None,
        )
        return routes.router

    def create_upload(self, request: Request, who: Caller, wish: NewUpload, idempotency_key: RepeatKey = None) -> Any:
        """Reserve a photo, and learn where its bytes go. What is over a limit is refused before a byte is sent. With an
        `Idempotency-Key`, a repeat is given the place of the first one.
        """
        check_type(wish.mime_type)
        check_size(wish.size, most=self._most_bytes)
        at = self._gate.now()
        plan = self._uploaders.plan(who, wish, wish.size, mime_type=wish.mime_type, sha256=wish.sha256)
        if (recorded := self._same(who, plan, at)) is not None:
            return self._receipts.answer(request, who, recorded, at=at)
        photo = self._reserved(plan, who, idempotency_key, at)
        if photo.state is not PhotoState.RESERVED:
            return self._receipts.duplicate(request, photo.image_id)
        return self._ticket(photo)

    def read_upload(self, who: Caller, image_id: ImageId) -> UploadState:
        """How far an upload is, with new addresses: to go on after a dropped connection."""
        photo = self._photo(who, image_id)
        if photo.state is not PhotoState.RESERVED:
            return UploadState(image_id=photo.image_id, completed=True)
        parts = arrived_parts(photo, blobs=self._stores.blobs) if photo.upload_id is not None else None
        arrived = has_arrived(photo, blobs=self._stores.blobs) if parts is None else len(parts) == len(sizes_of(photo))
        return UploadState(
            image_id=photo.image_id,
            completed=False,
            arrived=arrived,
            arrived_parts=None if parts is None else [part.number for part in parts],
            ticket=self._ticket(photo),
        )

    def delete_upload(self, who: Caller, image_id: ImageId) -> None:
        """Give an upload up: the reservation is given back, and what has arrived goes."""
        photo = self._reservation(who, image_id)
        try:
            give_up_upload(photo, table=self._table, blobs=self._stores.blobs)
        except Conflict as error:
            raise Conflict(COMPLETE) from error

    def sign_parts(self, who: Caller, image_id: ImageId, wish: WantedParts) -> PartAddresses:
        """Where some of the parts go; for an hour."""
        photo = self._reservation(who, image_id)
        sizes = sizes_of(photo)
        signed = part_addresses(photo, wish.part_numbers, blobs=self._stores.blobs)
        return PartAddresses(
            parts=[
                PartAddress(
                    part_number=number,
                    size=sizes[number],
                    url=address.url,
                    method=address.method,
                    headers=dict(address.headers),
                )
                for number, address in signed.items()
            ]
        )

    def complete_upload(
        self, request: Request, who: Caller, image_id: ImageId, idempotency_key: RepeatKey = None
    ) -> Response:
        """All bytes are sent: make the photo. Answered once it is durable. With an `Idempotency-Key`, a repeat is
        answered as the first one was.
        """
        at = self._gate.now()

        def repeats() -> Repeats | None:
            return None if idempotency_key is None else self._repeats(idempotency_key, who, f"complete {image_id}", at)

        first = repeats()
        if (told := self._told_before(request, first)) is not None:
            return told
        try:
            recorded = self._completed(self._photo(who, image_id), takes_of(who), first, at)
        except NotFound:  # a duplicate is gone as soon as another call of the same key has found it to be one
            if (told := self._told_before(request, repeats())) is None:
                raise
            return told
        return self._receipts.answer(request, who, recorded, at=at)

    def _same(self, who: Who, plan: Plan, at: datetime) -> Recorded | None:
        """What the same bytes are already, if the uploader has brought them before; it is where it is to be put then. A
        guest's stays where the host has put it.
        """
        wish, same = plan.wish, None
        if wish.sha256 is not None:
            same = find_same(name_of(who), wish.sha256, at=at, until=wish.expires_at, table=self._table)
        if same is None:
            return None
        if plan.into is not None and plan.guest is None:
            self._albums.put(same.photo, plan.into)
        return Recorded(same.photo, duplicate=True, follows=same.follows)

    def _told_before(self, request: Request, repeats: Repeats | None) -> Response | None:
        """What a duplicate was answered with, where this repeats the request."""
        before = None if repeats is None else repeats.answered()
        return None if before is None or not before.duplicate else self._receipts.duplicate(request, before.image_id)

    def _completed(self, photo: Photo, takes: Takes, repeats: Repeats | None, at: datetime) -> Recorded:
        if photo.state is not PhotoState.RESERVED:
            return Recorded(photo, duplicate=False, follows=None)
        stores = self._stores
        also = nothing_else if repeats is None else repeats.note
        try:
            return complete_upload(
                photo, takes=takes, at=at, table=stores.table, blobs=stores.blobs, served=stores.served, also=also
            )
        except ConditionFailed as error:
            raise Conflict(OTHER_REQUEST) from error

    def _reserved(self, plan: Plan, who: Who, key: str | None, at: datetime) -> Photo:
        """A new reservation or, where this repeats a request, what became of the first one."""
        stores, wish = self._stores, plan.wish
        reserve = partial(
            reserve_upload, wish, into=plan.into, guest=plan.guest, at=at, table=stores.table, blobs=stores.blobs
        )
        if key is None:
            return reserve()
        image_id = self._repeats(key, who, f"reserve {wish.size} {wish.filename}", at).place(table=stores.table)
        if (held := find_photo(image_id, table=stores.table)) is None:
            reserve(image_id=image_id)
            held = find_photo(image_id, table=stores.table)
        if held is None or held.state is PhotoState.DELETING:
            raise Conflict(GIVEN_UP)
        return held

    def _repeats(self, key: str, who: Who, request: str, at: datetime) -> Repeats:
        return Repeats(
            key,
            who=name_of(who),
            request=request,
            at=at,
            table=self._table,
            keyring=self._stores.keyring,
        )

    def _ticket(self, photo: Photo) -> UploadTicket:
        address = whole_address(photo, blobs=self._stores.blobs)
        size = photo.file_size or 0
        return UploadTicket(
            image_id=photo.image_id,
            size=size,
            url=None if address is None else address.url,
            method=None if address is None else address.method,
            headers=None if address is None else dict(address.headers),
            part_size=None if address is not None else part_size(size),
            part_count=None if address is not None else len(sizes_of(photo)),
            expires_at=photo.expires_at or photo.created_at or self._gate.now(),
        )

    def _photo(self, who: Who, image_id: str) -> Photo:
        return photo_for(who, Action.UPLOAD_PHOTO, image_id, at=self._gate.now(), table=self._table)

    def _reservation(self, who: Who, image_id: str) -> Photo:
        photo = self._photo(who, image_id)
        if photo.state is not PhotoState.RESERVED:
            raise Conflict(COMPLETE)
        return photo
