"""The gate that every route stands behind: who is asking, and may they ask for this at all.

A route is added with the Action that it does. Before a byte of its body is read, the gate finds out who calls, by
`Authorization: Bearer` or else by the session cookie, and whether they may ask. What they may do with a certain photo
or user is decided where it is loaded, by the same rules.

[Note: forged requests] A browser sends its cookie along whoever made the page that asks. So what a cookie lets in must,
if it changes anything, come from a page of ours: its Origin and Sec-Fetch-Site say so, and it carries a header that no
other site's page can set.

[Note: two cookies] A browser may be signed in, and have opened a link too. It is then the member who asks, unless the
request says `X-Sparks-As: guest`, or `as=guest` in its address, where no header can be sent along. With
`X-Sparks-As: guest {guestId}` it is that guest or nobody: a page that is still open when the browser opens another link
does not go on in the name of another guest, with its uploads above all.
"""

from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from typing import Annotated, Any, ClassVar, Final
from urllib.parse import urlsplit

from fastapi import APIRouter, Depends, Request, Response
from fastapi.routing import APIRoute
from starlette.concurrency import run_in_threadpool
from starlette.routing import BaseRoute, Route

from sparks.api.cookies import Cookies
from sparks.api.document import CSRF_HEADER, errors_of, security_of
from sparks.api.looking import Given, look_for
from sparks.auth.callers import Callers
from sparks.auth.rates import Rate, Rates
from sparks.model import times
from sparks.model.access import GUESTS_ONLY, SIGN_IN, Action, admit
from sparks.model.caller import ANONYMOUS, GuestCaller, Member, Who
from sparks.model.errors import NotAllowed, NotSignedIn

SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS"})
OURS: Final = frozenset({"same-origin", "none"})
USUAL_PORTS: Final = {"http": ":80", "https": ":443"}
AS_HEADER: Final = "X-Sparks-As"
AS: Final = "as"  # in the query of an address
GUEST: Final = "guest"
ANOTHER: Final = "another link was opened in this browser since: open this one again"
FORGED: Final = "this request does not come from a page of Sparks: reload the page, or use an API key"
NO_HEADER: Final = f"a request with a session cookie needs the header {CSRF_HEADER}: 1; scripts use an API key instead"


class OpenRoute(Route):
    """A plain route that is open to everyone."""

    action: ClassVar = Action.VISIT


class OpenApiRoute(APIRoute):
    """A documented route that is open to everyone."""

    action: ClassVar = Action.VISIT


class Gate:
    def __init__(
        self,
        *,
        callers: Callers,
        rates: Rates,
        cookies: Cookies,
        public_url: str,
        clock: Callable[[], datetime] = times.now,
    ) -> None:
        self._callers = callers
        self.rates = rates
        self.cookies = cookies
        self.now = clock
        self._origin = origin_of(public_url)

    def caller(self, request: Request, action: Action) -> Who:
        """Who asks, once it is sure that they may ask for this. Raises NotSignedIn, NotAllowed or TooManyTries."""
        who = self._identify(request)
        admit(who, action)
        return who

    def _identify(self, request: Request) -> Who:
        kind, _, token = request.headers.get("authorization", "").partition(" ")
        if kind.lower() == "bearer":
            with self.rates.failures(Rate.SECRETS, address_of(request)):
                return self._callers.by_bearer(token.strip(), at=self.now())
        session, guest = self.cookies.read(request), self.cookies.read_guest(request)
        if session is None and guest is None:
            return ANONYMOUS
        if request.method not in SAFE:
            self.check_origin(request)
            if not request.headers.get(CSRF_HEADER):
                raise NotAllowed(NO_HEADER)
        named = named_guest(request)
        if named and guest is None:
            raise NotSignedIn(ANOTHER)
        with self.rates.failures(Rate.SECRETS, address_of(request)):
            if session is not None and (guest is None or not (named or asks_as_guest(request))):
                return self._callers.by_cookie(session, at=self.now())
            caller = self._callers.by_guest_cookie(guest or "", at=self.now())
        if named and named != caller.guest.guest_id:
            raise NotSignedIn(ANOTHER)
        return caller

    def known_guest(self, request: Request) -> tuple[GuestCaller, str] | None:
        """The guest whom the request shows to be one already, by a token or a cookie, and that; nobody else."""
        kind, _, token = request.headers.get("authorization", "").partition(" ")
        shown = token.strip() if kind.lower() == "bearer" else self.cookies.read_guest(request)
        if shown is None:
            return None
        try:
            return self._callers.by_guest_cookie(shown, at=self.now()), shown
        except NotSignedIn:
            return None

    def count_guest(self, who: Who, own: Rate, all_of_link: Rate) -> None:
        """One more of what a guest does; TooManyTries where it is one too many, of theirs or of all behind the link.
        Members are not counted.
        """
        if isinstance(who, GuestCaller):
            self.rates.count(own, who.guest.guest_id)
            self.rates.count(all_of_link, who.link.link_id)

    def check_origin(self, request: Request) -> None:
        """NotAllowed where a browser says that another site's page has made the request."""
        site = request.headers.get("sec-fetch-site")
        origin = request.headers.get("origin")
        if site is not None and site not in OURS:
            raise NotAllowed(FORGED)
        here = origin is not None and origin.partition("://")[2] == request.headers.get("host")
        if origin not in (None, self._origin) and (self.cookies.secure or not here):
            raise NotAllowed(FORGED)


