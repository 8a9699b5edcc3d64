"""`sparks serve`, from its first response to its last."""

import os
import re
import signal
import socket
from contextlib import ExitStack
from pathlib import Path

import httpx

from sparks.jobs.port import Job
from sparks.journey import Journey
from sparks.model import times
from sparks.model.events import UpkeepDue
from sparks.settings import load_settings
from sparks.wiring import open_stores
from tests.cli.processes import Running, is_alive, start, start_serve
from tests.servers.process import wait_until


def test_the_ready_line_names_an_address_that_answers(sparks: Running) -> None:
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+", sparks.url)
    assert httpx.get(f"{sparks.url}/healthz").json() == {"status": "alive"}
    assert httpx.get(f"{sparks.url}/readyz").json()["checks"] == {"table": "ok", "blobs": "ok", "jobs": "ok"}


def test_a_worker_runs_the_upkeep_that_serve_sends_and_it_is_counted(sparks: Running) -> None:
    name = 'sparks_jobs_total{kind="clear_abandoned_uploads",outcome="done"}'
    wait_until(lambda: sparks.metric(name) >= 1, what="the upkeep to be done")
    assert sparks.metric("sparks_workers") == 1
    assert sparks.metric('sparks_storage_bytes{what="database"}') > 0


def test_a_job_that_another_process_sends_is_run(sparks: Running) -> None:
    with open_stores(load_settings({"data": sparks.data}, {})) as stores:
        Journey().send_after(UpkeepDue(times.now()), jobs=stores.jobs, request_id="from-afar")
    done = "a job to be done"
    wait_until(lambda: any(line.get("requestId") == "from-afar" for line in sparks.lines("job done")), what=done)


def test_a_failed_job_is_counted_and_its_log_line_carries_its_ids(sparks: Running) -> None:
    with open_stores(load_settings({"data": sparks.data}, {})) as stores:
        stores.jobs.send(Job("fly", {"requestId": "to-nowhere"}))
    wait_until(lambda: sparks.metric('sparks_jobs_total{kind="unknown",outcome="failed"}') == 1, what="a failure")
    line = next(line for line in sparks.lines("the step fly failed") if line["requestId"] == "to-nowhere")
    assert line["jobId"]
    assert "no step has the kind fly" in line["exception"]


def test_requests_are_logged_with_their_ids_and_without_their_queries(sparks: Running) -> None:
    httpx.get(f"{sparks.url}/nowhere?signature=swordfish", headers={"X-Request-Id": "seen"})
    wait_until(lambda: bool(sparks.lines("GET /nowhere 404")), what="the log line")
    assert sparks.lines("GET /nowhere 404")[0]["requestId"] == "seen"
    assert not [line for line in sparks.lines("") if "swordfish" in str(line)]


def test_a_second_serve_on_the_same_data_is_refused(sparks: Running, tmp_path: Path) -> None:
    with start(tmp_path / "data", "serve", "--port", "0", "--data", str(sparks.data)) as second:
        assert second.process.wait(30) == 2
        assert (tmp_path / "err").read_text() == (
            f"sparks: another sparks serve (process {sparks.process.pid}) uses {sparks.data}: "
            "stop it, or name another folder with --data\n"
        )


def test_commands_work_while_a_server_runs(sparks: Running, tmp_path: Path) -> None:
    with start(tmp_path / "data", "jobs", "list", "--json", "--data", str(sparks.data)) as listing:
        assert listing.process.wait(30) == 0
        assert '"counts"' in listing.out


def test_a_port_in_use_is_refused_with_what_to_do(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with start(tmp_path / "data", "serve", "--port", str(port)) as running:
            assert running.process.wait(30) == 2
    message = (tmp_path / "err").read_text()
    assert message.startswith(f"sparks: port {port} of 127.0.0.1 is taken")
    assert "--port" in message
    assert len(message.splitlines()) == 1


def test_a_worker_that_is_killed_is_replaced(tmp_path: Path) -> None:
    with start_serve(tmp_path / "data") as running:
        os.kill(running.worker_pids()[0], signal.SIGKILL)
        wait_until(lambda: len(running.worker_pids()) == 2, what="another worker")
        assert running.lines("a worker ended (signal 9")
        assert running.metric("sparks_worker_deaths_total") == 1
        with open_stores(load_settings({"data": running.data}, {})) as stores:
            Journey().send_after(UpkeepDue(times.now()), jobs=stores.jobs, request_id="second-life")
        wait_until(
            lambda: any(line.get("requestId") == "second-life" for line in running.lines("job done")),
            what="the new worker to run a job",
        )


def test_sigterm_ends_the_server_and_its_workers(tmp_path: Path) -> None:
    with start_serve(tmp_path / "data") as running:
        assert running.end(signal.SIGTERM) == 0
        assert not [pid for pid in running.worker_pids() if is_alive(pid)]
        assert not running.lines("some requests or jobs did not finish")


def test_ctrl_c_ends_the_server_and_its_workers(tmp_path: Path) -> None:
    with start_serve(tmp_path / "data") as running:
        assert running.end(signal.SIGINT) == 0
        assert not [pid for pid in running.worker_pids() if is_alive(pid)]


def test_workers_end_by_themselves_when_serve_is_killed(tmp_path: Path) -> None:
    with start_serve(tmp_path / "data") as running:
        assert running.end(signal.SIGKILL) == -signal.SIGKILL
        wait_until(lambda: not any(map(is_alive, running.worker_pids())), what="the workers to end")


def test_a_server_starts_after_the_last_one_was_killed(tmp_path: Path) -> None:
    with start_serve(tmp_path / "first" / "data") as running:
        running.end(signal.SIGKILL)
        with start_serve(tmp_path / "second" / "data", "--data", str(running.data)) as second:
            assert httpx.get(f"{second.url}/readyz").status_code == 200


def test_500_clients_that_never_finish_their_requests_do_not_block_others(sparks: Running) -> None:
    place = ("127.0.0.1", httpx.URL(sparks.url).port or 0)
    with ExitStack() as stack:
        for _ in range(500):
            slow = stack.enter_context(socket.create_connection(place, timeout=30))
            slow.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX: ")
        assert httpx.get(f"{sparks.url}/healthz").json() == {"status": "alive"}


def test_only_its_owner_may_enter_the_data_folder(sparks: Running) -> None:
    assert sparks.data.stat().st_mode & 0o077 == 0
