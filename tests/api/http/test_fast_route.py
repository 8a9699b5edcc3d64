"""Fast routes: authenticated and answered on one thread."""

import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Annotated, Any

import pytest
from fastapi import Body, Depends, FastAPI, Header, Path, Query, Request, Response

from sparks.api.http import errors
from sparks.api.http.authentication import ActionRouter, CurrentCaller, CurrentMember, RequestAuthenticator, action_of
from sparks.api.http.cookies import Cookies
from sparks.auth.callers import CallerResolver
from sparks.auth.rate_limits import RateLimiter
from sparks.model.access import Action
from sparks.model.caller import Caller, GuestCaller
from sparks.model.share import LinkPermission
from tests.api.client import SITE, Client, refusal
from tests.api.community import Community
from tests.factories import BOB

Few = Annotated[int, Query(le=9)]
Renamed = Annotated[str, Path(alias="imageId")]


class Watched(RequestAuthenticator):
    """Remembers on which thread it was called."""

    thread: int | None = None

    def caller(self, request: Request, action: Action) -> Caller:
        self.thread = threading.get_ident()
        return super().caller(request, action)


def gate_of(community: Community) -> Watched:
    return Watched(
        caller_resolver=CallerResolver(table=community.table, idle=timedelta(days=30)),
        rate_limiter=RateLimiter(),
        cookies=Cookies(public_url=SITE, allow_http=True, days=30),
        public_url=SITE,
        clock=lambda: community.at,
    )


def app_of(
    authenticator: RequestAuthenticator, path: str, action: Action, endpoint: Callable[..., Response]
) -> FastAPI:
    app = FastAPI()
    errors.install(app)
    routes = ActionRouter(authenticator, tag="photos")
    routes.add_fast(path, action, endpoint)
    app.router.routes.extend(routes.router.routes)
    return app


def test_the_endpoint_gets_the_caller_and_the_parameters_of_the_url(community: Community) -> None:
    def look(request: Request, caller: CurrentMember, image_id: Renamed, many: Few = 5, word: str = "") -> Response:
        return Response(f"{request.method} {caller.email} {image_id} {many} {word}")

    with Client(app_of(gate_of(community), "/see/{imageId}", Action.LIST_PHOTOS, look)) as client:
        headers = community.session_of(community.bob)
        assert client.get("/see/a%20b", headers=headers).text == f"GET {BOB} a b 5 "
        assert client.get("/see/a?many=3&word=x", headers=headers).text == f"GET {BOB} a 3 x"


def test_a_request_is_authenticated_and_answered_on_one_worker_thread(community: Community) -> None:
    authenticator = gate_of(community)
    app = app_of(authenticator, "/see", Action.LIST_PHOTOS, lambda: Response(str(threading.get_ident())))
    with Client(app) as client:
        answer = client.get("/see", headers=community.session_of(community.bob))
    assert answer.text == str(authenticator.thread)
    assert authenticator.thread != threading.get_ident()


def test_the_caller_is_authenticated_before_parameters_are_checked(community: Community) -> None:
    def look(caller: CurrentMember, many: Few) -> Response:
        raise AssertionError((caller, many))

    with Client(app_of(gate_of(community), "/see", Action.LIST_PHOTOS, look)) as client:
        assert client.get("/see?many=10").status_code == 401
        answer = client.get("/see?many=10", headers=community.session_of(community.bob))
        assert refusal(answer) == (422, "INVALID_REQUEST", "query.many: Input should be less than or equal to 9")
        assert client.get("/see", headers=community.session_of(community.bob)).status_code == 422


def test_an_endpoint_for_members_refuses_guests(community: Community) -> None:
    link, _ = community.link_to("album", LinkPermission.VIEW)

    def member(caller: CurrentMember) -> Response:
        return Response(caller.email)

    def anyone(caller: CurrentCaller) -> Response:
        return Response(str(isinstance(caller, GuestCaller)))

    with Client(app_of(gate_of(community), "/see", Action.SEE_PHOTO, member)) as client:
        assert client.get("/see", headers=community.guest_of(link)).status_code == 401
    with Client(app_of(gate_of(community), "/see", Action.SEE_PHOTO, anyone)) as client:
        assert client.get("/see", headers=community.guest_of(link)).text == "True"


def test_a_fast_route_declares_its_action(community: Community) -> None:
    app = app_of(gate_of(community), "/see", Action.SEE_PHOTO, lambda: Response())
    (route,) = [route for route in app.router.routes if getattr(route, "path", "") == "/see"]
    assert action_of(route) is Action.SEE_PHOTO


async def _awaited() -> Response:
    raise AssertionError


def _with_a_body(body: Annotated[dict[str, Any], Body()]) -> Response:
    raise AssertionError(body)


def _with_a_header(word: Annotated[str, Header()]) -> Response:
    raise AssertionError(word)


def _with_a_dependency(word: Annotated[str, Depends(lambda: "word")]) -> Response:
    raise AssertionError(word)


@pytest.mark.parametrize("endpoint", [_awaited, _with_a_body, _with_a_header, _with_a_dependency])
def test_an_endpoint_that_takes_more_is_refused(community: Community, endpoint: Callable[..., Response]) -> None:
    with pytest.raises(TypeError, match="takes more than path and query parameters"):
        app_of(gate_of(community), "/see", Action.LIST_PHOTOS, endpoint)
