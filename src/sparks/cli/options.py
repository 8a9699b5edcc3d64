"""What commands have in common: the options that choose the settings, and JSON output."""

import functools
import os
import sys
from collections.abc import Callable
from typing import Any, TypeVar

import click
import msgspec

from sparks.model.account import account_email
from sparks.model.errors import BadSetting
from sparks.settings import Settings, load_settings, unknown_variables

Command = TypeVar("Command", bound=Callable[..., Any])


def with_settings(command: Callable[..., None]) -> Callable[..., None]:
    """Gives the command `--data` and `--config`, and hands it the settings in force.

    Options of the command that are named after a setting are part of them.
    """

    @click.option("--data", metavar="FOLDER", help="Data folder, as `sparks --data`.")
    @click.option("--config", metavar="FILE", help="Settings file, as `sparks --config`.")
    @click.pass_obj
    @functools.wraps(command)
    def run(outer: dict[str, Any], /, **options: Any) -> None:
        chosen = {name: options.pop(name) for name in [*options] if name in Settings.model_fields or name == "config"}
        given = {name: value for name, value in chosen.items() if value is not None}
        settings = load_settings({**outer, **given}, os.environ)
        for warning in unknown_variables(os.environ):
            click.echo(f"sparks: warning: {warning}", err=True)
        command(settings, **options)

    return run


def with_data(command: Callable[..., None]) -> Callable[..., None]:
    """As `with_settings`, for a command that looks at what is there: it makes no data folder where there is none."""

    @functools.wraps(command)
    def run(settings: Settings, **options: Any) -> None:
        if settings.table == "sqlite" and not any(
            path.exists() for path in (settings.database, settings.blob_folder, settings.secret_file)
        ):
            raise BadSetting(
                f"there is no Sparks data in {settings.data}: name its folder with --data, or begin with `sparks serve`"
            )
        command(settings, **options)

    return with_settings(run)


def email_argument(command: Command, *, required: bool = True) -> Command:
    """The account that the command is about, in whatever case it was typed."""

    def convert(_context: click.Context, _parameter: click.Parameter, text: str | None) -> str | None:
        return None if text is None else account_email(text)

    metavar = "EMAIL" if required else "[EMAIL]"
    return click.argument("email", metavar=metavar, required=required, callback=convert)(command)


def json_option(command: Command) -> Command:
    return click.option("--json", "as_json", is_flag=True, help="Print JSON, for scripts.")(command)


def print_json(content: object) -> None:
    say(msgspec.json.format(msgspec.json.encode(content)).decode())


def say(text: str) -> None:
    """Prints to stdout. Output that is lost makes the command fail; a reader that has seen enough ends it quietly."""
    if sys.stdout is None:
        raise click.ClickException("the output cannot be written: stdout is closed")
    try:
        click.echo(text)
    except BrokenPipeError:
        raise
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is left is not tried again at the end
        raise click.ClickException(f"the output cannot be written: {error.strerror}") from error