class Routes:
    """Routes of one resource, each with its action; hand `router` to the application."""

    def __init__(self, gate: Gate, *, tag: str) -> None:
        self.router: Final = APIRouter()
        self._gate = gate
        self._tag = tag

    def add(
        self,
        method: str,
        path: str,
        action: Action,
        endpoint: Callable[..., Any],
        *,
        status: int = 200,
        errors: Collection[int] = (),
        **more: Any,
    ) -> None:
        """`errors` are the statuses that it may answer with beyond those that any route has."""
        self.router.add_api_route(
            path,
            endpoint,
            methods=[method],
            status_code=status,
            tags=[self._tag],
            response_model_exclude_none=True,
            openapi_extra=security_of(action, changes=method not in SAFE) | more.pop("openapi_extra", {}),
            responses=errors_of(action, errors) | more.pop("responses", {}),
            route_class_override=more.pop("route_class", None) or _gated(self._gate, action),
            **more,
        )

    def look(self, path: str, action: Action, endpoint: Callable[..., Response], **more: Any) -> None:
        """A GET that makes its own answer from what stands in its address; the same as `add`, in less time."""
        self.add("GET", path, action, endpoint, route_class=_looking(self._gate, action), **more)


def _gated(gate: Gate, stands_for: Action) -> type[APIRoute]:
    if stands_for is Action.VISIT:
        return OpenApiRoute

    class GatedRoute(APIRoute):
        action: ClassVar = stands_for

        def get_route_handler(self) -> Callable[[Request], Any]:
            handle = super().get_route_handler()

            async def pass_gate(request: Request) -> Response:
                request.state.who = await run_in_threadpool(gate.caller, request, stands_for)
                answer: Response = await handle(request)
                return answer

            return pass_gate

    return GatedRoute


def _looking(gate: Gate, stands_for: Action) -> type[APIRoute]:
    class LookingRoute(APIRoute):
        action: ClassVar = stands_for

        def get_route_handler(self) -> Callable[[Request], Any]:
            look = look_for(self.dependant, caller=lambda request: gate.caller(request, stands_for), given=GIVEN)

            async def hand_over(request: Request) -> Response:
                return await run_in_threadpool(look, request)

            return hand_over

    return LookingRoute


def refuse_undeclared(routes: Sequence[BaseRoute]) -> None:
    """TypeError where a route declares no action: nobody would know who may use it."""
    for route in routes:
        if action_of(route) is None:
            raise TypeError(f"the route {getattr(route, 'path', route)} declares no action: add it through the gate")


def action_of(route: BaseRoute) -> Action | None:
    return getattr(route, "action", None)


def address_of(request: Request) -> str:
    """Where the request comes from, as far as that is counted."""
    return request.client.host if request.client is not None else ""


def origin_of(url: str) -> str:
    """As a browser writes it: in lower case, without the port that goes without saying."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.lower().removesuffix(USUAL_PORTS[parts.scheme])}"


def asks_as_guest(request: Request) -> bool:
    return GUEST in (request.headers.get(AS_HEADER), request.query_params.get(AS))


def named_guest(request: Request) -> str:
    """Whom the request wants to be, by their id; nothing where it does not say."""
    kind, _, guest_id = request.headers.get(AS_HEADER, "").partition(" ")
    return guest_id if kind == GUEST else ""


async def _who(request: Request) -> Who:
    who: Who = request.state.who
    return who


async def _member(request: Request) -> Member:
    return _as_member(request.state.who)


async def _guest(request: Request) -> GuestCaller:
    return _as_guest(request.state.who)


def _as_guest(who: Who) -> GuestCaller:
    if not isinstance(who, GuestCaller):
        raise NotAllowed(GUESTS_ONLY)
    return who


def _as_member(who: Who) -> Member:
    if not isinstance(who, Member):
        raise NotSignedIn(SIGN_IN)
    return who


GIVEN: Final[Given] = {_who: lambda who: who, _member: _as_member, _guest: _as_guest}


Caller = Annotated[Who, Depends(_who)]
MemberCaller = Annotated[Member, Depends(_member)]
VisitingGuest = Annotated[GuestCaller, Depends(_guest)]
