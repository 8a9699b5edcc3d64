"""`sparks user remove`: an account, and all that it owns."""

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import click

from sparks.cli.amounts import shown_photos
from sparks.cli.options import email_argument, json_option, print_json, say, with_data
from sparks.model import times
from sparks.model.errors import NotFound, SparksError
from sparks.settings import Settings

if TYPE_CHECKING:
    from sparks.journey import Stores
    from sparks.table.port import Table

SHOWN_EVERY: Final = 0.2
CLEAR_LINE: Final = "\r\x1b[K"


@click.command()
@email_argument
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
@with_data
def remove(settings: Settings, *, email: str, yes: bool, as_json: bool) -> None:
    """Remove an account for good, with its photos, sessions and API keys.

    Nobody can sign in to it from the first moment on. Should this command be interrupted, `sparks serve` goes on with
    the rest; so does this command when it is run again.

    \b
    Examples:
      sparks user remove bob@example.com
      sparks user remove bob@example.com --yes
    """
    from sparks.wiring import clear_search, open_stores

    with open_stores(settings) as stores:
        owned = _count_photos(email, stores.table)
        if not yes:
            _ask(email, owned)
        _remove(email, owned, stores)
        clear_search(settings, stores)
    if as_json:
        print_json({"email": email, "photos": owned})
    else:
        say(f"removed {email} with {_in_words(owned)}")


def _count_photos(email: str, table: "Table") -> int | None:
    """How many will go; None where nobody knows, or where they are going already. NotFound where there is no user."""
    from sparks.auth.removal import removal_of
    from sparks.cli.accounts import find_account
    from sparks.library.limits import read_limit

    try:
        removal_of(email, table=table)
    except NotFound:
        find_account(email, table=table)
        return read_limit(email, table=table).used
    return None


def _ask(email: str, owned: int | None) -> None:
    if sys.stdin is None or not sys.stdin.isatty():
        raise click.UsageError("there is no terminal to ask whether you are sure: say --yes")
    if not click.confirm(f"Remove {email} with {_in_words(owned)} for good?", err=True):
        raise click.ClickException("nothing was removed")


def _remove(email: str, owned: int | None, stores: "Stores") -> None:
    """A worker may do the same at the same time: both find done what the other has done."""
    from sparks.auth.removal import close_account, removal_of, remove_account
    from sparks.journey import Journey
    from sparks.library.audit import COMMAND_LINE

    begun = close_account(email, by=COMMAND_LINE, at=times.now(), table=stores.table)
    Journey().send_after(begun, jobs=stores.jobs)
    of_all = "" if owned is None else f" of {owned:,}"
    with _shown_progress(
        lambda: f"removing {email}: {removal_of(email, table=stores.table).photos_removed:,}{of_all} photos"
    ):
        remove_account(begun, table=stores.table, blobs=stores.blobs, jobs=stores.jobs, keyring=stores.keyring)


@contextmanager
def _shown_progress(line: Callable[[], str]) -> Iterator[None]:
    """A line that changes while the work goes on; nothing where there is no terminal to show it."""
    finished = threading.Event()

    def show() -> None:
        while not finished.is_set():
            try:
                click.echo(CLEAR_LINE + line(), nl=False, err=True)
            except SparksError:  # all is gone, or the table cannot be reached: the work itself will say so
                return
            finished.wait(SHOWN_EVERY)

    if not sys.stderr.isatty():
        yield
        return
    thread = threading.Thread(target=show, name="progress", daemon=True)
    thread.start()
    try:
        yield
    finally:
        finished.set()
        thread.join()
        click.echo(CLEAR_LINE, nl=False, err=True)


def _in_words(owned: int | None) -> str:
    return "all its photos" if owned is None else shown_photos(owned)
