"""On a machine that lacks a step of the lockdown, it is logged once and the other steps apply."""

import errno
import importlib
import sys

import pytest

from tests.media.sandbox import attacks, good_tasks, tasks
from tests.media.sandbox.tasks import call, make_sandbox

REFUSED = {errno.EACCES, errno.EPERM}
LANDLOCK_CREATE_RULESET = 444


def preload_without_landlock() -> None:
    """Simulates a kernel without these calls; children inherit the filter."""
    pyseccomp = importlib.import_module("pyseccomp")
    rules = pyseccomp.SyscallFilter(pyseccomp.ALLOW)
    rules.add_rule(pyseccomp.ERRNO(errno.ENOSYS), LANDLOCK_CREATE_RULESET)
    rules.load()
    tasks.preload()


def preload_without_seccomp() -> None:
    """Simulates a machine without libseccomp."""
    sys.modules["pyseccomp"] = None  # type: ignore[assignment]  # which makes its import fail
    tasks.preload()


def test_without_landlock_the_other_steps_apply(caplog: pytest.LogCaptureFixture) -> None:
    with make_sandbox(preload=preload_without_landlock, max_requests=1) as sandbox:
        missing = sandbox.start()
        assert call(sandbox, good_tasks.echo, 1) == 1
        assert call(sandbox, attacks.read_path, "/etc/passwd") in REFUSED
        assert call(sandbox, attacks.listen) in REFUSED
        assert call(sandbox, attacks.fork) in REFUSED

    assert missing == ("Landlock, which Linux has since 5.13 (Function not implemented)",)
    assert caplog.messages == [f"decoders run without {missing[0]}"]


def test_without_seccomp_the_other_steps_apply(caplog: pytest.LogCaptureFixture) -> None:
    with make_sandbox(preload=preload_without_seccomp, max_requests=1) as sandbox:
        missing = sandbox.start()
        assert call(sandbox, good_tasks.echo, 1) == 1
        assert call(sandbox, attacks.read_path, "/etc/passwd") in REFUSED
        assert call(sandbox, attacks.listen) in REFUSED
        assert call(sandbox, attacks.start_program) in REFUSED

    assert missing == ("seccomp, which needs libseccomp2 (not installed)",)
    assert caplog.messages == [f"decoders run without {missing[0]}"]
