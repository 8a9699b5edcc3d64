"""GET route that authenticates, reads and responds on one thread.

FastAPI runs a plain function on another thread, and authentication does so before; each switch of threads costs about
as much as reading a page of photos. The routes of this module are declared and documented like any other, and FastAPI's
own code checks their parameters, but they switch threads only once.
"""

from collections.abc import Callable, Mapping
from inspect import iscoroutinefunction
from typing import Any

from fastapi import Request, Response
from fastapi.dependencies.models import Dependant
from fastapi.dependencies.utils import request_params_to_args
from fastapi.exceptions import RequestValidationError

from sparks.model.caller import Caller

FastHandler = Callable[[Request], Response]
CallerDependencies = Mapping[Callable[..., Any], Callable[[Caller], Any]]


def fast_handler(
    endpoint: Dependant, *, caller: Callable[[Request], Caller], dependencies: CallerDependencies
) -> FastHandler:
    """A function that responds to a request whose caller is authenticated by `caller`. `dependencies` derive the values
    of FastAPI dependencies from the caller.

    TypeError for an endpoint that takes more than the request, its caller, and path and query parameters.
    """
    function = endpoint.call
    if function is None or iscoroutinefunction(function) or _takes_more(endpoint, dependencies):
        raise TypeError(f"{function} takes more than path and query parameters: add it as an ordinary route")
    callers = {each.name: dependencies[each.call] for each in endpoint.dependencies if each.name and each.call}
    requests = () if endpoint.request_param_name is None else (endpoint.request_param_name,)

    def respond(request: Request) -> Response:
        authenticated = caller(request)
        arguments = _parameters(endpoint, request)
        arguments |= {name: derive(authenticated) for name, derive in callers.items()}
        response: Response = function(**arguments, **dict.fromkeys(requests, request))
        return response

    return respond


def _takes_more(endpoint: Dependant, dependencies: CallerDependencies) -> bool:
    others = (endpoint.body_params, endpoint.header_params, endpoint.cookie_params, endpoint.response_param_name)
    return any(others) or any(each.call not in dependencies for each in endpoint.dependencies)


def _parameters(endpoint: Dependant, request: Request) -> dict[str, Any]:
    """The path and query parameters, by the names of the endpoint's parameters."""
    in_path, path_errors = request_params_to_args(endpoint.path_params, request.path_params)
    in_query, query_errors = request_params_to_args(endpoint.query_params, request.query_params)
    if path_errors or query_errors:
        raise RequestValidationError([*path_errors, *query_errors])
    return in_path | in_query
