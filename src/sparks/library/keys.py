"""Every PK and SK of the table, with its access patterns.

The lists of the index are named in `entity_types` (`types` below).

question                        how                                                  where
------------------------------  ---------------------------------------------------  ----------------------------------
a user, by e-mail               get user(email)                                      {email}, {email}
their password                  get password(email)                                  {email}, PASSWORD
their upload limit              get upload_limit(email)                              LIMIT#{email}, {email}
the user of an OIDC identity    get identity(iss, sub)                               IDENTITY#{iss}#{sub}, IDENTITY
all users                       query types.USERS                                    entityType USER
number of administrators        get ADMINISTRATORS                                   ADMINISTRATORS, ADMINISTRATORS
a session, key or invitation    get session(id), api_key(id), invitation(id)         SESSION#{id}, ..; METADATA
sessions or keys of a user      query types.session(email), types.api_key(email)     entityType SESSION_OF#, KEY_OF#
an earlier request              get request_token(id)                                TOKEN#{id}, METADATA

a photo                         get photo(image_id, owner)                           {imageId}, UPLOADED_BY#{email}
a photo whose owner is unknown  query photo_rows(image_id), PHOTOS                   {imageId}, UPLOADED_BY#..
all rows of a photo             query photo_rows(image_id), perhaps FACES, ..        {imageId}, ..
the feed                        query types.FEED, newest first                       entityType IMAGE
pending or failed photos        query types.PENDING, types.FAILED                    entityType IMAGE_PENDING, ..
photos with an expiry           query types.EXPIRING, then photo(image_id, owner)    entityType EXPIRING
the trash of a user             query types.trashed(email)                           entityType IMAGE_TRASHED#{email}
the uploads of a user           query uploads_of(email), newest first                uploadedBy {email}
the uploads of a guest          query types.guest_photo(guest_id)                    entityType GUEST_PHOTO#{guestId}
photos with a tag               query types.tag(email, tag), community_tag(tag)      entityType TAG#{email}#{tag}, ..
photos of a month               query types.month(scope, month)                      entityType MONTH#{scope}#{yyyy-mm}
favorites of a user or guest    query types.favorite(who)                            entityType FAVORITE#{who}
months, tags, with counts       query months(scope), tags(scope)                     TIMELINE#{scope}, TAGS#{scope}
tags with a prefix              query tags(scope), tags_beginning(start)             TAGS#{scope}, {tag}
the renaming of a tag           get tag_rename(change_id)                            TAG_CHANGE#{changeId}, METADATA
.. of all tags of a user        query types.tag_rename(email)                        entityType TAG_CHANGE_OF#{email}
a photo of the same bytes       get content_digest(who, digest)                      HASH#{who}#{digest}, HASH
a photo, .. by an external id   get external_id(system, old_id)                      ALIAS#{system}#{oldId}, ALIAS

photos of a person              query types.person_in_photo(person_id), (.., email)  entityType TAGGING#{personId}, ..
faces of a person, unassigned   query types.face(person_id), FACES_UNASSIGNED        entityType FACE#{personId}, ..
a face by its id                get face_by_id(face_id), then face(..)               FACE#{faceId}, FACE
added and removed faces         query face_log(day), since(time); day by day         FACE_INGEST#{yyyy-mm-dd}, ..
a person                        get person(person_id)                                PERSON#{personId}, {personId}
their scopes                    query person_rows(person_id), SCOPES                 PERSON#{personId}, IN#..
their picture is to be updated  query person_rows(person_id), PICTURES_DUE           PERSON#{personId}, PICTURE_DUE#..
.. of all persons               query types.PERSON_PICTURES_DUE                      entityType PICTURE_DUE
decisions about them            query person_rows(person_id), DECISIONS              PERSON#{personId}, DECISION#..
.. about faces in a photo       query photo_rows(image_id), DECISIONS                {imageId}, DECISION#..
persons, of all or of a scope   query types.PERSONS, types.person_in_scope(scope)    entityType PERSON, PERSON_IN#, ..
all decisions                   query types.DECISIONS                                entityType DECISION
a merge suggestion              get suggestion(person_id, other_person_id)           SUGGESTION#{personId}, WITH#..
all merge suggestions           query types.SUGGESTIONS                              entityType SUGGESTION
the next person's number        add 1 to `limit` of PERSON_COUNTER                   UNKNOWN_PERSONS, UNKNOWN_PERSONS

an album                        get album(album_id)                                  ALBUM#{albumId}, METADATA
its members                     query album_rows(album_id), MEMBERS                  ALBUM#{albumId}, MEMBER#..
the albums of a user            query types.album_member(email)                      entityType MEMBER_OF#{email}
its photos, its queue           query types.album_photo(id), types.album_queue(id)   entityType ALBUM_PHOTO#, ..QUEUE#
a person within it              query types.album_person(album_id, person_id)        entityType ALBUM_PERSON#..#..
likes, comments of its photo    query photo_rows(image_id), likes(id), comments(id)  {imageId}, LIKE#{albumId}#..
all its likes, its comments     query types.like(album_id), types.comment(album_id)  entityType LIKE_OF#, COMMENT_OF#
all albums, those in deletion   query types.ALBUMS, types.ALBUMS_DELETING            entityType ALBUM, ALBUM_DELETING
its links                       query types.share_link(album_id)                     entityType LINK_OF#{albumId}
a link                          get share_link(link_id)                              LINK#{linkId}, METADATA
its guests                      query link_rows(link_id), GUESTS                     LINK#{linkId}, GUEST#..
an archive                      get archive(id), its parts archive_part(id, number)  ARCHIVE#{archiveId}, METADATA, ..
checksums of its entries        get archive_findings(id, generation, number)         ARCHIVE#{archiveId}, FOUND#..#..
the last one of an album, ..    get latest_archive(about)                            ARCHIVE_OF#{about}, METADATA

progress of a job               get job_state(job_name)                              JOB#{jobName}, STATE
events since the last one       query events(scope), Between(last_id)                EVENT#{scope}, {uuid7}
consent and audit entries       query consents(subject), audit(month)                CONSENT#{subject}, AUDIT#{yyyy-mm}
changes for the search index    query search_log(day), since(time); day by day       SEARCH_LOG#{yyyy-mm-dd}, ..
a biometric erasure             get erasure(erasure_id)                              ERASURE#{erasureId}, METADATA
unfinished erasures             query types.ERASURES                                 entityType ERASURE
recognition opt-outs            query UNRECOGNISED                                   UNRECOGNISED, VECTOR#{id}

state of the migration          get MIGRATION_STATE                                  MIGRATION, STATE
what only the target holds      get ONLY_IN_TARGET                                   MIGRATION, ONLY_IN_TARGET
its migrator                    get MIGRATION_LEASE, migration_epoch(shard)          MIGRATION, LEASE; ..#EPOCH#{shard}
addresses given for users       get migration_address(user_id)                       MIGRATION#ADDRESSES, {userId}
changes for the mirror          query mirror_outbox(shard)                           MIGRATION_OUTBOX#{shard}, {uuid7}
move to other engines           get ENGINE_MIGRATION, engine_gate(shard)             MIGRATION, ENGINES; ..#GATE#{shard}
.. processes that cannot move   query ENGINE_OBSTACLES                               MIGRATION#OBSTACLES, {process}
.. changes to copy              query engine_outbox(shard)                           ENGINE_OUTBOX#{shard}, {uuid7}
what was migrated               query types.external_id(system, digit)               entityType EXTERNAL_ID#..#..
what could not be taken         query types.migration_issue(field)                   entityType MIGRATION_ISSUE#{field}

version of the stored data      get SCHEMA_STATE                                     SCHEMA, STATE
runner and fences of re-keying  get SCHEMA_RUNNER, schema_fence(shard)               SCHEMA, RUNNER; FENCE#{shard}
writes during a re-keying       query captured_keys(shard)                           SCHEMA_CAPTURE#{shard}, {uuid7}

[Note: one free piece] A key is made of pieces joined by `#`. At most one piece of a text may itself hold a `#`, such as
a tag or a scope; all others are checked to hold none. So no two things share a key, and a key can be read back. An
image id has 36 characters without `#` and `@`, an address is in lower case with one `@`, and every other PK begins with
a word in capitals: partitions of different kinds never meet.
"""

