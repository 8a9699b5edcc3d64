"""`sparks user remove`: removes an account and all that it owns."""

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import click

from sparks.cli.options import email_argument, json_option, print_json, print_line, with_data
from sparks.cli.quantities import format_photos
from sparks.model import times
from sparks.model.errors import NotFound, SparksError
from sparks.settings import Settings

if TYPE_CHECKING:
    from sparks.journey import Stores
    from sparks.table.port import Table

DRAW_SECONDS: Final = 0.2
CLEAR_LINE: Final = "\r\x1b[K"


@click.command()
@email_argument
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@json_option
@with_data
def remove(settings: Settings, *, email: str, yes: bool, as_json: bool) -> None:
    """Remove an account for good, with its photos, sessions and API keys.

    The account is closed at once. If the command is interrupted, `sparks serve` removes the rest; so does this command
    when you run it again.

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
        print_line(f"removed {email} with {_photos_text(owned)}")


def _count_photos(email: str, table: "Table") -> int | None:
    """The number of photos to delete; None where it is not known, or the removal has begun. NotFound where there is no
    user.
    """
    from sparks.accounts.remove_account import removal_progress
    from sparks.cli.account_output import find_account
    from sparks.library.upload_limits.account_limit import read_limit

    try:
        removal_progress(email, table=table)
    except NotFound:
        find_account(email, table=table)
        return read_limit(email, table=table).used
    return None


def _ask(email: str, owned: int | None) -> None:
    if sys.stdin is None or not sys.stdin.isatty():
        raise click.UsageError("there is no terminal to confirm the removal: use --yes")
    if not click.confirm(f"Remove {email} with {_photos_text(owned)} for good?", err=True):
        raise click.ClickException("nothing was removed")


def _remove(email: str, owned: int | None, stores: "Stores") -> None:
    """A worker may remove the same account at the same time: each skips what the other has removed."""
    from sparks.accounts.remove_account import close_account, removal_progress, remove_account
    from sparks.journey import Journey
    from sparks.library.audit import COMMAND_LINE

    begun = close_account(email, by=COMMAND_LINE, at=times.now(), table=stores.table)
    Journey().send_after(begun, jobs=stores.jobs)
    of_all = "" if owned is None else f" of {owned:,}"
    with _shown_progress(
        lambda: f"removing {email}: {removal_progress(email, table=stores.table).photos_removed:,}{of_all} photos"
    ):
        remove_account(begun, table=stores.table, blobs=stores.blobs, jobs=stores.jobs, keyring=stores.keyring)


@contextmanager
def _shown_progress(line: Callable[[], str]) -> Iterator[None]:
    """Redraws the line until the end of the block; draws nothing where stderr is no terminal."""
    finished = threading.Event()

    def show() -> None:
        while not finished.is_set():
            try:
                click.echo(CLEAR_LINE + line(), nl=False, err=True)
            except SparksError:  # the account is removed, or the table cannot be reached, which `_remove` reports
                return
            finished.wait(DRAW_SECONDS)

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


def _photos_text(owned: int | None) -> str:
    return "all its photos" if owned is None else format_photos(owned)
