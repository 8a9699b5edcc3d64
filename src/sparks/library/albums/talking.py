"""What members and guests say about the photos of an album: that they like one, or more than that.

It is said while the photo is in the album (`_while_placed`), and goes when it leaves.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sparks.library import entity_types, keys
from sparks.library.albums.adding import NOT_THERE
from sparks.library.pages import first_page, growing
from sparks.library.photos.words import checked_words
from sparks.library.records import from_item, key_of, to_item
from sparks.model.album import Comment, Like
from sparks.model.errors import BadInput, ConditionFailed, Conflict, NotFound
from sparks.model.ids import new_event_id, time_of
from sparks.model.photo import Photo
from sparks.table.port import Absent, Change, Check, Delete, Equals, Key, Present, Put, Table, every

MOST_LETTERS: Final = 2000
MOST_COMMENTS: Final = 1000  # on one photo of an album
FULL: Final = f"a photo has at most {MOST_COMMENTS:,} comments in an album: remove some first"
NOTHING_SAID: Final = "a comment needs words: say something"


Sees = Callable[[Sequence[Comment]], Iterable[Comment]]


@dataclass(frozen=True, slots=True)
class Speaker:
    """Whoever says something: an e-mail or `guest:{id}`, and what a guest is called. `also` is part of every
    transaction: that their account is there, say.
    """

    who: str
    name: str | None = None
    also: tuple[Change, ...] = ()


def like_photo(photo: Photo, album_id: str, speaker: Speaker, *, at: datetime, table: Table) -> bool:
    """Whether they did not before; a repeat is harmless. NotFound where the photo is not in the album."""
    like = Like(
        image_id=photo.image_id,
        owner=photo.owner,
        album_id=album_id,
        who=speaker.who,
        created_at=at,
        name=speaker.name,
    )
    try:
        _say(photo, album_id, speaker, Put(to_item(like), (Absent(),)), table)
    except ConditionFailed:
        return False
    return True


def unlike_photo(image_id: str, album_id: str, who: str, *, table: Table) -> bool:
    """Whether they did until now."""
    try:
        table.write(Delete(keys.like(image_id, album_id, who), (Present(),)))
    except ConditionFailed:
        return False
    return True


def likes_of(image_id: str, album_id: str, *, table: Table) -> list[Like]:
    """The first ones first."""
    likes = [from_item(Like, row) for row in every(table, keys.photo_rows(image_id), keys.likes(album_id))]
    return sorted(likes, key=lambda like: (like.created_at, like.who))


def comment_on(photo: Photo, album_id: str, text: str, speaker: Speaker, *, table: Table) -> Comment:
    """BadInput where nothing is said, or too much; Conflict where too much was said already; NotFound where the photo
    is not in the album.
    """
    words = checked_words(text, "a comment", MOST_LETTERS)
    if words is None:
        raise BadInput(NOTHING_SAID)
    said = table.query(keys.photo_rows(photo.image_id), keys.comments(album_id), limit=MOST_COMMENTS, only=frozenset())
    if len(said.items) >= MOST_COMMENTS:
        raise Conflict(FULL)
    comment_id = new_event_id()
    comment = Comment(
        image_id=photo.image_id,
        owner=photo.owner,
        album_id=album_id,
        created_at=time_of(comment_id),
        comment_id=comment_id,
        who=speaker.who,
        text=words,
        name=speaker.name,
    )
    _say(photo, album_id, speaker, Put(to_item(comment), (Absent(),)), table)
    return comment


def find_comment(image_id: str, album_id: str, comment_id: str, *, table: Table) -> Comment | None:
    """None where there is none, or these are no ids."""
    try:
        item = table.get(keys.comment(image_id, album_id, time_of(comment_id), comment_id))
    except BadInput:
        return None
    return None if item is None else from_item(Comment, item)


def remove_comment(comment: Comment, *, table: Table) -> None:
    table.write(Delete(key_of(comment)))


def comments_on(
    image_id: str, album_id: str, *, limit: int, after: Key | None, table: Table
) -> tuple[list[Comment], Key | None]:
    """The first ones first, and where to go on; None is the end."""
    page = table.query(keys.photo_rows(image_id), keys.comments(album_id), limit=limit, after=after)
    return [from_item(Comment, row) for row in page.items], page.after


def comments_in(
    album_id: str, *, sees: Sees, limit: int, after: Key | None, table: Table
) -> tuple[list[Comment], Key | None]:
    """The next comments on any photo of the album, as far as the caller `sees` them, the last first, and where to go
    on; None is the end.

    [Note: by time] The index has them by their photos. Their keys tell the time, so all keys are read and put in order;
    what is said, of some at a time.
    """
    listed = (Key(row["PK"], row["SK"]) for row in every(table, entity_types.comment(album_id), only=frozenset()))
    newest = sorted({Key(key.sk, key.pk) for key in listed}, reverse=True)
    behind = (Key(key.sk, key.pk) for key in newest if after is None or key < Key(after.sk, after.pk))
    found = (comment for some in growing(behind, limit + 1) for comment in sees(_read(some, table)))
    return first_page(found, key_of, limit=limit)


def _read(comments: Sequence[Key], table: Table) -> list[Comment]:
    rows = table.get_many(comments)
    return [from_item(Comment, rows[key]) for key in comments if key in rows]


def _say(photo: Photo, album_id: str, speaker: Speaker, said: Put, table: Table) -> None:
    """ConditionFailed where it is said already; whatever the speaker's own changes raise is a NotFound."""
    placed = Check(keys.album_photo(photo.image_id, album_id), _placed(album_id))
    try:
        table.write(placed, said, *speaker.also)
    except ConditionFailed as failed:
        if failed.position != 1:
            raise NotFound(NOT_THERE) from failed
        raise


def _placed(album_id: str) -> tuple[Equals]:
    return (Equals("entityType", entity_types.album_photo(album_id).value),)