import re
from datetime import datetime
from typing import Final

from sparks.model.errors import BadInput
from sparks.model.scope import Scope
from sparks.model.times import day_of, iso, month_of
from sparks.table.port import Between, Key, Partition, Prefix, UploadedBy

IMAGE_ID_LENGTH: Final = 36

PHOTOS: Final = Prefix("UPLOADED_BY#")
PERSONS: Final = Prefix("PERSON#")
FACES: Final = Prefix("FACE#")
ALBUMS: Final = Prefix("ALBUM#")  # also the persons in each
COMMENTS: Final = Prefix("COMMENT#")
MONTHS: Final = Prefix("MONTH#")
SCOPES: Final = Prefix("IN#")
DECISIONS: Final = Prefix("DECISION#")
PICTURES_DUE: Final = Prefix("PICTURE_DUE#")
MEMBERS: Final = Prefix("MEMBER#")
GUESTS: Final = Prefix("GUEST#")

ADMINISTRATORS: Final = Key("ADMINISTRATORS", "ADMINISTRATORS")
MIGRATION_STATE: Final = Key("MIGRATION", "STATE")
MIGRATION_LEASE: Final = Key("MIGRATION", "LEASE")
ENGINE_MIGRATION: Final = Key("MIGRATION", "ENGINES")
ENGINE_OBSTACLES: Final = Partition("MIGRATION#OBSTACLES")
ONLY_IN_TARGET: Final = Key("MIGRATION", "ONLY_IN_TARGET")
SCHEMA_STATE: Final = Key("SCHEMA", "STATE")
SCHEMA_RUNNER: Final = Key("SCHEMA", "RUNNER")
PERSON_COUNTER: Final = Key("UNKNOWN_PERSONS", "UNKNOWN_PERSONS")
UNRECOGNISED: Final = Partition("UNRECOGNISED")

