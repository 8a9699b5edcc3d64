"""Authentication of requests, CSRF check, and the routers that demand an Action.

Each route is added with the Action that it does. Before a byte of the body is read, the caller is identified by
`Authorization: Bearer` or else by the session cookie, and the action is authorized. Whether the caller may do it with a
certain photo or user is decided where that is loaded, by the same rules.

A browser sends its cookies with requests from any page. So a request that changes something, and is
authenticated by a cookie, must come from a page of this site: its Origin and Sec-Fetch-Site must say so, and it must
carry a header that pages of other sites cannot set.

[Note: session and guest cookie] A browser may be signed in and have opened a share link. The caller is then the member,
unless the request has `X-Sparks-As: guest`, or `as=guest` in its URL where no header can be sent. With
`X-Sparks-As: guest {guestId}` the caller is that guest, or the request is refused: a page that is still open when the
browser opens another link must not go on in the name of another guest, above all not with its uploads.
"""

from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from typing import Annotated, Any, ClassVar, Final
from urllib.parse import urlsplit

from fastapi import APIRouter, Depends, Request, Response
from fastapi.routing import APIRoute
from starlette.concurrency import run_in_threadpool
from starlette.routing import BaseRoute, Route

from sparks.api.http.cookies import Cookies
from sparks.api.http.fast_route import CallerDependencies, fast_handler
from sparks.api.http.openapi import CSRF_HEADER, error_responses, security_requirements
from sparks.auth.callers import CallerResolver
from sparks.auth.rate_limits import RateLimit, RateLimiter
from sparks.model import times
from sparks.model.access import GUESTS_ONLY, SIGN_IN, Action, authorize_action
from sparks.model.caller import ANONYMOUS, Caller, GuestCaller, Member
from sparks.model.errors import NotAllowed, NotSignedIn

SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
OWN_SITES: Final = frozenset({"same-origin", "none"})
DEFAULT_PORTS: Final = {"http": ":80", "https": ":443"}
AS_HEADER: Final = "X-Sparks-As"
AS_PARAMETER: Final = "as"  # in a query string
GUEST: Final = "guest"
OTHER_GUEST: Final = "another link was opened in this browser since: open this one again"
FORGED: Final = "this request does not come from a page of Sparks: reload the page, or use an API key"
NO_HEADER: Final = f"a request with a session cookie needs the header {CSRF_HEADER}: 1; scripts use an API key instead"


class PublicRoute(Route):
    """A plain route for all callers."""

    action: ClassVar = Action.VISIT


class PublicApiRoute(APIRoute):
    """A documented route for all callers."""

    action: ClassVar = Action.VISIT


class RequestAuthenticator:
    def __init__(
        self,
        *,
        caller_resolver: CallerResolver,
        rate_limiter: RateLimiter,
        cookies: Cookies,
        public_url: str,
        clock: Callable[[], datetime] = times.now,
    ) -> None:
        self._callers = caller_resolver
        self.rates = rate_limiter
        self.cookies = cookies
        self.now = clock
        self._origin = origin_of(public_url)

    def caller(self, request: Request, action: Action) -> Caller:
        """The caller, who may do this action. Raises NotSignedIn, NotAllowed or TooManyTries."""
        caller = self._identify(request)
        authorize_action(caller, action)
        return caller

    def _identify(self, request: Request) -> Caller:
        kind, _, token = request.headers.get("authorization", "").partition(" ")
        if kind.lower() == "bearer":
            with self.rates.failures(RateLimit.SECRETS, address_of(request)):
                return self._callers.by_bearer(token.strip(), at=self.now())
        session, guest = self.cookies.read(request), self.cookies.read_guest(request)
        if session is None and guest is None:
            return ANONYMOUS
        if request.method not in SAFE_METHODS:
            self.check_origin(request)
            if not request.headers.get(CSRF_HEADER):
                raise NotAllowed(NO_HEADER)
        guest_id = named_guest(request)
        if guest_id and guest is None:
            raise NotSignedIn(OTHER_GUEST)
        with self.rates.failures(RateLimit.SECRETS, address_of(request)):
            if session is not None and (guest is None or not (guest_id or is_as_guest(request))):
                return self._callers.by_cookie(session, at=self.now())
            caller = self._callers.by_guest_cookie(guest or "", at=self.now())
        if guest_id and guest_id != caller.guest.guest_id:
            raise NotSignedIn(OTHER_GUEST)
        return caller

    def guest_session(self, request: Request) -> tuple[GuestCaller, str] | None:
        """The guest whom the token or the cookie of the request authenticates, and that secret; None for others."""
        kind, _, token = request.headers.get("authorization", "").partition(" ")
        secret = token.strip() if kind.lower() == "bearer" else self.cookies.read_guest(request)
        if secret is None:
            return None
        try:
            return self._callers.by_guest_cookie(secret, at=self.now()), secret
        except NotSignedIn:
            return None

    def check_origin(self, request: Request) -> None:
        """NotAllowed for a request that a browser sends for the page of another site."""
        site = request.headers.get("sec-fetch-site")
        origin = request.headers.get("origin")
        if site is not None and site not in OWN_SITES:
            raise NotAllowed(FORGED)
        is_same_host = origin is not None and origin.partition("://")[2] == request.headers.get("host")
        if origin not in (None, self._origin) and (self.cookies.secure or not is_same_host):
            raise NotAllowed(FORGED)


