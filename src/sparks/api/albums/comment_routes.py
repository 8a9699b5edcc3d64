"""Routes for comments and likes on the photos of an album."""

from typing import Annotated

from fastapi import APIRouter, Path

from sparks.actions.comment_changes import NO_COMMENT, CommentChanges
from sparks.api.albums.requests import NewCommentRequest
from sparks.api.albums.responses import CommentList, CommentResponse, CommentResponses, PhotoCommentsResponse
from sparks.api.http.authentication import ActionRouter, CurrentCaller, RequestAuthenticator
from sparks.api.http.cursors import Cursor, Limit, read_page
from sparks.api.http.parameters import AlbumId, ImageId
from sparks.feed.album_view import AlbumView
from sparks.library.albums.comments import comments_on, likes_of
from sparks.library.authorized_reads import album_for, photo_in_album_for
from sparks.model.access import Action
from sparks.model.errors import NotFound
from sparks.model.ids import is_uuid
from sparks.model.keyring import Keyring
from sparks.table.port import Table

CommentId = Annotated[str, Path(alias="commentId", max_length=300)]


class CommentRoutes:
    def __init__(
        self, *, authenticator: RequestAuthenticator, changes: CommentChanges, table: Table, keyring: Keyring
    ) -> None:
        self._authenticator = authenticator
        self._changes = changes
        self._table = table
        self._keyring = keyring

    def router(self) -> APIRouter:
        routes = ActionRouter(self._authenticator, tag="albums")
        photo = "/api/albums/{albumId}/photos/{imageId}"
        see, talk, remove = Action.SEE_ALBUM, Action.COMMENT_IN_ALBUM, Action.REMOVE_COMMENT
        routes.add("PUT", f"{photo}/like", talk, self.like_photo, status=204, errors=(404,))
        routes.add("DELETE", f"{photo}/like", talk, self.unlike_photo, status=204, errors=(404,))
        routes.add("GET", f"{photo}/comments", see, self.read_comments, errors=(404,))
        routes.add("POST", f"{photo}/comments", talk, self.create_comment, status=201, errors=(404, 409))
        routes.add("GET", "/api/albums/{albumId}/comments", see, self.read_album_comments, errors=(404,))
        routes.add("DELETE", "/api/comments/{commentId}", remove, self.delete_comment, status=204, errors=(404,))
        return routes.router

    def like_photo(self, caller: CurrentCaller, album_id: AlbumId, image_id: ImageId) -> None:
        """Like a photo. All members and guests of the album see that."""
        self._changes.like(caller, album_id, image_id)

    def unlike_photo(self, caller: CurrentCaller, album_id: AlbumId, image_id: ImageId) -> None:
        """Remove your like from a photo."""
        self._changes.unlike(caller, album_id, image_id)

    def read_comments(
        self, caller: CurrentCaller, album_id: AlbumId, image_id: ImageId, limit: Limit = 100, cursor: Cursor = None
    ) -> PhotoCommentsResponse:
        """List the comments and likes of a photo in an album."""
        at = self._authenticator.now()
        joined, photo = photo_in_album_for(caller, Action.SEE_ALBUM, album_id, image_id, at=at, table=self._table)
        within = joined.album.album_id
        comments, after = read_page(
            lambda most, behind: comments_on(photo.image_id, within, limit=most, after=behind, table=self._table),
            query=f"comments on {photo.image_id} in {within}",
            caller=caller,
            limit=limit,
            cursor=cursor,
            keyring=self._keyring,
        )
        likes = likes_of(photo.image_id, within, table=self._table)
        return CommentResponses(caller, joined, table=self._table).of_photo(comments, likes, after=after)

    def create_comment(
        self, caller: CurrentCaller, album_id: AlbumId, image_id: ImageId, body: NewCommentRequest
    ) -> CommentResponse:
        """Comment on a photo in an album."""
        comment, joined = self._changes.comment(caller, album_id, image_id, body.text)
        return CommentResponses(caller, joined, table=self._table).one(comment)

    def read_album_comments(
        self, caller: CurrentCaller, album_id: AlbumId, limit: Limit = 100, cursor: Cursor = None
    ) -> CommentList:
        """List the comments on all photos of an album that you see, the newest first."""
        at = self._authenticator.now()
        joined = album_for(caller, Action.SEE_ALBUM, album_id, at=at, table=self._table)
        view = AlbumView(caller, joined.album, at, self._table)
        comments, after = read_page(
            lambda most, behind: view.comments(limit=most, after=behind),
            query=f"comments in {joined.album.album_id}",
            caller=caller,
            limit=limit,
            cursor=cursor,
            keyring=self._keyring,
        )
        return CommentResponses(caller, joined, table=self._table).page(comments, after=after)

    def delete_comment(self, caller: CurrentCaller, comment_id: CommentId) -> None:
        """Remove a comment: your own or, as an editor of the album, any."""
        row_id, image_id, album_id = _parsed_id(comment_id)
        self._changes.remove(caller, album_id, image_id, row_id)


def _parsed_id(text: str) -> tuple[str, str, str]:
    """The ids of the comment's row, its photo and its album, as `CommentResponse` joins them; NotFound for any other
    text.
    """
    parts = text.split(".")
    if len(parts) != 3 or not all(map(is_uuid, parts[:2])) or not parts[2] or "#" in parts[2]:
        raise NotFound(NO_COMMENT)
    return parts[0], parts[1], parts[2]