_ADDRESS: Final = re.compile(r"[^@A-Z]+@[^@#A-Z]+")


# -- Accounts


def user(email: str) -> Key:
    return Key(email_piece(email), email)


def password(email: str) -> Key:
    return Key(email_piece(email), "PASSWORD")


def identity(iss: str, sub: str) -> Key:
    """An issuer is a URL without a fragment, so it holds no `#`; a subject may."""
    return Key(f"IDENTITY#{key_piece(iss)}#{sub}", "IDENTITY")


def upload_limit(email: str) -> Key:
    return Key(f"LIMIT#{email}", email)


def session(session_id: str) -> Key:
    return Key(f"SESSION#{session_id}", "METADATA")


def api_key(key_id: str) -> Key:
    return Key(f"KEY#{key_id}", "METADATA")


def invitation(invitation_id: str) -> Key:
    return Key(f"INVITE#{invitation_id}", "METADATA")


def request_token(token_id: str) -> Key:
    return Key(f"TOKEN#{token_id}", "METADATA")


# -- Photos


def photo_rows(image_id: str) -> Partition:
    return Partition(_image(image_id))


def uploads_of(email: str) -> UploadedBy:
    return UploadedBy(email)


def photo(image_id: str, owner: str) -> Key:
    return Key(_image(image_id), f"UPLOADED_BY#{owner}")


def person_in_photo(image_id: str, person_id: str) -> Key:
    return Key(_image(image_id), f"PERSON#{person_id}")


def face(image_id: str, face_id: str) -> Key:
    return Key(_image(image_id), f"FACE#{face_id}")


def album_photo(image_id: str, album_id: str) -> Key:
    return Key(_image(image_id), f"ALBUM#{key_piece(album_id)}")


def album_person(image_id: str, album_id: str, person_id: str) -> Key:
    return Key(_image(image_id), f"ALBUM#{key_piece(album_id)}#PERSON#{person_id}")


def tag_link(image_id: str, tag: str, *, community: bool = False) -> Key:
    return Key(_image(image_id), f"TAGALL#{tag}" if community else f"TAG#{tag}")


def month_link(image_id: str, scope: Scope) -> Key:
    return Key(_image(image_id), f"MONTH#{scope}")


def favorite(image_id: str, who: str) -> Key:
    return Key(_image(image_id), f"FAVORITE#{who}")


