"""Supervisor of `sparks serve`: the API in process, workers as children."""

from sparks.supervisor.data_folder_lock import hold_data_folder, is_data_folder_held
from sparks.supervisor.periodic_jobs import PeriodicJob, periodic_jobs
from sparks.supervisor.server import listen, serve
from sparks.supervisor.worker_process import WorkerProcess

__all__ = [
    "PeriodicJob",
    "WorkerProcess",
    "hold_data_folder",
    "is_data_folder_held",
    "listen",
    "periodic_jobs",
    "serve",
]
