"""`sparks serve`: the API in this process, the workers as its children, and an orderly end."""

from sparks.supervisor.lock import hold_data_folder
from sparks.supervisor.serve import listen, send_upkeep, serve
from sparks.supervisor.slot import WorkerSlot

__all__ = ["WorkerSlot", "hold_data_folder", "listen", "send_upkeep", "serve"]
