"""Actions of members and guests on a photo of an album: like it, comment on it, and remove a comment."""

from collections.abc import Callable
from datetime import datetime
from typing import Final

from sparks.auth.rate_limits import RateLimit, RateLimiter
from sparks.library.accounts.lifecycle import while_account_open
from sparks.library.albums.album_lookup import AlbumWithRole
from sparks.library.albums.comments import (
    CommentAuthor,
    comment_on,
    find_comment,
    like_photo,
    remove_comment,
    unlike_photo,
)
from sparks.library.authorized_reads import album_for, may_see, photo_in_album_for
from sparks.library.live_events import EventPhoto, announce_in
from sparks.library.photos.photo_rows import find_photo
from sparks.model.access import NOT_THERE, Action, may_remove_comment
from sparks.model.album import Comment
from sparks.model.audience import is_in_album
from sparks.model.caller import Caller, GuestCaller, Member, caller_name
from sparks.model.errors import NotAllowed, NotFound
from sparks.model.keyring import Keyring
from sparks.model.photo import Photo
from sparks.model.scope import scope_of_album
from sparks.table.port import Table

NOT_YOURS: Final = "this comment is not yours: its author may remove it, or an editor of the album"
NO_COMMENT: Final = NOT_THERE.format("comment")


class CommentChanges:
    """Each raises NotFound for what the caller does not see, and TooManyTries for guests who do too much at once."""

    def __init__(
        self, *, table: Table, keyring: Keyring, rate_limiter: RateLimiter, clock: Callable[[], datetime]
    ) -> None:
        self._table = table
        self._keyring = keyring
        self._rates = rate_limiter
        self._now = clock

    def like(self, caller: Caller, album_id: str, image_id: str) -> None:
        joined, photo = self._photo(caller, album_id, image_id)
        self._rates.count_guest(caller, RateLimit.GUEST_LIKES, RateLimit.LINK_LIKES)
        if like_photo(photo, joined.album.album_id, _author(caller), at=self._now(), table=self._table):
            self._announce(photo, joined)

    def unlike(self, caller: Caller, album_id: str, image_id: str) -> None:
        joined, photo = self._photo(caller, album_id, image_id)
        self._rates.count_guest(caller, RateLimit.GUEST_LIKES, RateLimit.LINK_LIKES)
        if unlike_photo(photo.image_id, joined.album.album_id, caller_name(caller), table=self._table):
            self._announce(photo, joined)

    def comment(self, caller: Caller, album_id: str, image_id: str, text: str) -> tuple[Comment, AlbumWithRole]:
        """The new comment, and the album with the caller's role in it."""
        joined, photo = self._photo(caller, album_id, image_id)
        self._rates.count_guest(caller, RateLimit.GUEST_COMMENTS, RateLimit.LINK_COMMENTS)
        comment = comment_on(photo, joined.album.album_id, text, _author(caller), table=self._table)
        self._announce(photo, joined)
        return comment, joined

    def remove(self, caller: Caller, album_id: str, image_id: str, comment_id: str) -> None:
        """NotAllowed unless the caller wrote the comment or edits the album."""
        try:
            joined = album_for(caller, Action.REMOVE_COMMENT, album_id, at=self._now(), table=self._table)
        except NotFound as error:
            raise NotFound(NO_COMMENT) from error
        comment = find_comment(image_id, album_id, comment_id, table=self._table)
        photo = None if comment is None else find_photo(comment.image_id, table=self._table)
        if comment is None or photo is None or not self._sees(caller, photo, album_id):
            raise NotFound(NO_COMMENT)
        if not may_remove_comment(caller, joined.role, comment):
            raise NotAllowed(NOT_YOURS)
        remove_comment(comment, table=self._table)
        self._announce(photo, joined)

    def _photo(self, caller: Caller, album_id: str, image_id: str) -> tuple[AlbumWithRole, Photo]:
        talk, at = Action.COMMENT_IN_ALBUM, self._now()
        return photo_in_album_for(caller, talk, album_id, image_id, at=at, table=self._table)

    def _sees(self, caller: Caller, photo: Photo, album_id: str) -> bool:
        talk, at = Action.COMMENT_IN_ALBUM, self._now()
        return is_in_album(photo, album_id) and may_see(caller, photo, action=talk, at=at, table=self._table)

    def _announce(self, photo: Photo, joined: AlbumWithRole) -> None:
        announce_in(
            (scope_of_album(joined.album.album_id),),
            EventPhoto(photo.image_id, photo.owner),
            at=self._now(),
            table=self._table,
            keyring=self._keyring,
        )


def _author(caller: Caller) -> CommentAuthor:
    if isinstance(caller, GuestCaller):
        return CommentAuthor(caller_name(caller), caller.guest.name)
    open_account = (while_account_open(caller.user),) if isinstance(caller, Member) else ()
    return CommentAuthor(caller_name(caller), also=open_account)
