"""Options and output that commands share: settings, data folder, logs, JSON and exit codes."""

import functools
import os
import sys
from collections.abc import Callable
from typing import Any, Final, TypeVar

import click
import msgspec

from sparks.logs import configure_logs
from sparks.model.account import account_email
from sparks.model.errors import BadSetting
from sparks.settings import Settings, load_settings, unknown_variables

EXIT_INTERRUPTED: Final = 130

Command = TypeVar("Command", bound=Callable[..., Any])


def with_settings(command: Callable[..., None]) -> Callable[..., None]:
    """Adds `--data` and `--config` to the command, and passes it the settings in force.

    Options of the command that have the name of a setting override that setting.
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
    """As `with_settings`, for a command on existing data: BadSetting where there is no data folder."""

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
    """The e-mail address of an account; upper and lower case do not matter."""

    def convert(_context: click.Context, _parameter: click.Parameter, text: str | None) -> str | None:
        return None if text is None else account_email(text)

    metavar = "EMAIL" if required else "[EMAIL]"
    return click.argument("email", metavar=metavar, required=required, callback=convert)(command)


def configure_command_logs(settings: Settings) -> None:
    """Logs warnings only, so that they do not drown the progress bar, unless the user has set another level."""
    is_default = settings.source("log_level") == "default"
    configure_logs(form=settings.log_format, level="warning" if is_default else settings.log_level)


def json_option(command: Command) -> Command:
    return click.option("--json", "as_json", is_flag=True, help="Print JSON, for scripts.")(command)


def print_json(content: object) -> None:
    print_line(msgspec.json.format(msgspec.json.encode(content)).decode())


def print_line(text: str) -> None:
    """Prints to stdout. The command fails where the output is lost; a closed pipe ends it without a message."""
    if sys.stdout is None:
        raise click.ClickException("the output cannot be written: stdout is closed")
    try:
        click.echo(text)
    except BrokenPipeError:
        raise
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python would write the rest again at exit
        raise click.ClickException(f"the output cannot be written: {error.strerror}") from error
