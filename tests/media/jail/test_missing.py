"""On a machine that lacks a part of the jail, this is said once and the rest stays."""

import errno
import importlib
import sys

import pytest

from tests.media.jail import attacks, manners, task
from tests.media.jail.task import call, make_jail

REFUSED = {errno.EACCES, errno.EPERM}
LANDLOCK_CREATE_RULESET = 444


def warm_without_landlock() -> None:
    """As on a kernel that does not know these calls; a child inherits it."""
    pyseccomp = importlib.import_module("pyseccomp")
    rules = pyseccomp.SyscallFilter(pyseccomp.ALLOW)
    rules.add_rule(pyseccomp.ERRNO(errno.ENOSYS), LANDLOCK_CREATE_RULESET)
    rules.load()
    task.warm()


def warm_without_seccomp() -> None:
    """As where libseccomp is not installed."""
    sys.modules["pyseccomp"] = None  # type: ignore[assignment]  # which makes its import fail
    task.warm()


def test_without_landlock_the_rest_stays(caplog: pytest.LogCaptureFixture) -> None:
    with make_jail(warm=warm_without_landlock, lives=1) as jail:
        missing = jail.start()
        assert call(jail, manners.echo, 1) == 1
        assert call(jail, attacks.read_path, "/etc/passwd") in REFUSED
        assert call(jail, attacks.listen) in REFUSED
        assert call(jail, attacks.fork) in REFUSED

    assert missing == ("Landlock, which Linux has since 5.13 (Function not implemented)",)
    assert caplog.messages == [f"decoders run without {missing[0]}"]


def test_without_seccomp_the_rest_stays(caplog: pytest.LogCaptureFixture) -> None:
    with make_jail(warm=warm_without_seccomp, lives=1) as jail:
        missing = jail.start()
        assert call(jail, manners.echo, 1) == 1
        assert call(jail, attacks.read_path, "/etc/passwd") in REFUSED
        assert call(jail, attacks.listen) in REFUSED
        assert call(jail, attacks.start_program) in REFUSED

    assert missing == ("seccomp, which needs libseccomp2 (not installed)",)
    assert caplog.messages == [f"decoders run without {missing[0]}"]