def like(image_id: str, album_id: str, who: str) -> Key:
    return Key(_image(image_id), f"LIKE#{key_piece(album_id)}#{who}")


def likes(album_id: str) -> Prefix:
    return Prefix(f"LIKE#{key_piece(album_id)}#")


def comment(image_id: str, album_id: str, created_at: datetime, comment_id: str) -> Key:
    return Key(_image(image_id), f"COMMENT#{key_piece(album_id)}#{iso(created_at)}#{comment_id}")


def comments(album_id: str) -> Prefix:
    return Prefix(f"COMMENT#{key_piece(album_id)}#")


def face_decision(image_id: str, decided_at: datetime, decision_id: str) -> Key:
    return Key(_image(image_id), f"DECISION#{iso(decided_at)}#{decision_id}")


def expiry(image_id: str) -> Key:
    return Key(_image(image_id), "EXPIRES")


def guest_photo(image_id: str, guest_id: str) -> Key:
    return Key(_image(image_id), f"GUEST#{guest_id}")


def content_digest(who: str, digest: str) -> Key:
    return Key(f"HASH#{who}#{key_piece(digest)}", "HASH")


def external_id(system: str, old_id: str) -> Key:
    return Key(f"ALIAS#{key_piece(system)}#{old_id}", "ALIAS")


def months(scope: Scope) -> Partition:
    return Partition(f"TIMELINE#{scope}")


def month_counter(scope: Scope, month: str) -> Key:
    return Key(months(scope).pk, month)


def tags(scope: Scope) -> Partition:
    return Partition(f"TAGS#{scope}")


def tag_counter(scope: Scope, tag: str) -> Key:
    return Key(tags(scope).pk, tag)


def tags_beginning(start: str) -> Prefix:
    return Prefix(start)


def tag_rename(change_id: str) -> Key:
    return Key(f"TAG_CHANGE#{change_id}", "METADATA")


# -- Faces and persons


def face_by_id(face_id: str) -> Key:
    return Key(f"FACE#{face_id}", "FACE")


def face_log(day: str) -> Partition:
    """The faces that were added or removed on a day, `yyyy-mm-dd`."""
    return Partition(f"FACE_INGEST#{day}")


def face_log_entry(indexed_at: datetime, face_id: str) -> Key:
    return Key(face_log(day_of(indexed_at)).pk, f"{iso(indexed_at)}#{face_id}")


def person_rows(person_id: str) -> Partition:
    return Partition(f"PERSON#{key_piece(person_id)}")


def person(person_id: str) -> Key:
    return Key(person_rows(person_id).pk, person_id)


def person_in_scope(person_id: str, scope: Scope) -> Key:
    return Key(person_rows(person_id).pk, f"IN#{scope}")


def person_picture_due(person_id: str, due_id: str) -> Key:
    return Key(person_rows(person_id).pk, f"PICTURE_DUE#{due_id}")


def decision(person_id: str, decided_at: datetime, decision_id: str) -> Key:
    return Key(person_rows(person_id).pk, f"DECISION#{iso(decided_at)}#{decision_id}")


def suggestion(person_id: str, other_person_id: str) -> Key:
    return Key(f"SUGGESTION#{key_piece(person_id)}", f"WITH#{other_person_id}")


def recognition_opt_out(unrecognised_id: str) -> Key:
    """A face that must not be recognized again."""
    return Key(UNRECOGNISED.pk, f"VECTOR#{unrecognised_id}")


# -- Albums and links


def album_rows(album_id: str) -> Partition:
    return Partition(f"ALBUM#{album_id}")


def album(album_id: str) -> Key:
    return Key(album_rows(album_id).pk, "METADATA")


def album_member(album_id: str, email: str) -> Key:
    return Key(album_rows(album_id).pk, f"MEMBER#{email}")


def link_rows(link_id: str) -> Partition:
    return Partition(f"LINK#{link_id}")


def share_link(link_id: str) -> Key:
    return Key(link_rows(link_id).pk, "METADATA")


def guest(link_id: str, guest_id: str) -> Key:
    return Key(link_rows(link_id).pk, f"GUEST#{guest_id}")


# -- Archives


def archive_rows(archive_id: str) -> Partition:
    return Partition(f"ARCHIVE#{archive_id}")


