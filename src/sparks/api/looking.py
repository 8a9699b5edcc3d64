"""Routes that only look: who asks, what for, and the answer, all on one thread.

[Note: one thread] FastAPI hands a plain function over to a thread, and the gate does so before; each handing over costs
about as much as reading a page of photos. These routes are declared and documented as any other, and their parameters
are checked by the same code; but they are handed over once.
"""

from collections.abc import Callable, Mapping
from inspect import iscoroutinefunction
from typing import Any

from fastapi import Request, Response
from fastapi.dependencies.models import Dependant
from fastapi.dependencies.utils import request_params_to_args
from fastapi.exceptions import RequestValidationError

from sparks.model.caller import Who

Look = Callable[[Request], Response]
Given = Mapping[Callable[..., Any], Callable[[Who], Any]]


def look_for(endpoint: Dependant, *, caller: Callable[[Request], Who], given: Given) -> Look:
    """What answers a request, once `caller` has let it in. `given` makes of the caller what a dependency stands for.

    TypeError where the endpoint takes more than the request, its caller and what stands in the address.
    """
    function = endpoint.call
    if function is None or iscoroutinefunction(function) or _takes_more(endpoint, given):
        raise TypeError(f"{function} does more than look: add it as any other route")
    callers = {each.name: given[each.call] for each in endpoint.dependencies if each.name and each.call}
    requests = () if endpoint.request_param_name is None else (endpoint.request_param_name,)

    def look(request: Request) -> Response:
        who = caller(request)
        arguments = _told(endpoint, request)
        arguments |= {name: give(who) for name, give in callers.items()}
        answer: Response = function(**arguments, **dict.fromkeys(requests, request))
        return answer

    return look


def _takes_more(endpoint: Dependant, given: Given) -> bool:
    others = (endpoint.body_params, endpoint.header_params, endpoint.cookie_params, endpoint.response_param_name)
    return any(others) or any(each.call not in given for each in endpoint.dependencies)


def _told(endpoint: Dependant, request: Request) -> dict[str, Any]:
    """What stands in the address, by the names of the endpoint's parameters."""
    in_path, faults = request_params_to_args(endpoint.path_params, request.path_params)
    in_query, more = request_params_to_args(endpoint.query_params, request.query_params)
    if faults or more:
        raise RequestValidationError([*faults, *more])
    return in_path | in_query
