"""Record types of users, passwords, identities, sessions, API keys and invitations."""

from typing import Final

from sparks.library import entity_types, keys
from sparks.library.records.attributes import choice, choices, names, plain, seconds, time
from sparks.library.records.record_type import RecordType
from sparks.model.account import Administrators, Identity, Password, Role, UploadLimit, User
from sparks.model.credential import ApiKey, Invitation, KeyScope, Session

USER: Final = RecordType(
    User,
    plain("username"),
    plain("accountId", guards=True),
    choice("role", Role),
    plain("profilePicture"),
    plain("personId"),
    plain("claimedPersonId"),
    time("createdAt"),
    plain("sessionEpoch", guards=True),
    names("identities", absent=()),
    plain("sourceId"),
    time("removedAt", guards=True),
    pk="{email:email}",
    sk="{email:email}",
    key=lambda user: keys.user(user.email),
    entity_type=lambda _: entity_types.USERS,
    copies={"email": "email"},
    missing=lambda user: {"username": user["email"].partition("@")[0]},
)

PASSWORD: Final = RecordType(
    Password,
    plain("hash", "password_hash"),
    pk="{email..}",
    sk="PASSWORD",
    key=lambda password: keys.password(password.email),
)

IDENTITY: Final = RecordType(
    Identity,
    plain("email"),
    pk="IDENTITY#{iss}#{sub..}",
    sk="IDENTITY",
    key=lambda identity: keys.identity(identity.iss, identity.sub),
)

UPLOAD_LIMIT: Final = RecordType(
    UploadLimit,
    plain("limit", "photos_left"),
    plain("bytesLeft", guards=True),
    plain("given", "photos_given"),
    plain("bytesGiven"),
    pk="LIMIT#{email:email}",
    sk="{email:email}",
    key=lambda limit: keys.upload_limit(limit.email),
    entity_type=lambda _: entity_types.UPLOAD_LIMITS,
    missing=lambda _: {},
)

ADMINISTRATORS: Final = RecordType(
    Administrators,
    plain("count"),
    pk="ADMINISTRATORS",
    sk="ADMINISTRATORS",
    key=lambda _: keys.ADMINISTRATORS,
)

SESSION: Final = RecordType(
    Session,
    plain("email"),
    plain("hash", "secret_hash"),
    time("createdAt"),
    time("expiresAt"),
    time("endsAt"),
    plain("accountId"),
    plain("sessionEpoch"),
    time("lastUsedAt"),
    plain("device"),
    seconds("ttl"),
    pk="SESSION#{session_id..}",
    sk="METADATA",
    key=lambda session: keys.session(session.session_id),
    entity_type=lambda session: entity_types.session(session.email),
)

API_KEY: Final = RecordType(
    ApiKey,
    plain("email"),
    plain("name"),
    plain("hash", "secret_hash"),
    choices("scopes", KeyScope),
    time("createdAt"),
    plain("accountId"),
    time("lastUsedAt"),
    time("expiresAt"),
    seconds("ttl"),
    pk="KEY#{key_id..}",
    sk="METADATA",
    key=lambda api_key: keys.api_key(api_key.key_id),
    entity_type=lambda api_key: entity_types.api_key(api_key.email),
)

INVITATION: Final = RecordType(
    Invitation,
    plain("hash", "secret_hash"),
    choice("role", Role),
    plain("createdBy"),
    time("createdAt"),
    plain("accountId"),
    plain("note"),
    plain("limit", "photos"),
    plain("bytes"),
    plain("usesLeft"),
    time("expiresAt"),
    seconds("ttl"),
    pk="INVITE#{invitation_id..}",
    sk="METADATA",
    key=lambda invitation: keys.invitation(invitation.invitation_id),
    entity_type=lambda _: entity_types.INVITATIONS,
)
