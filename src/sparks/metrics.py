"""Prometheus counters of requests and jobs.

Workers are separate processes. They report each finished job to the process that serves /metrics, over the socket that
connects them, and that process counts. So counts survive the end of a worker, no files are needed, and a scrape reads
plain numbers.
"""

from typing import Final

import msgspec
from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
    start_http_server,
)

from sparks.model.errors import BadSetting

METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
REQUEST_BUCKETS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
JOB_BUCKETS: Final = (0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900)

# They would add a second row for each counter, which is of no use here.
disable_created_metrics()  # type: ignore[no-untyped-call]


class JobReport(msgspec.Struct, frozen=True):
    """The end of a job: its kind, whether it is done (otherwise it failed), and how long it took."""

    kind: str
    done: bool
    seconds: float


class Metrics:
    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._requests = Counter(
            "sparks_requests", "Requests answered", ["method", "route", "status"], registry=self.registry
        )
        self._request_seconds = Histogram(
            "sparks_request_seconds",
            "Time from a request's first byte to its answer's last",
            ["method", "route"],
            buckets=REQUEST_BUCKETS,
            registry=self.registry,
        )
        self.requests_at_hand = Gauge("sparks_requests_at_hand", "Requests on their way", registry=self.registry)
        self._jobs = Counter("sparks_jobs", "Jobs run", ["kind", "outcome"], registry=self.registry)
        self._job_seconds = Histogram(
            "sparks_job_seconds", "Time that a job took", ["kind"], buckets=JOB_BUCKETS, registry=self.registry
        )
        self.workers = Gauge("sparks_workers", "Worker processes that run now", registry=self.registry)
        self.worker_deaths = Counter(
            "sparks_worker_deaths", "Worker processes that ended without being told to", registry=self.registry
        )
        self.queue = Gauge("sparks_queue_jobs", "Jobs in the queue", ["state"], registry=self.registry)
        self.storage = Gauge(
            "sparks_storage_bytes", "Bytes on the disk of the data folder", ["what"], registry=self.registry
        )
        ProcessCollector(registry=self.registry)

    def count_request(self, *, method: str, route: str, status: int, seconds: float) -> None:
        method = method if method in METHODS else "other"
        self._requests.labels(method, route, status).inc()
        self._request_seconds.labels(method, route).observe(seconds)

    def count_job(self, report: JobReport) -> None:
        self._jobs.labels(report.kind, "done" if report.done else "failed").inc()
        self._job_seconds.labels(report.kind).observe(report.seconds)

    def expose_on(self, host: str, port: int) -> None:
        """Serves the metrics from another thread, for a process that has no API."""
        try:
            start_http_server(port, host, self.registry)
        except OSError as error:
            raise BadSetting(
                f"cannot serve metrics on {host} port {port} ({error.strerror}): choose another with --metrics-port"
            ) from error
