"""`sparks serve`: the API in this process, the workers as its children, and an orderly end."""

from sparks.supervisor.chores import Chore, chores
from sparks.supervisor.lock import hold_data_folder, is_data_folder_held
from sparks.supervisor.serve import listen, serve
from sparks.supervisor.slot import WorkerSlot

__all__ = ["Chore", "WorkerSlot", "chores", "hold_data_folder", "is_data_folder_held", "listen", "serve"]
