"""The community, and what administrators do with its accounts."""

from hashlib import sha256
from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Path

from sparks import logs
from sparks.api.gate import Caller, Gate, MemberCaller, Routes
from sparks.api.lists import Cursor, Limit, page_of
from sparks.api.shapes import Answer, Bytes, Email, NewPassword, Photos, Time, UserName, Wish
from sparks.auth.passwords import checked_password, hash_password
from sparks.auth.registration import Allowance, Newcomer, add_user
from sparks.auth.removal import close_account, removal_of
from sparks.journey import Journey, Stores
from sparks.library import accounts, limits
from sparks.library.access import user_for
from sparks.library.audit import Deed, audit
from sparks.model.access import Action, may_ask
from sparks.model.account import Role, UploadLimit, User, account_email
from sparks.model.caller import Member
from sparks.model.errors import BadInput, NotAllowed, NotFound
from sparks.table.port import Change

EmailPath = Annotated[str, Path(max_length=400)]


class UserAnswer(Answer):
    email: str
    username: str
    role: Role
    created_at: Time | None = None
    profile_picture: str | None = None
    picture_url: str | None = None
    person_id: str | None = None


class LimitAnswer(Answer):
    """`limit` is how many photos may still be uploaded, `used` how many have been; the same for bytes."""

    limit: int
    used: int | None = None
    bytes_left: int | None = None
    bytes_used: int | None = None


class ManagedUser(UserAnswer):
    upload_limit: LimitAnswer


class UserDetails(UserAnswer):
    upload_limit: LimitAnswer | None = None


class UserList(Answer):
    users: list[UserAnswer]
    last_evaluated_key: str | None = None


class RemovalAnswer(Answer):
    """How far it is. When nothing of the account is left, there is no removal either."""

    started_at: Time
    photos_removed: int


class NewUser(Wish):
    """Without a password, they sign in with the provider, or are given one later."""

    email: Email
    username: UserName | None = None
    password: NewPassword | None = None
    role: Role = Role.MEMBER
    limit: Photos | None = None
    bytes_left: Bytes | None = None


class UserChange(Wish):
    """`limit` and `bytesLeft` are what may still be uploaded from now on. A new password ends all sessions."""

    role: Role | None = None
    limit: Photos | None = None
    bytes_left: Bytes | None = None
    password: NewPassword | None = None


def user_answer(user: User) -> UserAnswer:
    return UserAnswer(
        email=user.email,
        username=user.username,
        role=user.role,
        created_at=user.created_at,
        profile_picture=user.profile_picture,
        picture_url=None if user.profile_picture is None else picture_url(user.email, user.profile_picture),
        person_id=user.person_id,
    )


def picture_url(email: str, key: str) -> str:
    """Another one for another picture: a page that is open does not ask again for one that it shows already."""
    return f"/api/users/{quote(email, safe='@')}/picture?v={sha256(key.encode()).hexdigest()[:12]}"


def limit_answer(limit: UploadLimit) -> LimitAnswer:
    return LimitAnswer(
        limit=limit.photos_left, used=limit.used, bytes_left=limit.bytes_left, bytes_used=limit.bytes_used
    )


