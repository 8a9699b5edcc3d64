"""A worker's end of what ties it to `sparks serve`."""

import logging
import os
import socket
import threading
from collections.abc import Callable

import msgspec

log = logging.getLogger(__name__)


class Lifeline:
    """Finished jobs are reported along it; when its other end is gone, so is the supervisor."""

    def __init__(self, descriptor: int) -> None:
        os.set_inheritable(descriptor, False)  # a child of ours must not keep it open when we are gone
        self._socket = socket.socket(fileno=descriptor)

    def report(self, finished: msgspec.Struct) -> None:
        try:
            self._socket.sendall(msgspec.json.encode(finished) + b"\n")
        except OSError:
            log.warning("a finished job could not be reported: the supervisor is gone")

    def when_cut(self, call: Callable[[], None]) -> None:
        """Calls, in a thread of its own, when the supervisor is gone."""

        def watch() -> None:
            while self._socket.recv(1):
                continue
            log.warning("the supervisor is gone: ending too")
            call()

        threading.Thread(target=watch, name="lifeline", daemon=True).start()
