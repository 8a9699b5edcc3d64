"""Routes that list tags and their photos, and rename a tag."""

from functools import partial
from typing import Annotated, Any, Final, Literal

from fastapi import APIRouter, Path, Query, Request, Response

from sparks.actions.outbox import Outbox
from sparks.actions.rename_tag import rename_tag
from sparks.api.http.authentication import ActionRouter, CurrentMember, RequestAuthenticator
from sparks.api.http.cursors import Cursor, Limit, read_page
from sparks.api.http.json_response import NOT_MODIFIED_DOC
from sparks.api.photos.requests import RenameTagRequest
from sparks.api.photos.responses import (
    ImageList,
    ImagePageResponses,
    ImageResponses,
    TagChangeResponse,
    TagList,
    TagResponse,
    tag_change_response,
)
from sparks.library.authorized_reads import may_see
from sparks.library.tags import NO_CHANGE, find_rename, list_tagged, list_tags
from sparks.model.access import Action
from sparks.model.caller import Member
from sparks.model.errors import NotFound
from sparks.model.keyring import Keyring
from sparks.model.scope import COMMUNITY, Scope, scope_of_owner
from sparks.table.port import Table

CONTINUES: Final = (
    "There are many photos: renaming continues after this response, and `/api/me/tag-changes/{changeId}` shows its "
    "progress."
)

TagScope = Annotated[Literal["mine", "community"], Query(alias="scope", description="Your photos or the community's.")]
Prefix = Annotated[str, Query(alias="q", max_length=200, description="The beginning of the tags.")]
Tag = Annotated[str, Query(max_length=1000, description="The tag, in upper or lower case.")]
TagPath = Annotated[str, Path(max_length=1000)]
ChangeId = Annotated[str, Path(alias="changeId", max_length=200)]


class TagRoutes:
    def __init__(
        self,
        *,
        authenticator: RequestAuthenticator,
        images: ImageResponses,
        outbox: Outbox,
        table: Table,
        keyring: Keyring,
    ) -> None:
        self._authenticator = authenticator
        self._pages = ImagePageResponses(images, keyring=keyring)
        self._outbox = outbox
        self._table = table
        self._keyring = keyring

    def router(self) -> APIRouter:
        routes = ActionRouter(self._authenticator, tag="tags")
        lists, edit = Action.LIST_PHOTOS, Action.EDIT_PHOTO
        images: dict[str, Any] = {"response_model": ImageList, "responses": NOT_MODIFIED_DOC}
        later: dict[int | str, dict[str, Any]] = {202: {"description": CONTINUES, "model": TagChangeResponse}}
        routes.add("GET", "/api/tags", lists, self.read_tags)
        routes.add_fast("/api/tags/photos", lists, self.read_photos_with_tag, **images)
        routes.add("PATCH", "/api/tags/{tag:path}", edit, self.rename_tag, errors=(404,), responses=later)
        routes.add("GET", "/api/me/tag-changes/{changeId}", lists, self.read_tag_change, errors=(404,))
        return routes.router

    def read_tags(
        self,
        caller: CurrentMember,
        scope: TagScope = "mine",
        start: Prefix = "",
        limit: Limit = 100,
        cursor: Cursor = None,
    ) -> TagList:
        """List the tags of your photos, or of the community's, in alphabetical order."""
        read = partial(list_tags, _scope(caller, scope), start=start, table=self._table)
        tags, after = read_page(
            lambda most, behind: read(limit=most, after=behind),
            query=f"tags {scope} {start}",
            caller=caller,
            limit=limit,
            cursor=cursor,
            keyring=self._keyring,
        )
        return TagList(tags=[TagResponse(tag=tag, count=count) for tag, count in tags], last_evaluated_key=after)

    def read_photos_with_tag(
        self,
        request: Request,
        caller: CurrentMember,
        tag: Tag,
        scope: TagScope = "mine",
        limit: Limit = 100,
        cursor: Cursor = None,
    ) -> Response:
        """List the photos with a tag, yours or the community's, newest first."""
        at = self._authenticator.now()
        sees = partial(may_see, caller, at=at, table=self._table)
        read = partial(list_tagged, tag, _scope(caller, scope), sees=sees, table=self._table)
        return self._pages.page(
            request,
            caller,
            lambda most, behind: read(limit=most, after=behind),
            query=f"photos with tag {scope} {tag}",
            limit=limit,
            cursor=cursor,
            at=at,
        )

    def rename_tag(
        self, caller: CurrentMember, tag: TagPath, body: RenameTagRequest, response: Response
    ) -> TagChangeResponse:
        """Rename a tag on all of your photos, or join two tags. The version of each photo is raised. 202 if renaming
        continues after the response.
        """
        at = self._authenticator.now()
        rename = rename_tag(caller, tag, body.name, outbox=self._outbox, at=at, table=self._table)
        if rename.finished_at is None:
            response.status_code = 202
        return tag_change_response(rename)

    def read_tag_change(self, caller: CurrentMember, change_id: ChangeId) -> TagChangeResponse:
        """Read the progress of renaming a tag, for a week after it was begun."""
        rename = find_rename(change_id, table=self._table)
        if rename.owner != caller.email:
            raise NotFound(NO_CHANGE)
        return tag_change_response(rename)


def _scope(caller: Member, name: str) -> Scope:
    return COMMUNITY if name == "community" else scope_of_owner(caller.email)
