"""Likes and comments on the photos of an album, by members and guests; removable by whoever said it, and by a host."""

from collections.abc import Sequence
from functools import partial
from typing import Annotated, Final

from fastapi import APIRouter, Path
from pydantic import Field

from sparks.api.albums import AlbumId
from sparks.api.gate import Caller, Gate, Routes
from sparks.api.lists import Cursor, Limit, page_of
from sparks.api.media import ImageId
from sparks.api.shapes import Answer, Time, Wish, Words
from sparks.auth.rates import Rate
from sparks.feed.album_pages import is_in
from sparks.journey import Stores
from sparks.library import keys
from sparks.library.access import album_for, may_see, photo_for
from sparks.library.accounts import while_there
from sparks.library.albums import JoinedAlbum
from sparks.library.albums.talking import (
    Speaker,
    comment_on,
    comments_in,
    comments_on,
    find_comment,
    like_photo,
    likes_of,
    remove_comment,
    unlike_photo,
)
from sparks.library.live import Named, announce_in
from sparks.library.photos import find_photo
from sparks.library.records import from_item
from sparks.model.access import NOT_THERE, Action
from sparks.model.account import User
from sparks.model.album import EDITORS, Comment, Like
from sparks.model.caller import GuestCaller, Member, Who, name_of
from sparks.model.errors import NotAllowed, NotFound
from sparks.model.ids import is_uuid
from sparks.model.photo import Photo
from sparks.model.scope import scope_of_album
from sparks.model.share import guest_of

MOST_NAMES: Final = 20
NOT_YOURS: Final = "this comment is not yours: whoever wrote it may remove it, or an editor of the album"
SOMEBODY: Final = "Somebody"
GUEST: Final = "Guest"

CommentId = Annotated[str, Path(alias="commentId", max_length=300)]


class CommentAnswer(Answer):
    """`mine`: you wrote it. `removable`: you may remove it."""

    comment_id: str
    image_id: str
    album_id: str
    text: str
    name: str = Field(description="Of whoever wrote it.")
    email: str | None = Field(None, description="Theirs, unless a guest wrote it; not told to guests.")
    created_at: Time
    mine: bool
    removable: bool


class CommentList(Answer):
    comments: list[CommentAnswer]
    last_evaluated_key: str | None = None


class PhotoTalk(CommentList):
    """What is said about a photo: the first comment first. `likedBy` are the names of the first who like it."""

    likes: int
    liked: bool = Field(description="By you.")
    liked_by: list[str]


class NewComment(Wish):
    text: Words