class ActionRouter:
    """The routes of one resource, each with its action; `router` is for the application."""

    def __init__(self, authenticator: RequestAuthenticator, *, tag: str) -> None:
        self.router: Final = APIRouter()
        self._authenticator = authenticator
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
        """`errors` are the statuses of this route besides those of every route."""
        self.router.add_api_route(
            path,
            endpoint,
            methods=[method],
            status_code=status,
            tags=[self._tag],
            response_model_exclude_none=True,
            openapi_extra=security_requirements(action, changes=method not in SAFE_METHODS)
            | more.pop("openapi_extra", {}),
            responses=error_responses(action, errors) | more.pop("responses", {}),
            route_class_override=more.pop("route_class", None) or _route_class(self._authenticator, action),
            **more,
        )

    def add_fast(self, path: str, action: Action, endpoint: Callable[..., Response], **more: Any) -> None:
        """Adds a GET route whose endpoint takes path and query parameters only, and builds the response itself. It is
        faster than one of `add` (see `fast_route`).
        """
        self.add("GET", path, action, endpoint, route_class=_fast_route_class(self._authenticator, action), **more)


def _route_class(authenticator: RequestAuthenticator, route_action: Action) -> type[APIRoute]:
    if route_action is Action.VISIT:
        return PublicApiRoute

    class AuthenticatedRoute(APIRoute):
        action: ClassVar = route_action

        def get_route_handler(self) -> Callable[[Request], Any]:
            handle = super().get_route_handler()

            async def authenticate(request: Request) -> Response:
                request.state.caller = await run_in_threadpool(authenticator.caller, request, route_action)
                response: Response = await handle(request)
                return response

            return authenticate

    return AuthenticatedRoute


def _fast_route_class(authenticator: RequestAuthenticator, route_action: Action) -> type[APIRoute]:
    class FastRoute(APIRoute):
        action: ClassVar = route_action

        def get_route_handler(self) -> Callable[[Request], Any]:
            respond = fast_handler(
                self.dependant,
                caller=lambda request: authenticator.caller(request, route_action),
                dependencies=CALLER_DEPENDENCIES,
            )

            async def run(request: Request) -> Response:
                return await run_in_threadpool(respond, request)

            return run

    return FastRoute


def refuse_undeclared(routes: Sequence[BaseRoute]) -> None:
    """TypeError for a route without an action: it would be open to all callers."""
    for route in routes:
        if action_of(route) is None:
            raise TypeError(f"the route {getattr(route, 'path', route)} declares no action: add it by an ActionRouter")


def action_of(route: BaseRoute) -> Action | None:
    return getattr(route, "action", None)


def address_of(request: Request) -> str:
    """The client's address, for rate limits; empty where it is unknown."""
    return request.client.host if request.client is not None else ""


def origin_of(url: str) -> str:
    """The origin as browsers write it: in lower case, without the default port."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.lower().removesuffix(DEFAULT_PORTS[parts.scheme])}"


def is_as_guest(request: Request) -> bool:
    return GUEST in (request.headers.get(AS_HEADER), request.query_params.get(AS_PARAMETER))


def named_guest(request: Request) -> str:
    """The id of the guest whom the request names as the caller; empty where it names none."""
    kind, _, guest_id = request.headers.get(AS_HEADER, "").partition(" ")
    return guest_id if kind == GUEST else ""


async def _caller(request: Request) -> Caller:
    caller: Caller = request.state.caller
    return caller


async def _member(request: Request) -> Member:
    return _as_member(request.state.caller)


async def _guest(request: Request) -> GuestCaller:
    return _as_guest(request.state.caller)


def _as_guest(caller: Caller) -> GuestCaller:
    if not isinstance(caller, GuestCaller):
        raise NotAllowed(GUESTS_ONLY)
    return caller


def _as_member(caller: Caller) -> Member:
    if not isinstance(caller, Member):
        raise NotSignedIn(SIGN_IN)
    return caller


CALLER_DEPENDENCIES: Final[CallerDependencies] = {
    _caller: lambda caller: caller,
    _member: _as_member,
    _guest: _as_guest,
}

CurrentCaller = Annotated[Caller, Depends(_caller)]
CurrentMember = Annotated[Member, Depends(_member)]
CurrentGuest = Annotated[GuestCaller, Depends(_guest)]