class UserRoutes:
    def __init__(self, *, gate: Gate, stores: Stores, journey: Journey, allowance: Allowance) -> None:
        self._gate = gate
        self._table = stores.table
        self._stores = stores
        self._journey = journey
        self._allowance = allowance

    def router(self) -> APIRouter:
        routes = Routes(self._gate, tag="users")
        user, manage = "/api/users/{email}", Action.MANAGE_USERS
        routes.add("GET", "/api/users", Action.SEE_USERS, self.read_users)
        routes.add("POST", "/api/users", manage, self.create_user, status=201, errors=(409,))
        routes.add("GET", user, Action.SEE_USERS, self.read_user, errors=(404,))
        routes.add("PATCH", user, manage, self.change_user, errors=(404, 409))
        routes.add("DELETE", user, manage, self.remove_user, status=202, errors=(404, 409))
        routes.add("GET", f"{user}/removal", manage, self.read_removal, errors=(404,))
        return routes.router

    def read_users(self, who: Caller, limit: Limit = 100, cursor: Cursor = None) -> UserList:
        """Everyone who has an account."""
        users, after = page_of(
            lambda most, behind: accounts.page_of_users(limit=most, after=behind, table=self._table),
            query="users",
            who=who,
            limit=limit,
            cursor=cursor,
            keyring=self._stores.keyring,
        )
        return UserList(users=[user_answer(user) for user in users], last_evaluated_key=after)

    def read_user(self, who: Caller, email: EmailPath) -> UserDetails:
        """One member of the community; for administrators, with what they may still upload."""
        user = user_for(who, Action.SEE_USERS, email, at=self._gate.now(), table=self._table)
        limit = limits.read_limit(user.email, table=self._table) if may_ask(who, Action.MANAGE_USERS) else None
        return UserDetails(
            **user_answer(user).model_dump(), upload_limit=None if limit is None else limit_answer(limit)
        )

    def create_user(self, who: MemberCaller, wish: NewUser) -> ManagedUser:
        """Make an account for somebody."""
        _check_hand(who, makes_administrator=wish.role is Role.ADMIN)
        password = None if wish.password is None else wish.password.get_secret_value()
        given = Allowance(
            photos=self._allowance.photos if wish.limit is None else wish.limit,
            bytes=self._allowance.bytes if wish.bytes_left is None else wish.bytes_left,
        )
        user = add_user(
            Newcomer.called(wish.email, password, wish.username),
            role=wish.role,
            allowance=given,
            by=who.email,
            at=self._gate.now(),
            table=self._table,
        )
        return self._managed(user)

    def change_user(self, who: MemberCaller, email: EmailPath, wish: UserChange) -> ManagedUser:
        """Change a role, what may still be uploaded, or a password that was forgotten."""
        _check_hand(who, makes_administrator=wish.role is Role.ADMIN, sets_password=wish.password is not None)
        user = user_for(who, Action.MANAGE_USERS, email, at=self._gate.now(), table=self._table)
        limits.read_limit(user.email, table=self._table)
        hashed = None if wish.password is None else _hashed(wish.password, user)
        if wish.role is not None and wish.role is not user.role:
            note = self._note(who, user, Deed.ROLE_CHANGED, role=wish.role.value, before=user.role.value)
            accounts.change_role(user.email, wish.role, also=(note,), table=self._table)
        if wish.limit is not None or wish.bytes_left is not None:
            note = self._note(who, user, Deed.LIMIT_CHANGED, limit=wish.limit, bytesLeft=wish.bytes_left)
            limits.set_left(user.email, photos=wish.limit, bytes=wish.bytes_left, also=(note,), table=self._table)
        if hashed is not None:
            note = self._note(who, user, Deed.PASSWORD_RESET)
            accounts.set_password(user.email, hashed, also=(note,), table=self._table)
        return self._managed(accounts.get_user(user.email, table=self._table))

    def remove_user(self, who: MemberCaller, email: EmailPath) -> RemovalAnswer:
        """Remove an account and all that it owns. It is closed at once; the rest goes in the background."""
        address = _address(email)
        begun = close_account(address, by=who.email, at=self._gate.now(), table=self._table)
        answer = self.read_removal(address)
        self._journey.send_after(begun, jobs=self._stores.jobs, request_id=logs.REQUEST_ID.get())
        return answer

    def read_removal(self, email: EmailPath) -> RemovalAnswer:
        """How far a removal is; 404 when it is through."""
        removal = removal_of(_address(email), table=self._table)
        return RemovalAnswer(started_at=removal.started_at, photos_removed=removal.photos_removed)

    def _managed(self, user: User) -> ManagedUser:
        limit = limit_answer(limits.read_limit(user.email, table=self._table))
        return ManagedUser(**user_answer(user).model_dump(), upload_limit=limit)

    def _note(self, who: Member, user: User, deed: Deed, **details: object) -> Change:
        via = None if who.via.kind == "session" else who.via.kind
        return audit(deed, who=who.email, target=user.email, via=via, at=self._gate.now(), **details)


def _check_hand(who: Member, *, makes_administrator: bool = False, sets_password: bool = False) -> None:
    """[Note: no wider than it is] With another administrator, or its owner's password, a key could make any key."""
    if who.via.kind != "session" and (makes_administrator or sets_password):
        raise NotAllowed(
            "no API key or token may make administrators or set passwords: sign in in a browser, or use `sparks user`"
        )


def _address(email: str) -> str:
    """What has not the form of an address is as little there as a user who is not."""
    try:
        return account_email(email)
    except BadInput as error:
        raise NotFound(accounts.NO_USER) from error


def _hashed(password: NewPassword, user: User) -> str:
    return hash_password(checked_password(password.get_secret_value(), email=user.email))