class TalkRoutes:
    def __init__(self, *, gate: Gate, stores: Stores) -> None:
        self._gate = gate
        self._table = stores.table
        self._keyring = stores.keyring

    def router(self) -> APIRouter:
        routes = Routes(self._gate, tag="albums")
        photo = "/api/albums/{albumId}/photos/{imageId}"
        see, talk, remove = Action.SEE_ALBUM, Action.TALK_IN_ALBUM, Action.REMOVE_COMMENT
        routes.add("PUT", f"{photo}/like", talk, self.like_photo, status=204, errors=(404,))
        routes.add("DELETE", f"{photo}/like", talk, self.unlike_photo, status=204, errors=(404,))
        routes.add("GET", f"{photo}/comments", see, self.read_comments, errors=(404,))
        routes.add("POST", f"{photo}/comments", talk, self.create_comment, status=201, errors=(404, 409))
        routes.add("GET", "/api/albums/{albumId}/comments", see, self.read_album_comments, errors=(404,))
        routes.add("DELETE", "/api/comments/{commentId}", remove, self.delete_comment, status=204, errors=(404,))
        return routes.router

    def like_photo(self, who: Caller, album_id: AlbumId, image_id: ImageId) -> None:
        """Say that you like a photo. All members of the album, and its guests, see that."""
        joined, photo = self._photo(who, Action.TALK_IN_ALBUM, album_id, image_id)
        self._gate.count_guest(who, Rate.GUEST_LIKES, Rate.LINK_LIKES)
        if like_photo(photo, joined.album.album_id, _speaker(who), at=self._gate.now(), table=self._table):
            self._tell(photo, joined)

    def unlike_photo(self, who: Caller, album_id: AlbumId, image_id: ImageId) -> None:
        """Take it back."""
        joined, photo = self._photo(who, Action.TALK_IN_ALBUM, album_id, image_id)
        self._gate.count_guest(who, Rate.GUEST_LIKES, Rate.LINK_LIKES)
        if unlike_photo(photo.image_id, joined.album.album_id, name_of(who), table=self._table):
            self._tell(photo, joined)

    def read_comments(
        self, who: Caller, album_id: AlbumId, image_id: ImageId, limit: Limit = 100, cursor: Cursor = None
    ) -> PhotoTalk:
        """What is said about a photo in an album."""
        joined, photo = self._photo(who, Action.SEE_ALBUM, album_id, image_id)
        within = joined.album.album_id
        comments, after = page_of(
            lambda most, behind: comments_on(photo.image_id, within, limit=most, after=behind, table=self._table),
            query=f"comments on {photo.image_id} in {within}",
            who=who,
            limit=limit,
            cursor=cursor,
            keyring=self._keyring,
        )
        likes = likes_of(photo.image_id, within, table=self._table)
        users = self._users([*comments, *likes[:MOST_NAMES]])
        return PhotoTalk(
            comments=[_told(comment, who, joined, users) for comment in comments],
            last_evaluated_key=after,
            likes=len(likes),
            liked=any(like.who == name_of(who) for like in likes),
            liked_by=[_name(like, users) for like in likes[:MOST_NAMES]],
        )

    def create_comment(self, who: Caller, album_id: AlbumId, image_id: ImageId, wish: NewComment) -> CommentAnswer:
        """Say something about a photo in an album."""
        joined, photo = self._photo(who, Action.TALK_IN_ALBUM, album_id, image_id)
        self._gate.count_guest(who, Rate.GUEST_COMMENTS, Rate.LINK_COMMENTS)
        comment = comment_on(photo, joined.album.album_id, wish.text, _speaker(who), table=self._table)
        self._tell(photo, joined)
        return _told(comment, who, joined, self._users([comment]))

    def read_album_comments(
        self, who: Caller, album_id: AlbumId, limit: Limit = 100, cursor: Cursor = None
    ) -> CommentList:
        """What is said about any photo of an album that you see: the last comment first."""
        joined = self._album(who, Action.SEE_ALBUM, album_id)
        within = joined.album.album_id
        read = partial(comments_in, within, sees=partial(self._seen, who, joined), table=self._table)
        comments, after = page_of(
            lambda most, behind: read(limit=most, after=behind),
            query=f"comments in {within}",
            who=who,
            limit=limit,
            cursor=cursor,
            keyring=self._keyring,
        )
        users = self._users(comments)
        return CommentList(comments=[_told(each, who, joined, users) for each in comments], last_evaluated_key=after)

    def delete_comment(self, who: Caller, comment_id: CommentId) -> None:
        """Remove a comment: your own or, as an editor of the album, anybody's."""
        at, known = self._gate.now(), _read_id(comment_id)
        if known is None:
            raise NotFound(NOT_THERE.format("comment"))
        try:
            joined = self._album(who, Action.REMOVE_COMMENT, known[2])
        except NotFound as error:
            raise NotFound(NOT_THERE.format("comment")) from error
        comment = find_comment(known[1], known[2], known[0], table=self._table)
        photo = None if comment is None else find_photo(comment.image_id, table=self._table)
        seen = photo is not None and may_see(who, photo, action=Action.TALK_IN_ALBUM, at=at, table=self._table)
        if comment is None or photo is None or not (seen and is_in(joined.album, photo)):
            raise NotFound(NOT_THERE.format("comment"))
        if not _may_remove(comment, who, joined):
            raise NotAllowed(NOT_YOURS)
        remove_comment(comment, table=self._table)
        self._tell(photo, joined)

    # -- What it is about

    def _photo(self, who: Who, action: Action, album_id: str, image_id: str) -> tuple[JoinedAlbum, Photo]:
        """NotFound unless the photo is one that the album shows, and the caller sees."""
        joined = self._album(who, action, album_id)
        sees = Action.SEE_PHOTO if action is Action.SEE_ALBUM else action
        photo = photo_for(who, sees, image_id, at=self._gate.now(), table=self._table)
        if not is_in(joined.album, photo):
            raise NotFound(NOT_THERE.format("photo"))
        return joined, photo

    def _album(self, who: Who, action: Action, album_id: str) -> JoinedAlbum:
        return album_for(who, action, album_id, at=self._gate.now(), table=self._table)

    def _seen(self, who: Who, joined: JoinedAlbum, comments: Sequence[Comment]) -> list[Comment]:
        """Those on photos that the caller sees in the album."""
        rows = self._table.get_many([keys.photo(each.image_id, each.owner) for each in comments])
        photos = {key.pk: from_item(Photo, row) for key, row in rows.items()}
        shown = {image_id for image_id, photo in photos.items() if is_in(joined.album, photo)}
        if isinstance(who, GuestCaller):
            at = self._gate.now()
            shown = {each for each in shown if may_see(who, photos[each], at=at, table=self._table)}
        return [each for each in comments if each.image_id in shown]

    def _users(self, said: Sequence[Comment | Like]) -> dict[str, User]:
        emails = sorted({each.who for each in said if guest_of(each.who) is None})
        rows = self._table.get_many([keys.user(email) for email in emails])
        return {key.pk: from_item(User, row) for key, row in rows.items()}

    def _tell(self, photo: Photo, joined: JoinedAlbum) -> None:
        announce_in(
            (scope_of_album(joined.album.album_id),),
            Named(photo.image_id, photo.owner),
            at=self._gate.now(),
            table=self._table,
            keyring=self._keyring,
        )


def _speaker(who: Who) -> Speaker:
    if isinstance(who, GuestCaller):
        return Speaker(name_of(who), who.guest.name)
    return Speaker(name_of(who), also=(while_there(who.user),) if isinstance(who, Member) else ())


def _told(comment: Comment, who: Who, joined: JoinedAlbum, users: dict[str, User]) -> CommentAnswer:
    tells = isinstance(who, Member) and guest_of(comment.who) is None
    return CommentAnswer(
        comment_id=f"{comment.comment_id}.{comment.image_id}.{comment.album_id}",
        image_id=comment.image_id,
        album_id=comment.album_id,
        text=comment.text,
        name=_name(comment, users),
        email=comment.who if tells else None,
        created_at=comment.created_at,
        mine=comment.who == name_of(who),
        removable=_may_remove(comment, who, joined),
    )


def _name(said: Comment | Like, users: dict[str, User]) -> str:
    if guest_of(said.who) is not None:
        return said.name or GUEST
    return users[said.who].username if said.who in users else SOMEBODY


def _may_remove(comment: Comment, who: Who, joined: JoinedAlbum) -> bool:
    return joined.role in EDITORS or comment.who == name_of(who)


def _read_id(text: str) -> tuple[str, str, str] | None:
    """What a comment is found by: its own id, its photo's and its album's."""
    pieces = text.split(".")
    if len(pieces) != 3 or not all(map(is_uuid, pieces[:2])) or not pieces[2] or "#" in pieces[2]:
        return None
    return pieces[0], pieces[1], pieces[2]
