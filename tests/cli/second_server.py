"""`sparks` that ignores the lock of the data folder, for a second server as on another machine."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sparks import supervisor
from sparks.cli.main import main


@contextmanager
def hold_nothing(data: Path) -> Iterator[None]:
    yield


if __name__ == "__main__":
    supervisor.hold_data_folder = hold_nothing
    main()