def archive(archive_id: str) -> Key:
    return Key(archive_rows(archive_id).pk, "METADATA")


def archive_part(archive_id: str, number: int) -> Key:
    return Key(archive_rows(archive_id).pk, f"PART#{number:06}")


def archive_findings(archive_id: str, generation: int, number: int) -> Key:
    return Key(archive_rows(archive_id).pk, f"FOUND#{generation}#{number:06}")


def latest_archive(about: str) -> Key:
    return Key(f"ARCHIVE_OF#{about}", "METADATA")


# -- Logs and system rows


def job_state(job_name: str) -> Key:
    return Key(f"JOB#{job_name}", "STATE")


def events(scope: Scope) -> Partition:
    return Partition(f"EVENT#{scope}")


def live_event(scope: Scope, event_id: str) -> Key:
    return Key(events(scope).pk, event_id)


def consents(subject: str) -> Partition:
    return Partition(f"CONSENT#{subject}")


def consent(subject: str, decided_at: datetime, entry_id: str) -> Key:
    return Key(consents(subject).pk, f"{iso(decided_at)}#{entry_id}")


def search_log(day: str) -> Partition:
    """The changes of a day, `yyyy-mm-dd`, that the search index has to follow."""
    return Partition(f"SEARCH_LOG#{day}")


def search_log_entry(noted_at: datetime, note_id: str) -> Key:
    return Key(search_log(day_of(noted_at)).pk, f"{iso(noted_at)}#{note_id}")


def erasure(erasure_id: str) -> Key:
    return Key(f"ERASURE#{erasure_id}", "METADATA")


def audit(month: str) -> Partition:
    """The actions of a month, `yyyy-mm` in UTC."""
    return Partition(f"AUDIT#{month}")


def audit_entry(done_at: datetime, entry_id: str) -> Key:
    return Key(audit(month_of(done_at)).pk, f"{iso(done_at)}#{entry_id}")


# -- Migration from another service


def migration_epoch(shard: int) -> Key:
    return Key(f"MIGRATION#EPOCH#{shard}", "EPOCH")


def migration_address(user_id: str) -> Key:
    """The address that an operator gave for a user of the source."""
    return Key("MIGRATION#ADDRESSES", user_id)


def mirror_outbox(shard: int) -> Partition:
    return Partition(f"MIGRATION_OUTBOX#{shard}")


def mirror_outbox_entry(shard: int, entry_id: str) -> Key:
    return Key(mirror_outbox(shard).pk, entry_id)


# -- Schema evolution


def schema_fence(shard: int) -> Key:
    return Key("SCHEMA", f"FENCE#{shard}")


def captured_keys(shard: int) -> Partition:
    return Partition(f"SCHEMA_CAPTURE#{shard}")


def captured_keys_entry(shard: int, entry_id: str) -> Key:
    return Key(captured_keys(shard).pk, entry_id)


# -- Migration to other engines


def engine_gate(shard: int) -> Key:
    return Key(f"MIGRATION#GATE#{shard}", "GATE")


def engine_obstacle(process: str) -> Key:
    return Key(ENGINE_OBSTACLES.pk, process)


def engine_outbox(shard: int) -> Partition:
    return Partition(f"ENGINE_OUTBOX#{shard}")


def engine_outbox_entry(shard: int, entry_id: str) -> Key:
    return Key(engine_outbox(shard).pk, entry_id)


# -- Pieces


def since(time: datetime) -> Between:
    """The entries of a log from that time on."""
    return Between(low=iso(time))


def key_piece(piece: str) -> str:
    """A piece of a key that holds no `#`."""
    if not piece or "#" in piece:
        raise BadInput(f"not an id: {piece[:40]!r}")
    return piece


def email_piece(email: str) -> str:
    """Lower-case, one `@`, and no `#` behind it, so that its end is known."""
    if _ADDRESS.fullmatch(email) is None:
        raise BadInput("that is not an e-mail address in lower case")
    return email


def _image(image_id: str) -> str:
    if len(image_id) != IMAGE_ID_LENGTH or "#" in image_id or "@" in image_id:
        raise BadInput(f"not a photo's id: {image_id[:40]!r}")
    return image_id
